package io.munja.compose

import androidx.compose.foundation.layout.fillMaxSize
import androidx.compose.ui.ImageComposeScene
import androidx.compose.ui.Modifier
import androidx.compose.ui.graphics.Color
import androidx.compose.ui.graphics.ImageBitmap
import androidx.compose.ui.graphics.toComposeImageBitmap
import androidx.compose.ui.unit.IntSize
import androidx.compose.ui.use
import io.munja.OcrImage
import io.munja.Page
import io.munja.compose.Drawing.draw
import io.munja.compose.Drawing.pixels
import io.munja.compose.Drawing.toBitmap
import io.munja.compose.Drawing.touch
import io.munja.screen.Scaling
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import java.awt.BasicStroke
import java.awt.Color.BLACK
import java.awt.Color.WHITE
import java.awt.geom.Path2D
import java.awt.image.BufferedImage

/** A page on the screen, compared with what the engine reads and what another library draws. */
class SelectablePageTest {
    private val magenta = Color(0xFFFF00FF)
    private val receipt by lazy { Drawing.load("receipt.jpg") }
    private val receiptPage by lazy { Drawing.read(receipt) }

    private fun BufferedImage.isMagenta(x: Int, y: Int): Boolean {
        val argb = getRGB(x, y)
        return (argb shr 16 and 255) > 200 && (argb shr 8 and 255) < 80 && (argb and 255) > 200
    }

    /** The outlines of all words in a view, drawn by Java2D: white on black. */
    private fun outlines(page: Page, view: IntSize, width: Float, scaling: Scaling): BufferedImage {
        val scales = listOf(view.width.toDouble() / page.width, view.height.toDouble() / page.height)
        val scale = if (scaling == Scaling.FIT) scales.min() else scales.max()
        val drawn = BufferedImage(view.width, view.height, BufferedImage.TYPE_INT_RGB)
        val graphics = drawn.createGraphics()
        graphics.color = WHITE
        graphics.translate((view.width - page.width * scale) / 2, (view.height - page.height * scale) / 2)
        graphics.scale(scale, scale)
        graphics.stroke = BasicStroke((width / scale).toFloat(), BasicStroke.CAP_BUTT, BasicStroke.JOIN_ROUND)
        for (word in page.lines.flatMap { it.elements }) {
            val path = Path2D.Float()
            word.cornerPoints.forEachIndexed { i, at -> if (i == 0) path.moveTo(at.x, at.y) else path.lineTo(at.x, at.y) }
            path.closePath()
            graphics.draw(path)
        }
        graphics.dispose()
        return drawn
    }

    private fun checkBoxes(image: ImageBitmap, page: Page, view: IntSize, scaling: Scaling) {
        val density = 2f
        val drawn = draw(view.width, view.height, density) {
            SelectablePage(image, rememberSelectionState(page), Modifier.fillMaxSize(), scaling, edge = magenta)
        }
        // Narrower and wider than the 3 pixels that are drawn: what must be there, and what may be.
        val core = outlines(page, view, 1.2f, scaling)
        val hull = outlines(page, view, 6f, scaling)
        var inCore = 0
        var found = 0
        for (y in 0 until view.height) {
            for (x in 0 until view.width) {
                if (core.getRGB(x, y) == WHITE.rgb) {
                    inCore++
                    if (drawn.isMagenta(x, y)) found++
                }
                val mayBe = hull.getRGB(x, y) != BLACK.rgb
                assertTrue(mayBe || !drawn.isMagenta(x, y), "an edge at $x, $y of $view, where no word is")
            }
        }
        assertTrue(inCore > 1000, "words are in the view")
        assertTrue(found > inCore * 0.98, "$found of $inCore pixels of edges are there in $view, $scaling")
    }

    @Test
    fun boxes_AreAroundTheWordsInAViewOfAnyShape() {
        val image = receipt.toComposeImageBitmap()
        for (view in listOf(IntSize(600, 800), IntSize(1200, 500), IntSize(450, 1000))) {
            for (scaling in Scaling.entries) checkBoxes(image, receiptPage, view, scaling)
        }
    }

    /** A picture that lies on its side, with the degrees that make it upright. */
    private fun turned(): OcrImage {
        val picture = BufferedImage(receipt.height, receipt.width, BufferedImage.TYPE_INT_RGB)
        // A quarter counterclockwise.
        for (y in 0 until receipt.height) {
            for (x in 0 until receipt.width) picture.setRGB(y, receipt.width - 1 - x, receipt.getRGB(x, y))
        }
        val argb = picture.getRGB(0, 0, picture.width, picture.height, null, 0, picture.width)
        return OcrImage.of(argb, picture.width, picture.height, rotation = 90)
    }

    @Test
    fun boxes_OfAPictureOnItsSideAreAroundTheWords() {
        val image = turned()
        val page = Drawing.engine.process(image)
        assertEquals(receipt.width to receipt.height, page.width to page.height)
        checkBoxes(image.toArgb().toBitmap(), page, IntSize(700, 600), Scaling.FIT)
    }

    @Test
    fun boxes_OfTiltedTextAreTilted() {
        val picture = BufferedImage(1300, 1400, BufferedImage.TYPE_INT_RGB)
        picture.createGraphics().apply {
            color = WHITE
            fillRect(0, 0, 1300, 1400)
            rotate(Math.toRadians(8.0), 650.0, 700.0)
            drawImage(receipt, 200, 110, null)
        }.dispose()
        val page = Drawing.read(picture)
        assertTrue(page.lines.all { it.angle in 8f..16f }, "${page.lines.map { it.angle }}")
        checkBoxes(picture.toComposeImageBitmap(), page, IntSize(800, 800), Scaling.FIT)
    }

