package io.munja

import io.munja.Support.engine
import io.munja.Support.failure
import io.munja.Support.throws
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeoutOrNull
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertNull
import org.junit.jupiter.api.Assertions.assertSame
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import java.io.IOException
import java.util.concurrent.CancellationException
import java.util.concurrent.CompletionException
import java.util.concurrent.ExecutionException

/** Limits, cancellation, progress, and calls that do not wait. */
class CallTest {
    private val image = OcrImage.of(Support.receipt)
    private val expected by lazy { engine.process(image).use { it.text } }

    @Test
    fun cancel_EndsACall_AndTheEngineGoesOn() {
        Control().use { control ->
            val options = ReadOptions { control(control) }
            control.cancel()
            failure(Status.CANCELLED) { engine.process(image, options) }
            control.restart()
            assertEquals(expected, engine.process(image, options).text)
        }
    }

    @Test
    fun cancelByAProgressCallback_EndsTheCall() {
        var calls = 0
        Control { progress { _, _, _ -> ++calls < 2 } }.use { control ->
            failure(Status.CANCELLED) { engine.process(image, ReadOptions { control(control) }) }
        }
        assertEquals(2, calls)
    }

    @Test
    fun exceptionInACallback_ReachesTheCaller() {
        val exception = IOException("no room")
        Control { progress { _, _, _ -> throw exception } }.use { control ->
            assertSame(exception, throws<IOException> { engine.process(image, ReadOptions { control(control) }) })
        }
        Control { progress { _, _, _ -> throw exception } }.use { control ->
            val error = throws<IOException> { OcrEngine.create { control(control) }.use { it.process(image, ReadOptions { control(control) }) } }
            assertSame(exception, error)
        }
        assertEquals(expected, engine.process(image).text)
    }

    @Test
    fun progress_ReportsOnTheThreadOfTheCaller() {
        val threads = HashSet<Thread>()
        val reports = ArrayList<String>()
        Control {
            progress { what, done, total ->
                threads += Thread.currentThread()
                reports += what
                done <= total || total == 0L
            }
        }.use { control -> engine.process(image, ReadOptions { control(control) }) }
        assertEquals(setOf(Thread.currentThread()), threads)
        assertTrue("lines" in reports, "$reports")
    }

    @Test
    fun callInACallback_HasLimitsOfItsOwn() {
        var inner = ""
        Control {
            progress { _, _, _ ->
                if (inner.isEmpty()) inner = engine.process(OcrImage.of(Support.sign)).text
                true
            }
        }.use { control -> assertEquals(expected, engine.process(image, ReadOptions { control(control) }).text) }
        assertEquals(engine.process(OcrImage.of(Support.sign)).text, inner)
    }

    @Test
    fun limits_EndTheCall() {
        Control { maxMemory(100_000) }.use { failure(Status.OUT_OF_MEMORY) { engine.process(image, ReadOptions { control(it) }) } }
        Control { maxPixels(1000) }.use {
            val status = throws<MunjaException> { engine.process(image, ReadOptions { control(it) }) }.status
            assertTrue(status in listOf(Status.OUT_OF_MEMORY, Status.UNSUPPORTED), "$status")
        }
        Control { timeoutMillis(1) }.use {
            Thread.sleep(5)
            failure(Status.TIMED_OUT) { engine.process(image, ReadOptions { control(it) }) }
        }
        Control().use {
            engine.process(image, ReadOptions { control(it) })
            assertTrue(it.peakMemory > 100_000)
        }
        throws<IllegalArgumentException> { Control { timeoutMillis(-1) } }
    }

    @Test
    fun future_HasThePageOrTheError() {
        assertEquals(expected, engine.processAsync(image).get().text)
        assertEquals(expected, engine.processAsync(image, ReadOptions.DEFAULT) { it.run() }.get().text)
        val error = throws<ExecutionException> { engine.processAsync(OcrImage.of(ByteArray(3))).get() }
        assertEquals(Status.UNSUPPORTED, (error.cause as MunjaException).status)
        val joined = throws<CompletionException> { engine.processAsync(OcrImage.of(ByteArray(3))).join() }
        assertTrue(joined.cause is MunjaException)
    }

    @Test
    fun cancelledFuture_EndsTheReading() {
        val tasks = ArrayList<Runnable>()
        val ended = ArrayList<Status>()
        Control {
            progress { _, _, _ -> true }
        }.use { control ->
            val future = engine.processAsync(image, ReadOptions { control(control) }) { tasks += it }
            future.cancel(true)
            tasks.forEach { it.run() }
            throws<CancellationException> { future.get() }
            // Its control was cancelled with it.
            ended += throws<MunjaException> { engine.process(image, ReadOptions { control(control) }) }.status
        }
        assertEquals(listOf(Status.CANCELLED), ended)
    }

    @Test
    fun coroutine_ReadsOffItsThread() = runBlocking {
        val pages = List(4) { async { engine.awaitPage(image) } }
        for (page in pages) assertEquals(expected, page.await().use { it.text })
        val error = runCatching { engine.awaitPage(OcrImage.of(ByteArray(3))) }.exceptionOrNull()
        assertEquals(Status.UNSUPPORTED, (error as MunjaException).status)
        assertEquals(expected, engine.awaitPage(image, dispatcher = Dispatchers.Default).text)
    }

    @Test
    fun cancelledCoroutine_CancelsTheReading() = runBlocking {
        // A hundred readings in sequence would take long; the first one is under way when the job is cancelled.
        var read = 0
        val job = launch(Dispatchers.Default, CoroutineStart.UNDISPATCHED) {
            repeat(1000) {
                engine.awaitPage(image).close()
                read++
            }
        }
        job.cancelAndJoin()
        assertTrue(job.isCancelled && read < 1000)
        assertNull(withTimeoutOrNull(1) { List(1000) { engine.awaitPage(image) } })
        assertEquals(expected, engine.awaitPage(image).text)
    }
}
