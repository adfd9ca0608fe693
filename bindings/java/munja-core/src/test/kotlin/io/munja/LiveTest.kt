package io.munja

import io.munja.Support.engine
import io.munja.Support.failure
import io.munja.Support.throws
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.take
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout
import java.awt.Color
import java.awt.image.BufferedImage
import java.io.File
import java.nio.ByteBuffer
import java.util.concurrent.CountDownLatch
import java.util.concurrent.Semaphore
import java.util.concurrent.atomic.AtomicInteger
import javax.imageio.ImageIO

/** A stream of frames that are drawn here: a line of text of a picture, on white, at any place. */
@Timeout(300) // Seconds: a stream that hangs must not stop the others.
class LiveTest {
    private val strip: BufferedImage by lazy { ImageIO.read(File(Support.pictures, "receipt.jpg")).getSubimage(150, 150, 620, 220) }

    private fun frame(x: Int = 40, y: Int = 30, text: Boolean = true): OcrImage {
        val picture = BufferedImage(720, 280, BufferedImage.TYPE_3BYTE_BGR)
        picture.createGraphics().apply {
            color = Color.WHITE
            fillRect(0, 0, 720, 280)
            if (text) drawImage(strip, x, y, null)
        }.dispose()
        return OcrImage.of(picture)
    }

    /** Frames of 1/10 s with the text from [from] until [until]. */
    private fun stream(count: Int, from: Int = 0, until: Int = count) =
        flow { for (i in 0 until count) emit(LiveFrame(frame(text = i in from until until), i / 10.0)) }

    /** Feeds a camera's frames that do not change, until [done]. */
    private fun feedUntil(live: LiveReader, done: () -> Boolean) {
        var frames = 0
        while (!done()) {
            live.feed(frame(), frames++ / 10.0)
            Thread.sleep(20)
        }
    }

    private fun everyFrame(configure: LiveOptions.Builder.() -> Unit = {}) = LiveOptions { everyFrame().apply(configure) }

    @Test
    fun lines_AppearBecomeFinalAndLeave() = runBlocking {
        val events = engine.liveEvents(stream(14, until = 8), everyFrame()).toList()
        val read = engine.process(frame()).lines.map { it.text }
        assertTrue(read.isNotEmpty())
        val final = events.filter { it.kind == LiveKind.FINAL }
        assertEquals(read.sorted(), final.map { it.text }.sorted())
        for (line in final) {
            val own = events.filter { it.id == line.id }
            assertEquals(LiveKind.NEW, own.first().kind)
            assertEquals(LiveKind.GONE, own.last().kind)
            assertEquals(0.0, own.last().firstTime)
            assertTrue(own.last().lastTime in 0.5..0.9, "${own.last()}")
            assertTrue(line.isFinal && line.readings >= 1 && line.confidence > 0.3f)
            assertTrue(line.boundingBox.left in 0f..720f && line.boundingBox.bottom in 0f..280f)
        }
        assertEquals(events.map { it.time }.sorted(), events.map { it.time })
    }

    @Test
    fun sameFrames_GiveTheSameEvents() = runBlocking {
        val options = everyFrame { agreeReadings(2) }
        assertEquals(engine.liveEvents(stream(6), options).toList(), engine.liveEvents(stream(6), options).toList())
    }

    @Test
    fun pixelsOfAnyMemory_AreReadAlike() {
        fun events(make: (ByteArray) -> OcrImage): List<LiveEvent> {
            val events = ArrayList<LiveEvent>()
            val picture = BufferedImage(720, 280, BufferedImage.TYPE_3BYTE_BGR)
            picture.createGraphics().apply { drawImage(strip, 40, 30, Color.WHITE, null) }.dispose()
            val bytes = (picture.raster.dataBuffer as java.awt.image.DataBufferByte).data
            LiveReader.create(engine, everyFrame()) { events += it }.use { live ->
                for (i in 0..4) live.feed(make(bytes), i / 10.0)
                live.finish()
            }
            return events
        }
        val direct = events { OcrImage.of(ByteBuffer.allocateDirect(it.size).put(it).rewind(), PixelFormat.BGR, 720, 280) }
        assertTrue(direct.isNotEmpty())
        assertEquals(direct, events { OcrImage.of(ByteBuffer.wrap(it), PixelFormat.BGR, 720, 280) })
        val offset = events { OcrImage.of(ByteBuffer.wrap(ByteArray(5) + it).position(5), PixelFormat.BGR, 720, 280) }
        assertEquals(direct, offset)
    }

    @Test
    fun boxes_FollowTheNewestFrame() {
        LiveReader.create(engine, everyFrame()) {}.use { live ->
            for (i in 0..3) live.feed(frame(), i / 10.0)
            val before = live.boxes.associateBy { it.id }
            assertTrue(before.isNotEmpty())
            for (i in 1..4) live.feed(frame(x = 40 + 3 * i), 0.3 + i / 10.0)
            for (box in live.boxes) {
                val old = before[box.id] ?: continue
                assertEquals(12f, box.cornerPoints[0].x - old.cornerPoints[0].x, 6f)
            }
            assertEquals(8, live.statistics.frames)
            assertTrue(live.statistics.searches >= 1 && live.statistics.recognizeMillis > 0)
            assertTrue(live.statistics.lines == live.boxes.size)
        }
    }

