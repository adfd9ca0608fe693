package io.munja.app

import io.munja.OcrImage
import io.munja.screen.LiveLine
import io.munja.screen.Region
import io.munja.screen.Stage
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
import java.awt.Color
import java.awt.image.BufferedImage

class CameraModelTest {
    private val engines = Engines(emptyMap(), threads = 1)
    private val scope = CoroutineScope(Dispatchers.Default)
    private val settings = SettingsModel(MemoryStore())
    private val model = CameraModel(engines, settings, scope)
    private val receipt = Support.Frame(Support.load("receipt.jpg"))
    private val table = Support.Frame(Support.load("tight_table.png"))

    @AfterEach
    fun close() {
        model.close()
        scope.cancel()
        engines.close()
    }

    private fun wait(condition: (CameraUi) -> Boolean): CameraUi =
        runBlocking { withTimeout(60_000) { model.ui.first(condition) } }

    private fun feed(frame: Support.Frame) = model.onFrame(frame.image, frame.width, frame.height)

    /** Feeds the same frame again and again, as a camera does that nobody moves. */
    private fun show(frame: Support.Frame, what: String, condition: (CameraUi) -> Boolean): CameraUi {
        Support.until(what) {
            feed(frame)
            Thread.sleep(10)
            condition(model.ui.value)
        }
        return model.ui.value
    }

    /** Until the texts of the frame are final, so that nothing is left to read. */
    private fun settle(frame: Support.Frame): CameraUi {
        var readings = 0L
        var same = 0
        return show(frame, "an end of reading") { ui ->
            same = if (ui.lines.isNotEmpty() && ui.report.readings == readings) same + 1 else 0
            readings = ui.report.readings
            same == 100
        }
    }

    private fun preview() {
        model.on(CameraEvent.Shown(permitted = true))
        model.on(CameraEvent.Started)
        wait { it.running != null }
    }

    @Test
    fun preview_ShowsBoxesThatStayWhenItIsFrozen() {
        preview()
        val shown = settle(receipt)
        assertTrue("BAKERY NORTHWIND" in shown.text)
        assertEquals(receipt.width, shown.frameWidth)
        model.on(CameraEvent.Froze)
        assertNull(model.frozen)
        feed(receipt)
        assertNull(model.ui.value.request)
        assertEquals(shown.text, model.ui.value.text)
        assertEquals(receipt.width to receipt.height, model.frozen!!.width to model.frozen!!.height)
        model.on(CameraEvent.Hidden)
        model.on(CameraEvent.Shown(permitted = true))
        assertEquals(shown.text, model.ui.value.text)
        model.on(CameraEvent.Resumed)
        assertEquals(emptyList<LiveLine>(), model.ui.value.lines)
    }

    @Test
    fun stillScene_IsReadUntilItsTextIsFinal() {
        preview()
        val settled = settle(receipt)
        assertTrue(settled.report.skipped >= 100, "${settled.report}")
        assertTrue(settled.report.stages.keys == Stage.entries.toSet(), "${settled.report}")
        show(table, "the other text") { "BAKERY" !in it.text && it.lines.isNotEmpty() }
    }

    @Test
    fun burstOfFrames_LeavesTheNewest() {
        preview()
        repeat(20) { feed(receipt) }
        feed(table)
        val text = wait { it.frameWidth == table.width && it.lines.isNotEmpty() }.text
        assertTrue("BAKERY" !in text, text)
        assertTrue(model.ui.value.report.skipped >= 15, "${model.ui.value.report}")
    }

    @Test
    fun linesThatMoveALittle_KeepTheirNumbers() {
        fun scene(dx: Int, dy: Int): Support.Frame {
            val picture = Support.load("receipt.jpg")
            val scene = BufferedImage(picture.width + 80, picture.height + 80, BufferedImage.TYPE_3BYTE_BGR)
            with(scene.createGraphics()) {
                color = Color.WHITE
                fillRect(0, 0, scene.width, scene.height)
                drawImage(picture, dx, dy, null)
            }
            return Support.Frame(scene)
        }
        preview()
        val first = settle(scene(20, 20)).lines.associateBy { it.text }
        // At once, before anything is read anew.
        val moved = scene(26, 24).also { feed(it) }
        val followed = model.ui.value.lines
        assertEquals(first.values.map { it.id }.toSet(), followed.map { it.id }.toSet())
        assertEquals(6f, followed.map { it.corners[0].x - first.getValue(it.text).corners[0].x }.average().toFloat(), 1.5f)
        val read = settle(moved).lines
        val same = read.count { first[it.text]?.id == it.id }
        assertTrue(same >= first.size * 9 / 10, "$same of ${first.size}")
    }

    @Test
    fun region_LimitsWhatIsRead() {
        preview()
        val all = settle(receipt)
        val height = receipt.height / 4
        model.restrict(Region(0, 0, receipt.width, height))
        assertEquals(emptyList<LiveLine>(), model.ui.value.lines)
        val part = settle(receipt)
        assertTrue(part.lines.size in 1 until all.lines.size, "${part.lines}")
        assertTrue(part.lines.all { line -> line.corners.all { it.y <= height + 2 } }, "${part.lines}")
        // Frames of another size have other parts.
        show(table, "text of the whole frame") { it.region == null && it.lines.isNotEmpty() }
        assertNull(model.ui.value.failure)
    }

    @Test
    fun framesBeforeTheEngine_AreDropped() {
        settings.update { it.copy(engine = EngineChoice(model = "gone")) }
        model.on(CameraEvent.Shown(permitted = true))
        model.on(CameraEvent.Started)
        wait { "gone" in it.failure.orEmpty() }
        feed(receipt)
        assertEquals(0, model.ui.value.report.readings)
        settings.update { it.copy(engine = EngineChoice()) }
        show(receipt, "text") { it.lines.isNotEmpty() }
        assertNull(model.ui.value.failure)
    }

    @Test
    fun frameThatCannotBe_SaysWhy() {
        preview()
        model.onFrame(OcrImage.of(IntArray(9), 10, 10), 10, 10)
        assertTrue("plane 0" in model.ui.value.failure!!, model.ui.value.failure)
        show(receipt, "text") { it.lines.isNotEmpty() && it.failure == null }
    }

    @Test
    fun closedModel_TakesNoFrames() {
        preview()
        model.close()
        Support.until("the end of the stream") {
            val before = model.ui.value.report
            feed(receipt)
            model.ui.value.report === before
        }
        model.close()
    }

    @Test
    fun lostCamera_TakesItsBoxesAndTorchAway() {
        preview()
        model.toggleTorch()
        assertTrue(model.ui.value.request!!.torch)
        show(receipt, "text") { it.lines.isNotEmpty() }
        model.on(CameraEvent.Failed(CameraLoss.TAKEN))
        assertEquals(emptyList<LiveLine>(), model.ui.value.lines)
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
        show(receipt, "text") { it.lines.isNotEmpty() }
    }
}
