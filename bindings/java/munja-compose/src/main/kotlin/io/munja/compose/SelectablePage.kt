package io.munja.compose

import androidx.compose.foundation.Canvas
import androidx.compose.foundation.gestures.awaitEachGesture
import androidx.compose.foundation.gestures.awaitFirstDown
import androidx.compose.runtime.Composable
import androidx.compose.runtime.Stable
import androidx.compose.runtime.getValue
import androidx.compose.runtime.mutableStateOf
import androidx.compose.runtime.remember
import androidx.compose.runtime.setValue
import androidx.compose.ui.Modifier
import androidx.compose.ui.geometry.Offset
import androidx.compose.ui.graphics.Color
import androidx.compose.ui.graphics.FilterQuality
import androidx.compose.ui.graphics.ImageBitmap
import androidx.compose.ui.input.pointer.PointerInputScope
import androidx.compose.ui.input.pointer.pointerInput
import androidx.compose.ui.semantics.contentDescription
import androidx.compose.ui.semantics.semantics
import androidx.compose.ui.semantics.stateDescription
import androidx.compose.ui.unit.IntOffset
import androidx.compose.ui.unit.IntSize
import androidx.compose.ui.unit.dp
import io.munja.Page
import io.munja.Point
import io.munja.screen.PageWords
import io.munja.screen.Scaling
import kotlin.math.roundToInt

/** The words of a page, and those of them that are selected. */
@Stable
public class SelectionState(page: Page) {
    public val words: PageWords = PageWords(page)

    /** Words in reading order; empty: none. */
    public var selection: IntRange by mutableStateOf(IntRange.EMPTY)

    /** The text of the selected words, as it is on the page: with its spaces and line breaks. */
    public val selectedText: String get() = words.text(selection)

    public fun selectAll() {
        selection = words.all
    }
}

/** The state of a page, which is kept until another page is shown. */
@Composable
public fun rememberSelectionState(page: Page): SelectionState = remember(page) { SelectionState(page) }

/**
 * A page with its words: a touch selects a word, dragging from a word selects up to another, a double touch selects a line,
 * and a touch elsewhere nothing. Dragging that begins beside the words is left to what is around.
 *
 * @param image upright, as the page was read
 */
@Composable
public fun SelectablePage(
    image: ImageBitmap,
    state: SelectionState,
    modifier: Modifier = Modifier,
    scaling: Scaling = Scaling.FIT,
    edge: Color = TextColors.box,
    selected: Color = TextColors.selection,
) {
    val imageSize = IntSize(image.width, image.height)
    Canvas(
        modifier
            .semantics {
                contentDescription = state.words.text(state.words.all)
                stateDescription = state.selectedText
            }
            .pointerInput(state, imageSize, scaling) { selectByTouch(state, imageSize, scaling) },
    ) {
        val map = imageToView(imageSize, IntSize(size.width.toInt(), size.height.toInt()), scaling) ?: return@Canvas
        drawImage(
            image,
            dstOffset = IntOffset(map.left.roundToInt(), map.top.roundToInt()),
            dstSize = IntSize((image.width * map.scale).roundToInt(), (image.height * map.scale).roundToInt()),
            filterQuality = FilterQuality.Medium,
        )
        for (i in state.words.all) {
            drawBox(state.words.corners(i), map, edge, fill = selected.takeIf { i in state.selection })
        }
    }
}

private suspend fun PointerInputScope.selectByTouch(state: SelectionState, image: IntSize, scaling: Scaling) {
    val words = state.words
    var lastWord = NONE
    var lastMillis = 0L
    awaitEachGesture {
        val down = awaitFirstDown()
        val map = imageToView(image, size, scaling) ?: return@awaitEachGesture
        fun inImage(at: Offset) = map.toImage(Point(at.x, at.y))
        val anchor = words.at(inImage(down.position), 12.dp.toPx() / map.scale)
        var isDrag = false
        while (true) {
            val change = awaitPointerEvent().changes.firstOrNull { it.id == down.id } ?: return@awaitEachGesture
            // Something around, which scrolls for example, has taken the gesture.
            if (change.isConsumed) return@awaitEachGesture
            isDrag = isDrag || (change.position - down.position).getDistance() > viewConfiguration.touchSlop
            if (isDrag && anchor != NONE) {
                val focus = words.nearest(inImage(change.position))
                state.selection = minOf(anchor, focus)..maxOf(anchor, focus)
                change.consume()
            }
            if (!change.pressed) break
        }
        if (isDrag) return@awaitEachGesture
        val isDouble = anchor == lastWord && down.uptimeMillis - lastMillis <= viewConfiguration.doubleTapTimeoutMillis
        state.selection = when {
            anchor == NONE -> IntRange.EMPTY
            isDouble -> words.lineOf(anchor)
            else -> anchor..anchor
        }
        lastWord = anchor
        lastMillis = down.uptimeMillis
    }
}

private const val NONE = -1
