package io.munja.app

import android.Manifest
import android.content.Intent
import android.content.pm.PackageManager
import android.graphics.Bitmap
import android.graphics.Matrix
import android.graphics.SurfaceTexture
import android.media.Image
import android.net.Uri
import android.os.Bundle
import android.provider.Settings.ACTION_APPLICATION_DETAILS_SETTINGS
import android.view.Surface
import android.view.TextureView
import android.widget.ImageButton
import android.widget.ImageView
import android.widget.TextView
import io.munja.OcrImage
import io.munja.android.of
import io.munja.screen.BenchmarkReport
import io.munja.screen.Region
import io.munja.screen.Stage
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.launch
import kotlinx.coroutines.withContext
import java.io.ByteArrayOutputStream
import java.io.IOException

/** The first screen: what the camera sees, with a box around each line of text. */
class CameraActivity : Screen<CameraModel>() {
    private lateinit var driver: CameraDriver
    private var camera: OpenCamera? = null

    /** What the screen shows; the model may be ahead of it. */
    var shown = CameraUi()
        private set
    private var drawsRegion = false

    private val overlay: OverlayView get() = view(R.id.overlay)
    private val preview: TextureView get() = view(R.id.preview)

    override fun createModel(scope: CoroutineScope, saved: Bundle?) =
        CameraModel(munja.engines, munja.settings, scope, ::processMemory)

    override fun onCreate(savedInstanceState: Bundle?) {
        super.onCreate(savedInstanceState)
        setContentView(R.layout.camera)
        driver = CameraDriver(this, mainExecutor, model::on, ::onOpened, ::onFrame)
        preview.surfaceTextureListener = textures
        onClick(R.id.pictures) { startActivity(Intent(this, GalleryActivity::class.java)) }
        onClick(R.id.settings) { startActivity(Intent(this, SettingsActivity::class.java)) }
        onClick(R.id.torch, model::toggleTorch)
        onClick(R.id.switch_camera, model::switchCamera)
        onClick(R.id.freeze) {
            model.on(if (shown.camera is CameraState.Frozen) CameraEvent.Resumed else CameraEvent.Froze)
        }
        onClick(R.id.region, ::toggleRegion)
        onClick(R.id.badge) { munja.settings.update { it.copy(benchmark = !it.benchmark) } }
        onClick(R.id.open, ::openFrozen)
        model.ui.show(::show)
    }

    override fun onStart() {
        super.onStart()
        model.on(CameraEvent.Shown(isPermitted()))
        if (model.ui.value.camera is CameraState.Asking) ask()
    }

    override fun onStop() {
        model.on(CameraEvent.Hidden)
        driver.apply(model.ui.value.request)
        super.onStop()
    }

    override fun onDestroy() {
        driver.close()
        super.onDestroy()
    }

    private fun isPermitted() = checkSelfPermission(Manifest.permission.CAMERA) == PackageManager.PERMISSION_GRANTED

    private fun ask() = requestPermissions(arrayOf(Manifest.permission.CAMERA), CAMERA_PERMISSION)

    override fun onRequestPermissionsResult(requestCode: Int, permissions: Array<out String>, results: IntArray) {
        // Without results the dialog was interrupted; the next start asks again.
        if (requestCode != CAMERA_PERMISSION || results.isEmpty()) return
        model.on(
            if (results[0] == PackageManager.PERMISSION_GRANTED) {
                CameraEvent.Permitted
            } else {
                CameraEvent.Refused(forGood = !shouldShowRequestPermissionRationale(Manifest.permission.CAMERA))
            },
        )
    }

    private fun act() {
        val state = shown.camera
        if (state is CameraState.Refused && state.forGood && !isPermitted()) {
            startActivity(Intent(ACTION_APPLICATION_DETAILS_SETTINGS, Uri.fromParts("package", packageName, null)))
            return
        }
        model.on(CameraEvent.Retried(isPermitted()))
        if (model.ui.value.camera is CameraState.Asking) ask()
    }

    private val textures = object : TextureView.SurfaceTextureListener {
        override fun onSurfaceTextureAvailable(texture: SurfaceTexture, width: Int, height: Int) {
            driver.drawTo(texture)
            fitPreview()
        }

        override fun onSurfaceTextureSizeChanged(texture: SurfaceTexture, width: Int, height: Int) = fitPreview()

        override fun onSurfaceTextureDestroyed(texture: SurfaceTexture): Boolean {
            driver.drawTo(null)
            return true
        }

        override fun onSurfaceTextureUpdated(texture: SurfaceTexture) = Unit
    }

    private fun onOpened(camera: OpenCamera) {
        this.camera = camera
        fitPreview()
    }

    /** Called by the thread of the camera. */
    fun onFrame(image: Image, camera: OpenCamera) {
        val rotation = frameRotation(camera.sensor, displayDegrees(), camera.front)
        val (width, height) = if (rotation % 180 == 0) image.width to image.height else image.height to image.width
        model.onFrame(OcrImage.of(image, rotation), width, height)
    }

    @Suppress("DEPRECATION") // Its successor is that of Android 11.
    private fun displayDegrees() = when (windowManager.defaultDisplay.rotation) {
        Surface.ROTATION_90 -> 90
        Surface.ROTATION_180 -> 180
        Surface.ROTATION_270 -> 270
        else -> 0
    }

    private fun fitPreview() {
        val camera = camera ?: return
        val fit = PreviewFit.of(camera.width, camera.height, camera.sensor, displayDegrees(), preview.width, preview.height)
        val matrix = Matrix()
        val x = preview.width / 2f
        val y = preview.height / 2f
        matrix.postScale(fit.scaleX, fit.scaleY, x, y)
        matrix.postRotate(fit.degrees, x, y)
        preview.setTransform(matrix)
    }

