package io.munja

import io.munja.Support.engine
import io.munja.Support.failure
import io.munja.Support.throws
import org.junit.jupiter.api.Assertions.assertArrayEquals
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import java.awt.image.BufferedImage
import java.io.File
import java.io.IOException
import java.io.InputStream
import java.nio.ByteBuffer
import java.nio.ByteOrder
import javax.imageio.ImageIO

class ImageTest {
    private val file = File(Support.pictures, "tight_table.png")  // PNG: the pixels are the same whoever decodes it.
    private val expected by lazy { parts(OcrImage.of(file)) }
    private val pixels: BufferedImage by lazy { ImageIO.read(file) }
    private val width get() = pixels.width
    private val height get() = pixels.height
    private val argb: IntArray by lazy { pixels.getRGB(0, 0, width, height, null, 0, width) }

    private fun parts(image: OcrImage) = engine.process(image).use { page -> page.lines.map { it.text to it.cornerPoints } }

    private fun texts(image: OcrImage) = engine.process(image).use { page -> page.lines.map { it.text }.sorted() }

    private fun direct(bytes: ByteArray): ByteBuffer = ByteBuffer.allocateDirect(bytes.size).put(bytes).flip()

    /** The pixels as bytes, `order` naming the channels, in rows of `stride` bytes. */
    private fun channels(order: String, stride: Int = width * order.length): ByteArray {
        val bytes = ByteArray(stride * height)
        for (y in 0 until height) for (x in 0 until width) {
            val pixel = argb[y * width + x]
            order.forEachIndexed { i, channel ->
                val shift = when (channel) {
                    'r' -> 16
                    'g' -> 8
                    'b' -> 0
                    else -> 24
                }
                bytes[y * stride + x * order.length + i] = (pixel shr shift).toByte()
            }
        }
        return bytes
    }

    /** Luma of the limited range, and a gray chroma: half the text is in the colors, and yet all of it is seen. */
    private fun luma() = ByteArray(width * height) {
        val p = argb[it]
        (16 + (66 * (p shr 16 and 255) + 129 * (p shr 8 and 255) + 25 * (p and 255)) / 256).toByte()
    }

    @Test
    fun fileOfAnySource_IsReadAlike() {
        val bytes = file.readBytes()
        assertEquals(expected, parts(OcrImage.of(bytes)))
        assertEquals(expected, parts(OcrImage.of(file.inputStream())))
        assertEquals(expected, parts(OcrImage.of(file.toPath())))
        assertEquals(expected, parts(OcrImage.of(direct(bytes))))
        assertEquals(expected, parts(OcrImage.of(direct(bytes).asReadOnlyBuffer())))
        assertEquals(expected, parts(OcrImage.of(ByteBuffer.wrap(bytes).asReadOnlyBuffer())))
        val offset = ByteBuffer.wrap(ByteArray(7) + bytes + ByteArray(9)).position(7).limit(7 + bytes.size)
        assertEquals(expected, parts(OcrImage.of(offset)))
    }

    @Test
    fun pixelsOfAnyLayout_AreReadAlike() {
        assertEquals(expected, parts(OcrImage.of(argb, width, height)))
        assertEquals(expected, parts(OcrImage.of(pixels)))
        for ((format, order) in mapOf(
            PixelFormat.RGB to "rgb", PixelFormat.BGR to "bgr", PixelFormat.RGBA to "rgba", PixelFormat.BGRA to "bgra",
        )) {
            assertEquals(expected, parts(OcrImage.of(direct(channels(order)), format, width, height)), "$format")
            assertEquals(expected, parts(OcrImage.of(ByteBuffer.wrap(channels(order)), format, width, height)), "$format")
            val stride = width * order.length + 12
            val padded = OcrImage.of(direct(channels(order, stride)), format, width, height, stride)
            assertEquals(expected, parts(padded), "$format with gaps")
        }
    }

    @Test
    fun bufferedImageOfAnyType_IsReadAlike() {
        for (type in listOf(
            BufferedImage.TYPE_INT_RGB, BufferedImage.TYPE_INT_ARGB, BufferedImage.TYPE_3BYTE_BGR,
            BufferedImage.TYPE_4BYTE_ABGR, BufferedImage.TYPE_INT_BGR, BufferedImage.TYPE_INT_ARGB_PRE,
        )) {
            val copy = BufferedImage(width, height, type)
            copy.createGraphics().apply { drawImage(pixels, 0, 0, null) }.dispose()
            assertEquals(expected, parts(OcrImage.of(copy)), "type $type")
        }
        val around = BufferedImage(width + 40, height + 60, BufferedImage.TYPE_3BYTE_BGR)
        around.createGraphics().apply { drawImage(pixels, 30, 50, null) }.dispose()
        assertEquals(expected, parts(OcrImage.of(around.getSubimage(30, 50, width, height))), "a part of another image")
    }

