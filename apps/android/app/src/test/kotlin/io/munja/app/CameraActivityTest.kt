package io.munja.app

import android.Manifest
import android.content.pm.PackageManager
import android.graphics.BitmapFactory
import android.graphics.ImageFormat
import android.graphics.Rect
import android.graphics.SurfaceTexture
import android.hardware.camera2.CameraCharacteristics
import android.hardware.camera2.CameraManager
import android.hardware.camera2.CameraMetadata
import android.media.Image
import android.provider.Settings.ACTION_APPLICATION_DETAILS_SETTINGS
import android.util.Size
import android.view.TextureView
import android.view.View
import android.widget.ImageView
import android.widget.TextView
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertNotNull
import org.junit.Assert.assertNull
import org.junit.Assert.assertSame
import org.junit.Assert.assertTrue
import org.junit.Test
import org.robolectric.Shadows.shadowOf
import org.robolectric.android.controller.ActivityController
import org.robolectric.annotation.Config
import org.robolectric.shadows.ShadowCameraCharacteristics
import org.robolectric.shadows.StreamConfigurationMapBuilder
import java.nio.ByteBuffer

/** Frames are those of a picture in YUV_420_888, as a sensor that is mounted at 90 degrees hands them out. */
class CameraActivityTest : ScreenTest() {
    private class Plane(private val bytes: ByteBuffer, private val row: Int, private val pixel: Int) : Image.Plane() {
        override fun getRowStride() = row

        override fun getPixelStride() = pixel

        override fun getBuffer(): ByteBuffer = bytes
    }

    private class YuvImage(private val w: Int, private val h: Int, private val parts: Array<Image.Plane>) : Image() {
        override fun getFormat() = ImageFormat.YUV_420_888

        override fun getWidth() = w

        override fun getHeight() = h

        override fun getTimestamp() = 0L

        override fun getTransform() = 0

        override fun getScalingMode() = 0

        override fun getPlanes() = parts

        override fun getCropRect() = Rect(0, 0, w, h)

        override fun close() = Unit
    }

    /** The picture turned to the left by 90 degrees, in gray. */
    private fun frame(name: String): Image {
        val picture = BitmapFactory.decodeFile("$pictures/$name")
        val width = picture.height
        val height = picture.width
        val colors = picture.pixels()
        val luma = ByteBuffer.allocateDirect(width * height)
        for (y in 0 until height) for (x in 0 until width) {
            val color = colors[x * height + height - 1 - y]
            val value = 16 + (66 * (color shr 16 and 255) + 129 * (color shr 8 and 255) + 25 * (color and 255)) / 256
            luma.put(y * width + x, value.toByte())
        }
        val chromaRow = (width + 1) / 2 * 2
        val chroma = ByteBuffer.allocateDirect(chromaRow * ((height + 1) / 2))
        for (i in 0 until chroma.capacity()) chroma.put(i, -128)
        val second = chroma.duplicate().position(1) as ByteBuffer
        return YuvImage(width, height, arrayOf(Plane(luma, width, 1), Plane(chroma, chromaRow, 2), Plane(second, chromaRow, 2)))
    }

    private val open = OpenCamera(1280, 960, 90, false)

    private fun addCameras(vararg facings: Int) {
        val manager = shadowOf(application.service<CameraManager>())
        for ((id, facing) in facings.withIndex()) {
            val characteristics = ShadowCameraCharacteristics.newCameraCharacteristics()
            shadowOf(characteristics).run {
                set(CameraCharacteristics.LENS_FACING, facing)
                set(CameraCharacteristics.SENSOR_ORIENTATION, 90)
                set(CameraCharacteristics.FLASH_INFO_AVAILABLE, true)
                set(
                    CameraCharacteristics.SCALER_STREAM_CONFIGURATION_MAP,
                    StreamConfigurationMapBuilder.newBuilder()
                        .addOutputSize(ImageFormat.YUV_420_888, Size(1280, 960))
                        .addOutputSize(ImageFormat.YUV_420_888, Size(1920, 1080))
                        .build(),
                )
            }
            manager.addCamera("$id", characteristics)
        }
    }

    private fun permit() = shadowOf(application).grantPermissions(Manifest.permission.CAMERA)

    private fun camera(): ActivityController<CameraActivity> = start<CameraActivity>().also { showPreview(it.get()) }

