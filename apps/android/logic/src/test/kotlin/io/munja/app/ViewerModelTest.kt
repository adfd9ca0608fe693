package io.munja.app

import io.munja.OcrEngine
import io.munja.OcrImage
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeout
import org.junit.jupiter.api.AfterAll
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.TestInstance
import java.io.File
import java.io.FileNotFoundException

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ViewerModelTest {
    private val engines = Engines(threads = 1)
    private val scope = CoroutineScope(Dispatchers.Default)

    @AfterAll
    fun close() = engines.close()

    private fun model(open: () -> OcrImage) = ViewerModel(engines, { EngineChoice() }, scope, open = open)

    private fun ViewerModel.ended(): ViewerState = runBlocking {
        withTimeout(60_000) { state.first { it !is ViewerState.Reading } }
    }

    private fun ViewerModel.done() = ended() as ViewerState.Done

    private val receipt: ViewerModel by lazy { model { OcrImage.of(Support.receipt) }.apply { read() } }

    @Test
    fun draggingBackwards_SelectsInReadingOrder() {
        val words = receipt.done().words
        val bakery = words.all.first { words.text(it) == "BAKERY" }
        receipt.selectBetween(bakery + 1, bakery)
        assertEquals("BAKERY NORTHWIND", receipt.done().selectedText)
        receipt.select(words.lineOf(bakery))
        assertEquals("BAKERY NORTHWIND", receipt.done().selectedText)
        receipt.select(IntRange.EMPTY)
        assertEquals("", receipt.done().selectedText)
    }

    @Test
    fun selection_IsThereAgainAfterTheScreenWasKilled() {
        model { OcrImage.of(Support.receipt) }.use { again ->
            again.restoredSelection = 0..1
            again.read()
            assertEquals(0..1, again.done().selection)
        }
        model { OcrImage.of(File(Support.pictures, "single_digits.png")) }.use { other ->
            other.restoredSelection = 0..100_000
            other.read()
            assertTrue(other.done().selection.isEmpty())
        }
    }

    @Test
    fun exports_AreTextAndPdf() = runBlocking {
        receipt.done()
        val text = receipt.export(ExportFormat.TEXT, "receipt")!!.decodeToString()
        assertTrue("BAKERY NORTHWIND" in text, text)
        val pdf = receipt.export(ExportFormat.PDF, "receipt")!!
        assertEquals("%PDF-", pdf.copyOf(5).decodeToString())
        assertTrue(pdf.size > Support.receipt.length(), "the PDF shows the image")
    }

    @Test
    fun imagesThatCannotBeRead_SayWhy() {
        model { OcrImage.of(ByteArray(100)) }.use {
            it.read()
            assertFalse((it.ended() as ViewerState.Failed).message.isBlank())
        }
        model { throw FileNotFoundException("gone.jpg") }.use {
            it.read()
            assertEquals(ViewerState.Failed("gone.jpg"), it.ended())
        }
        model { throw SecurityException("no permission") }.use {
            it.read()
            assertEquals(ViewerState.Failed("no permission"), it.ended())
        }
    }

    @Test
    fun engineThatIsClosedMeanwhile_CanBeTriedAgain() {
        Engines(threads = 1).use { own ->
            val model = ViewerModel(own, { EngineChoice() }, scope) { OcrImage.of(Support.receipt) }
            runBlocking { own.get(EngineChoice()) }.engine.close()
            model.read()
            assertTrue(model.ended() is ViewerState.Failed)
        }
    }

    @Test
    fun imageWithoutText_IsDoneWithoutWords() {
        model { OcrImage.of(IntArray(10_000) { -1 }, 100, 100) }.use {
            it.read()
            assertEquals(0, it.done().words.size)
            assertEquals("", it.done().words.text(it.done().words.all))
        }
    }

    @Test
    fun closing_EndsTheReading() {
        val model = model { OcrImage.of(Support.receipt) }
        model.read()
        model.close()
        OcrEngine.create { threads(1) }.close()
        assertTrue(model.state.value is ViewerState.Reading || model.state.value is ViewerState.Done)
    }
}
