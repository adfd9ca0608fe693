package io.munja.android

import android.content.ContentProvider
import android.content.ContentResolver
import android.content.ContentValues
import android.content.res.AssetManager
import android.database.Cursor
import android.graphics.Bitmap
import android.graphics.BitmapFactory
import android.graphics.Canvas
import android.graphics.Color
import android.graphics.ImageFormat
import android.graphics.Matrix
import android.graphics.Rect
import android.hardware.HardwareBuffer
import android.media.Image
import android.net.Uri
import android.os.ParcelFileDescriptor
import io.munja.Box
import io.munja.MunjaException
import io.munja.OcrEngine
import io.munja.OcrImage
import io.munja.Status
import org.junit.AfterClass
import org.junit.Assert.assertEquals
import org.junit.Assert.assertThrows
import org.junit.Assert.assertTrue
import org.junit.BeforeClass
import org.junit.Test
import org.junit.runner.RunWith
import org.robolectric.Robolectric
import org.robolectric.RobolectricTestRunner
import org.robolectric.RuntimeEnvironment
import org.robolectric.annotation.Config
import org.robolectric.annotation.GraphicsMode
import java.io.ByteArrayInputStream
import java.io.ByteArrayOutputStream
import java.io.File
import java.io.FileNotFoundException
import java.nio.ByteBuffer
import java.util.zip.ZipEntry
import java.util.zip.ZipOutputStream

/** The framework of Android 15 with its own graphics, and the real native library. */
@RunWith(RobolectricTestRunner::class)
@GraphicsMode(GraphicsMode.Mode.NATIVE)
@Config(sdk = [35])
class ImageTest {
    private val png = File(pictures, "short_cells.png") // PNG: the pixels are the same whoever decodes it.
    private val bitmap: Bitmap by lazy { BitmapFactory.decodeFile(png.path) }
    private val width get() = bitmap.width
    private val height get() = bitmap.height
    private val argb by lazy { IntArray(width * height).also { bitmap.getPixels(it, 0, width, 0, 0, width, height) } }
    private val expected by lazy { parts(OcrImage.of(png)) }
    private val resolver: ContentResolver get() = RuntimeEnvironment.getApplication().contentResolver

    private fun parts(image: OcrImage) = engine.process(image).use { page -> page.lines.map { it.text to it.cornerPoints } }

    private fun text(image: OcrImage) = engine.process(image).use { it.text }

    private fun assertMostlyExpected(lines: List<String>) {
        val known = expected.map { it.first }
        assertTrue("$lines instead of $known", lines.count { it in known } >= known.size * 9 / 10)
    }

    private fun turned(degrees: Int): Bitmap =
        Bitmap.createBitmap(bitmap, 0, 0, width, height, Matrix().apply { postRotate(degrees.toFloat()) }, false)

    @Test
    fun bitmap_IsReadAsItsFile() {
        assertTrue(expected.size > 5)
        assertEquals(expected, parts(OcrImage.of(bitmap)))
        assertEquals(expected, parts(OcrImage.of(bitmap.copy(Bitmap.Config.ARGB_8888, true))))
    }

    @Test
    fun photograph_IsReadAsByTheCore() {
        for (name in listOf("receipt.jpg", "sign_ko.jpg")) {
            val file = File(pictures, name)
            val photograph = BitmapFactory.decodeFile(file.path)
            val pixels = IntArray(photograph.width * photograph.height)
            photograph.getPixels(pixels, 0, photograph.width, 0, 0, photograph.width, photograph.height)
            assertEquals(parts(OcrImage.of(pixels, photograph.width, photograph.height)), parts(OcrImage.of(photograph)))
            assertTrue(text(OcrImage.of(file)).isNotEmpty())
        }
    }

    @Test
    fun otherConfigurations_AreRead() {
        assertEquals(expected, parts(OcrImage.of(bitmap.copy(Bitmap.Config.RGBA_F16, false))))
        // 5 and 6 bits for a channel change pixels, and yet little of the text.
        assertMostlyExpected(parts(OcrImage.of(bitmap.copy(Bitmap.Config.RGB_565, false))).map { it.first })
    }

    @Test
    fun transparentBitmap_IsWhite() {
        val clear = Bitmap.createBitmap(width, height, Bitmap.Config.ARGB_8888)
        assertEquals("", text(OcrImage.of(clear)))
        // Black on nothing: the alpha is what shows the text.
        for (y in 0 until height) for (x in 0 until width) {
            clear.setPixel(x, y, (255 - (argb[y * width + x] and 255)) shl 24)
        }
        val drawn = Bitmap.createBitmap(width, height, Bitmap.Config.ARGB_8888)
        Canvas(drawn).apply { drawColor(Color.WHITE) }.drawBitmap(clear, 0f, 0f, null)
        assertEquals(text(OcrImage.of(drawn)), text(OcrImage.of(clear)))
    }