    @Test
    fun grayBufferedImage_KeepsTheValuesOfItsRaster() {
        val gray = BufferedImage(width, height, BufferedImage.TYPE_BYTE_GRAY)
        gray.raster.setDataElements(0, 0, width, height, luma())
        assertEquals(
            parts(OcrImage.of(direct(luma()), PixelFormat.GRAY8, width, height)),
            parts(OcrImage.of(gray)),
        )
    }

    @Test
    fun cameraFormats_AreRead() {
        val chromaWidth = (width + 1) / 2
        val chromaHeight = (height + 1) / 2
        val gray = ByteArray(2 * chromaWidth * chromaHeight) { -128 }
        val read = texts(OcrImage.of(direct(luma() + gray), PixelFormat.NV12, width, height))
        assertTrue(read.count { it in expected.map { part -> part.first } } > expected.size * 3 / 4, "$read")
        assertEquals(read, texts(OcrImage.of(direct(luma() + gray), PixelFormat.NV21, width, height)))
        assertEquals(read, texts(OcrImage.of(ByteBuffer.wrap(luma() + gray), PixelFormat.I420, width, height)))
        val half = gray.copyOf(chromaWidth * chromaHeight)
        val planes = listOf(
            OcrImage.Plane(direct(luma()), width),
            OcrImage.Plane(direct(half), chromaWidth),
            OcrImage.Plane(ByteBuffer.wrap(half), chromaWidth),
        )
        assertEquals(read, texts(OcrImage.of(planes, PixelFormat.I420, width, height)))
    }

    @Test
    fun rotation_MakesItUpright() {
        val turned = IntArray(argb.size)
        for (y in 0 until height) for (x in 0 until width) turned[x * height + (height - 1 - y)] = argb[y * width + x]
        assertEquals(expected, parts(OcrImage.of(turned, height, width, rotation = 270)))
        assertEquals(expected, parts(OcrImage.of(argb.reversedArray(), width, height, rotation = 180)))
    }

    @Test
    fun transparentPixels_AreWhite() {
        assertEquals("", engine.process(OcrImage.of(IntArray(argb.size) { argb[it] and 0xFFFFFF }, width, height)).text)
    }

    @Test
    fun reading_LeavesTheMemoryAlone() {
        val before = argb.copyOf()
        val buffer = direct(channels("rgb")).position(0)
        engine.process(OcrImage.of(argb, width, height)).close()
        engine.process(OcrImage.of(buffer, PixelFormat.RGB, width, height)).close()
        assertArrayEquals(before, argb)
        assertEquals(0, buffer.position())
        assertEquals(ByteOrder.BIG_ENDIAN, buffer.order())
    }

    @Test
    fun argb_IsWhatIsRead() {
        fun assertShown(image: OcrImage) = image.toArgb().run {
            assertEquals(this@ImageTest.width to this@ImageTest.height, width to height)
            assertArrayEquals(argb, pixels)
        }
        assertShown(OcrImage.of(file))
        assertShown(OcrImage.of(pixels))
        assertShown(OcrImage.of(ByteBuffer.wrap(channels("rgb", 3 * width + 7)), PixelFormat.RGB, width, height, 3 * width + 7))
        // Turned to the left, which a rotation to the right makes upright.
        val turned = IntArray(argb.size) { argb[it % height * width + width - 1 - it / height] }
        assertShown(OcrImage.of(turned, height, width, rotation = 90))
        failure(Status.MALFORMED) { OcrImage.of(ByteArray(0)).toArgb() }
        failure(Status.INVALID_ARGUMENT) { OcrImage.of(IntArray(9), 10, 10).toArgb() }
    }

    @Test
    fun argbOfACamera_HasTheColorsOfTheScene() {
        // An odd size, so that chroma has a column and a row more than half.
        for (color in listOf(0xFF0000, 0x00FF00, 0x0000FF, 0xFFFFFF, 0x000000, 0x808080)) {
            val (r, g, b) = listOf(color shr 16, color shr 8 and 255, color and 255)
            val yuv = listOf(
                ByteArray(35) { (16 + (66 * r + 129 * g + 25 * b) / 256).toByte() },
                ByteArray(12) { (128 + (-38 * r - 74 * g + 112 * b) / 256).toByte() },
                ByteArray(12) { (128 + (112 * r - 94 * g - 18 * b) / 256).toByte() },
            )
            val image = OcrImage.of(ByteBuffer.wrap(yuv.reduce(ByteArray::plus)), PixelFormat.I420, 7, 5)
            for (pixel in image.toArgb().pixels) for (shift in listOf(0, 8, 16)) {
                val error = Math.abs((pixel shr shift and 255) - (color shr shift and 255))
                assertTrue(error <= 5, "%06x instead of %06x".format(pixel, color))
            }
        }
    }