    private fun show(ui: CameraUi) {
        val before = shown
        shown = ui
        driver.apply(ui.request)
        overlay.show(ui)
        overlay.contentDescription =
            if (ui.camera is CameraState.Frozen) ui.text else getString(R.string.boxes, ui.lines.size)
        showFrozen(ui, before)
        showMessage(ui)
        showBadge(ui)
        view<TextView>(R.id.benchmark).run {
            isVisible = ui.settings.benchmark
            if (isVisible) text = describe(ui.report)
        }
        val torch = view<ImageButton>(R.id.torch)
        torch.isEnabled = !ui.front && ui.camera.wantsCamera
        torch.isActivated = ui.torch
        torch.contentDescription = getString(if (ui.torch) R.string.torch_off else R.string.torch_on)
        for (id in listOf(R.id.switch_camera, R.id.region)) view<ImageButton>(id).isEnabled = ui.camera.wantsCamera
        view<ImageButton>(R.id.region).contentDescription =
            getString(if (ui.region != null || drawsRegion) R.string.region_all else R.string.region)
    }

    private fun showFrozen(ui: CameraUi, before: CameraUi) {
        val isFrozen = ui.camera is CameraState.Frozen
        val image = view<ImageView>(R.id.frozen)
        if (isFrozen && (before.camera !is CameraState.Frozen || image.drawable == null)) image.setImageBitmap(frozenBitmap())
        if (!isFrozen) image.setImageBitmap(null)
        image.isVisible = isFrozen
        image.scaleX = if (ui.front) -1f else 1f
        view<android.view.View>(R.id.open).isVisible = isFrozen
        val freeze = view<ImageButton>(R.id.freeze)
        freeze.isEnabled = isFrozen || ui.camera is CameraState.Previewing
        freeze.setImageResource(if (isFrozen) R.drawable.ic_play else R.drawable.ic_pause)
        freeze.contentDescription = getString(if (isFrozen) R.string.resume else R.string.freeze)
    }

    private fun frozenBitmap(): Bitmap? =
        model.frozen?.run { Bitmap.createBitmap(pixels, width, height, Bitmap.Config.ARGB_8888) }

    private fun showMessage(ui: CameraUi) {
        val (message, action) = when (val state = ui.camera) {
            CameraState.Asking -> R.string.asking to null
            is CameraState.Refused ->
                if (state.forGood) R.string.refused_for_good to R.string.system_settings else R.string.refused to R.string.allow
            is CameraState.Lost -> when (state.loss) {
                CameraLoss.NONE -> R.string.lost_none to null
                CameraLoss.TAKEN -> R.string.lost_taken to R.string.try_again
                CameraLoss.DISABLED -> R.string.lost_disabled to R.string.try_again
                CameraLoss.BROKEN -> R.string.lost_broken to R.string.try_again
            }
            CameraState.Opening -> R.string.opening to null
            else -> (if (drawsRegion) R.string.region_hint else null) to null
        }
        val text = when {
            message != null -> getString(message)
            ui.failure != null -> getString(R.string.failed, ui.failure)
            else -> null
        }
        view<android.view.View>(R.id.message_panel).isVisible = text != null
        view<TextView>(R.id.message).text = text
        val button = view<TextView>(R.id.action)
        button.isVisible = action != null
        if (action != null) button.setText(action)
        button.setOnClickListener { act() }
    }

    private fun showBadge(ui: CameraUi) {
        val badge = view<TextView>(R.id.badge)
        val running = ui.running
        badge.text = if (running == null) getString(R.string.engine_loading) else nameOf(running)
        badge.background.setTint(
            getColor(
                when (running) {
                    Accelerator.GPU -> R.color.gpu
                    Accelerator.NPU -> R.color.npu
                    else -> R.color.cpu
                },
            ),
        )
        badge.tooltipText = describe(ui.refusals).ifEmpty { null }
        badge.contentDescription = listOf(getString(R.string.benchmark), badge.text).joinToString()
    }

    private fun describe(report: BenchmarkReport): String {
        val lines = report.stages.map { (stage, times) ->
            val name = when (stage) {
                Stage.FOLLOW -> R.string.stage_follow
                Stage.DETECT -> R.string.stage_detect
                Stage.RECOGNIZE -> R.string.stage_recognize
            }
            getString(R.string.benchmark_stage, getString(name), times.median, times.p90)
        }
        return (
            lines + getString(R.string.benchmark_rate, report.framesPerSecond, report.skipped) +
                getString(R.string.benchmark_memory, report.memory shr 20)
            ).joinToString("\n")
    }

    private fun toggleRegion() {
        if (shown.region != null || drawsRegion) {
            drawsRegion = false
            model.restrict(null)
        } else {
            drawsRegion = true
        }
        overlay.onRegion = if (drawsRegion) ::onRegion else null
        show(shown)
    }

    private fun onRegion(region: Region) {
        drawsRegion = false
        overlay.onRegion = null
        model.restrict(region)
    }

    /** Keeps the frozen picture with the others, and shows it where words can be selected. */
    private fun openFrozen() {
        val bitmap = frozenBitmap() ?: return
        scope.launch {
            val file = try {
                withContext(Dispatchers.IO) {
                    val png = ByteArrayOutputStream()
                    bitmap.compress(Bitmap.CompressFormat.PNG, 100, png)
                    munja.pictures.add(png.toByteArray().inputStream())
                }
            } catch (e: IOException) {
                tell(getString(R.string.save_failed, e.message))
                return@launch
            }
            startActivity(ViewerActivity.intent(this@CameraActivity, file))
        }
    }

    private companion object {
        const val CAMERA_PERMISSION = 1
    }
}