    @Test
    fun rotation_MakesItUpright() {
        for (degrees in listOf(90, 180, 270)) {
            assertEquals(expected, parts(OcrImage.of(turned(degrees), (360 - degrees) % 360)))
        }
        val message = assertThrows(MunjaException::class.java) { engine.process(OcrImage.of(bitmap, 45)) }
        assertEquals(Status.INVALID_ARGUMENT, message.status)
    }

    @Test
    fun recycledBitmap_IsRefused() {
        val copy = bitmap.copy(Bitmap.Config.ARGB_8888, false).apply { recycle() }
        val message = assertThrows(IllegalArgumentException::class.java) { OcrImage.of(copy) }.message!!
        assertTrue(message, "recycled" in message)
    }

    @Test
    fun bitmapThatChangesLater_IsReadAsItWas() {
        val copy = bitmap.copy(Bitmap.Config.ARGB_8888, true)
        val image = OcrImage.of(copy)
        copy.eraseColor(Color.WHITE)
        copy.recycle()
        assertEquals(expected, parts(image))
    }

    /** The planes of a camera: Y, then U and V with [step] bytes from sample to sample and [gap] bytes after a row. */
    private fun planes(step: Int, gap: Int, vFirst: Boolean = true): List<AndroidImages.YuvPlane> {
        fun direct(size: Int) = ByteBuffer.allocateDirect(size)
        // The padding behind the last row of a plane is not there.
        val y = direct((width + gap) * (height - 1) + width)
        for (i in argb.indices) {
            val p = argb[i]
            val luma = 16 + (66 * (p shr 16 and 255) + 129 * (p shr 8 and 255) + 25 * (p and 255)) / 256
            y.put(i / width * (width + gap) + i % width, luma.toByte())
        }
        val columns = (width + 1) / 2
        val rows = (height + 1) / 2
        val stride = columns * step + gap
        fun chroma(value: (Int) -> Int, at: Int, whole: ByteBuffer) {
            for (r in 0 until rows) for (c in 0 until columns) {
                val p = argb[2 * r * width + 2 * c]
                whole.put(at + r * stride + c * step, value(p).toByte())
            }
        }
        fun blue(p: Int) = 128 + (-38 * (p shr 16 and 255) - 74 * (p shr 8 and 255) + 112 * (p and 255)) / 256
        fun red(p: Int) = 128 + (112 * (p shr 16 and 255) - 94 * (p shr 8 and 255) - 18 * (p and 255)) / 256
        val size = (rows - 1) * stride + (columns - 1) * step + 1
        if (step == 1) {
            val u = direct(size).also { chroma(::blue, 0, it) }
            val v = direct(size).also { chroma(::red, 0, it) }
            return listOf(y to width + gap, u to stride, v to stride).map { (b, s) -> AndroidImages.YuvPlane(b, s, 1) }
        }
        // One plane of both, as cameras have it: each buffer ends at its own last sample.
        val both = direct(size + 1)
        chroma(::blue, if (vFirst) 1 else 0, both)
        chroma(::red, if (vFirst) 0 else 1, both)
        fun part(at: Int) = both.duplicate().position(at).limit(at + size).slice()
        val u = part(if (vFirst) 1 else 0)
        val v = part(if (vFirst) 0 else 1)
        return listOf(
            AndroidImages.YuvPlane(y, width + gap, 1),
            AndroidImages.YuvPlane(u, stride, step),
            AndroidImages.YuvPlane(v, stride, step),
        )
    }

    /** An image as cameras hand it out. */
    private class CameraImage(
        private val format: Int,
        private val width: Int,
        private val height: Int,
        private val planes: List<AndroidImages.YuvPlane>,
    ) : Image() {
        override fun getFormat() = format

        override fun getWidth() = width

        override fun getHeight() = height

        override fun getTimestamp() = 0L

        override fun getTransform() = 0

        override fun getScalingMode() = 0

        override fun getPlaneCount() = planes.size

        override fun getPlanes(): Array<Plane> = planes.map {
            object : Plane() {
                override fun getRowStride() = it.rowStride

                override fun getPixelStride() = it.pixelStride

                override fun getBuffer() = it.buffer
            }
        }.toTypedArray()

        override fun close() = Unit
    }

    private fun camera(planes: List<AndroidImages.YuvPlane>, format: Int = ImageFormat.YUV_420_888) =
        CameraImage(format, width, height, planes)

