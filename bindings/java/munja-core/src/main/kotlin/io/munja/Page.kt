package io.munja

/** A point in pixels of the upright image. */
public data class Point(public val x: Float, public val y: Float)

/** An upright rectangle in pixels of the upright image. */
public data class Box(public val left: Float, public val top: Float, public val right: Float, public val bottom: Float) {
    public val width: Float get() = right - left
    public val height: Float get() = bottom - top
}

/** The direction in which the text of a line runs, as seen on the page. */
public enum class Direction { LEFT_TO_RIGHT, RIGHT_TO_LEFT, DOWN, UP }

/** A part of a page: [Block], [Line], [Element] or [Symbol]. It never changes, and remains valid after the page's end. */
public interface TextPart {
    public val text: String

    /** 0 to 1. */
    public val confidence: Float

    /** Four corners, clockwise from the text's own top left. */
    public val cornerPoints: List<Point>

    /** The upright rectangle around the corners. */
    public val boundingBox: Box get() = boxAround(cornerPoints)

    /** Degrees, clockwise, by which the text is rotated: -180 to 180, 0 for upright text. */
    public val angle: Float get() = angleOf(cornerPoints)
}

/** Lines of one paragraph, column or part of a table. */
public class Block internal constructor(
    /** In reading order; never empty. */
    public val lines: List<Line>,
) : TextPart {
    /** The lines' texts: "\n" between them, a space between those of one row. */
    override val text: String = textOf(lines)

    /** The mean of its lines. */
    override val confidence: Float = lines.sumOf { it.confidence.toDouble() }.toFloat() / lines.size
    override val boundingBox: Box = boxAround(lines.flatMap { it.cornerPoints })

    /** Those of [boundingBox]. */
    override val cornerPoints: List<Point>
        get() = with(boundingBox) { listOf(Point(left, top), Point(right, top), Point(right, bottom), Point(left, bottom)) }

    /** That of its first line. */
    override val angle: Float get() = lines[0].angle

    override fun toString(): String = text
}

/** A line of text. */
public class Line internal constructor(
    override val text: String,
    override val confidence: Float,
    override val cornerPoints: List<Point>,
    /** Its words. */
    public val elements: List<Element>,
    /** From the line's start to its end. */
    public val baseline: List<Point>,
    public val direction: Direction,
    /** Lines side by side that are read in sequence, as cells of a row of a table, share a number; -1: a row by itself. */
    public val row: Int,
    /** "cyrillic", "arabic" ...: the script of a line that the model cannot read; null for all others. */
    public val unknownScript: String?,
    symbols: () -> List<Symbol>,
) : TextPart {
    /** Its characters, spaces included. */
    public val symbols: List<Symbol> by lazy(LazyThreadSafetyMode.PUBLICATION, symbols)

    override fun toString(): String = text
}

/** A word, delimited by white space; a line of Chinese or Japanese is one. */
public class Element internal constructor(
    override val text: String,
    override val confidence: Float,
    override val cornerPoints: List<Point>,
    symbols: () -> List<Symbol>,
) : TextPart {
    /** Its characters. */
    public val symbols: List<Symbol> by lazy(LazyThreadSafetyMode.PUBLICATION, symbols)

    override fun toString(): String = text
}

/** A character as people count them: one beyond the Basic Multilingual Plane has a text of two `Char`s. */
public class Symbol internal constructor(
    override val text: String,
    override val confidence: Float,
    override val cornerPoints: List<Point>,
) : TextPart {
    override fun toString(): String = text
}

/** Milliseconds of the stages of a call; 0 where a stage did not run. */
public data class Timing(
    public val decode: Double,
    public val detect: Double,
    public val recognize: Double,
    public val total: Double,
)

/**
 * The text of one image. Its parts are plain objects. What writes a file of it needs memory of the native library, which
 * [close] frees; a page that is forgotten is freed later by itself.
 */
public class Page internal constructor(
    packed: ByteArray,
) : AutoCloseable {
    // First of all: if decoding has no memory left, the document is freed nevertheless.
    internal val handle = NativeHandle(this, PageDecoder.handleOf(packed), "page", Native::documentFree)

    /** Size of the upright image, in pixels. */
    public val width: Int
    public val height: Int

    /** In reading order. */
    public val blocks: List<Block>
    public val timing: Timing

    init {
        val decoder = PageDecoder(packed)
        width = decoder.width
        height = decoder.height
        blocks = decoder.blocks()
        timing = decoder.timing
    }

    /** All lines, in reading order. */
    public val lines: List<Line> get() = blocks.flatMap { it.lines }

    /** The texts of the blocks, an empty line between them. */
    public val text: String get() = blocks.filter { it.text.isNotEmpty() }.joinToString("\n\n") { it.text }

    /** The JSON of the command `munja`, one object without line breaks; [source] is the image's name in it. */
    @JvmOverloads
    public fun toJson(source: String = ""): String = write("json", source).decodeToString().trimEnd('\n')

    @JvmOverloads
    public fun toHocr(source: String = ""): String = write("hocr", source).decodeToString()

    @JvmOverloads
    public fun toMarkdown(source: String = ""): String = write("markdown", source).decodeToString()

    /** A PDF file that shows [image], with the text selectable over it. */
    @JvmOverloads
    public fun toPdf(image: OcrImage, dpi: Double = 0.0): ByteArray = write("pdf", "", image, dpi)

    /**
     * A file of any format that [DocumentWriter.formats] lists.
     *
     * @param image what was read, for formats that show it
     * @param dpi pixels per inch; 0: from the file
     */
    @JvmOverloads
    public fun write(format: String, source: String = "", image: OcrImage? = null, dpi: Double = 0.0): ByteArray {
        val bytes = java.io.ByteArrayOutputStream()
        DocumentWriter(format, bytes).use {
            it.add(this, source, image, dpi)
            it.finish()
        }
        return bytes.toByteArray()
    }

    override fun close(): Unit = handle.close()

    override fun toString(): String = text
}

// As the library's own writer of text does it.
private fun textOf(lines: List<Line>): String {
    val text = StringBuilder()
    var row = -1
    for (line in lines.filter { it.text.isNotEmpty() }) {
        if (text.isNotEmpty()) text.append(if (line.row >= 0 && line.row == row) ' ' else '\n')
        text.append(line.text)
        row = line.row
    }
    return text.toString()
}

internal fun boxAround(points: List<Point>): Box =
    Box(points.minOf { it.x }, points.minOf { it.y }, points.maxOf { it.x }, points.maxOf { it.y })

private fun angleOf(corners: List<Point>): Float {
    val (begin, end) = corners
    return Math.toDegrees(Math.atan2((end.y - begin.y).toDouble(), (end.x - begin.x).toDouble())).toFloat()
}
