package io.munja.screen

import io.munja.Element
import io.munja.Line
import io.munja.Page
import io.munja.Point
import kotlin.math.hypot

/** The words of a page in reading order, which a finger selects. */
public class PageWords(page: Page) {
    private class Word(val element: Element, val line: Line, val block: Int)

    private val words: List<Word> = page.blocks.flatMapIndexed { block, it ->
        it.lines.flatMap { line -> line.elements.map { element -> Word(element, line, block) } }
    }

    public val size: Int get() = words.size
    public val all: IntRange get() = words.indices

    public fun text(index: Int): String = words[index].element.text

    public fun corners(index: Int): List<Point> = words[index].element.cornerPoints

    /** The word at a point, or the nearest one within [slop] pixels of the image; -1: there is none. */
    public fun at(point: Point, slop: Float): Int {
        val inside = words.indexOfFirst { it.element.cornerPoints.holds(point) }
        if (inside >= 0 || slop <= 0) return inside
        return words.indices.filter { words[it].element.cornerPoints.holds(point, slop) }
            .minByOrNull { distance(it, point) } ?: -1
    }

    /** The word that is nearest to a point, however far; -1 on a page without text. */
    public fun nearest(point: Point): Int = words.indices.minByOrNull { distance(it, point) } ?: -1

    private fun distance(index: Int, point: Point): Float {
        val box = words[index].element.boundingBox
        return hypot(
            maxOf(box.left - point.x, 0f, point.x - box.right),
            maxOf(box.top - point.y, 0f, point.y - box.bottom),
        )
    }

    /** Words of a line are parted by spaces, lines by line breaks unless they share a row, blocks by an empty line. */
    public fun text(range: IntRange): String {
        val text = StringBuilder()
        var last: Word? = null
        for (word in range.map { words[it] }) {
            val before = last
            when {
                before == null -> Unit
                before.block != word.block -> text.append("\n\n")
                before.line === word.line -> text.append(' ')
                before.line.row >= 0 && before.line.row == word.line.row -> text.append(' ')
                else -> text.append('\n')
            }
            text.append(word.element.text)
            last = word
        }
        return text.toString()
    }

    /** All words of the line that a word belongs to. */
    public fun lineOf(index: Int): IntRange {
        val line = words[index].line
        return words.indexOfFirst { it.line === line }..words.indexOfLast { it.line === line }
    }
}