    @Test
    fun yuvImage_OfEveryLayout_IsReadAlike() {
        val read = parts(OcrImage.of(camera(planes(1, 0))))
        assertMostlyExpected(read.map { it.first })
        for (gap in listOf(0, 65)) for (step in listOf(1, 2, 3)) for (vFirst in listOf(true, false)) {
            assertEquals("gap $gap, step $step", read, parts(OcrImage.of(camera(planes(step, gap, vFirst)))))
        }
    }

    @Test
    fun yuvImage_OfASensorOnItsSide_IsTurned() {
        // The camera of a telephone: the picture lies on its side, and 90 degrees make it upright.
        val side = turned(270)
        val pixels = IntArray(width * height).also { side.getPixels(it, 0, height, 0, 0, height, width) }
        val y = ByteBuffer.allocateDirect(pixels.size)
        for (p in pixels) y.put((16 + (66 * (p shr 16 and 255) + 129 * (p shr 8 and 255) + 25 * (p and 255)) / 256).toByte())
        y.rewind()
        val gray = ByteBuffer.wrap(ByteArray((width + 1) / 2 * ((height + 1) / 2)) { -128 })
        val planes = listOf(y to height, gray to (height + 1) / 2, gray to (height + 1) / 2)
            .map { (buffer, stride) -> AndroidImages.YuvPlane(buffer, stride, 1) }
        val page = engine.process(OcrImage.of(CameraImage(ImageFormat.YUV_420_888, height, width, planes), 90))
        assertEquals(width to height, page.width to page.height)
        assertMostlyExpected(page.lines.map { it.text })
    }

    @Test
    fun imageThatIsTooSmall_IsRefused() {
        val (y, u, v) = planes(2, 0)
        val short = u.copy(buffer = u.buffer.duplicate().limit(u.buffer.limit() - 1))
        val message = assertThrows(IllegalArgumentException::class.java) { OcrImage.of(camera(listOf(y, short, v))) }.message!!
        assertTrue(message, "plane U" in message)
        val shortY = y.copy(buffer = y.buffer.duplicate().limit(y.buffer.limit() - 1))
        assertThrows(MunjaException::class.java) { engine.process(OcrImage.of(camera(listOf(shortY, u, v)))) }
        assertThrows(IllegalArgumentException::class.java) { OcrImage.of(camera(listOf(y.copy(pixelStride = 2), u, v))) }
        assertThrows(IllegalArgumentException::class.java) { OcrImage.of(camera(listOf(y, u.copy(pixelStride = 0), v))) }
        assertThrows(IllegalArgumentException::class.java) { OcrImage.of(camera(listOf(y, u))) }
    }

    @Test
    fun otherImages_AreReadOrRefused() {
        val jpeg = File(pictures, "receipt.jpg").readBytes()
        val file = AndroidImages.YuvPlane(ByteBuffer.allocateDirect(jpeg.size).put(jpeg).rewind(), 0, 0)
        assertEquals(text(OcrImage.of(jpeg)), text(OcrImage.of(camera(listOf(file), ImageFormat.JPEG))))
        val rgba = ByteBuffer.allocateDirect((width * 4 + 16) * height)
        for (i in argb.indices) {
            val at = i / width * (width * 4 + 16) + i % width * 4
            for (channel in 0..3) rgba.put(at + channel, (argb[i] shr intArrayOf(16, 8, 0, 24)[channel]).toByte())
        }
        val screen = AndroidImages.YuvPlane(rgba, width * 4 + 16, 4)
        assertEquals(expected, parts(OcrImage.of(camera(listOf(screen), android.graphics.PixelFormat.RGBA_8888))))
        val message = assertThrows(IllegalArgumentException::class.java) {
            OcrImage.of(camera(listOf(screen), ImageFormat.RAW_SENSOR))
        }.message!!
        assertTrue(message, "YUV_420_888" in message && "${ImageFormat.RAW_SENSOR}" in message)
    }

    /** The assets of an application: what lies below assets/ in its APK. */
    private fun assetsWith(files: Map<String, File>): AssetManager {
        val apk = File.createTempFile("assets", ".apk").apply { deleteOnExit() }
        ZipOutputStream(apk.outputStream()).use { zip ->
            for ((name, file) in files) {
                zip.putNextEntry(ZipEntry("assets/$name"))
                zip.write(file.readBytes())
            }
        }
        @Suppress("DEPRECATION") // Nothing else adds an APK to assets.
        return AssetManager().apply { check(addAssetPath(apk.path) != 0) }
    }

    @Test
    fun asset_IsRead() {
        val assets = assetsWith(mapOf("sign_ko.jpg" to File(pictures, "sign_ko.jpg")))
        assertEquals(text(OcrImage.of(File(pictures, "sign_ko.jpg"))), text(OcrImage.of(assets, "sign_ko.jpg")))
        assertThrows(FileNotFoundException::class.java) { OcrImage.of(assets, "nothing.png") }
    }

