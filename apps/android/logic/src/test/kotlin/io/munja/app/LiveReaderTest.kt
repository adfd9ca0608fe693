package io.munja.app

import kotlinx.coroutines.runBlocking
import org.junit.jupiter.api.AfterAll
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.TestInstance
import java.util.concurrent.LinkedBlockingQueue
import java.util.concurrent.TimeUnit

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LiveReaderTest {
    private val engines = Engines(threads = 1)
    private val loaded = runBlocking { engines.get(EngineChoice()) }
    private val results = LinkedBlockingQueue<LiveResult>()
    private val receipt = Support.yuv(Support.load("receipt.jpg"))
    private val table = Support.yuv(Support.load("tight_table.png"))

    @AfterAll
    fun close() = engines.close()

    private fun reader() = LiveReader { results.put(it.getOrThrow()) }.apply { use(loaded) }

    private fun LiveReader.offer(yuv: Support.Yuv) = offer(yuv.planes, yuv.width, yuv.height, 0)

    private fun next() = checkNotNull(results.poll(60, TimeUnit.SECONDS)) { "no frame was read" }

    @Test
    fun stillScene_IsReadOnce() {
        reader().use { reader ->
            reader.offer(receipt)
            assertTrue(next().lines.any { it.text == "BAKERY NORTHWIND" })
            repeat(3) {
                reader.offer(receipt)
                Thread.sleep(30)
            }
            reader.offer(table)
            val report = next().report
            assertEquals(2, report.readings)
            assertEquals(3, report.skipped)
        }
    }

    @Test
    fun burstOfFrames_LeavesTheNewest() {
        reader().use { reader ->
            reader.offer(receipt)
            // Until the first is being read, and then many at once.
            Support.until("reading of the first") { !reader.isWaiting }
            repeat(20) { reader.offer(receipt) }
            reader.offer(table)
            assertTrue(next().lines.any { it.text == "BAKERY NORTHWIND" })
            val last = next()
            assertEquals(table.width, last.width)
            assertEquals(2, last.report.readings)
            assertEquals(20, last.report.skipped)
        }
    }

    @Test
    fun region_LimitsWhatIsRead() {
        reader().use { reader ->
            reader.offer(receipt)
            val all = next()
            val height = all.height / 4
            reader.restrict(Region(0, 0, all.width, height))
            reader.offer(receipt)
            val part = next()
            assertTrue(part.lines.size in 1 until all.lines.size, "${part.lines}")
            assertTrue(part.lines.all { line -> line.corners.all { it.y <= height + 2 } }, "${part.lines}")
        }
    }

    @Test
    fun readerWithoutEngine_WaitsForOne() {
        LiveReader { results.put(it.getOrThrow()) }.use { reader ->
            reader.offer(receipt)
            Support.until("dropping of the frame") { !reader.isWaiting }
            reader.use(loaded)
            reader.offer(receipt)
            assertEquals(1, next().report.readings)
        }
    }

    @Test
    fun closedReader_TakesNoFrames() {
        val reader = reader()
        reader.close()
        reader.offer(receipt)
        reader.close()
        assertTrue(results.poll(100, TimeUnit.MILLISECONDS) == null)
    }
}