    private fun showPreview(activity: CameraActivity) {
        idle()
        activity.view<TextureView>(R.id.preview).surfaceTextureListener!!
            .onSurfaceTextureAvailable(SurfaceTexture(0), 822, 1462)
        idle()
    }

    private fun preview(): ActivityController<CameraActivity> {
        permit()
        addCameras(CameraMetadata.LENS_FACING_BACK, CameraMetadata.LENS_FACING_FRONT)
        val controller = camera()
        until("the preview") { ui(controller).camera is CameraState.Previewing && ui(controller).running != null }
        return controller
    }

    /** Frames of a picture that nobody moves, until [condition] holds. */
    private fun feed(activity: CameraActivity, name: String, what: String, condition: (CameraUi) -> Boolean) {
        val frame = frame(name)
        until(what) {
            activity.onFrame(frame, open)
            condition(activity.shown)
        }
    }

    private fun previewWithBoxes(): ActivityController<CameraActivity> {
        val controller = preview()
        feed(controller.get(), "receipt.jpg", "boxes") { "BAKERY NORTHWIND" in it.text }
        return controller
    }

    /** Until nothing is left to read. */
    private fun settle(activity: CameraActivity) {
        var readings = 0L
        var same = 0
        feed(activity, "receipt.jpg", "an end of reading") { ui ->
            same = if (ui.report.readings == readings) same + 1 else 0
            readings = ui.report.readings
            same == 100
        }
    }

    private fun freeze(activity: CameraActivity) {
        activity.view<View>(R.id.freeze).performClick()
        activity.onFrame(frame("receipt.jpg"), open)
        awaitFrozen(activity)
    }

    private fun awaitFrozen(activity: CameraActivity) =
        until("the frozen picture") { activity.view<ImageView>(R.id.frozen).drawable != null }

    private fun ui(controller: ActivityController<CameraActivity>) = controller.get().model.ui.value

    private fun CameraActivity.message() = view<TextView>(R.id.message).text.toString()

    @Test
    fun refusedPermission_LeavesPicturesAndAsksAgain() {
        addCameras(CameraMetadata.LENS_FACING_BACK)
        val activity = camera().get()
        assertEquals(CameraState.Asking, activity.model.ui.value.camera)
        shadowOf(activity.packageManager).setShouldShowRequestPermissionRationale(Manifest.permission.CAMERA, true)
        activity.onRequestPermissionsResult(1, arrayOf(Manifest.permission.CAMERA), intArrayOf(PackageManager.PERMISSION_DENIED))
        idle()
        assertEquals(activity.getString(R.string.refused), activity.message())
        activity.view<View>(R.id.pictures).performClick()
        assertEquals(GalleryActivity::class.java.name, shadowOf(activity).nextStartedActivity.component!!.className)
        activity.view<View>(R.id.action).performClick()
        assertEquals(CameraState.Asking, activity.model.ui.value.camera)
        permit()
        activity.onRequestPermissionsResult(1, arrayOf(Manifest.permission.CAMERA), intArrayOf(PackageManager.PERMISSION_GRANTED))
        until("the preview") { activity.model.ui.value.camera is CameraState.Previewing }
    }

    @Test
    fun permissionRefusedForGood_LeadsToTheSettings() {
        val activity = camera().get()
        activity.onRequestPermissionsResult(1, arrayOf(Manifest.permission.CAMERA), intArrayOf(PackageManager.PERMISSION_DENIED))
        idle()
        assertEquals(activity.getString(R.string.refused_for_good), activity.message())
        activity.view<View>(R.id.action).performClick()
        var started = shadowOf(activity).nextStartedActivity
        while (started.action != ACTION_APPLICATION_DETAILS_SETTINGS) started = shadowOf(activity).nextStartedActivity
        assertEquals("package:io.munja.app", started.dataString)
    }

    @Test
    fun permissionRevokedInTheMiddle_IsAskedForAgain() {
        val controller = previewWithBoxes()
        controller.pause().stop()
        shadowOf(application).denyPermissions(Manifest.permission.CAMERA)
        controller.restart().start().resume()
        idle()
        assertEquals(CameraState.Asking, ui(controller).camera)
        assertTrue(ui(controller).lines.isEmpty())
    }

    @Test
    fun deviceWithoutCamera_SaysSo() {
        permit()
        val activity = camera().get()
        until("the end of the search") { activity.model.ui.value.camera is CameraState.Lost }
        assertEquals(activity.getString(R.string.lost_none), activity.message())
    }

