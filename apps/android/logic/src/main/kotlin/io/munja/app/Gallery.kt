package io.munja.app

import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.flow.MutableStateFlow
import kotlinx.coroutines.flow.StateFlow
import kotlinx.coroutines.flow.asStateFlow
import kotlinx.coroutines.flow.update
import kotlinx.coroutines.launch
import kotlinx.coroutines.withContext
import java.io.File
import java.io.IOException
import java.io.InputStream

/** Images that the user brought in, as files of the application. The newest is the first. */
class PictureStore(private val directory: File) {
    fun list(): List<File> =
        directory.listFiles { file -> file.isFile && !file.name.endsWith(PART) }.orEmpty()
            .sortedWith(compareByDescending<File> { it.lastModified() }.thenByDescending { it.name })

    /** Copies an image; it appears only when it is whole. */
    fun add(image: InputStream): File {
        if (!directory.isDirectory && !directory.mkdirs()) throw IOException("$directory cannot be made")
        val part = File.createTempFile("picture-", PART, directory)
        try {
            part.outputStream().use { image.copyTo(it) }
            val whole = File(directory, part.name.removeSuffix(PART))
            if (!part.renameTo(whole)) throw IOException("$whole cannot be written")
            return whole
        } finally {
            part.delete()
        }
    }

    fun delete(files: Collection<File>) = files.forEach { it.delete() }

    private companion object {
        const val PART = ".part"
    }
}

data class GalleryState(
    val pictures: List<File> = emptyList(),
    val selected: Set<File> = emptySet(),
    val loaded: Boolean = false,
    /** Images that could not be copied in the last import. */
    val failed: Int = 0,
) {
    val isSelecting: Boolean get() = selected.isNotEmpty()
    val isEmpty: Boolean get() = loaded && pictures.isEmpty()
}

class GalleryModel(
    private val store: PictureStore,
    private val scope: CoroutineScope,
    private val dispatcher: CoroutineDispatcher = Dispatchers.IO,
) {
    private val mutable = MutableStateFlow(GalleryState())
    val state: StateFlow<GalleryState> = mutable.asStateFlow()

    fun refresh() = change { }

    /** Copies images; those that cannot be read are counted in [GalleryState.failed]. */
    fun add(images: List<() -> InputStream>) = change { failed ->
        for (open in images) {
            try {
                open().use { store.add(it) }
            } catch (e: IOException) {
                failed()
            } catch (e: RuntimeException) {
                // Providers of other applications throw what they like.
                failed()
            }
        }
    }

    fun toggle(picture: File) = mutable.update {
        it.copy(selected = if (picture in it.selected) it.selected - picture else it.selected + picture)
    }

    fun selectAll() = mutable.update { it.copy(selected = it.pictures.toSet()) }

    fun clearSelection() = mutable.update { it.copy(selected = emptySet()) }

    fun deleteSelected() {
        val chosen = mutable.value.selected
        change { store.delete(chosen) }
    }

    private fun change(action: (failed: () -> Unit) -> Unit) {
        scope.launch {
            var failures = 0
            val pictures = withContext(dispatcher) {
                action { failures++ }
                store.list()
            }
            mutable.update {
                it.copy(
                    pictures = pictures,
                    selected = it.selected.intersect(pictures.toSet()),
                    loaded = true,
                    failed = failures,
                )
            }
        }
    }
}
