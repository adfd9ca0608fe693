package io.munja.app

import io.munja.Line
import io.munja.OcrEngine
import io.munja.OcrImage
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import java.awt.Color
import java.awt.image.BufferedImage

/** Lines come from the real engine: a receipt that moves in the frame. */
class LineTrackerTest {
    private val receipt = Support.load("receipt.jpg")

    private fun lines(engine: OcrEngine, dx: Int, dy: Int): List<Line> {
        val scene = BufferedImage(receipt.width + 80, receipt.height + 80, BufferedImage.TYPE_INT_RGB)
        with(scene.createGraphics()) {
            color = Color.WHITE
            fillRect(0, 0, scene.width, scene.height)
            drawImage(receipt, dx, dy, null)
        }
        val argb = scene.getRGB(0, 0, scene.width, scene.height, null, 0, scene.width)
        return engine.process(OcrImage.of(argb, scene.width, scene.height)).use { it.lines }
    }

    @Test
    fun linesThatMoveALittle_KeepTheirNumbers() {
        OcrEngine.create { threads(1) }.use { engine ->
            val tracker = LineTracker()
            val first = tracker.update(lines(engine, 20, 20)).associateBy { it.text }
            val moved = tracker.update(lines(engine, 23, 22))
            val same = moved.count { first[it.text]?.id == it.id }
            assertTrue(same >= first.size * 9 / 10, "$same of ${first.size}")
        }
    }

    @Test
    fun lineThatIsMissed_StaysForTwoFrames() {
        OcrEngine.create { threads(1) }.use { engine ->
            val tracker = LineTracker()
            val seen = tracker.update(lines(engine, 20, 20))
            assertEquals(seen.map { it.id }, tracker.update(emptyList()).map { it.id })
            assertEquals(seen.map { it.id }, tracker.update(emptyList()).map { it.id })
            assertEquals(emptyList<Int>(), tracker.update(emptyList()).map { it.id })
        }
    }
}