    /** What is selected is what a person sees there: the picture under the fill is read again. */
    @Test
    fun fillOfASelectedWord_CoversItsPixels() {
        val image = turned()
        val page = Drawing.engine.process(image)
        val bitmap = image.toArgb().toBitmap()
        val state = SelectionState(page)
        Drawing.scene(1000, 1200) {
            SelectablePage(bitmap, state, Modifier.fillMaxSize(), edge = Color.Transparent, selected = magenta)
        }.use { scene ->
            val plain = scene.draw()
            for (name in listOf("NORTHWIND", "BAKERY")) {
                val word = state.words.all.first { state.words.text(it) == name }
                state.selection = word..word
                val filled = scene.draw()
                val at = (0 until 1000 * 1200).filter { filled.isMagenta(it % 1000, it / 1000) }
                val (left, right) = at.minOf { it % 1000 } to at.maxOf { it % 1000 }
                val (top, bottom) = at.minOf { it / 1000 } to at.maxOf { it / 1000 }
                // A margin of paper around the word.
                val part = BufferedImage(right - left + 61, bottom - top + 61, BufferedImage.TYPE_INT_RGB)
                part.createGraphics().apply {
                    color = WHITE
                    fillRect(0, 0, part.width, part.height)
                    drawImage(plain.getSubimage(left, top, right - left + 1, bottom - top + 1), 30, 30, null)
                }.dispose()
                assertEquals(name, Drawing.read(part).text)
            }
        }
    }

    /** Where a word of the receipt is seen in a view of 600 x 800, into which its 900 x 1180 pixels fit. */
    private fun SelectionState.place(word: Int): Pair<Float, Float> {
        val corners = words.corners(word)
        val scale = minOf(600f / 900, 800f / 1180)
        val left = (600 - 900 * scale) / 2
        return corners.map { it.x }.average().toFloat() * scale + left to corners.map { it.y }.average().toFloat() * scale
    }

    private fun SelectionState.place(text: String) = place(words.all.first { words.text(it) == text })

    private fun onReceipt(test: (SelectionState, ImageComposeScene) -> Unit) {
        val state = SelectionState(receiptPage)
        Drawing.scene(600, 800) { SelectablePage(receipt.toComposeImageBitmap(), state, Modifier.fillMaxSize()) }.use {
            it.render()
            test(state, it)
        }
    }

    @Test
    fun touch_SelectsAWordAndElsewhereNothing() = onReceipt { state, scene ->
        scene.touch(state.place("NORTHWIND"), millis = 1000)
        assertEquals("NORTHWIND", state.selectedText)
        scene.touch(2f to 2f, millis = 2000)
        assertEquals("", state.selectedText)
    }

    @Test
    fun doubleTouch_SelectsTheLine() = onReceipt { state, scene ->
        val line = receiptPage.lines.first { it.elements.size > 1 && it.elements.any { word -> word.text == "NORTHWIND" } }
        scene.touch(state.place("NORTHWIND"), millis = 1000)
        scene.touch(state.place("NORTHWIND"), millis = 1150)
        assertEquals(line.text, state.selectedText)
        // A slow second touch is another one.
        scene.touch(state.place("NORTHWIND"), millis = 5000)
        assertEquals("NORTHWIND", state.selectedText)
    }

    @Test
    fun dragging_SelectsInReadingOrderWhicheverWayItGoes() = onReceipt { state, scene ->
        val first = receiptPage.lines[1].elements.first()
        val last = receiptPage.lines[2].elements.last()
        val words = state.words
        val begin = words.all.first { words.corners(it) == first.cornerPoints }
        val end = words.all.first { words.corners(it) == last.cornerPoints }
        scene.touch(state.place(end), state.place(begin), millis = 1000)
        assertEquals(begin..end, state.selection)
        assertEquals(words.text(begin..end), state.selectedText)
        assertTrue(first.text in state.selectedText && '\n' in state.selectedText, state.selectedText)
        // What begins beside the words selects nothing, and leaves what is selected.
        scene.touch(2f to 2f, state.place(begin), millis = 2000)
        assertEquals(begin..end, state.selection)
    }

    @Test
    fun everything_IsTheTextOfThePage() {
        val state = SelectionState(receiptPage).apply { selectAll() }
        assertEquals(receiptPage.text, state.selectedText)
    }

    @Test
    fun pageWithoutText_IsItsPicture() {
        val blank = BufferedImage(200, 100, BufferedImage.TYPE_INT_RGB).apply {
            createGraphics().apply {
                color = WHITE
                fillRect(0, 0, 200, 100)
            }.dispose()
        }
        val page = Drawing.read(blank)
        val drawn = draw(200, 100) {
            SelectablePage(blank.toComposeImageBitmap(), rememberSelectionState(page), Modifier.fillMaxSize())
        }
        assertEquals(setOf(WHITE.rgb), drawn.pixels().toSet())
    }

    @Test
    fun drawing_IsThatOfTheDocs() {
        val state = SelectionState(receiptPage)
        val first = state.words.all.first { state.words.text(it) == "NORTHWIND" }
        state.selection = first..first + 3
        val drawn = draw(380, 498) { SelectablePage(receipt.toComposeImageBitmap(), state, Modifier.fillMaxSize()) }
        Drawing.compare(drawn, "page")
    }
}
