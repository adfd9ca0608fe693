package io.munja.app

import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertNull
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test

class GeometryTest {
    @Test
    fun frameRotation_IsThatOfCamera2() {
        // A back sensor mounted at 90 degrees: upright phones need 90; turned to the left (display 90), none.
        assertEquals(90, frameRotation(90, 0, front = false))
        assertEquals(0, frameRotation(90, 90, front = false))
        assertEquals(180, frameRotation(90, 270, front = false))
        assertEquals(270, frameRotation(270, 0, front = true))
        assertEquals(0, frameRotation(270, 90, front = true))
    }

    /** Where the corners of an upright device's preview lie in the view, after scaling and rotation. */
    private fun extent(fit: PreviewFit, width: Int, height: Int): Pair<Float, Float> {
        val x = width * fit.scaleX
        val y = height * fit.scaleY
        return if (fit.degrees % 180 == 0f) x to y else y to x
    }

    @Test
    fun preview_FillsTheViewUndistortedHoweverTheDeviceIsHeld() {
        for ((display, view) in listOf(0 to (1080 to 1800), 90 to (1800 to 1080), 180 to (1080 to 1800), 270 to (1800 to 1080))) {
            val fit = PreviewFit.of(1280, 720, 90, display, view.first, view.second)
            val (width, height) = extent(fit, view.first, view.second)
            assertTrue(width >= view.first - 0.1 && height >= view.second - 0.1, "$display: $width x $height")
            val shape = if (display % 180 == 0) 720f / 1280 else 1280f / 720
            assertEquals(shape, width / height, 1e-3f, "$display")
            assertEquals((360 - display) % 360, fit.degrees.toInt())
        }
    }

    @Test
    fun size_HasTheShapeFirstAndThenTheResolution() {
        val sizes = listOf(1920 to 1080, 1280 to 960, 640 to 480, 1280 to 720, 1088 to 1088, 4000 to 3000)
        assertEquals(1280 to 960, chooseSize(sizes, AspectRatio.FOUR_THREE, 1080))
        assertEquals(1280 to 720, chooseSize(sizes, AspectRatio.SIXTEEN_NINE, 480))
        assertEquals(1088 to 1088, chooseSize(sizes, AspectRatio.SQUARE, 480))
        assertEquals(640 to 480, chooseSize(listOf(640 to 480), AspectRatio.SQUARE, 2160))
        assertNull(chooseSize(emptyList(), AspectRatio.SQUARE, 720))
    }
}
