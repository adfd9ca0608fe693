package io.munja.app

import android.content.ContentResolver
import android.graphics.Bitmap
import android.graphics.ImageDecoder
import android.net.Uri
import java.io.File
import java.io.FileNotFoundException
import java.io.IOException
import java.nio.ByteBuffer

/** Pictures as they are shown: of any format that the device decodes, turned as their metadata say. */
object Pictures {
    /** More would cost memory and time, and bring no character more. */
    private const val MAX_PIXELS = 24_000_000

    fun of(resolver: ContentResolver, uri: Uri): Bitmap {
        val file = try {
            resolver.openInputStream(uri)?.use { it.readBytes() }
        } catch (e: RuntimeException) {
            // Providers of other applications throw what they like.
            throw if (e is SecurityException) e else IOException(e.message ?: e.toString(), e)
        }
        return decode(file ?: throw FileNotFoundException(uri.toString()), MAX_PIXELS)
    }

    fun thumbnail(file: File, pixels: Int): Bitmap = decode(file.readBytes(), pixels)

    private fun decode(file: ByteArray, maxPixels: Int): Bitmap =
        ImageDecoder.decodeBitmap(ImageDecoder.createSource(ByteBuffer.wrap(file))) { decoder, info, _ ->
            decoder.allocator = ImageDecoder.ALLOCATOR_SOFTWARE
            var sample = 1
            while (info.size.width.toLong() * info.size.height / (sample * sample) > maxPixels) sample++
            decoder.setTargetSampleSize(sample)
        }
}
