package io.munja

import io.munja.Support.throws
import kotlinx.coroutines.runBlocking
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import java.io.ByteArrayOutputStream
import java.lang.ref.WeakReference
import java.util.concurrent.CountDownLatch
import java.util.concurrent.atomic.AtomicInteger
import kotlin.concurrent.thread

/** Objects of the native library: closed, forgotten, and used by many threads at once. */
class HandleTest {
    private val image = OcrImage.of(Support.sign)

    @Test
    fun closedEngine_IsAnIllegalState() {
        val engine = OcrEngine.create()
        engine.close()
        engine.close()
        assertTrue(engine.isClosed)
        assertEquals("the engine is closed", throws<IllegalStateException> { engine.process(image) }.message)
        throws<IllegalStateException> { engine.name }
        throws<IllegalStateException> { engine.settings }
        throws<IllegalStateException> { engine.processAsync(image) }
        throws<IllegalStateException> { runBlocking { engine.awaitPage(image) } }
    }

    @Test
    fun closedPage_KeepsItsText_ButWritesNothing() {
        val page = Support.engine.process(image)
        val text = page.text
        page.close()
        assertEquals(text, page.text)
        for (line in page.lines) assertEquals(line.text, line.symbols.joinToString(""))
        assertEquals("the page is closed", throws<IllegalStateException> { page.toJson() }.message)
    }

    @Test
    fun closedControlOrWriter_IsAnIllegalState() {
        val control = Control()
        control.close()
        throws<IllegalStateException> { control.cancel() }
        throws<IllegalStateException> { Support.engine.process(image, ReadOptions { control(control) }) }
        val writer = DocumentWriter("text", ByteArrayOutputStream())
        writer.close()
        throws<IllegalStateException> { writer.finish() }
        Support.engine.process(image).use { page -> throws<IllegalStateException> { writer.add(page) } }
    }

    @Test
    fun pages_OutliveTheirEngine() {
        val page = OcrEngine.create().use { it.process(image) }
        assertTrue(page.toJson().startsWith("{\"schema_version\":1"))
    }

    @Test
    fun closingWhileOthersRead_LetsThemFinish() {
        repeat(3) {
            val engine = OcrEngine.create { threads(1) }
            val expected = engine.process(image).text
            val begun = CountDownLatch(4)
            val refused = AtomicInteger()
            val failures = ArrayList<Throwable>()
            val threads = List(4) {
                thread {
                    try {
                        begun.countDown()
                        while (true) assertEquals(expected, engine.process(image).use { it.text })
                    } catch (e: IllegalStateException) {
                        refused.incrementAndGet()
                    } catch (e: Throwable) {
                        synchronized(failures) { failures += e }
                    }
                }
            }
            begun.await()
            engine.close()
            threads.forEach { it.join() }
            assertEquals(emptyList<Throwable>(), failures)
            assertEquals(4, refused.get())
        }
    }

    @Test
    fun onePage_IsWrittenByManyThreads_WhileItIsClosed() {
        val page = Support.engine.process(image)
        val expected = page.toJson()
        val threads = List(4) {
            thread {
                try {
                    repeat(50) { assertEquals(expected, page.toJson()) }
                } catch (_: IllegalStateException) {
                }
            }
        }
        page.close()
        threads.forEach { it.join() }
    }

    @Test
    fun forgottenObjects_AreFreed() {
        val freed = AtomicInteger()
        fun forget(): WeakReference<Any> {
            val owner = Any()
            NativeHandle(owner, 1, "thing") { freed.incrementAndGet() }
            return WeakReference(owner)
        }
        val forgotten = List(10) { forget() }
        for (attempt in 1..200) {
            if (freed.get() == 10) break
            System.gc()
            Thread.sleep(10)
        }
        assertEquals(10, freed.get())
        assertTrue(forgotten.all { it.get() == null })
    }

    @Test
    fun objectInUse_IsFreedOnce_AfterItsLastCall() {
        val freed = AtomicInteger()
        val owner = Any()
        val handle = NativeHandle(owner, 1, "thing") { freed.incrementAndGet() }
        handle.use {
            handle.use { handle.close() }
            assertEquals(0, freed.get())
            handle.close()
            assertFalse(freed.get() > 0)
            throws<IllegalStateException> { handle.use { } }
        }
        assertEquals(1, freed.get())
        handle.close()
        assertEquals(1, freed.get())
    }

    @Test
    fun forgottenPages_DoNotPileUp() {
        val ended = Support.java("ForgetPages")
        assertEquals("done\n" to 0, ended.output to ended.status)
    }

    @Test
    fun endOfTheJvm_InTheMiddleOfReading_IsNoCrash() {
        for (way in listOf("return", "exit", "halt", "throw")) {
            repeat(2) {
                val ended = Support.java("ExitWhileReading", listOf(way))
                val expected = when (way) {
                    "exit" -> 7
                    "halt" -> 8
                    "throw" -> 1
                    else -> 0
                }
                assertEquals(expected, ended.status, "$way: ${ended.output}")
                assertFalse("SIG" in ended.output, ended.output)
            }
        }
    }
}
