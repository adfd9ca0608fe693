package io.munja.app

import java.awt.Color
import java.awt.image.BufferedImage
import java.io.File
import java.nio.ByteBuffer
import javax.imageio.ImageIO

/** What the tests share. */
object Support {
    val root: File = File(System.getProperty("munja.root")).canonicalFile
    val pictures = File(root, "testdata/pictures")
    val receipt = File(pictures, "receipt.jpg")

    /** As a camera hands an image out: YUV_420_888 with gaps behind rows, and interleaved chroma if [pixelStride] is 2. */
    class Yuv(val planes: List<CameraPlane>, val width: Int, val height: Int)

    fun yuv(image: BufferedImage, pixelStride: Int = 2, gap: Int = 16): Yuv {
        val width = image.width
        val height = image.height
        fun plane(w: Int, h: Int, stride: Int, value: (Int, Int) -> Int): CameraPlane {
            val rowStride = w * stride + gap
            val buffer = ByteBuffer.allocateDirect((h - 1) * rowStride + (w - 1) * stride + 1)
            for (y in 0 until h) for (x in 0 until w) buffer.put(y * rowStride + x * stride, value(x, y).toByte())
            return CameraPlane(buffer, rowStride, stride)
        }
        fun color(x: Int, y: Int) = Color(image.getRGB(minOf(x, width - 1), minOf(y, height - 1)))
        val luma = plane(width, height, 1) { x, y -> with(color(x, y)) { 16 + (66 * red + 129 * green + 25 * blue) / 256 } }
        val u = plane((width + 1) / 2, (height + 1) / 2, pixelStride) { x, y ->
            with(color(2 * x, 2 * y)) { 128 + (-38 * red - 74 * green + 112 * blue) / 256 }
        }
        val v = plane((width + 1) / 2, (height + 1) / 2, pixelStride) { x, y ->
            with(color(2 * x, 2 * y)) { 128 + (112 * red - 94 * green - 18 * blue) / 256 }
        }
        return Yuv(listOf(luma, u, v), width, height)
    }

    fun load(name: String): BufferedImage = ImageIO.read(File(pictures, name))

    /** Turned clockwise by a multiple of 90 degrees. */
    fun turned(image: BufferedImage, degrees: Int): BufferedImage {
        val flat = degrees % 180 == 0
        val turned = BufferedImage(
            if (flat) image.width else image.height,
            if (flat) image.height else image.width,
            BufferedImage.TYPE_INT_RGB,
        )
        val graphics = turned.createGraphics()
        graphics.translate(turned.width / 2.0, turned.height / 2.0)
        graphics.rotate(Math.toRadians(degrees.toDouble()))
        graphics.translate(-image.width / 2.0, -image.height / 2.0)
        graphics.drawImage(image, 0, 0, null)
        graphics.dispose()
        return turned
    }

    fun until(what: String, seconds: Int = 60, condition: () -> Boolean) {
        val end = System.nanoTime() + seconds * 1_000_000_000L
        while (!condition()) {
            check(System.nanoTime() < end) { "$what did not happen in $seconds s" }
            Thread.sleep(5)
        }
    }
}
