package io.munja.app

import io.munja.Control
import io.munja.MunjaException
import io.munja.OcrImage
import io.munja.Page
import io.munja.ReadOptions
import io.munja.awaitPage
import io.munja.screen.PageWords
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.Job
import kotlinx.coroutines.flow.MutableStateFlow
import kotlinx.coroutines.flow.StateFlow
import kotlinx.coroutines.flow.asStateFlow
import kotlinx.coroutines.flow.update
import kotlinx.coroutines.launch
import kotlinx.coroutines.withContext
import java.io.IOException

sealed interface ViewerState {
    /** The engine is made, or the image is read. */
    data class Reading(val lines: Long = 0, val of: Long = 0) : ViewerState

    /** [selection]: words of [words], or empty. */
    class Done(
        val image: OcrImage,
        val page: Page,
        val words: PageWords,
        val selection: IntRange = IntRange.EMPTY,
        val running: Accelerator,
        val refusals: List<Refusal>,
    ) : ViewerState {
        val selectedText: String get() = words.text(selection)

        fun select(range: IntRange) = Done(image, page, words, range, running, refusals)
    }

    data class Failed(val message: String) : ViewerState
}

enum class ExportFormat(val format: String, val extension: String, val mediaType: String) {
    TEXT("text", "txt", "text/plain"),
    PDF("pdf", "pdf", "application/pdf"),
}

/**
 * One image: read once, looked at, copied from, exported.
 *
 * @param open reads the file or the pixels; called on [dispatcher]
 */
class ViewerModel(
    private val engines: Engines,
    private val choice: () -> EngineChoice,
    private val scope: CoroutineScope,
    private val dispatcher: CoroutineDispatcher = Dispatchers.IO,
    private val open: () -> OcrImage,
) : AutoCloseable {
    private val mutable = MutableStateFlow<ViewerState>(ViewerState.Reading())
    val state: StateFlow<ViewerState> = mutable.asStateFlow()
    private var job: Job? = null

    /** Words to select as soon as the page is read: those of the screen that was there before. */
    var restoredSelection: IntRange = IntRange.EMPTY

    fun read() {
        job?.cancel()
        (mutable.value as? ViewerState.Done)?.page?.close()
        mutable.value = ViewerState.Reading()
        job = scope.launch {
            mutable.value = try {
                readPage()
            } catch (e: CancellationException) {
                throw e
            } catch (e: MunjaException) {
                ViewerState.Failed(e.message.orEmpty())
            } catch (e: IOException) {
                ViewerState.Failed(e.message ?: e.toString())
            } catch (e: SecurityException) {
                // Another application's image, whose permission ended with its task.
                ViewerState.Failed(e.message ?: e.toString())
            } catch (e: IllegalStateException) {
                // The settings changed in this moment, and the engine was replaced.
                ViewerState.Failed(e.message ?: e.toString())
            }
        }
    }

    private suspend fun readPage(): ViewerState.Done {
        val image = withContext(dispatcher) { open() }
        val loaded = engines.get(choice())
        val control = Control.Builder().progress { what, done, total ->
            if (what == "lines") mutable.update { if (it is ViewerState.Reading) ViewerState.Reading(done, total) else it }
            true
        }.build()
        val page = control.use { loaded.engine.awaitPage(image, ReadOptions { control(it) }, dispatcher) }
        val words = PageWords(page)
        val selection = restoredSelection.takeIf { it.last < words.size } ?: IntRange.EMPTY
        return ViewerState.Done(image, page, words, selection, loaded.running, loaded.refusals)
    }

    /** Selects words; an empty range selects none. */
    fun select(range: IntRange) = mutable.update { if (it is ViewerState.Done) it.select(range) else it }

    /** The selection from word [anchor] to word [focus], in whichever order they are read. */
    fun selectBetween(anchor: Int, focus: Int) = select(minOf(anchor, focus)..maxOf(anchor, focus))

    /** The file's bytes; null while there is no page. */
    suspend fun export(format: ExportFormat, name: String): ByteArray? {
        val done = mutable.value as? ViewerState.Done ?: return null
        return withContext(dispatcher) {
            when (format) {
                ExportFormat.TEXT -> (done.page.text + "\n").toByteArray()
                ExportFormat.PDF -> done.page.write("pdf", name, done.image)
            }
        }
    }

    /** Ends a reading in progress and frees the page. */
    override fun close() {
        job?.cancel()
        (mutable.value as? ViewerState.Done)?.page?.close()
    }
}
