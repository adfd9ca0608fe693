package io.munja.screen

import io.munja.LiveEvent
import io.munja.LiveKind
import io.munja.LiveReader
import io.munja.OcrImage
import io.munja.Point
import java.util.concurrent.ConcurrentHashMap

/** A line of text that is followed from frame to frame. */
public data class LiveLine(
    /** The same as long as it is followed. */
    public val id: Long,
    public val text: String,
    /** Four corners, clockwise from the text's own top left, in pixels of the upright frame that was fed last. */
    public val corners: List<Point>,
)

/** The lines in the newest frame, and the times so far. */
public data class LiveState(public val lines: List<LiveLine> = emptyList(), public val report: BenchmarkReport = BenchmarkReport())

/**
 * What a live reader found so far, as a screen shows it. Any thread may call it, also when the reader is closed already:
 * the frames of a camera do not wait for the change of an engine.
 *
 * @param memory bytes that the process holds
 * @param clock nanoseconds, which never go back
 */
public class LiveLines @JvmOverloads constructor(
    private val reader: LiveReader,
    memory: () -> Long = Benchmark::heapBytes,
    private val clock: () -> Long = System::nanoTime,
) {
    private val texts = ConcurrentHashMap<Long, String>()
    private val benchmark = Benchmark(memory)

    private inline fun <T> ifOpen(action: () -> T): T? = try {
        action()
    } catch (_: IllegalStateException) {
        null // Closed; another one is on its way.
    }

    /** A frame of now, which is not needed after the call. */
    public fun feed(frame: OcrImage) {
        ifOpen { reader.feed(frame, clock() / 1e9) }
    }

    /** An event of the reader. */
    public fun on(event: LiveEvent) {
        if (event.kind == LiveKind.GONE) texts.remove(event.id) else if (event.id > 0) texts[event.id] = event.text
    }

    /** Null: the reader is closed. */
    public fun state(): LiveState? = ifOpen {
        val lines = reader.boxes.mapNotNull { box -> texts[box.id]?.let { LiveLine(box.id, it, box.cornerPoints) } }
        LiveState(lines, benchmark.record(reader.statistics, clock()))
    }
}