    @Test
    fun modelInTheAssets_IsReadWith() {
        val files = File(root, "models/default").listFiles()!!.associateBy { "model/${it.name}" }
        val assets = assetsWith(files + mapOf("model/more/other.txt" to files.getValue("model/bundle.json")))
        OcrEngine.create { modelAssets(assets, "model").threads(1) }.use { own ->
            assertEquals(expected, own.process(OcrImage.of(png)).use { page -> page.lines.map { it.text to it.cornerPoints } })
        }
        val message = assertThrows(FileNotFoundException::class.java) { OcrEngine.create { modelAssets(assets, "none") } }.message!!
        assertTrue(message, "none/bundle.json" in message)
    }

    /** Files as other applications give them. */
    class Files : ContentProvider() {
        override fun onCreate() = true

        override fun openFile(uri: Uri, mode: String): ParcelFileDescriptor =
            ParcelFileDescriptor.open(File(pictures, uri.lastPathSegment!!), ParcelFileDescriptor.MODE_READ_ONLY)

        override fun query(u: Uri, p: Array<String>?, s: String?, a: Array<String>?, o: String?): Cursor? = null

        override fun getType(uri: Uri) = "image/png"

        override fun insert(uri: Uri, values: ContentValues?): Uri? = null

        override fun delete(uri: Uri, s: String?, a: Array<String>?) = 0

        override fun update(uri: Uri, v: ContentValues?, s: String?, a: Array<String>?) = 0
    }

    @Test
    fun contentUri_IsReadAsItsFile() {
        Robolectric.setupContentProvider(Files::class.java, "io.munja.test")
        assertEquals(expected, parts(OcrImage.of(resolver, Uri.parse("content://io.munja.test/short_cells.png"))))
        assertEquals(expected, parts(OcrImage.of(resolver, Uri.fromFile(png))))
        assertThrows(FileNotFoundException::class.java) { OcrImage.of(resolver, Uri.parse("content://io.munja.test/none.png")) }
    }

    /** A JPEG file of the bitmap, with an entry of its orientation. */
    private fun jpeg(of: Bitmap, orientation: Int): ByteArray {
        val plain = ByteArrayOutputStream().also { of.compress(Bitmap.CompressFormat.JPEG, 100, it) }.toByteArray()
        val exif = ByteBuffer.allocate(36).putShort(0xFFE1.toShort()).putShort(34).put("Exif".toByteArray()).putShort(0)
        exif.put("MM".toByteArray()).putShort(42).putInt(8).putShort(1)
        exif.putShort(0x112).putShort(3).putInt(1).putShort(orientation.toShort()).putShort(0).putInt(0)
        return plain.copyOf(2) + exif.array() + plain.copyOfRange(2, plain.size)
    }

    @Test
    fun contentUri_OfATurnedPhotograph_IsUpright() {
        val shadow = org.robolectric.Shadows.shadowOf(resolver)
        for ((orientation, degrees) in mapOf(3 to 180, 6 to 270, 8 to 90)) {
            val uri = Uri.parse("content://photographs/$orientation")
            shadow.registerInputStream(uri, ByteArrayInputStream(jpeg(turned(degrees), orientation)))
            val page = engine.process(OcrImage.of(resolver, uri))
            assertEquals(width to height, page.width to page.height)
            assertMostlyExpected(page.lines.map { it.text })
        }
    }

    @Test
    fun hardwareBufferThatCannotBeRead_SaysWhy() {
        fun message(format: Int): String {
            val buffer = HardwareBuffer.create(16, 16, format, 1, HardwareBuffer.USAGE_GPU_SAMPLED_IMAGE)
            return buffer.use { assertThrows(IllegalArgumentException::class.java) { OcrImage.of(it) }.message!! }
        }
        assertTrue("Image" in message(HardwareBuffer.YCBCR_420_888))
        // There is no GPU here.
        assertTrue("format 1" in message(HardwareBuffer.RGBA_8888))
    }

    @Test
    fun boxes_AreRectangles() {
        val box = Box(1.5f, 2f, 30.2f, 40f)
        assertEquals(Rect(1, 2, 31, 40), box.toRect())
        assertEquals(28.7f, box.toRectF().width(), 1e-4f)
    }

    companion object {
        val root: File = File(System.getProperty("munja.root")).canonicalFile
        val pictures = File(root, "testdata/pictures")
        lateinit var engine: OcrEngine

        @BeforeClass
        @JvmStatic
        fun createEngine() {
            engine = OcrEngine.create { threads(1) }
        }

        @AfterClass
        @JvmStatic
        fun closeEngine() = engine.close()
    }
}
