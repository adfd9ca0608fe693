package io.munja

import java.io.File
import java.io.InputStream
import java.nio.ByteBuffer

/** Memory layouts of pixels, 8 bits per channel. The YUV formats are those of cameras: BT.601, limited range. */
public enum class PixelFormat(internal val value: Int, internal val bytesPerPixel: Int) {
    GRAY8(0, 1),
    RGB(1, 3),
    BGR(2, 3),

    /** Alpha is not premultiplied; it is blended over white. */
    RGBA(3, 4),
    BGRA(4, 4),

    /** Planes: Y, then interleaved U and V. */
    NV12(5, 1),

    /** Planes: Y, then interleaved V and U. */
    NV21(6, 1),

    /** Planes: Y, U, V. */
    I420(7, 1),
}

/** Opaque pixels 0xFFRRGGBB, [width] to a row. */
public class ArgbImage internal constructor(
    public val pixels: IntArray,
    public val width: Int,
    public val height: Int,
)

/**
 * An image to read: the bytes of a file (JPEG, PNG, WebP, BMP, GIF, TIFF, PNM, HEIC, AVIF, PDF), or pixels. It refers to
 * the memory that it was made of and copies nothing; that must not change while it is read. It may be read many times, by
 * several threads at once.
 */
public class OcrImage private constructor(
    internal val planes: Array<Any?>,
    internal val numbers: IntArray,
    internal val dpi: Double,
) {
    /** One plane of pixels: the bytes of a direct or other buffer from its position to its limit. */
    public class Plane(
        internal val buffer: ByteBuffer,
        /** Bytes from row to row. */
        internal val stride: Int,
    )

    /**
     * A page of a PDF or TIFF file, or a frame of an animation.
     *
     * @param index from 0
     * @param dpi the resolution at which a page of a PDF file is rendered; 0: that of its image, else 200
     */
    @JvmOverloads
    public fun page(index: Int, dpi: Double = 0.0): OcrImage {
        require(isFile) { "pixels have no pages" }
        return OcrImage(planes, numbers.copyOf().also { it[PAGE] = index }, dpi)
    }

    internal val isFile: Boolean get() = numbers[FORMAT] < 0

    /** The number of pages of the file; 1 for pixels. */
    public val pageCount: Int get() = Native.imageCount(planes, numbers)

    /** The upright pixels, which are decoded or converted anew by each call: to show what is read. */
    public fun toArgb(): ArgbImage {
        val size = IntArray(2)
        val pixels = Native.imageArgb(planes, numbers, dpi, size)
        return ArgbImage(pixels, size[0], size[1])
    }

    public companion object {
        // Positions in [numbers]; bindings/java/native/image.h has the same.
        private const val FORMAT = 0
        private const val WIDTH = 1
        private const val HEIGHT = 2
        private const val ROTATION = 3
        private const val PAGE = 4
        private const val PLANES = 5
        private const val NUMBERS = 14

        private fun file(content: Any, offset: Int, size: Int): OcrImage {
            val numbers = IntArray(NUMBERS)
            numbers[FORMAT] = -1
            numbers[PLANES] = offset
            numbers[PLANES + 1] = size
            return OcrImage(arrayOf(content), numbers, 0.0)
        }

        /** The bytes of a file. */
        @JvmStatic
        public fun of(file: ByteArray): OcrImage = file(file, 0, file.size)

        /** The bytes of a file, from the buffer's position to its limit. */
        @JvmStatic
        public fun of(file: ByteBuffer): OcrImage {
            val (content, offset) = memory(file)
            return file(content, offset, file.remaining())
        }

        /** The bytes of a file, which are read to the end of the stream. It is not closed. */
        @JvmStatic
        public fun of(file: InputStream): OcrImage = of(file.readBytes())

        /** A file, which is read at once. */
        @JvmStatic
        public fun of(file: File): OcrImage = of(file.readBytes())

        /**
         * Pixels 0xAARRGGBB, as java.awt.image.BufferedImage.getRGB() and android.graphics.Bitmap.getPixels() write them.
         *
         * @param stride pixels from row to row; 0: the width
         * @param rotation clockwise degrees that make it upright: 0, 90, 180 or 270
         */
        @JvmStatic
        @JvmOverloads
        public fun of(argb: IntArray, width: Int, height: Int, stride: Int = 0, rotation: Int = 0): OcrImage {
            val numbers = describe(PixelFormat.BGRA, width, height, rotation)
            numbers[PLANES + 1] = Math.multiplyExact(4, argb.size)
            numbers[PLANES + 2] = Math.multiplyExact(4, if (stride == 0) width else stride)
            return OcrImage(arrayOf(argb), numbers, 0.0)
        }

        /**
         * Pixels in one buffer, from its position to its limit. A direct buffer is used where it is. For the YUV formats
         * the planes follow each other; those of chroma have the stride of Y, I420's half of it.
         *
         * @param stride bytes from row to row; 0: rows without gaps
         * @param rotation clockwise degrees that make it upright: 0, 90, 180 or 270
         */
        @JvmStatic
        @JvmOverloads
        public fun of(
            pixels: ByteBuffer,
            format: PixelFormat,
            width: Int,
            height: Int,
            stride: Int = 0,
            rotation: Int = 0,
        ): OcrImage {
            val rows = if (stride == 0) Math.multiplyExact(width, format.bytesPerPixel) else stride
            val halfHeight = (height + 1) / 2
            // Rounded up: an odd width has one more sample of chroma.
            val chroma = if (stride == 0) 2 * ((width + 1) / 2) else stride
            val shapes = when (format) {
                PixelFormat.NV12, PixelFormat.NV21 -> listOf(rows to height, chroma to halfHeight)
                PixelFormat.I420 -> listOf(rows to height, (chroma + 1) / 2 to halfHeight, (chroma + 1) / 2 to halfHeight)
                else -> return of(listOf(Plane(pixels, rows)), format, width, height, rotation)
            }
            var begin = pixels.position()
            val planes = shapes.map { (planeStride, planeRows) ->
                val plane = pixels.duplicate()
                plane.position(minOf(begin, pixels.limit()))
                begin = Math.addExact(begin, Math.multiplyExact(planeStride, planeRows))
                Plane(plane, planeStride)
            }
            return of(planes, format, width, height, rotation)
        }

        /** Pixels in planes of their own, as cameras hand them out. */
        @JvmStatic
        @JvmOverloads
        public fun of(
            planes: List<Plane>,
            format: PixelFormat,
            width: Int,
            height: Int,
            rotation: Int = 0,
        ): OcrImage {
            require(planes.size in 1..3) { "${planes.size} planes; an image has one to three" }
            val numbers = describe(format, width, height, rotation)
            val contents = arrayOfNulls<Any>(3)
            planes.forEachIndexed { i, plane ->
                val (content, offset) = memory(plane.buffer)
                contents[i] = content
                numbers[PLANES + 3 * i] = offset
                numbers[PLANES + 3 * i + 1] = plane.buffer.remaining()
                numbers[PLANES + 3 * i + 2] = plane.stride
            }
            return OcrImage(contents, numbers, 0.0)
        }

        private fun describe(format: PixelFormat, width: Int, height: Int, rotation: Int): IntArray {
            require(width > 0 && height > 0) { "an image of $width x $height pixels" }
            val numbers = IntArray(NUMBERS)
            numbers[FORMAT] = format.value
            numbers[WIDTH] = width
            numbers[HEIGHT] = height
            numbers[ROTATION] = rotation
            return numbers
        }

        /** What the native library reads, and the position of the first byte in it. */
        private fun memory(buffer: ByteBuffer): Pair<Any, Int> = when {
            buffer.isDirect -> buffer to buffer.position()
            buffer.hasArray() -> buffer.array() to buffer.arrayOffset() + buffer.position()
            // Read-only: its array is out of reach.
            else -> ByteArray(buffer.remaining()).also { buffer.duplicate().get(it) } to 0
        }
    }
}
