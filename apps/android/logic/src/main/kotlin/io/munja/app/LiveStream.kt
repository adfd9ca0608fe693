package io.munja.app

import io.munja.LiveEvent
import io.munja.LiveKind
import io.munja.LiveReader
import io.munja.OcrImage
import io.munja.Point
import java.util.concurrent.ConcurrentHashMap

/** A line of text that is followed from frame to frame. */
data class LiveLine(
    /** The same as long as it is followed. */
    val id: Long,
    val text: String,
    /** Four corners, clockwise from the text's own top left, in pixels of the upright frame that was fed last. */
    val corners: List<Point>,
)

/** The part of a camera's upright frames that is read; null: all of it. */
data class LivePart(val front: Boolean, val region: Region?)

/**
 * What a live reader found so far, as a screen shows it. Any thread may call it, also when the reader is closed already:
 * the frames of a camera do not wait for the change of an engine.
 */
class LiveStream(
    private val reader: LiveReader,
    val part: LivePart,
    memory: () -> Long,
    private val clock: () -> Long = System::nanoTime,
) {
    private val texts = ConcurrentHashMap<Long, String>()
    private val benchmark = Benchmark(memory)

    private inline fun ifOpen(action: () -> Unit) = try {
        action()
    } catch (_: IllegalStateException) {
        // Closed; another one is on its way.
    }

    fun feed(frame: OcrImage) = ifOpen { reader.feed(frame, clock() / 1e9) }

    fun on(event: LiveEvent) {
        if (event.kind == LiveKind.GONE) texts.remove(event.id) else if (event.id > 0) texts[event.id] = event.text
    }

    /** [ui] with the lines in the newest frame, and the times so far. */
    fun showIn(ui: CameraUi): CameraUi {
        var shown = ui
        ifOpen {
            val lines = reader.boxes.mapNotNull { box -> texts[box.id]?.let { LiveLine(box.id, it, box.cornerPoints) } }
            shown = ui.copy(lines = lines, report = benchmark.record(reader.statistics, clock()))
        }
        return shown
    }
}
