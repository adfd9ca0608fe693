package io.munja.compose

import androidx.compose.foundation.Canvas
import androidx.compose.runtime.Composable
import androidx.compose.ui.Modifier
import androidx.compose.ui.graphics.Color
import androidx.compose.ui.semantics.contentDescription
import androidx.compose.ui.semantics.semantics
import androidx.compose.ui.unit.IntSize
import io.munja.screen.LiveLine
import io.munja.screen.Scaling

/**
 * A box around each line of live text, over a preview that has the same bounds: given the lines of each frame, the boxes
 * follow. Screen readers get the text.
 *
 * @param frame size of the upright frame that [lines] refer to, in pixels; `IntSize.Zero` before the first one
 * @param mirrored for a camera that faces the user
 */
@Composable
public fun TextOverlay(
    lines: List<LiveLine>,
    frame: IntSize,
    modifier: Modifier = Modifier,
    scaling: Scaling = Scaling.FILL,
    mirrored: Boolean = false,
    color: Color = TextColors.box,
) {
    Canvas(modifier.semantics { contentDescription = lines.joinToString("\n") { it.text } }) {
        val map = imageToView(frame, IntSize(size.width.toInt(), size.height.toInt()), scaling, mirrored) ?: return@Canvas
        for (line in lines) drawBox(line.corners, map, color, fill = color.copy(alpha = color.alpha * 0.2f))
    }
}

/** Colors that are seen on light and dark pictures. */
public object TextColors {
    public val box: Color = Color(0xFF2979FF)
    public val selection: Color = Color(0x662979FF)
}
