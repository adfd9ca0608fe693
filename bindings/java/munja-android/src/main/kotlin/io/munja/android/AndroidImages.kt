package io.munja.android

import android.content.ContentResolver
import android.content.res.AssetManager
import android.graphics.Bitmap
import android.graphics.ImageDecoder
import android.graphics.ImageFormat
import android.graphics.PixelFormat.RGBA_8888
import android.hardware.HardwareBuffer
import android.media.Image
import android.net.Uri
import android.os.Build
import io.munja.OcrImage
import io.munja.PixelFormat
import java.io.FileNotFoundException
import java.nio.ByteBuffer

/** Images of Android. */
public object AndroidImages {
    /**
     * A bitmap of any configuration. Its pixels are copied, so it may change or be recycled afterwards; those of a
     * hardware bitmap are fetched from the GPU, which takes milliseconds.
     *
     * @param rotation clockwise degrees that make it upright: 0, 90, 180 or 270
     */
    @JvmStatic
    @JvmOverloads
    public fun of(bitmap: Bitmap, rotation: Int = 0): OcrImage {
        require(!bitmap.isRecycled) { "the bitmap is recycled; its pixels are gone" }
        if (bitmap.config == Bitmap.Config.HARDWARE) {
            val copy = bitmap.copy(Bitmap.Config.ARGB_8888, false)
            requireNotNull(copy) { "the pixels of the hardware bitmap cannot be fetched; decode it without Config.HARDWARE" }
            return of(copy, rotation).also { copy.recycle() }
        }
        val width = bitmap.width
        val height = bitmap.height
        // Unlike copyPixelsToBuffer(), without premultiplied alpha and alike for all configurations.
        val argb = IntArray(Math.multiplyExact(width, height))
        bitmap.getPixels(argb, 0, width, 0, 0, width, height)
        return OcrImage.of(argb, width, height, rotation = rotation)
    }

    /**
     * An image of Camera2 or an ImageReader: YUV_420_888, RGBA_8888 or JPEG, all of it, whatever its crop rectangle. Its
     * memory is not copied, but for interleaved chroma: close it after reading. With CameraX:
     *
     * ```
     * @OptIn(ExperimentalGetImage::class)
     * fun ImageProxy.toOcrImage(): OcrImage =
     *     AndroidImages.of(image!!, imageInfo.rotationDegrees)
     * ```
     *
     * @param rotation clockwise degrees that make it upright: 0, 90, 180 or 270. Not for JPEG, whose own entry counts.
     */
    @JvmStatic
    @JvmOverloads
    public fun of(image: Image, rotation: Int = 0): OcrImage {
        val planes = image.planes.map { YuvPlane(it.buffer, it.rowStride, it.pixelStride) }
        return when (val format = image.format) {
            ImageFormat.YUV_420_888 -> of(planes, image.width, image.height, rotation)
            ImageFormat.JPEG -> OcrImage.of(planes[0].buffer)
            RGBA_8888 -> {
                val (buffer, rowStride) = planes[0]
                OcrImage.of(buffer, PixelFormat.RGBA, image.width, image.height, rowStride, rotation)
            }
            else -> throw IllegalArgumentException(
                "an image of format $format cannot be read; make the ImageReader with YUV_420_888, RGBA_8888 or JPEG",
            )
        }
    }

    /** A plane of a YUV image: its bytes, those from row to row, and those from sample to sample. */
    public data class YuvPlane(val buffer: ByteBuffer, val rowStride: Int, val pixelStride: Int)

    /** The planes Y, U and V of a YUV_420_888 image, for sources that have no [Image]. */
    @JvmStatic
    @JvmOverloads
    public fun of(planes: List<YuvPlane>, width: Int, height: Int, rotation: Int = 0): OcrImage {
        require(planes.size == 3) { "a YUV image has three planes, not ${planes.size}" }
        require(width > 0 && height > 0) { "an image of $width x $height pixels" }
        val (y, u, v) = planes
        require(y.pixelStride == 1) { "samples of Y that are ${y.pixelStride} bytes apart; they must be 1 apart" }
        val luma = OcrImage.Plane(y.buffer, y.rowStride)
        if (u.pixelStride == 1 && v.pixelStride == 1) {
            val chroma = listOf(u, v).map { OcrImage.Plane(it.buffer, it.rowStride) }
            return OcrImage.of(listOf(luma) + chroma, PixelFormat.I420, width, height, rotation)
        }
        // Usually both are one plane, U or V first, but nothing tells which, and its last byte is out of reach.
        val stride = 2 * ((width + 1) / 2)
        val interleaved = ByteBuffer.allocateDirect(stride * ((height + 1) / 2))
        val both = ByteArray(interleaved.capacity())
        copySamples(u, "U", both, 0, stride)
        copySamples(v, "V", both, 1, stride)
        interleaved.put(both).rewind()
        return OcrImage.of(listOf(luma, OcrImage.Plane(interleaved, stride)), PixelFormat.NV12, width, height, rotation)
    }

