package io.munja.screen

import io.munja.Box
import io.munja.Point
import kotlin.math.hypot
import kotlin.math.max
import kotlin.math.min
import kotlin.math.roundToInt

/** Whether an image fills its view, losing what stands out, or fits into it. */
public enum class Scaling { FILL, FIT }

/** Where a point of the upright image is seen in a view: scaled, moved, and mirrored for a camera that faces the user. */
public data class ImageToView(
    public val scale: Float,
    public val left: Float,
    public val top: Float,
    public val imageWidth: Int,
    public val imageHeight: Int,
    public val mirrored: Boolean,
) {
    public fun toView(point: Point): Point {
        val x = if (mirrored) imageWidth - point.x else point.x
        return Point(left + x * scale, top + point.y * scale)
    }

    public fun toImage(point: Point): Point {
        val x = (point.x - left) / scale
        return Point(if (mirrored) imageWidth - x else x, (point.y - top) / scale)
    }

    /** The part of the image that a rectangle of the view shows, or null if it shows nothing of it. */
    public fun toImage(box: Box): Region? {
        val a = toImage(Point(box.left, box.top))
        val b = toImage(Point(box.right, box.bottom))
        val left = min(a.x, b.x).coerceIn(0f, imageWidth.toFloat()).roundToInt()
        val right = max(a.x, b.x).coerceIn(0f, imageWidth.toFloat()).roundToInt()
        val top = min(a.y, b.y).coerceIn(0f, imageHeight.toFloat()).roundToInt()
        val bottom = max(a.y, b.y).coerceIn(0f, imageHeight.toFloat()).roundToInt()
        return if (right > left && bottom > top) Region(left, top, right - left, bottom - top) else null
    }

    public companion object {
        @JvmOverloads
        public fun of(
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
public data class Region(public val left: Int, public val top: Int, public val width: Int, public val height: Int)

/** Whether the point is inside a convex quadrilateral, or within [slop] of an edge of it. */
internal fun List<Point>.holds(point: Point, slop: Float = 0f): Boolean {
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
