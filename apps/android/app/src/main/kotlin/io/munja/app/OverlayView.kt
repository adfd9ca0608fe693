package io.munja.app

import android.content.Context
import android.graphics.Canvas
import android.graphics.Paint
import android.graphics.Path
import android.graphics.RectF
import android.util.AttributeSet
import android.view.MotionEvent
import android.view.View
import io.munja.Box
import io.munja.Point
import io.munja.screen.ImageToView
import io.munja.screen.Region
import io.munja.screen.Scaling

/** The boxes over the camera's picture, and the rectangle that limits what is read. */
class OverlayView(context: Context, attributes: AttributeSet?) : View(context, attributes) {
    private val edge = paint(R.color.box, Paint.Style.STROKE, 2f)
    private val fill = paint(R.color.box_fill, Paint.Style.FILL, 0f)
    private val regionEdge = paint(R.color.region_edge, Paint.Style.STROKE, 2f)
    private val path = Path()
    private var ui = CameraUi()
    private var drawn: RectF? = null

    /** Called with the part of the frame around which a rectangle was drawn; not set: none is drawn. */
    var onRegion: ((Region) -> Unit)? = null
        set(value) {
            field = value
            drawn = null
            invalidate()
        }

    private fun paint(color: Int, style: Paint.Style, width: Float) = Paint(Paint.ANTI_ALIAS_FLAG).also {
        it.color = context.getColor(color)
        it.style = style
        it.strokeWidth = width * resources.displayMetrics.density
        it.strokeJoin = Paint.Join.ROUND
    }

    fun show(ui: CameraUi) {
        if (ui.lines == this.ui.lines && ui.region == this.ui.region && ui.frameWidth == this.ui.frameWidth) return
        this.ui = ui
        invalidate()
    }

    private fun map(): ImageToView? = if (ui.frameWidth > 0 && width > 0) {
        ImageToView.of(ui.frameWidth, ui.frameHeight, width, height, Scaling.FILL, ui.front)
    } else {
        null
    }

    override fun onDraw(canvas: Canvas) {
        val map = map()
        if (map != null) {
            for (line in ui.lines) {
                path.setTo(line.corners.map(map::toView))
                canvas.drawPath(path, fill)
                canvas.drawPath(path, edge)
            }
            ui.region?.let {
                val a = map.toView(Point(it.left.toFloat(), it.top.toFloat()))
                val b = map.toView(Point((it.left + it.width).toFloat(), (it.top + it.height).toFloat()))
                canvas.drawRect(minOf(a.x, b.x), a.y, maxOf(a.x, b.x), b.y, regionEdge)
            }
        }
        drawn?.let { canvas.drawRect(it, regionEdge) }
    }

    override fun onTouchEvent(event: MotionEvent): Boolean {
        val onRegion = onRegion ?: return false
        when (event.actionMasked) {
            MotionEvent.ACTION_DOWN -> drawn = RectF(event.x, event.y, event.x, event.y)
            MotionEvent.ACTION_MOVE -> drawn?.let {
                it.right = event.x
                it.bottom = event.y
            }
            MotionEvent.ACTION_UP -> {
                drawn?.let {
                    it.sort()
                    val region = map()?.toImage(Box(it.left, it.top, it.right, it.bottom))
                    if (region != null && region.width >= MIN_REGION && region.height >= MIN_REGION) onRegion(region)
                }
                drawn = null
            }
            MotionEvent.ACTION_CANCEL -> drawn = null
        }
        invalidate()
        return true
    }

    private companion object {
        /** Pixels of the frame; less is a slip of the finger. */
        const val MIN_REGION = 16
    }
}

fun Path.setTo(corners: List<Point>) {
    rewind()
    corners.forEachIndexed { i, it -> if (i == 0) moveTo(it.x, it.y) else lineTo(it.x, it.y) }
    close()
}