    /** Writes the samples of [plane] to every second byte of [to], from [first] on. */
    private fun copySamples(plane: YuvPlane, name: String, to: ByteArray, first: Int, stride: Int) {
        val rows = to.size / stride
        val step = plane.pixelStride
        val rowBytes = (stride / 2 - 1) * step + 1
        val from = plane.buffer.duplicate()
        val needed = (rows - 1L) * plane.rowStride + rowBytes
        require(step > 0 && plane.rowStride >= rowBytes && from.remaining() >= needed) {
            "plane $name has ${from.remaining()} bytes in rows of ${plane.rowStride}, but needs $needed in rows of $rowBytes"
        }
        val begin = from.position()
        val row = ByteArray(rowBytes)
        for (i in 0 until rows) {
            from.position(begin + i * plane.rowStride)
            from.get(row)
            var at = i * stride + first
            for (k in row.indices step step) {
                to[at] = row[k]
                at += 2
            }
        }
    }

    /**
     * A buffer of the GPU, from Android 10 on, made with USAGE_GPU_SAMPLED_IMAGE and a format of RGB. Its pixels are
     * copied; the buffer stays open.
     */
    @JvmStatic
    @JvmOverloads
    public fun of(buffer: HardwareBuffer, rotation: Int = 0): OcrImage {
        require(Build.VERSION.SDK_INT >= Build.VERSION_CODES.Q) {
            "Android ${Build.VERSION.RELEASE} cannot read a HardwareBuffer; Android 10 and later can"
        }
        require(buffer.format != HardwareBuffer.YCBCR_420_888) { "a HardwareBuffer of YUV pixels; read the Image that has it" }
        val bitmap = requireNotNull(Bitmap.wrapHardwareBuffer(buffer, null)) {
            "the HardwareBuffer of format ${buffer.format} cannot be read"
        }
        return of(bitmap, rotation).also { bitmap.recycle() }
    }

    /** A file in the assets of an application. */
    @JvmStatic
    public fun of(assets: AssetManager, name: String): OcrImage = file(assets.open(name).use { it.readBytes() })

    /**
     * The image that a content, file or resource Uri names, upright as its EXIF data say. It is read at once, so the
     * permission for it may end.
     */
    @JvmStatic
    public fun of(resolver: ContentResolver, uri: Uri): OcrImage {
        val stream = resolver.openInputStream(uri) ?: throw FileNotFoundException("$uri has no content")
        return file(stream.use { it.readBytes() })
    }

    /** HEIC and AVIF are decoded by Android, all else by the library. */
    private fun file(content: ByteArray): OcrImage {
        val isHeif = content.size > 12 && String(content, 4, 4, Charsets.ISO_8859_1) == "ftyp"
        if (!isHeif || Build.VERSION.SDK_INT < Build.VERSION_CODES.P) return OcrImage.of(content)
        val source = ImageDecoder.createSource(ByteBuffer.wrap(content))
        val bitmap = ImageDecoder.decodeBitmap(source) { decoder, _, _ -> decoder.allocator = ImageDecoder.ALLOCATOR_SOFTWARE }
        return of(bitmap).also { bitmap.recycle() }
    }
}

/** A bitmap. */
@JvmSynthetic
public fun OcrImage.Companion.of(bitmap: Bitmap, rotation: Int = 0): OcrImage = AndroidImages.of(bitmap, rotation)

/** An image of a camera. */
@JvmSynthetic
public fun OcrImage.Companion.of(image: Image, rotation: Int = 0): OcrImage = AndroidImages.of(image, rotation)

/** A buffer of the GPU. */
@JvmSynthetic
public fun OcrImage.Companion.of(buffer: HardwareBuffer, rotation: Int = 0): OcrImage = AndroidImages.of(buffer, rotation)

/** A file in the assets. */
@JvmSynthetic
public fun OcrImage.Companion.of(assets: AssetManager, name: String): OcrImage = AndroidImages.of(assets, name)

/** The image that a Uri names. */
@JvmSynthetic
public fun OcrImage.Companion.of(resolver: ContentResolver, uri: Uri): OcrImage = AndroidImages.of(resolver, uri)
