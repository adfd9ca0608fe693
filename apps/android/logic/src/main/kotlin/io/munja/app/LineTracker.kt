package io.munja.app

import io.munja.Box
import io.munja.Line
import io.munja.Point
import kotlin.math.abs

/** A line of text that is followed from frame to frame. */
data class TrackedLine(
    /** The same as long as it is followed. */
    val id: Int,
    val text: String,
    val confidence: Float,
    /** Four corners, clockwise from the text's own top left, in pixels of the upright frame. */
    val corners: List<Point>,
)

/**
 * Keeps boxes calm: a line that is found again where it was keeps its number, its box glides, and its text is the one that
 * was read most often of late. A line that is missed once or twice stays.
 */
class LineTracker {
    private class Track(val id: Int, var corners: List<Point>) {
        val texts = ArrayDeque<String>()
        var confidence = 0f
        var missed = 0
        val box: Box get() = boxOf(corners)

        fun see(line: Line) {
            // A box that jumps is followed at once; one that trembles is not.
            val jump = corners.zip(line.cornerPoints).maxOf { (a, b) -> maxOf(abs(a.x - b.x), abs(a.y - b.y)) }
            val weight = if (jump > box.height / 2) 1f else 0.5f
            corners = corners.zip(line.cornerPoints) { a, b ->
                Point(a.x + (b.x - a.x) * weight, a.y + (b.y - a.y) * weight)
            }
            texts.addLast(line.text)
            if (texts.size > VOTES) texts.removeFirst()
            confidence = line.confidence
            missed = 0
        }

        /** Of equally frequent texts, the last. */
        val text: String
            get() = texts.reversed().groupingBy { it }.eachCount().maxByOrNull { it.value }?.key.orEmpty()
    }

    private val tracks = mutableListOf<Track>()
    private var next = 1

    fun update(lines: List<Line>): List<TrackedLine> {
        val free = tracks.toMutableList()
        tracks.forEach { it.missed++ }
        for (line in lines) {
            if (line.text.isEmpty()) continue
            val track = free.maxByOrNull { it.box.overlap(line.boundingBox) }
                ?.takeIf { it.box.overlap(line.boundingBox) > SAME }
                ?: Track(next++, line.cornerPoints).also { tracks += it }
            free -= track
            track.see(line)
        }
        tracks.removeAll { it.missed > PATIENCE }
        return tracks.map { TrackedLine(it.id, it.text, it.confidence, it.corners) }
    }

    fun clear() {
        tracks.clear()
    }

    private companion object {
        const val SAME = 0.3f
        const val VOTES = 5
        const val PATIENCE = 2

        fun boxOf(corners: List<Point>) =
            Box(corners.minOf { it.x }, corners.minOf { it.y }, corners.maxOf { it.x }, corners.maxOf { it.y })
    }
}
