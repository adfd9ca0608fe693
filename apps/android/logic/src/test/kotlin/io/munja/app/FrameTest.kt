package io.munja.app

import io.munja.OcrEngine
import org.junit.jupiter.api.Assertions.assertArrayEquals
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import java.awt.image.BufferedImage
import kotlin.math.abs

class FrameTest {
    private fun frame(yuv: Support.Yuv, rotation: Int = 0) = Frame().apply { fill(yuv.planes, yuv.width, yuv.height, rotation) }

    @Test
    fun strides_DoNotMatter() {
        val image = Support.load("single_digits.png")
        val expected = frame(Support.yuv(image, pixelStride = 1, gap = 0)).toArgb()
        assertArrayEquals(expected, frame(Support.yuv(image, pixelStride = 2, gap = 0)).toArgb())
        assertArrayEquals(expected, frame(Support.yuv(image, pixelStride = 2, gap = 37)).toArgb())
        assertArrayEquals(expected, frame(Support.yuv(image, pixelStride = 1, gap = 5)).toArgb())
    }

    @Test
    fun colors_AreThoseOfTheScene() {
        // An odd size, so that chroma has a column and a row more than half.
        val image = BufferedImage(7, 5, BufferedImage.TYPE_INT_RGB)
        for ((i, color) in listOf(0xFF0000, 0x00FF00, 0x0000FF, 0xFFFFFF, 0x000000, 0x808080).withIndex()) {
            for (y in 0 until 5) for (x in 0 until 7) image.setRGB(x, y, color)
            val seen = frame(Support.yuv(image)).toArgb()
            for (pixel in seen) for (shift in listOf(0, 8, 16)) {
                val error = abs((pixel shr shift and 255) - (color shr shift and 255))
                assertTrue(error <= 5, "color $i: %06x instead of %06x".format(pixel, color))
            }
        }
    }

    @Test
    fun rotation_MakesFramesUpright() {
        val image = Support.load("single_digits.png")
        val expected = frame(Support.yuv(image)).toArgb()
        for (rotation in listOf(90, 180, 270)) {
            val yuv = Support.yuv(Support.turned(image, 360 - rotation))
            val turned = frame(yuv, rotation)
            assertEquals(image.width, turned.uprightWidth)
            assertEquals(image.height, turned.uprightHeight)
            val seen = turned.toArgb()
            val differences = seen.indices.count { i ->
                abs((seen[i] and 255) - (expected[i] and 255)) > 40
            }
            assertTrue(differences < expected.size / 100, "$differences of ${expected.size} at $rotation")
        }
    }


    @Test
    fun framesOfACamera_AreReadAsTheirPicture() {
        OcrEngine.create { threads(1) }.use { engine ->
            val image = Support.load("receipt.jpg")
            val yuv = Support.yuv(Support.turned(image, 270))
            val page = engine.process(frame(yuv, 90).image)
            assertEquals(image.width, page.width)
            assertTrue("BAKERY NORTHWIND" in page.text, page.text)
        }
    }

    @Test
    fun frame_IsCopiedWhole() {
        val yuv = Support.yuv(Support.load("single_digits.png"))
        val first = frame(yuv, 90)
        val copy = Frame()
        first.copyTo(copy)
        first.fill(Support.yuv(BufferedImage(8, 8, BufferedImage.TYPE_INT_RGB)).planes, 8, 8, 0)
        assertArrayEquals(frame(yuv, 90).toArgb(), copy.toArgb())
    }
}
