package io.munja.app

import android.content.Context
import android.graphics.ImageFormat
import android.graphics.SurfaceTexture
import android.hardware.camera2.CameraAccessException
import android.hardware.camera2.CameraCaptureSession
import android.hardware.camera2.CameraCharacteristics
import android.hardware.camera2.CameraDevice
import android.hardware.camera2.CameraManager
import android.hardware.camera2.CameraMetadata
import android.hardware.camera2.CaptureRequest
import android.hardware.camera2.params.OutputConfiguration
import android.hardware.camera2.params.SessionConfiguration
import android.media.Image
import android.media.ImageReader
import android.os.Handler
import android.os.HandlerThread
import android.view.Surface
import java.util.concurrent.Executor

/** What the preview needs to know of the open camera. */
data class OpenCamera(val width: Int, val height: Int, val sensor: Int, val front: Boolean)

/**
 * Makes the camera what a [CameraRequest] says: opens it, changes it, closes it. Every failure is an event; nothing is
 * thrown. To be used by the main thread.
 *
 * @param frames called on a thread of the driver; the image is closed afterwards
 */
class CameraDriver(
    context: Context,
    private val main: Executor,
    private val events: (CameraEvent) -> Unit,
    private val opened: (OpenCamera) -> Unit,
    private val frames: (Image, OpenCamera) -> Unit,
) : AutoCloseable {
    private val manager: CameraManager = context.service()
    private val thread = HandlerThread("camera").apply { start() }
    private val handler = Handler(thread.looper)
    private var texture: SurfaceTexture? = null
    private var request: CameraRequest? = null
    private var connection: Connection? = null

    private val availability = object : CameraManager.AvailabilityCallback() {
        override fun onCameraAvailable(cameraId: String) = events(CameraEvent.Available)
    }

    init {
        manager.registerAvailabilityCallback(main, availability)
    }

    /** Where the preview is drawn; without one the camera stays closed. */
    fun drawTo(texture: SurfaceTexture?) {
        if (texture === this.texture) return
        disconnect()
        this.texture = texture
        connect()
    }

    fun apply(wanted: CameraRequest?) {
        val before = request
        request = wanted
        val open = connection
        when {
            wanted == before && (wanted == null) == (open == null) -> Unit
            open != null && wanted != null && wanted == before?.copy(torch = wanted.torch) -> open.repeat(wanted.torch)
            else -> {
                disconnect()
                connect()
            }
        }
    }

    private fun connect() {
        val request = request ?: return
        val texture = texture ?: return
        try {
            val facing = if (request.front) CameraMetadata.LENS_FACING_FRONT else CameraMetadata.LENS_FACING_BACK
            val ids = manager.cameraIdList
            val id = ids.firstOrNull { manager.getCameraCharacteristics(it)[CameraCharacteristics.LENS_FACING] == facing }
                ?: ids.firstOrNull() ?: return events(CameraEvent.Failed(CameraLoss.NONE))
            connection = Connection(id, manager.getCameraCharacteristics(id), request, texture).apply { open() }
        } catch (e: CameraAccessException) {
            fail(lossOf(e))
        } catch (e: IllegalArgumentException) {
            fail(CameraLoss.BROKEN)
        } catch (e: SecurityException) {
            disconnect()
            events(CameraEvent.Revoked)
        }
    }

    private fun fail(loss: CameraLoss) {
        disconnect()
        events(CameraEvent.Failed(loss))
    }

    private fun disconnect() {
        connection?.close()
        connection = null
    }

    override fun close() {
        request = null
        disconnect()
        manager.unregisterAvailabilityCallback(availability)
        thread.quitSafely()
    }

    private fun lossOf(e: CameraAccessException) = when (e.reason) {
        CameraAccessException.CAMERA_IN_USE, CameraAccessException.MAX_CAMERAS_IN_USE -> CameraLoss.TAKEN
        CameraAccessException.CAMERA_DISABLED -> CameraLoss.DISABLED
        else -> CameraLoss.BROKEN
    }

    /** One opening of one camera. Its callbacks come on the main thread, and none matters after [close]. */
    private inner class Connection(
        private val id: String,
        characteristics: CameraCharacteristics,
        private val request: CameraRequest,
        private val texture: SurfaceTexture,
    ) : CameraDevice.StateCallback() {
        private val hasTorch = characteristics[CameraCharacteristics.FLASH_INFO_AVAILABLE] == true
        private val camera: OpenCamera
        private val reader: ImageReader
        private var surface: Surface? = null
        private var device: CameraDevice? = null
        private var session: CameraCaptureSession? = null
        private var closed = false

        init {
            val map = characteristics[CameraCharacteristics.SCALER_STREAM_CONFIGURATION_MAP]
            val sizes = map?.getOutputSizes(ImageFormat.YUV_420_888).orEmpty().map { it.width to it.height }
            val (width, height) = chooseSize(sizes, request.aspect, request.resolution) ?: (640 to 480)
            val sensor = characteristics[CameraCharacteristics.SENSOR_ORIENTATION] ?: 90
            val front = characteristics[CameraCharacteristics.LENS_FACING] == CameraMetadata.LENS_FACING_FRONT
            camera = OpenCamera(width, height, sensor, front)
            // One is read from, one is filled, one is on its way.
            reader = ImageReader.newInstance(width, height, ImageFormat.YUV_420_888, 3)
            reader.setOnImageAvailableListener({ it.acquireLatestImage()?.use { image -> frames(image, camera) } }, handler)
        }

        fun open() = manager.openCamera(id, main, this)

        override fun onOpened(device: CameraDevice) {
            if (closed) return device.close()
            this.device = device
            guarded {
                texture.setDefaultBufferSize(camera.width, camera.height)
                val preview = Surface(texture).also { surface = it }
                device.createCaptureSession(
                    SessionConfiguration(
                        SessionConfiguration.SESSION_REGULAR,
                        listOf(OutputConfiguration(preview), OutputConfiguration(reader.surface)),
                        main,
                        sessionCallback,
                    ),
                )
            }
        }

        private val sessionCallback = object : CameraCaptureSession.StateCallback() {
            override fun onConfigured(session: CameraCaptureSession) {
                if (closed) return
                this@Connection.session = session
                if (repeat(request.torch)) {
                    opened(camera)
                    events(CameraEvent.Started)
                }
            }

            override fun onConfigureFailed(session: CameraCaptureSession) {
                if (!closed) fail(CameraLoss.BROKEN)
            }
        }

        /** Frames, with the torch on or off; false if the camera refused. */
        fun repeat(torch: Boolean): Boolean {
            val device = device ?: return true
            val session = session ?: return true
            return guarded {
                val builder = device.createCaptureRequest(CameraDevice.TEMPLATE_PREVIEW)
                surface?.let(builder::addTarget)
                builder.addTarget(reader.surface)
                builder[CaptureRequest.CONTROL_AF_MODE] = CaptureRequest.CONTROL_AF_MODE_CONTINUOUS_PICTURE
                if (hasTorch) {
                    builder[CaptureRequest.FLASH_MODE] =
                        if (torch) CaptureRequest.FLASH_MODE_TORCH else CaptureRequest.FLASH_MODE_OFF
                }
                session.setRepeatingRequest(builder.build(), null, handler)
            }
        }

        private fun guarded(action: () -> Unit): Boolean {
            try {
                action()
                return true
            } catch (e: CameraAccessException) {
                fail(lossOf(e))
            } catch (e: IllegalStateException) {
                // The camera went away between two calls.
                fail(CameraLoss.BROKEN)
            } catch (e: IllegalArgumentException) {
                fail(CameraLoss.BROKEN)
            } catch (e: SecurityException) {
                disconnect()
                events(CameraEvent.Revoked)
            }
            return false
        }

        override fun onDisconnected(device: CameraDevice) {
            device.close()
            if (!closed) fail(CameraLoss.TAKEN)
        }

        override fun onError(device: CameraDevice, error: Int) {
            device.close()
            if (closed) return
            fail(
                when (error) {
                    ERROR_CAMERA_IN_USE, ERROR_MAX_CAMERAS_IN_USE -> CameraLoss.TAKEN
                    ERROR_CAMERA_DISABLED -> CameraLoss.DISABLED
                    else -> CameraLoss.BROKEN
                },
            )
        }

        fun close() {
            if (closed) return
            closed = true
            device?.close()
            surface?.release()
            // On its own thread, behind the frame that is being copied.
            handler.post { reader.close() }
        }
    }
}
