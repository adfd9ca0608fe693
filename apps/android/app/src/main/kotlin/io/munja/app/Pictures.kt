package io.munja.app

import android.content.ContentResolver
import android.graphics.Bitmap
import android.graphics.ImageDecoder
import android.net.Uri
import io.munja.OcrImage
import io.munja.PixelFormat
import java.io.File
import java.io.FileNotFoundException
import java.io.IOException
import java.nio.ByteBuffer

/** An image as it is shown, upright, and the same pixels to read. */
class Picture(val bitmap: Bitmap) {
    /** A copy of the pixels; the bitmap may be used meanwhile. */
    fun image(): OcrImage {
        val pixels = ByteBuffer.allocateDirect(bitmap.byteCount)
        bitmap.copyPixelsToBuffer(pixels)
        pixels.flip()
        return OcrImage.of(pixels, PixelFormat.RGBA, bitmap.width, bitmap.height, bitmap.rowBytes)
    }

    companion object {
        /** More would cost memory and time, and bring no character more. */
        private const val MAX_PIXELS = 24_000_000

        /** Any format that the device decodes, turned as its metadata say. */
        fun of(resolver: ContentResolver, uri: Uri): Picture {
            val file = try {
                resolver.openInputStream(uri)?.use { it.readBytes() }
            } catch (e: RuntimeException) {
                // Providers of other applications throw what they like.
                throw if (e is SecurityException) e else IOException(e.message ?: e.toString(), e)
            }
            return decode(file ?: throw FileNotFoundException(uri.toString()), MAX_PIXELS)
        }

        fun thumbnail(file: File, pixels: Int): Bitmap = decode(file.readBytes(), pixels).bitmap

        private fun decode(file: ByteArray, maxPixels: Int): Picture {
            val bitmap = ImageDecoder.decodeBitmap(ImageDecoder.createSource(ByteBuffer.wrap(file))) { decoder, info, _ ->
                decoder.allocator = ImageDecoder.ALLOCATOR_SOFTWARE
                var sample = 1
                while (info.size.width.toLong() * info.size.height / (sample * sample) > maxPixels) sample++
                decoder.setTargetSampleSize(sample)
            }
            return Picture(if (bitmap.config == Bitmap.Config.ARGB_8888) bitmap else bitmap.copy(Bitmap.Config.ARGB_8888, false))
        }
    }
}
