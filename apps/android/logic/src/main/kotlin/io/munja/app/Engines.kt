package io.munja.app

import io.munja.MunjaException
import io.munja.OcrEngine
import io.munja.OcrImage
import io.munja.OcrOptions
import io.munja.Status
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Deferred
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.SupervisorJob
import kotlinx.coroutines.async
import kotlinx.coroutines.cancel
import kotlinx.coroutines.launch
import java.io.FileNotFoundException
import java.io.IOException

/** Why an accelerator is not used. */
data class Refusal(val accelerator: Accelerator, val reason: String)

/** An engine that is ready: [running] is what it runs on after [refusals]. */
class LoadedEngine(
    val engine: OcrEngine,
    val choice: EngineChoice,
    val running: Accelerator,
    val refusals: List<Refusal>,
)

/** What is tried, in this order: what was chosen, and then what every machine has. */
fun Accelerator.fallbacks(): List<Accelerator> = when (this) {
    Accelerator.NPU -> listOf(Accelerator.NPU, Accelerator.GPU, Accelerator.CPU)
    Accelerator.GPU -> listOf(Accelerator.GPU, Accelerator.CPU)
    Accelerator.CPU -> listOf(Accelerator.CPU)
}

/**
 * Makes engines in the background and keeps the last one. One that the choice no longer matches is closed; those who
 * still read with it finish undisturbed.
 *
 * @param names the library's name for each accelerator of this device, "opencl" or "nn:NAME"; without one it is refused
 * @param models adds the files of a model that is not inside the library; an IOException: there is none
 */
class Engines(
    private val names: Map<Accelerator, String> = mapOf(Accelerator.GPU to "opencl"),
    private val models: OcrOptions.Builder.(String) -> Unit = { throw FileNotFoundException(it) },
    private val threads: Int = 0,
    dispatcher: CoroutineDispatcher = Dispatchers.IO,
) : AutoCloseable {
    private val scope = CoroutineScope(SupervisorJob() + dispatcher)
    private var choice: EngineChoice? = null
    private var current: Deferred<LoadedEngine>? = null

    /** The engine for [choice], made at the first call. A failure is not kept: the next call tries anew. */
    suspend fun get(choice: EngineChoice): LoadedEngine = deferred(choice).await()

    /** Starts to make it, so that a later [get] waits less. */
    fun prepare(choice: EngineChoice) {
        deferred(choice)
    }

    @Synchronized
    private fun deferred(wanted: EngineChoice): Deferred<LoadedEngine> {
        current?.let { if (choice == wanted && !(it.isCompleted && it.isCancelled)) return it }
        discard()
        choice = wanted
        return scope.async { load(wanted) }.also { current = it }
    }

    private fun discard() {
        val old = current ?: return
        current = null
        scope.launch { runCatching { old.await() }.getOrNull()?.engine?.close() }
    }

    private fun load(choice: EngineChoice): LoadedEngine {
        val refusals = mutableListOf<Refusal>()
        for (accelerator in choice.accelerator.fallbacks()) {
            val name = names[accelerator]
            if (name == null && accelerator != Accelerator.CPU) {
                refusals += Refusal(accelerator, "this device has no driver for it")
                continue
            }
            try {
                val engine = OcrEngine.create(options(choice, name))
                try {
                    warmUp(engine)
                } catch (e: MunjaException) {
                    engine.close()
                    throw e
                }
                return LoadedEngine(engine, choice, accelerator, refusals)
            } catch (e: LinkageError) {
                throw MunjaException(Status.UNAVAILABLE, "this application has no native library for this device: ${e.message}")
            } catch (e: MunjaException) {
                if (accelerator == Accelerator.CPU) throw e
                refusals += Refusal(accelerator, e.message.orEmpty())
            }
        }
        error("the CPU is always the last one")
    }

    private fun options(choice: EngineChoice, accelerator: String?) = OcrOptions {
        threads(threads)
        choice.model?.let { addModel(it) }
        if (choice.languages.isNotEmpty()) languages(*choice.languages.toTypedArray())
        accelerator?.let { accelerator(it) }
    }

    /** A choice may be older than the application, whose models change. */
    private fun OcrOptions.Builder.addModel(model: String) = try {
        models(model)
    } catch (e: IOException) {
        throw MunjaException(Status.NOT_FOUND, "the model $model is not there any more; choose another: ${e.message}")
    }

    /** A bar where a line of text would be: kernels are compiled and memory is there before the first image. */
    private fun warmUp(engine: OcrEngine) {
        val pixels = IntArray(WARM_UP_WIDTH * WARM_UP_HEIGHT) { i ->
            val x = i % WARM_UP_WIDTH
            val y = i / WARM_UP_WIDTH
            if (y in 80..100 && x in 20..300 && x / 6 % 2 == 0) 0xFF000000.toInt() else -1
        }
        engine.process(OcrImage.of(pixels, WARM_UP_WIDTH, WARM_UP_HEIGHT)).close()
    }

    /** Closes the engine, once it is made. */
    @Synchronized
    override fun close() {
        val last = current
        current = null
        scope.launch { runCatching { last?.await() }.getOrNull()?.engine?.close() }
            .invokeOnCompletion { scope.cancel() }
    }

    private companion object {
        const val WARM_UP_WIDTH = 320
        const val WARM_UP_HEIGHT = 240
    }
}
