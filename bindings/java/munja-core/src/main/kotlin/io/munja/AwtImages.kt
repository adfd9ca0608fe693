package io.munja

import java.awt.image.BufferedImage
import java.awt.image.DataBufferByte
import java.nio.ByteBuffer

/** Images of java.awt. */
public object AwtImages {
    /** Gray and BGR bytes are used where they are; of other types the pixels are copied. */
    @JvmStatic
    public fun of(image: BufferedImage): OcrImage {
        val width = image.width
        val height = image.height
        val format = when (image.type) {
            // The values of the raster: getRGB() would take them for linear ones and brighten them.
            BufferedImage.TYPE_BYTE_GRAY -> PixelFormat.GRAY8
            BufferedImage.TYPE_3BYTE_BGR -> PixelFormat.BGR
            else -> null
        }
        val data = image.raster.dataBuffer
        if (format != null && data is DataBufferByte && data.data.size == width * height * format.bytesPerPixel) {
            return OcrImage.of(ByteBuffer.wrap(data.data), format, width, height)
        }
        return OcrImage.of(image.getRGB(0, 0, width, height, null, 0, width), width, height)
    }
}

/** An image of java.awt. */
@JvmSynthetic
public fun OcrImage.Companion.of(image: BufferedImage): OcrImage = AwtImages.of(image)
