package io.munja.app

import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.cancel
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeout
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertNull
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test

class CameraModelTest {
    private class MemoryStore : SettingsStore {
        private var values = emptyMap<String, String>()

        override fun load() = values

        override fun save(values: Map<String, String>) {
            this.values = values
        }
    }

    private val engines = Engines(emptyMap(), threads = 1)
    private val scope = CoroutineScope(Dispatchers.Default)
    private val settings = SettingsModel(MemoryStore())
    private val model = CameraModel(engines, settings, scope)
    private val receipt = Support.yuv(Support.load("receipt.jpg"))

    @AfterEach
    fun close() {
        model.close()
        scope.cancel()
        engines.close()
    }

    private fun wait(condition: (CameraUi) -> Boolean): CameraUi =
        runBlocking { withTimeout(60_000) { model.ui.first(condition) } }

    private fun frame() = model.onFrame(receipt.planes, receipt.width, receipt.height, 0)

    private fun preview() {
        model.on(CameraEvent.Shown(permitted = true))
        model.on(CameraEvent.Started)
        wait { it.running != null }
    }

    @Test
    fun preview_ShowsBoxesThatStayWhenItIsFrozen() {
        preview()
        frame()
        val shown = wait { it.lines.isNotEmpty() }
        assertTrue("BAKERY NORTHWIND" in shown.text)
        assertEquals(receipt.width, shown.frameWidth)
        model.on(CameraEvent.Froze)
        assertNull(model.ui.value.request)
        assertEquals(shown.lines, model.ui.value.lines)
        assertEquals(receipt.width, model.frozen.width)
        model.on(CameraEvent.Hidden)
        model.on(CameraEvent.Shown(permitted = true))
        assertEquals(shown.lines, model.ui.value.lines)
        model.on(CameraEvent.Resumed)
        assertEquals(emptyList<TrackedLine>(), model.ui.value.lines)
    }

    @Test
    fun lostCamera_TakesItsBoxesAndTorchAway() {
        preview()
        model.toggleTorch()
        assertTrue(model.ui.value.request!!.torch)
        frame()
        wait { it.lines.isNotEmpty() }
        model.on(CameraEvent.Failed(CameraLoss.TAKEN))
        assertEquals(emptyList<TrackedLine>(), model.ui.value.lines)
        assertNull(model.ui.value.request)
        model.on(CameraEvent.Available)
        assertEquals(false, model.ui.value.request!!.torch)
    }

    @Test
    fun frontCamera_HasNoTorch() {
        preview()
        model.toggleTorch()
        model.switchCamera()
        model.toggleTorch()
        assertEquals(CameraRequest(front = true, torch = false, AspectRatio.FOUR_THREE, 720), model.ui.value.request)
    }

    @Test
    fun settings_ChangeTheRequestAndTheEngine() {
        preview()
        settings.update { it.copy(aspect = AspectRatio.SQUARE, engine = EngineChoice(Accelerator.GPU)) }
        val changed = wait { it.refusals.isNotEmpty() && it.running != null }
        assertEquals(AspectRatio.SQUARE, changed.request!!.aspect)
        assertEquals(Accelerator.CPU, changed.running)
        frame()
        wait { it.lines.isNotEmpty() }
    }
}