    @Test
    fun camera_ThatIsFasterThanReading_LosesFramesAndNeverWaits() {
        val reading = CountDownLatch(1)
        val go = CountDownLatch(1)
        val fed = 30
        LiveReader.create(engine) {
            reading.countDown()
            go.await() // The thread that reads is busy as long as the test wants it to be.
        }.use { live ->
            feedUntil(live) { reading.count == 0L }
            val before = live.statistics
            for (i in 1..fed) live.feed(frame(x = 40 + 8 * i), 100 + i / 10.0)
            go.countDown()
            live.finish()
            val counts = live.statistics
            assertEquals(before.frames + fed, counts.frames)
            assertTrue(counts.dropped - before.dropped >= fed - 4, "$counts")
        }
    }

    @Test
    fun slowCollector_GetsEveryEvent() = runBlocking {
        val options = LiveOptions { appearAfter(1).leaveAfter(1) }
        var appeared = 0
        val events = engine.liveEvents(options) { live ->
            for (i in 0 until 8) {
                live.feed(frame(text = i % 2 == 0), i.toDouble())
                // The camera waits for the reading of each, not for the collector.
                while (with(live.statistics) { read + unchanged + unusable + dropped } <= i) delay(5)
            }
        }
        val open = HashSet<Long>()
        events.collect {
            delay(2)
            if (it.kind == LiveKind.NEW) assertTrue(open.add(it.id)).also { appeared++ }
            if (it.kind == LiveKind.GONE) assertTrue(open.remove(it.id))
        }
        assertTrue(appeared > 0)
        assertEquals(emptySet<Long>(), open)
    }

    @Test
    fun cancelledFlow_EndsTheReading() = runBlocking {
        val started = CompletableDeferred<LiveReader>()
        val job = launch {
            engine.liveEvents { live ->
                live.feed(frame(), 0.0)
                started.complete(live)
                awaitCancellation()
            }.collect {}
        }
        val live = started.await()
        job.cancel()
        job.join()
        assertEquals("the live reader is closed", throws<IllegalStateException> { live.statistics }.message)
        // Collecting only some of the events cancels, too, even while the reader waits for its collector.
        assertEquals(1, engine.liveEvents(stream(50), everyFrame()).take(1).toList().size)
        assertTrue(engine.liveEvents(stream(50), everyFrame()).first { it.kind == LiveKind.FINAL }.isFinal)
        assertTrue(engine.process(frame()).lines.isNotEmpty())
    }

    @Test
    fun failureOfTheFeeder_ReachesTheCollector() {
        val failed = throws<IllegalArgumentException> {
            runBlocking {
                engine.liveEvents { live ->
                    live.feed(frame(), 0.0)
                    throw IllegalArgumentException("the camera was taken away")
                }.collect {}
            }
        }
        assertEquals("the camera was taken away", failed.message)
    }

    @Test
    fun cancelledReader_SaysSo_UntilItIsReset() {
        LiveReader.create(engine) {}.use { live ->
            live.cancel()
            failure(Status.CANCELLED) { live.feed(frame(), 0.0) }
            failure(Status.CANCELLED) { live.finish() }
            live.reset()
            live.feed(frame(), 0.1)
            live.finish()
        }
    }

    @Test
    fun listener_MayCloseItsReader_AndDoNothingElseToIt() {
        val closed = Semaphore(0)
        var refused: Throwable? = null
        lateinit var live: LiveReader
        live = LiveReader.create(engine) {
            if (refused != null) return@create
            refused = runCatching { live.finish() }.exceptionOrNull()
            live.close()
            closed.release()
        }
        // It is closed between two frames.
        throws<IllegalStateException> { feedUntil(live) { false } }
        closed.acquire()
        assertTrue(refused is IllegalStateException, "$refused")
    }

    @Test
    fun exceptionOfTheListener_IsThrownByTheNextCall() {
        for (options in listOf(LiveOptions.DEFAULT, everyFrame())) {
            LiveReader.create(engine, options) { error("the screen is gone") }.use { live ->
                val message = throws<IllegalStateException> {
                    for (i in 0..3) live.feed(frame(), i / 10.0)
                    live.finish()
                }.message
                assertEquals("the screen is gone", message)
                failure(Status.CANCELLED) { live.feed(frame(), 9.0) }
            }
        }
    }

    @Test
    fun engine_StaysOpenForItsReader() {
        val own = OcrEngine.create { threads(1) }
        val events = AtomicInteger()
        LiveReader.create(own, everyFrame()) { events.incrementAndGet() }.use { live ->
            own.close()
            for (i in 0..3) live.feed(frame(), i / 10.0)
        }
        assertTrue(events.get() > 0)
        throws<IllegalStateException> { LiveReader.create(own) {} }
    }

    @Test
    fun wrongFramesAndOptions_AreRefused() {
        LiveReader.create(engine) {}.use { live ->
            throws<IllegalArgumentException> { live.feed(OcrImage.of(Support.receipt), 0.0) }
            failure(Status.INVALID_ARGUMENT) { live.feed(OcrImage.of(IntArray(10), 10, 10), 0.0) }
            failure(Status.INVALID_ARGUMENT) { live.feed(frame(), Double.NaN) }
        }
        failure(Status.INVALID_ARGUMENT) { LiveReader.create(engine, LiveOptions { timeShare(2.0) }) {} }
        throws<IllegalArgumentException> { LiveOptions { minConfidence(2f) } }
    }

    @Test
    fun streamOfAnotherSize_StartsAnew() {
        val kinds = ArrayList<LiveKind>()
        LiveReader.create(engine, everyFrame()) { kinds += it.kind }.use { live ->
            for (i in 0..2) live.feed(frame(), i / 10.0)
            live.feed(OcrImage.of(IntArray(320 * 240) { -1 }, 320, 240), 0.4)
        }
        assertTrue(LiveKind.RESTARTED in kinds, "$kinds")
    }
}
