package io.munja.screen

import io.munja.Box
import io.munja.Point
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertNull
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test

class ImageToViewTest {
    @Test
    fun frameThatFills_LosesWhatStandsOut() {
        // 720 x 1280 in 1080 x 1280: scaled by 1.5, so 640 of 1920 rows are outside, half of them above.
        val map = ImageToView.of(720, 1280, 1080, 1280, Scaling.FILL)
        assertEquals(Point(0f, -320f), map.toView(Point(0f, 0f)))
        assertEquals(Point(1080f, 1600f), map.toView(Point(720f, 1280f)))
    }

    @Test
    fun imageThatFits_IsCentered() {
        val map = ImageToView.of(400, 200, 800, 800, Scaling.FIT)
        assertEquals(Point(0f, 200f), map.toView(Point(0f, 0f)))
        assertEquals(Point(800f, 600f), map.toView(Point(400f, 200f)))
    }

    @Test
    fun frontCamera_IsMirrored() {
        val map = ImageToView.of(100, 100, 100, 100, Scaling.FILL, mirrored = true)
        assertEquals(Point(90f, 20f), map.toView(Point(10f, 20f)))
        assertEquals(Region(50, 0, 50, 10), map.toImage(Box(0f, 0f, 50f, 10f)))
    }

    @Test
    fun pointsOfTheView_AreThoseOfTheImage() {
        for (mirrored in listOf(false, true)) {
            for (scaling in Scaling.entries) {
                val map = ImageToView.of(640, 480, 1000, 1700, scaling, mirrored)
                val back = map.toImage(map.toView(Point(123f, 45f)))
                assertEquals(123f, back.x, 0.01f)
                assertEquals(45f, back.y, 0.01f)
            }
        }
    }

    @Test
    fun regionOutsideTheFrame_IsCutOrNothing() {
        val map = ImageToView.of(400, 200, 800, 800, Scaling.FIT)
        assertEquals(Region(0, 0, 400, 100), map.toImage(Box(-50f, 0f, 900f, 400f)))
        assertNull(map.toImage(Box(0f, 0f, 800f, 200f)))
    }

    @Test
    fun slantedBox_HoldsItsInside() {
        val box = listOf(Point(10f, 0f), Point(20f, 10f), Point(10f, 20f), Point(0f, 10f))
        assertTrue(box.holds(Point(10f, 10f)))
        assertFalse(box.holds(Point(2f, 2f)))
        assertTrue(box.holds(Point(2f, 2f), slop = 6f))
    }
}