    @Test
    fun cameraThatWasTaken_ComesBack() {
        val controller = previewWithBoxes()
        val activity = controller.get()
        activity.model.on(CameraEvent.Failed(CameraLoss.TAKEN))
        idle()
        assertEquals(activity.getString(R.string.lost_taken), activity.message())
        assertTrue(activity.view<View>(R.id.message_panel).isVisible)
        activity.model.on(CameraEvent.Available)
        until("the preview") { ui(controller).camera is CameraState.Previewing }
        assertFalse(activity.view<View>(R.id.message_panel).isVisible)
    }

    @Test
    fun streamOfFrames_IsReadAndFollowed() {
        val controller = previewWithBoxes()
        assertTrue(ui(controller).text, "BAKERY NORTHWIND" in ui(controller).text)
        feed(controller.get(), "tight_table.png", "the other picture") { it.lines.isNotEmpty() && "BAKERY" !in it.text }
    }

    @Test
    fun frozenPicture_IsShownAndOpened() {
        val controller = previewWithBoxes()
        val activity = controller.get()
        freeze(activity)
        assertTrue("BAKERY NORTHWIND" in activity.view<View>(R.id.overlay).contentDescription)
        assertNull(ui(controller).request)
        turn(controller)
        awaitFrozen(controller.get())
        controller.get().view<View>(R.id.open).performClick()
        until("the picture's file") { application.pictures.list().isNotEmpty() }
        until("the viewer") { shadowOf(controller.get()).peekNextStartedActivity()?.component?.className == ViewerActivity::class.java.name }
        controller.get().view<View>(R.id.freeze).performClick()
        showPreview(controller.get())
        until("the preview") { ui(controller).camera is CameraState.Previewing }
    }

    @Test
    fun turnedScreen_KeepsTheModel() {
        val controller = previewWithBoxes()
        val model = controller.get().model
        turn(controller)
        showPreview(controller.get())
        assertSame(model, controller.get().model)
        until("the preview") { ui(controller).camera is CameraState.Previewing }
    }

    @Test
    fun killedScreen_StartsAnew() {
        val controller = previewWithBoxes()
        val again = restore(controller)
        showPreview(again)
        until("the preview") { again.model.ui.value.camera is CameraState.Previewing }
    }

    @Test
    fun region_IsDrawnWithAFinger() {
        val controller = previewWithBoxes()
        val activity = controller.get()
        activity.view<View>(R.id.region).performClick()
        val overlay = activity.view<OverlayView>(R.id.overlay)
        touch(overlay, 100f to 100f, 400f to 300f, 700f to 400f)
        idle()
        assertNotNull(ui(controller).region)
        activity.view<View>(R.id.region).performClick()
        assertNull(ui(controller).region)
    }

    @Test
    fun buttons_ChangeTheCamera() {
        val controller = preview()
        val activity = controller.get()
        activity.view<View>(R.id.torch).performClick()
        idle()
        assertTrue(ui(controller).request!!.torch)
        assertEquals(activity.getString(R.string.torch_off), activity.view<View>(R.id.torch).contentDescription)
        activity.view<View>(R.id.switch_camera).performClick()
        until("the front camera") { ui(controller).request?.front == true }
        assertFalse(activity.view<View>(R.id.torch).isEnabled)
        activity.view<View>(R.id.badge).performClick()
        idle()
        assertTrue(activity.view<View>(R.id.benchmark).isVisible)
    }

    @Test
    fun modelThatIsGone_IsToldAbout() {
        application.settings.update { it.copy(engine = EngineChoice(model = "gone")) }
        permit()
        addCameras(CameraMetadata.LENS_FACING_BACK)
        val activity = camera().get()
        until("the message") { "gone" in activity.message() && activity.view<View>(R.id.message_panel).isVisible }
        application.settings.update { it.copy(engine = EngineChoice()) }
        until("the engine") { activity.model.ui.value.running != null }
    }

    private fun draw(name: String) {
        val controller = previewWithBoxes()
        settle(controller.get())
        freeze(controller.get())
        compare(controller.get(), name)
    }

    @Test
    fun screen_IsDrawnAsInTheDocuments() = draw("camera")

    @Test
    @Config(qualifiers = "+ko-night")
    fun screen_IsDrawnDarkAndInKorean() = draw("camera-ko-dark")
}
