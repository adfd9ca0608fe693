package io.munja

import java.nio.ByteBuffer
import java.nio.ByteOrder

/** Reads the array that bindings/java/native/page.cc writes: 32-bit words, then the text in UTF-16. */
internal class PageDecoder(packed: ByteArray) {
    private val bytes = ordered(packed)
    private val lineCount = bytes.getInt(16)
    private val wordCount = bytes.getInt(20)
    private val characterCount = bytes.getInt(24)
    private val linesAt = HEADER
    private val wordsAt = linesAt + lineCount * LINE
    private val charactersAt = wordsAt + wordCount * WORD
    private val texts = run {
        val begin = charactersAt + characterCount * CHARACTER
        val isBig = bytes.order() == ByteOrder.BIG_ENDIAN
        String(packed, begin, packed.size - begin, if (isBig) Charsets.UTF_16BE else Charsets.UTF_16LE)
    }

    val width = bytes.getInt(8)
    val height = bytes.getInt(12)
    val timing = Timing(bytes.getDouble(32), bytes.getDouble(40), bytes.getDouble(48), bytes.getDouble(56))

    fun blocks(): List<Block> {
        val blocks = ArrayList<Block>()
        var lines = ArrayList<Line>()
        for (i in 0 until lineCount) {
            val at = linesAt + i * LINE
            val isNew = i > 0 && bytes.getInt(at + 76) != bytes.getInt(at - LINE + 76)
            if (isNew) {
                blocks += Block(lines)
                lines = ArrayList()
            }
            lines += line(at)
        }
        if (lines.isNotEmpty()) blocks += Block(lines)
        return blocks
    }

    private fun line(at: Int): Line {
        val firstWord = bytes.getInt(at + 8)
        return Line(
            text(at),
            bytes.getFloat(at + 24),
            points(at + 28, 4),
            List(bytes.getInt(at + 12)) { element(wordsAt + (firstWord + it) * WORD) },
            points(at + 60, 2),
            Direction.entries[bytes.getInt(at + 84)],
            bytes.getInt(at + 80),
            text(at + 88).ifEmpty { null },
            symbols(bytes.getInt(at + 16), bytes.getInt(at + 20)),
        )
    }

    private fun element(at: Int) = Element(
        text(at),
        bytes.getFloat(at + 20),
        points(at + 24, 4),
        symbols(bytes.getInt(at + 12), bytes.getInt(at + 16)),
    )

    // Most callers never look at the characters of most lines.
    private fun symbols(first: Int, count: Int): () -> List<Symbol> = {
        List(count) {
            val at = charactersAt + (first + it) * CHARACTER
            Symbol(text(at), bytes.getFloat(at + 8), points(at + 12, 4))
        }
    }

    private fun text(at: Int): String {
        val begin = bytes.getInt(at)
        return texts.substring(begin, begin + bytes.getInt(at + 4))
    }

    private fun points(at: Int, count: Int) =
        List(count) { Point(bytes.getFloat(at + 8 * it), bytes.getFloat(at + 8 * it + 4)) }

    companion object {
        private const val HEADER = 64
        private const val LINE = 96
        private const val WORD = 56
        private const val CHARACTER = 44

        fun handleOf(packed: ByteArray): Long = ordered(packed).getLong(0)

        private fun ordered(packed: ByteArray) = ByteBuffer.wrap(packed).order(ByteOrder.nativeOrder())
    }
}
