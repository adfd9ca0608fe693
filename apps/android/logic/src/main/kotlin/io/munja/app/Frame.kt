package io.munja.app

import io.munja.OcrImage
import io.munja.PixelFormat
import java.nio.ByteBuffer

/** A plane of a camera's image: the bytes from the buffer's position on. */
class CameraPlane(val buffer: ByteBuffer, val rowStride: Int, val pixelStride: Int)

/** A frame of a camera in memory of its own: Y, U and V without gaps. It may be filled again and again. */
class Frame {
    private var pixels: ByteBuffer = ByteBuffer.allocateDirect(0)
    var width = 0
        private set
    var height = 0
        private set

    /** Clockwise degrees that make it upright. */
    var rotation = 0
        private set

    val uprightWidth: Int get() = if (rotation % 180 == 0) width else height
    val uprightHeight: Int get() = if (rotation % 180 == 0) height else width

    /** Valid until the frame is filled again. */
    val image: OcrImage get() = OcrImage.of(pixels.duplicate(), PixelFormat.I420, width, height, rotation = rotation)

    /** Copies Y, U and V, so that the camera gets its image back before it is read. */
    fun fill(planes: List<CameraPlane>, width: Int, height: Int, rotation: Int) {
        require(planes.size == 3) { "${planes.size} planes; YUV_420_888 has three" }
        val chromaWidth = (width + 1) / 2
        val chromaHeight = (height + 1) / 2
        val size = width * height + 2 * chromaWidth * chromaHeight
        if (pixels.capacity() != size) pixels = ByteBuffer.allocateDirect(size)
        this.width = width
        this.height = height
        this.rotation = rotation
        pixels.clear()
        copy(planes[0], width, height)
        copy(planes[1], chromaWidth, chromaHeight)
        copy(planes[2], chromaWidth, chromaHeight)
        pixels.flip()
    }

    private fun copy(plane: CameraPlane, width: Int, height: Int) {
        val source = plane.buffer.duplicate()
        val begin = source.position()
        val line = ByteArray((width - 1) * plane.pixelStride + 1)
        for (y in 0 until height) {
            source.position(begin + y * plane.rowStride)
            source.get(line)
            if (plane.pixelStride == 1) {
                pixels.put(line)
            } else {
                for (x in 0 until width) pixels.put(line[x * plane.pixelStride])
            }
        }
    }

    fun copyTo(other: Frame) {
        if (other.pixels.capacity() != pixels.capacity()) other.pixels = ByteBuffer.allocateDirect(pixels.capacity())
        other.pixels.clear()
        other.pixels.put(pixels.duplicate()).flip()
        other.width = width
        other.height = height
        other.rotation = rotation
    }

    /** The upright image as 0xFFRRGGBB, [uprightWidth] to a row, to be shown. */
    fun toArgb(): IntArray {
        val argb = IntArray(width * height)
        val chromaWidth = (width + 1) / 2
        val u = width * height
        val v = u + chromaWidth * ((height + 1) / 2)
        for (y in 0 until height) for (x in 0 until width) {
            val luma = 1192 * maxOf(0, (pixels[y * width + x].toInt() and 255) - 16)
            val chroma = y / 2 * chromaWidth + x / 2
            val blue = (pixels[u + chroma].toInt() and 255) - 128
            val red = (pixels[v + chroma].toInt() and 255) - 128
            val color = 0xFF000000.toInt() or
                (channel(luma + 1634 * red) shl 16) or
                (channel(luma - 832 * red - 400 * blue) shl 8) or
                channel(luma + 2066 * blue)
            val to = when (rotation) {
                0 -> y * width + x
                90 -> x * height + (height - 1 - y)
                180 -> (height - 1 - y) * width + (width - 1 - x)
                else -> (width - 1 - x) * height + y
            }
            argb[to] = color
        }
        return argb
    }

    private fun channel(value: Int) = (value shr 10).coerceIn(0, 255)

    /** The mean brightness of [CELLS] x [CELLS] parts, to see whether the scene changed. */
    fun thumbnail(): IntArray = IntArray(CELLS * CELLS) { i ->
        val left = i % CELLS * width / CELLS
        val top = i / CELLS * height / CELLS
        var sum = 0
        for (y in 0 until SAMPLES) for (x in 0 until SAMPLES) {
            val row = top + y * height / (CELLS * SAMPLES)
            val column = left + x * width / (CELLS * SAMPLES)
            sum += pixels[row * width + column].toInt() and 255
        }
        sum / (SAMPLES * SAMPLES)
    }

    private companion object {
        const val CELLS = 24
        const val SAMPLES = 8
    }
}
