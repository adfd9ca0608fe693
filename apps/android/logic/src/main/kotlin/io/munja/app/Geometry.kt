package io.munja.app

import kotlin.math.max
import kotlin.math.min
import kotlin.math.roundToInt

/**
 * Clockwise degrees that make a camera's frame upright on the display.
 *
 * @param sensor how the sensor is mounted, as Camera2 reports it
 * @param display clockwise degrees by which the display's content is rotated: 0, 90, 180 or 270
 */
fun frameRotation(sensor: Int, display: Int, front: Boolean): Int =
    (if (front) sensor + display else sensor - display + 360) % 360

/**
 * How a TextureView must be scaled, and then rotated, both about its center, so that a preview fills it undistorted. By
 * itself it stretches the preview, which is upright as long as the device is, over the whole view.
 */
data class PreviewFit(val scaleX: Float, val scaleY: Float, val degrees: Float) {
    companion object {
        /** Sensor and display: as [frameRotation] has them. */
        fun of(bufferWidth: Int, bufferHeight: Int, sensor: Int, display: Int, viewWidth: Int, viewHeight: Int): PreviewFit {
            if (viewWidth <= 0 || viewHeight <= 0) return PreviewFit(1f, 1f, 0f)
            val (width, height) = if (sensor % 180 == 0) bufferWidth to bufferHeight else bufferHeight to bufferWidth
            val (shownWidth, shownHeight) = if (display % 180 == 0) width to height else height to width
            val scale = max(viewWidth.toFloat() / shownWidth, viewHeight.toFloat() / shownHeight)
            return PreviewFit(width * scale / viewWidth, height * scale / viewHeight, ((360 - display) % 360).toFloat())
        }
    }
}

/** Of the sizes that a camera has, the one whose shape is nearest to [aspect], and then whose short side to [resolution]. */
fun chooseSize(sizes: List<Pair<Int, Int>>, aspect: AspectRatio, resolution: Int): Pair<Int, Int>? {
    val wanted = aspect.width.toDouble() / aspect.height
    fun shapeError(size: Pair<Int, Int>): Int {
        val ratio = max(size.first, size.second).toDouble() / min(size.first, size.second)
        return (1000 * kotlin.math.abs(ratio - wanted)).roundToInt() / 20
    }
    return sizes.filter { it.first > 0 && it.second > 0 }
        .minWithOrNull(compareBy({ shapeError(it) }, { kotlin.math.abs(min(it.first, it.second) - resolution) }))
}
