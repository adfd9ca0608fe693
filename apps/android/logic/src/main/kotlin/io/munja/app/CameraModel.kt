package io.munja.app

import io.munja.ArgbImage
import io.munja.LiveEvent
import io.munja.LiveKind
import io.munja.LiveOptions
import io.munja.MunjaException
import io.munja.OcrImage
import io.munja.Status
import io.munja.liveEvents
import io.munja.screen.Benchmark
import io.munja.screen.BenchmarkReport
import io.munja.screen.LiveLine
import io.munja.screen.LiveLines
import io.munja.screen.Region
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.flow.MutableStateFlow
import kotlinx.coroutines.flow.StateFlow
import kotlinx.coroutines.flow.asStateFlow
import kotlinx.coroutines.flow.collectLatest
import kotlinx.coroutines.flow.distinctUntilChanged
import kotlinx.coroutines.flow.map
import kotlinx.coroutines.flow.update
import kotlinx.coroutines.launch

/** The camera as it should be now; whoever drives it makes it so. */
data class CameraRequest(val front: Boolean, val torch: Boolean, val aspect: AspectRatio, val resolution: Int)

/** The part of a camera's upright frames that is read; null: all of it. */
data class LivePart(val front: Boolean, val region: Region?)

data class CameraUi(
    val camera: CameraState = CameraState.Hidden(),
    val front: Boolean = false,
    val torch: Boolean = false,
    val settings: Settings = Settings(),
    val lines: List<LiveLine> = emptyList(),
    /** Size of the upright frame that [lines] refer to; 0 before the first. */
    val frameWidth: Int = 0,
    val frameHeight: Int = 0,
    val region: Region? = null,
    val report: BenchmarkReport = BenchmarkReport(),
    /** What reads; null while it is made. */
    val running: Accelerator? = null,
    val refusals: List<Refusal> = emptyList(),
    /** Why no engine could be made, or why the last frame could not be read. */
    val failure: String? = null,
) {
    /** Null: the camera is to be closed. */
    val request: CameraRequest?
        get() = if (camera.wantsCamera) {
            CameraRequest(front, torch && !front, settings.aspect, settings.resolution)
        } else {
            null
        }

    val part: LivePart get() = LivePart(front, region)

    val text: String get() = lines.joinToString("\n") { it.text }
}

/**
 * The camera screen without a screen: a state, events that change it, and the live text of the frames.
 *
 * @param scope of the model's life; its dispatcher is that of the screen
 */
class CameraModel(
    private val engines: Engines,
    settings: SettingsModel,
    scope: CoroutineScope,
    private val memory: () -> Long = Benchmark::heapBytes,
) : AutoCloseable {
    private val mutable = MutableStateFlow(CameraUi(settings = settings.settings.value))
    val ui: StateFlow<CameraUi> = mutable.asStateFlow()

    /** The picture that stands still. */
    @Volatile
    var frozen: ArgbImage? = null
        private set

    private class Stream(val part: LivePart, val lines: LiveLines)

    @Volatile
    private var stream: Stream? = null

    private val work = scope.launch {
        launch { settings.settings.collect { now -> mutable.update { it.copy(settings = now) } } }
        settings.settings.map { it.engine }.distinctUntilChanged().collectLatest { choice ->
            val loaded = load(choice) ?: return@collectLatest
            ui.map { it.part }.distinctUntilChanged().collectLatest { part -> read(loaded, part) }
        }
    }

    private suspend fun load(choice: EngineChoice): LoadedEngine? {
        mutable.update { it.copy(running = null, refusals = emptyList(), failure = null) }
        return try {
            engines.get(choice)
        } catch (e: MunjaException) {
            fail(e)
            null
        }
    }

    private suspend fun read(loaded: LoadedEngine, part: LivePart) {
        val options = LiveOptions { part.region?.let { region(it.left, it.top, it.width, it.height) } }
        try {
            loaded.engine.liveEvents(options) { reader ->
                stream = Stream(part, LiveLines(reader, memory))
                mutable.update { it.copy(running = loaded.running, refusals = loaded.refusals) }
                awaitCancellation()
            }.collect { on(it) }
        } catch (e: CancellationException) {
            throw e
        } catch (e: RuntimeException) {
            fail(e)
        } finally {
            stream = null
        }
    }

    private fun fail(e: Exception) = mutable.update { it.copy(failure = e.message ?: e.toString()) }

    private fun on(event: LiveEvent) {
        val stream = stream ?: return
        stream.lines.on(event)
        show(stream, event)
    }

    private fun show(stream: Stream, event: LiveEvent? = null) = mutable.update { ui ->
        // The frame that is read when the picture is frozen is that picture.
        val isShown = ui.camera.takesFrames || ui.camera is CameraState.Frozen
        if (!isShown || stream.part != ui.part) return@update ui
        val failure = if (event == null) ui.failure else event.text.takeIf { event.kind == LiveKind.FAILED }
        val state = stream.lines.state()
        ui.copy(lines = state?.lines ?: ui.lines, report = state?.report ?: ui.report, failure = failure)
    }

    fun on(event: CameraEvent) = mutable.update { ui ->
        val after = ui.camera.after(event)
        if (after == ui.camera) return@update ui
        val keeps = after is CameraState.Freezing || after is CameraState.Frozen || after == CameraState.Hidden(frozen = true)
        ui.copy(
            camera = after,
            lines = if (keeps) ui.lines else emptyList(),
            torch = ui.torch && after.wantsCamera,
        )
    }

    /** A frame of the camera, which may be given back when this returns. The size is that of the upright frame. */
    fun onFrame(frame: OcrImage, width: Int, height: Int) {
        val before = mutable.value
        if (!before.camera.takesFrames) return
        try {
            if (width != before.frameWidth || height != before.frameHeight) {
                // It was one of frames of the other size.
                if (before.region != null) restrict(null)
                mutable.update { it.copy(frameWidth = width, frameHeight = height) }
            }
            // Until there is one for another engine or part, frames are dropped.
            stream?.takeIf { it.part == mutable.value.part }?.let {
                it.lines.feed(frame)
                show(it)
            }
            if (before.camera is CameraState.Freezing) {
                frozen = frame.toArgb()
                on(CameraEvent.Caught)
            }
        } catch (e: MunjaException) {
            // Its reader was cancelled because another one follows.
            if (e.status != Status.CANCELLED) fail(e)
        }
    }

    fun toggleTorch() = mutable.update { it.copy(torch = !it.torch) }

    fun switchCamera() = mutable.update { it.copy(front = !it.front, torch = false, region = null, lines = emptyList()) }

    /** The part of the upright frame that is read; null: all of it. */
    fun restrict(region: Region?) = mutable.update { it.copy(region = region, lines = emptyList()) }

    override fun close() = work.cancel()
}
