package io.munja.compose

import androidx.compose.foundation.Image
import androidx.compose.foundation.layout.Box
import androidx.compose.foundation.layout.fillMaxSize
import androidx.compose.foundation.layout.padding
import androidx.compose.runtime.getValue
import androidx.compose.runtime.mutableStateOf
import androidx.compose.runtime.setValue
import androidx.compose.ui.Alignment
import androidx.compose.ui.Modifier
import androidx.compose.ui.graphics.Color
import androidx.compose.ui.graphics.toComposeImageBitmap
import androidx.compose.ui.layout.ContentScale
import androidx.compose.ui.unit.IntSize
import androidx.compose.ui.unit.dp
import androidx.compose.ui.use
import io.munja.LiveOptions
import io.munja.LiveReader
import io.munja.OcrImage
import io.munja.compose.Drawing.draw
import io.munja.of
import io.munja.screen.LiveLine
import io.munja.screen.LiveLines
import io.munja.screen.Scaling
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import java.awt.Color.WHITE
import java.awt.image.BufferedImage

/** Boxes over a stream of frames that a real reader reads. */
class TextOverlayTest {
    private val green = Color(0xFF00FF00)

    /** A line of text of a picture, on white, at any place. */
    private fun frame(x: Int, y: Int): BufferedImage {
        val picture = BufferedImage(720, 400, BufferedImage.TYPE_3BYTE_BGR)
        picture.createGraphics().apply {
            color = WHITE
            fillRect(0, 0, 720, 400)
            drawImage(Drawing.load("receipt.jpg").getSubimage(150, 150, 560, 75), x, y, null)
        }.dispose()
        return picture
    }

    /** Feeds frames, each 1/10 s after the other, and calls [each] with the lines after it. */
    private fun follow(frames: List<BufferedImage>, each: (Int, List<LiveLine>) -> Unit) {
        var nanos = 0L
        lateinit var lines: LiveLines
        LiveReader.create(Drawing.engine, LiveOptions { everyFrame() }) { lines.on(it) }.use { reader ->
            lines = LiveLines(reader, { 0 }, { nanos })
            frames.forEachIndexed { i, frame ->
                lines.feed(OcrImage.of(frame))
                each(i, lines.state()!!.lines)
                nanos += 100_000_000
            }
        }
    }

    /** The rectangle around all pixels of the boxes' edges: left, top, right, bottom. */
    private fun BufferedImage.edges(): List<Int> {
        val at = (0 until width * height).filter { getRGB(it % width, it / width) == 0xFF00FF00.toInt() }
        return listOf(at.minOf { it % width }, at.minOf { it / width }, at.maxOf { it % width }, at.maxOf { it / width })
    }

    @Test
    fun boxes_FollowTheTextFromFrameToFrame() {
        val places = List(8) { 20 + 12 * it to 40 + 25 * it }
        var lines by mutableStateOf(emptyList<LiveLine>())
        // Twice the size, and higher: the frame is in the middle, 100 rows from above.
        Drawing.scene(1440, 1000, density = 2f) {
            TextOverlay(lines, IntSize(720, 400), Modifier.fillMaxSize(), Scaling.FIT, color = green)
        }.use { scene ->
            val drawn = ArrayList<List<Int>>()
            follow(places.map { frame(it.first, it.second) }) { i, now ->
                lines = now
                val edges = scene.draw().edges()
                drawn += edges
                val corners = now.flatMap { it.corners }
                val expected = listOf(
                    2 * corners.minOf { it.x }, 2 * corners.minOf { it.y } + 100,
                    2 * corners.maxOf { it.x }, 2 * corners.maxOf { it.y } + 100,
                )
                for (side in 0..3) assertEquals(expected[side], edges[side].toFloat(), 3f, "side $side of frame $i")
            }
            // The text moved by 7 x 12 and 7 x 25 pixels of the frame.
            assertEquals(2f * 7 * 12, (drawn.last()[0] - drawn.first()[0]).toFloat(), 12f)
            assertEquals(2f * 7 * 25, (drawn.last()[1] - drawn.first()[1]).toFloat(), 12f)
        }
    }

    @Test
    fun mirroredPreview_HasMirroredBoxes() = follow(listOf(frame(20, 40))) { _, lines ->
        fun edges(mirrored: Boolean) = draw(720, 400, density = 2f) {
            TextOverlay(lines, IntSize(720, 400), Modifier.fillMaxSize(), mirrored = mirrored, color = green)
        }.edges()
        val (left, top, right, bottom) = edges(false)
        for ((expected, side) in listOf(719 - right, top, 719 - left, bottom).zip(edges(true))) {
            assertEquals(expected.toFloat(), side.toFloat(), 1f)
        }
    }

    @Test
    fun overlayBeforeTheFirstFrame_IsEmpty() {
        val line = LiveLine(1, "text", List(4) { io.munja.Point(it.toFloat(), 0f) })
        val drawn = draw(100, 100) { TextOverlay(listOf(line), IntSize.Zero, Modifier.fillMaxSize()) }
        assertTrue(drawn.getRGB(0, 0, 100, 100, null, 0, 100).all { it == 0 })
    }

    @Test
    fun drawing_IsThatOfTheDocs() {
        val picture = Drawing.load("sign_ko.jpg")
        follow(listOf(picture)) { _, lines ->
            val drawn = draw(600, 400) {
                Box {
                    Image(picture.toComposeImageBitmap(), null, Modifier.fillMaxSize(), contentScale = ContentScale.Crop)
                    TextOverlay(lines, IntSize(picture.width, picture.height), Modifier.fillMaxSize())
                    val corner = Modifier.padding(8.dp).align(Alignment.BottomEnd)
                    BenchmarkPanel(BenchmarkPanelTest.report, "CPU", true, {}, corner, style = Drawing.style)
                }
            }
            Drawing.compare(drawn, "overlay")
        }
    }
}
