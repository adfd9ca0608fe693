package io.munja.screen

import io.munja.OcrImage
import io.munja.Page
import io.munja.Point
import io.munja.Support
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test

class PageWordsTest {
    private val page: Page by lazy { Support.engine.process(OcrImage.of(Support.receipt)) }
    private val words by lazy { PageWords(page) }

    private fun center(corners: List<Point>) =
        Point(corners.map { it.x }.average().toFloat(), corners.map { it.y }.average().toFloat())

    @Test
    fun allWords_AreTheTextOfThePage() = assertEquals(page.text, words.text(words.all))

    @Test
    fun touchedWord_IsFound() {
        for (i in words.all) assertEquals(words.text(i), words.text(words.at(center(words.corners(i)), 0f)), "word $i")
        assertEquals(-1, words.at(Point(-500f, -500f), 20f))
        assertTrue(words.nearest(Point(-500f, -500f)) >= 0)
    }
}
