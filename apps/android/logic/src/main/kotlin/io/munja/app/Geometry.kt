package io.munja.app

import io.munja.Box
import io.munja.Point
import kotlin.math.hypot
import kotlin.math.max
import kotlin.math.min
import kotlin.math.roundToInt

/** Whether an image fills its view, losing what stands out, or fits into it. */
enum class Scaling { FILL, FIT }

/** Where a point of the upright image is seen in a view: scaled, moved, and mirrored for a camera that faces the user. */
data class ImageToView(
    val scale: Float,
    val left: Float,
    val top: Float,
    val imageWidth: Int,
    val imageHeight: Int,
    val mirrored: Boolean,
) {
    fun toView(point: Point): Point {
        val x = if (mirrored) imageWidth - point.x else point.x
        return Point(left + x * scale, top + point.y * scale)
    }

    fun toImage(point: Point): Point {
        val x = (point.x - left) / scale
        return Point(if (mirrored) imageWidth - x else x, (point.y - top) / scale)
    }

    /** The part of the image that a rectangle of the view shows, or null if it shows nothing of it. */
    fun toImage(box: Box): Region? {
        val a = toImage(Point(box.left, box.top))
        val b = toImage(Point(box.right, box.bottom))
        val left = min(a.x, b.x).coerceIn(0f, imageWidth.toFloat()).roundToInt()
        val right = max(a.x, b.x).coerceIn(0f, imageWidth.toFloat()).roundToInt()
        val top = min(a.y, b.y).coerceIn(0f, imageHeight.toFloat()).roundToInt()
        val bottom = max(a.y, b.y).coerceIn(0f, imageHeight.toFloat()).roundToInt()
        return if (right > left && bottom > top) Region(left, top, right - left, bottom - top) else null
    }

    companion object {
        fun of(
            imageWidth: Int,
            imageHeight: Int,
            viewWidth: Int,
            viewHeight: Int,
            scaling: Scaling,
            mirrored: Boolean = false,
        ): ImageToView {
            require(imageWidth > 0 && imageHeight > 0) { "an image of $imageWidth x $imageHeight pixels" }
            val x = viewWidth.toFloat() / imageWidth
            val y = viewHeight.toFloat() / imageHeight
            val scale = if (scaling == Scaling.FILL) max(x, y) else min(x, y)
            return ImageToView(
                scale,
                (viewWidth - imageWidth * scale) / 2,
                (viewHeight - imageHeight * scale) / 2,
                imageWidth,
                imageHeight,
                mirrored,
            )
        }
    }
}

/** A part of an upright image, in pixels. */
data class Region(val left: Int, val top: Int, val width: Int, val height: Int)

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

/** Whether the point is inside a convex quadrilateral, or within [slop] of an edge of it. */
fun List<Point>.holds(point: Point, slop: Float = 0f): Boolean {
    var positive = false
    var negative = false
    for (i in indices) {
        val a = this[i]
        val b = this[(i + 1) % size]
        val length = max(1e-6f, hypot(b.x - a.x, b.y - a.y))
        val distance = ((b.x - a.x) * (point.y - a.y) - (b.y - a.y) * (point.x - a.x)) / length
        if (distance > slop) positive = true
        if (distance < -slop) negative = true
    }
    return !(positive && negative)
}
