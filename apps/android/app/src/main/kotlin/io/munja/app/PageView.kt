package io.munja.app

import android.content.Context
import android.graphics.Bitmap
import android.graphics.Canvas
import android.graphics.Matrix
import android.graphics.Paint
import android.graphics.Path
import android.graphics.Rect
import android.os.Bundle
import android.util.AttributeSet
import android.view.GestureDetector
import android.view.MotionEvent
import android.view.ScaleGestureDetector
import android.view.View
import android.view.accessibility.AccessibilityEvent
import android.view.accessibility.AccessibilityNodeInfo
import android.view.accessibility.AccessibilityNodeProvider
import io.munja.Point
import io.munja.screen.ImageToView
import io.munja.screen.PageWords
import io.munja.screen.Scaling
import kotlin.math.roundToInt

/**
 * A page: the picture with its words. A touch selects a word, dragging from a word selects up to another, a double touch
 * selects a line; elsewhere a finger moves the picture and two fingers scale it. For TalkBack each word is a node.
 */
class PageView(context: Context, attributes: AttributeSet?) : View(context, attributes) {
    private val edge = Paint(Paint.ANTI_ALIAS_FLAG).apply {
        color = context.getColor(R.color.box)
        style = Paint.Style.STROKE
        strokeWidth = resources.displayMetrics.density
    }
    private val selected = Paint(Paint.ANTI_ALIAS_FLAG).apply { color = context.getColor(R.color.selection) }
    private val smooth = Paint(Paint.FILTER_BITMAP_FLAG)
    private val path = Path()
    private val slop = 12 * resources.displayMetrics.density

    private var bitmap: Bitmap? = null
    private var words: PageWords? = null
    private var selection = IntRange.EMPTY
    private var zoom = 1f
    private var panX = 0f
    private var panY = 0f
    private var anchor = NONE

    /** Called with words that were selected; an empty range: none. */
    var onSelect: (IntRange) -> Unit = {}

    fun show(bitmap: Bitmap?, words: PageWords?, selection: IntRange) {
        this.bitmap = bitmap
        this.words = words
        this.selection = selection
        contentDescription = words?.let { context.getString(R.string.page, it.size) }
        invalidate()
    }

    private fun map(): ImageToView? {
        val bitmap = bitmap ?: return null
        if (width == 0) return null
        val fit = ImageToView.of(bitmap.width, bitmap.height, width, height, Scaling.FIT)
        return fit.copy(scale = fit.scale * zoom, left = fit.left + panX, top = fit.top + panY)
    }

    override fun onDraw(canvas: Canvas) {
        val bitmap = bitmap ?: return
        val map = map() ?: return
        val matrix = Matrix().apply {
            setScale(map.scale, map.scale)
            postTranslate(map.left, map.top)
        }
        canvas.drawBitmap(bitmap, matrix, smooth)
        val words = words ?: return
        for (i in words.all) {
            path.setTo(words.corners(i).map(map::toView))
            if (i in selection) canvas.drawPath(path, selected)
            canvas.drawPath(path, edge)
        }
    }

    private val gestures = GestureDetector(
        context,
        object : GestureDetector.SimpleOnGestureListener() {
            override fun onDown(event: MotionEvent): Boolean {
                anchor = wordAt(event)
                return true
            }

            override fun onSingleTapUp(event: MotionEvent): Boolean {
                onSelect(if (anchor == NONE) IntRange.EMPTY else anchor..anchor)
                return performClick()
            }

            override fun onDoubleTap(event: MotionEvent): Boolean {
                if (anchor != NONE) words?.let { onSelect(it.lineOf(anchor)) }
                return true
            }

            override fun onScroll(first: MotionEvent?, event: MotionEvent, dx: Float, dy: Float): Boolean {
                if (anchor == NONE || event.pointerCount > 1) {
                    pan(-dx, -dy)
                } else {
                    val map = map() ?: return true
                    val focus = words?.nearest(map.toImage(Point(event.x, event.y))) ?: NONE
                    if (focus != NONE) onSelect(minOf(anchor, focus)..maxOf(anchor, focus))
                }
                return true
            }
        },
    )

    private val scaling = ScaleGestureDetector(
        context,
        object : ScaleGestureDetector.SimpleOnScaleGestureListener() {
            override fun onScale(detector: ScaleGestureDetector): Boolean {
                val map = map() ?: return true
                val before = zoom
                zoom = (zoom * detector.scaleFactor).coerceIn(1f, MAX_ZOOM)
                val factor = zoom / before
                // What is between the fingers stays there.
                pan((detector.focusX - map.left) * (1 - factor), (detector.focusY - map.top) * (1 - factor))
                return true
            }
        },
    )

    private fun pan(dx: Float, dy: Float) {
        panX += dx
        panY += dy
        if (zoom == 1f) {
            panX = 0f
            panY = 0f
        }
        invalidate()
    }

    private fun wordAt(event: MotionEvent): Int {
        val map = map() ?: return NONE
        return words?.at(map.toImage(Point(event.x, event.y)), slop / map.scale) ?: NONE
    }

    override fun onTouchEvent(event: MotionEvent): Boolean {
        scaling.onTouchEvent(event)
        gestures.onTouchEvent(event)
        return true
    }

    override fun performClick(): Boolean {
        super.performClick()
        return true
    }

    override fun getAccessibilityNodeProvider(): AccessibilityNodeProvider = nodes

    private val nodes = object : AccessibilityNodeProvider() {
        override fun createAccessibilityNodeInfo(id: Int): AccessibilityNodeInfo? {
            val words = words
            if (id == HOST_VIEW_ID) {
                @Suppress("DEPRECATION") // Its successor is that of Android 11.
                val info = AccessibilityNodeInfo.obtain(this@PageView)
                onInitializeAccessibilityNodeInfo(info)
                words?.all?.forEach { info.addChild(this@PageView, it) }
                return info
            }
            if (words == null || id !in words.all) return null
            @Suppress("DEPRECATION")
            val info = AccessibilityNodeInfo.obtain(this@PageView, id)
            info.packageName = context.packageName
            info.className = View::class.java.name
            info.setParent(this@PageView)
            info.contentDescription = words.text(id)
            info.isEnabled = true
            info.isVisibleToUser = true
            info.isSelected = id in selection
            info.addAction(AccessibilityNodeInfo.AccessibilityAction.ACTION_CLICK)
            val origin = IntArray(2).also { getLocationOnScreen(it) }
            info.setBoundsInScreen(boundsOf(words, id).apply { offset(origin[0], origin[1]) })
            return info
        }

        override fun performAction(id: Int, action: Int, arguments: Bundle?): Boolean {
            if (action != AccessibilityNodeInfo.ACTION_CLICK || words?.all?.contains(id) != true) return false
            onSelect(if (selection == id..id) IntRange.EMPTY else id..id)
            sendAccessibilityEvent(AccessibilityEvent.TYPE_VIEW_SELECTED)
            return true
        }
    }

    private fun boundsOf(words: PageWords, index: Int): Rect {
        val map = map() ?: return Rect()
        val corners = words.corners(index).map(map::toView)
        return Rect(
            corners.minOf { it.x }.roundToInt(),
            corners.minOf { it.y }.roundToInt(),
            corners.maxOf { it.x }.roundToInt(),
            corners.maxOf { it.y }.roundToInt(),
        )
    }

    private companion object {
        const val NONE = -1
        const val MAX_ZOOM = 8f
    }
}
