package io.munja.app

import io.munja.Control
import io.munja.MunjaException
import io.munja.ReadOptions
import io.munja.Status
import io.munja.Timing
import java.util.concurrent.locks.ReentrantLock
import kotlin.concurrent.withLock
import kotlin.math.abs

/** What a frame showed. */
class LiveResult(
    val lines: List<TrackedLine>,
    /** Size of the upright frame that the lines refer to. */
    val width: Int,
    val height: Int,
    val report: BenchmarkReport,
)

/**
 * Reads the newest frame of a camera, one after the other, on a thread of its own; frames that come meanwhile replace each
 * other, and a frame that looks as the last one did is not read again.
 *
 * @param listener called on the thread of the reader
 */
class LiveReader(
    memory: () -> Long = Benchmark::heapBytes,
    private val clock: () -> Long = System::nanoTime,
    private val listener: (Result<LiveResult>) -> Unit,
) : AutoCloseable {
    private val lock = ReentrantLock()
    private val changed = lock.newCondition()
    private var waiting = Frame()
    private var hasWaiting = false
    private var reading = Frame()
    private var engine: LoadedEngine? = null
    private var region: Region? = null
    private var missed = 0
    private var stopped = false
    private var startAnew = false

    // It needs the native library, so it is made when there is an engine.
    private val control = lazy { Control() }

    private val tracker = LineTracker()
    private val benchmark = Benchmark(memory)
    private var seen: IntArray? = null

    private val thread = Thread(::run, "live-reader").apply {
        isDaemon = true
        start()
    }

    /** The engine that reads from the next frame on; without one frames are dropped. */
    fun use(engine: LoadedEngine?) = lock.withLock {
        if (engine !== this.engine) startAnew = true
        this.engine = engine
    }

    /** The part of the upright frame that is read; null: all of it. */
    fun restrict(region: Region?) = lock.withLock {
        if (region != this.region) startAnew = true
        this.region = region
    }

    /** Copies the planes and returns at once. */
    fun offer(planes: List<CameraPlane>, width: Int, height: Int, rotation: Int): Unit = lock.withLock {
        if (stopped) return
        if (hasWaiting) missed++
        waiting.fill(planes, width, height, rotation)
        hasWaiting = true
        changed.signalAll()
    }

    /** Copies the frame that was offered last, for a picture that stands still. False if there was none. */
    fun copyLast(frame: Frame): Boolean = lock.withLock {
        val last = if (hasWaiting) waiting else reading
        (last.width > 0).also { if (it) last.copyTo(frame) }
    }

    private fun run() {
        while (true) {
            val engine: LoadedEngine?
            val region: Region?
            lock.withLock {
                while (!hasWaiting && !stopped) changed.await()
                if (stopped) return
                waiting = reading.also { reading = waiting }
                hasWaiting = false
                engine = this.engine
                region = this.region
                repeat(missed) { benchmark.skip() }
                missed = 0
                if (startAnew) {
                    startAnew = false
                    tracker.clear()
                    benchmark.clear()
                    seen = null
                }
            }
            if (engine != null) read(reading, engine, region)
        }
    }

    private fun read(frame: Frame, engine: LoadedEngine, region: Region?) {
        val thumbnail = frame.thumbnail()
        if (seen?.let { looksAlike(it, thumbnail) } == true) {
            benchmark.skip()
            return
        }
        val options = ReadOptions {
            control(control.value)
            region?.let { region(it.left, it.top, it.width, it.height) }
        }
        val result = try {
            engine.engine.process(frame.image, options).use { page ->
                val lines = tracker.update(page.lines)
                LiveResult(lines, page.width, page.height, benchmark.record(page.timing, clock()))
            }
        } catch (e: MunjaException) {
            if (e.status != Status.CANCELLED) listener(Result.failure(e))
            return
        } catch (e: IllegalStateException) {
            // The engine was replaced and closed; the new one is on its way.
            return
        }
        seen = thumbnail
        listener(Result.success(result))
    }

    private fun looksAlike(a: IntArray, b: IntArray) =
        a.indices.all { abs(a[it] - b[it]) <= NOISE }

    /** Whether a frame waits for its reading. */
    val isWaiting: Boolean get() = lock.withLock { hasWaiting }

    /** Ends the reading in progress and the thread; it waits for neither. */
    override fun close() {
        lock.withLock {
            if (stopped) return
            stopped = true
            changed.signalAll()
        }
        if (control.isInitialized()) {
            control.value.cancel()
            control.value.close()
        }
    }

    private companion object {
        /** What a sensor's noise leaves of a mean over many pixels. */
        const val NOISE = 4
    }
}
