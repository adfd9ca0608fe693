package io.munja.compose

import androidx.compose.ui.graphics.Color
import androidx.compose.ui.graphics.StrokeJoin
import androidx.compose.ui.graphics.drawscope.DrawScope
import androidx.compose.ui.graphics.drawscope.Stroke
import androidx.compose.ui.graphics.vector.PathBuilder
import androidx.compose.ui.graphics.vector.toPath
import androidx.compose.ui.unit.IntSize
import androidx.compose.ui.unit.dp
import io.munja.Point
import io.munja.screen.ImageToView
import io.munja.screen.Scaling

/** Null while there is nothing to map. */
internal fun imageToView(image: IntSize, view: IntSize, scaling: Scaling, mirrored: Boolean = false): ImageToView? =
    if (image.width > 0 && image.height > 0 && view.width > 0 && view.height > 0) {
        ImageToView.of(image.width, image.height, view.width, view.height, scaling, mirrored)
    } else {
        null
    }

internal fun DrawScope.drawBox(corners: List<Point>, map: ImageToView, edge: Color, fill: Color?) {
    // Unlike Path(), it is no other function on Android than on the desktop.
    val outline = PathBuilder()
    corners.forEachIndexed { i, corner ->
        val (x, y) = map.toView(corner)
        if (i == 0) outline.moveTo(x, y) else outline.lineTo(x, y)
    }
    val path = outline.close().nodes.toPath()
    if (fill != null) drawPath(path, fill)
    drawPath(path, edge, style = Stroke(1.5.dp.toPx(), join = StrokeJoin.Round))
}
