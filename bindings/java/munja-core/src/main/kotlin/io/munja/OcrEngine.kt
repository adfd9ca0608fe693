package io.munja

import java.util.concurrent.CompletableFuture
import java.util.concurrent.Executor

/**
 * Reads the text of images with one model, for any number of threads at once.
 *
 * ```
 * OcrEngine.create().use { engine ->
 *     println(engine.process(OcrImage.of(File("receipt.jpg"))).text)
 * }
 * ```
 *
 * What the library reports is a [MunjaException]; arguments that cannot be are an [IllegalArgumentException]; a closed
 * engine is an [IllegalStateException].
 */
public class OcrEngine private constructor(options: OcrOptions) : AutoCloseable {
    internal val handle: NativeHandle = NativeHandle(
        this,
        options.control.under { control, progress ->
            with(options) {
                Native.engineCreate(control, progress, texts, threads, precision, accelerators, fileNames, fileContents)
            }
        },
        "engine",
        Native::engineFree,
    )

    /** The model's name. */
    public val name: String get() = handle.use { Native.engineName(it) }

    /** The settings in force, as JSON. */
    public val settings: String get() = handle.use { Native.engineSettings(it) }

    public val isClosed: Boolean get() = handle.isClosed

    /** Reads an image on the thread of the caller. */
    @JvmOverloads
    public fun process(image: OcrImage, options: ReadOptions = ReadOptions.DEFAULT): Page =
        handle.use { engine ->
            options.control.under { control, progress ->
                Page(
                    Native.engineRead(
                        engine, control, progress, image.planes, image.numbers, image.dpi,
                        options.task, options.minConfidence, options.region, options.boxes,
                    ),
                )
            }
        }

    /**
     * Reads an image on a thread of [executor], and returns at once. Cancelling the future ends the reading within a
     * tenth of a second; without a control in the options it has one of its own for that.
     */
    @JvmOverloads
    public fun processAsync(
        image: OcrImage,
        options: ReadOptions = ReadOptions.DEFAULT,
        executor: Executor = DEFAULT_EXECUTOR,
    ): CompletableFuture<Page> {
        check(!isClosed) { "the engine is closed" }
        val control = options.control ?: Control()
        val future = CompletableFuture<Page>()
        future.whenComplete { _, _ ->
            if (future.isCancelled) control.cancel()
        }
        executor.execute {
            try {
                if (!future.isDone) {
                    val page = process(image, options.with(control))
                    if (!future.complete(page)) page.close()
                }
            } catch (e: Throwable) {
                future.completeExceptionally(e)
            } finally {
                if (options.control == null) control.close()
            }
        }
        return future
    }

    /** Frees the model when the last call that uses it has returned; it waits for none. Pages remain valid. */
    override fun close(): Unit = handle.close()

    public companion object {
        private val DEFAULT_EXECUTOR = Executor { task ->
            Thread(task, "munja").apply { isDaemon = true }.start()
        }

        /** Loads a model. */
        @JvmStatic
        @JvmOverloads
        public fun create(options: OcrOptions = OcrOptions.Builder().build()): OcrEngine = OcrEngine(options)

        /** `OcrEngine.create { languages("ko", "en") }` */
        @JvmSynthetic
        public inline fun create(configure: OcrOptions.Builder.() -> Unit): OcrEngine =
            create(OcrOptions.Builder().apply(configure).build())
    }
}
