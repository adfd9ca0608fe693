package io.munja.app

import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeout
import org.junit.jupiter.api.Assertions.assertArrayEquals
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.io.TempDir
import java.io.File
import java.io.IOException
import java.io.InputStream

class GalleryTest {
    @TempDir
    lateinit var directory: File

    private val model by lazy { GalleryModel(PictureStore(File(directory, "pictures")), CoroutineScope(Dispatchers.Default)) }

    private fun wait(condition: (GalleryState) -> Boolean): GalleryState =
        runBlocking { withTimeout(10_000) { model.state.first(condition) } }

    @Test
    fun firstStart_IsEmpty() {
        assertFalse(model.state.value.isEmpty)
        model.refresh()
        assertTrue(wait { it.loaded }.isEmpty)
    }

    @Test
    fun secondPicture_DoesNotReplaceTheFirst() {
        model.add(listOf({ "one".byteInputStream() }, { "two".byteInputStream() }))
        val pictures = wait { it.pictures.size == 2 }.pictures
        assertEquals(setOf("one", "two"), pictures.map { it.readText() }.toSet())
    }

    @Test
    fun copyThatBreaks_LeavesNothing() {
        val broken = object : InputStream() {
            private var left = 1000

            override fun read(): Int = if (left-- > 0) 1 else throw IOException("the other application died")
        }
        model.add(listOf({ broken }, { "whole".byteInputStream() }, { throw SecurityException("revoked") }))
        val state = wait { it.loaded }
        assertEquals(2, state.failed)
        assertArrayEquals("whole".toByteArray(), state.pictures.single().readBytes())
        assertEquals(1, File(directory, "pictures").list()!!.size)
    }

    @Test
    fun selection_DeletesWhatIsSelected() {
        model.add(List(3) { { "$it".byteInputStream() } })
        val all = wait { it.pictures.size == 3 }.pictures
        model.toggle(all[0])
        model.toggle(all[1])
        model.toggle(all[1])
        assertEquals(setOf(all[0]), model.state.value.selected)
        model.deleteSelected()
        assertEquals(all.drop(1), wait { it.pictures.size == 2 }.pictures)
        assertFalse(model.state.value.isSelecting)
        model.selectAll()
        model.deleteSelected()
        assertTrue(wait { it.isEmpty }.isEmpty)
    }
}