    @Test
    fun tooFewPixels_AreRefused() {
        val message = failure(Status.INVALID_ARGUMENT) { engine.process(OcrImage.of(IntArray(99), 10, 10)) }.message!!
        assertTrue("396" in message && "400" in message, message)
        for (format in PixelFormat.entries) {
            for (buffer in listOf(ByteBuffer.allocateDirect(20), ByteBuffer.allocate(20))) {
                failure(Status.INVALID_ARGUMENT) { engine.process(OcrImage.of(buffer, format, 16, 16)) }
            }
        }
        failure(Status.INVALID_ARGUMENT) {
            engine.process(OcrImage.of(direct(channels("rgb")).position(1), PixelFormat.RGB, width, height))
        }
    }

    @Test
    fun wrongShapes_AreRefused() {
        val buffer = ByteBuffer.allocateDirect(4096)
        failure(Status.INVALID_ARGUMENT) { engine.process(OcrImage.of(buffer, PixelFormat.RGB, 10, 10, stride = 29)) }
        failure(Status.INVALID_ARGUMENT) { engine.process(OcrImage.of(buffer, PixelFormat.RGB, 10, 10, stride = -30)) }
        failure(Status.INVALID_ARGUMENT) { engine.process(OcrImage.of(buffer, PixelFormat.RGB, 10, 10, rotation = 45)) }
        failure(Status.INVALID_ARGUMENT) { engine.process(OcrImage.of(buffer, PixelFormat.GRAY8, Int.MAX_VALUE, 1 shl 20)) }
        failure(Status.INVALID_ARGUMENT) {
            engine.process(OcrImage.of(listOf(OcrImage.Plane(buffer, 16)), PixelFormat.NV12, 16, 16))
        }
        throws<IllegalArgumentException> { OcrImage.of(buffer, PixelFormat.RGB, 0, 10) }
        throws<IllegalArgumentException> { OcrImage.of(emptyList(), PixelFormat.RGB, 10, 10) }
        throws<ArithmeticException> { OcrImage.of(buffer, PixelFormat.RGBA, Int.MAX_VALUE, 1) }
    }

    @Test
    fun damagedFiles_AreRefused() {
        failure(Status.MALFORMED) { engine.process(OcrImage.of(ByteArray(0))) }
        failure(Status.MALFORMED) { engine.process(OcrImage.of(file.readBytes().copyOf(300))) }
        val noise = ByteArray(2000) { (it * 31).toByte() }
        val message = throws<MunjaException> { engine.process(OcrImage.of(noise)) }
        assertTrue(message.status in listOf(Status.MALFORMED, Status.UNSUPPORTED), "$message")
        throws<IOException> { OcrImage.of(File("/nowhere.png")) }
        throws<IOException> { OcrImage.of(File("/nowhere.png").toPath()) }
        throws<IOException> {
            OcrImage.of(object : InputStream() {
                override fun read(): Int = throw IOException("the stream broke")
            })
        }
    }

    @Test
    fun pages_AreCountedAndRead() {
        val pdf = java.io.ByteArrayOutputStream()
        engine.process(OcrImage.of(file)).use { page ->
            DocumentWriter("pdf", pdf).use { writer ->
                repeat(3) { writer.add(page, image = OcrImage.of(file)) }
                writer.finish()
            }
        }
        assertEquals(1, OcrImage.of(file).pageCount)
        assertEquals(1, OcrImage.of(argb, width, height).pageCount)
        val file3 = OcrImage.of(pdf.toByteArray())
        try {
            assertEquals(3, file3.pageCount)
        } catch (e: MunjaException) {
            // poppler-utils, which renders PDF files, is not installed.
            assertEquals(Status.UNAVAILABLE, e.status)
            return
        }
        assertEquals(texts(OcrImage.of(file)), texts(file3.page(2)))
        failure(Status.INVALID_ARGUMENT) { engine.process(file3.page(3)) }
        throws<IllegalArgumentException> { OcrImage.of(argb, width, height).page(0) }
    }
}
