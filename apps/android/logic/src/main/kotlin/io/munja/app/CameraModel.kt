package io.munja.app

import io.munja.MunjaException
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Job
import kotlinx.coroutines.flow.MutableStateFlow
import kotlinx.coroutines.flow.StateFlow
import kotlinx.coroutines.flow.asStateFlow
import kotlinx.coroutines.flow.map
import kotlinx.coroutines.flow.distinctUntilChanged
import kotlinx.coroutines.flow.update
import kotlinx.coroutines.launch

/** The camera as it should be now; whoever drives it makes it so. */
data class CameraRequest(val front: Boolean, val torch: Boolean, val aspect: AspectRatio, val resolution: Int)

data class CameraUi(
    val camera: CameraState = CameraState.Hidden(),
    val front: Boolean = false,
    val torch: Boolean = false,
    val settings: Settings = Settings(),
    val lines: List<TrackedLine> = emptyList(),
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

    val text: String get() = lines.joinToString("\n") { it.text }
}

/**
 * The camera screen without a screen: a state, events that change it, and a reader of frames.
 *
 * @param scope of the model's life; its dispatcher is that of the screen
 */
class CameraModel(
    private val engines: Engines,
    private val settings: SettingsModel,
    private val scope: CoroutineScope,
    memory: () -> Long = Benchmark::heapBytes,
) : AutoCloseable {
    private val mutable = MutableStateFlow(CameraUi(settings = settings.settings.value))
    val ui: StateFlow<CameraUi> = mutable.asStateFlow()
    private val reader = LiveReader(memory, listener = ::show)
    private var loading: Job? = null

    /** The picture that stands still. */
    val frozen = Frame()

    private val following = scope.launch {
        launch { settings.settings.collect { now -> mutable.update { it.copy(settings = now) } } }
        settings.settings.map { it.engine }.distinctUntilChanged().collect { choice -> load(choice) }
    }

    private fun load(choice: EngineChoice) {
        reader.use(null)
        loading?.cancel()
        mutable.update { it.copy(running = null, refusals = emptyList(), failure = null) }
        loading = scope.launch {
            try {
                val loaded = engines.get(choice)
                reader.use(loaded)
                mutable.update { it.copy(running = loaded.running, refusals = loaded.refusals) }
            } catch (e: MunjaException) {
                mutable.update { it.copy(failure = e.message) }
            }
        }
    }

    private fun show(result: Result<LiveResult>) = mutable.update { ui ->
        result.fold(
            { live ->
                // The frame that was being read when the picture was frozen is that picture.
                if (ui.camera !is CameraState.Previewing && ui.camera !is CameraState.Frozen) return@update ui
                ui.copy(
                    lines = live.lines,
                    frameWidth = live.width,
                    frameHeight = live.height,
                    report = live.report,
                    failure = null,
                )
            },
            { ui.copy(failure = it.message) },
        )
    }

    fun on(event: CameraEvent) {
        val before = mutable.value.camera
        mutable.update { ui ->
            val after = ui.camera.after(event)
            if (after == ui.camera) return@update ui
            val keeps = after is CameraState.Frozen || after == CameraState.Hidden(frozen = true)
            ui.copy(
                camera = after,
                lines = if (keeps) ui.lines else emptyList(),
                torch = ui.torch && after.wantsCamera,
            )
        }
        if (before !is CameraState.Frozen && mutable.value.camera is CameraState.Frozen) reader.copyLast(frozen)
    }

    /** A frame of the camera; the planes may be given back when this returns. */
    fun onFrame(planes: List<CameraPlane>, width: Int, height: Int, rotation: Int) {
        if (mutable.value.camera is CameraState.Previewing) reader.offer(planes, width, height, rotation)
    }

    fun toggleTorch() = mutable.update { it.copy(torch = !it.torch) }

    fun switchCamera() = mutable.update {
        it.copy(front = !it.front, torch = false, region = null, lines = emptyList()).also { reader.restrict(null) }
    }

    /** The part of the upright frame that is read; null: all of it. */
    fun restrict(region: Region?) {
        reader.restrict(region)
        mutable.update { it.copy(region = region, lines = emptyList()) }
    }

    override fun close() {
        following.cancel()
        loading?.cancel()
        reader.close()
    }
}
