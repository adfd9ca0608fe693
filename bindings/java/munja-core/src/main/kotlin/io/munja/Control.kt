package io.munja

/** Reports how far a call is. */
public fun interface Progress {
    /**
     * Called by the thread that made the call, before it returns. An exception ends the call, which then throws it.
     *
     * @param what the current activity, for example "lines"
     * @param done units done
     * @param total their total; 0: not known
     * @return false cancels the call
     */
    public fun onProgress(what: String, done: Long, total: Long): Boolean
}

/**
 * Limits of memory and time for calls, and cancellation from another thread. It may serve several calls and threads at
 * once. Calls that end early throw a [MunjaException] with [Status.CANCELLED], [Status.TIMED_OUT] or
 * [Status.OUT_OF_MEMORY]; the engine or session remains usable.
 */
public class Control private constructor(builder: Builder) : AutoCloseable {
    internal val progress: Progress? = builder.progress
    internal val handle: NativeHandle = NativeHandle(
        this,
        Native.controlCreate(builder.maxMemory, builder.timeoutMillis / 1000.0, builder.maxPixels),
        "control",
        Native::controlFree,
    )

    public constructor() : this(Builder())

    /** Calls under it end within a tenth of a second, and new ones at once, until [restart]. Any thread may call it. */
    public fun cancel(): Unit = handle.use { Native.controlCancel(it) }

    /** Restarts the time and withdraws a cancellation. Not while a call under this control runs. */
    public fun restart(): Unit = handle.use { Native.controlRestart(it) }

    /** The maximum of bytes that were in use at once by what was made under this control. */
    public val peakMemory: Long get() = handle.use { Native.controlPeak(it) }

    /** Frees it once no call uses it any more. */
    override fun close(): Unit = handle.close()

    /** The limits of a [Control]; zero means the library's own, which docs/reference/limits.md lists. */
    public class Builder {
        internal var maxMemory = 0L
        internal var timeoutMillis = 0L
        internal var maxPixels = 0L
        internal var progress: Progress? = null

        /** Bytes that images, tensors and weights may have together; negative: unlimited. */
        public fun maxMemory(bytes: Long): Builder = apply { maxMemory = bytes }

        /** Milliseconds from the creation or the last [restart]. */
        public fun timeoutMillis(milliseconds: Long): Builder = apply {
            require(milliseconds >= 0) { "a timeout of $milliseconds ms; it must not be negative" }
            timeoutMillis = milliseconds
        }

        /** Pixels of an image that is decoded. */
        public fun maxPixels(pixels: Long): Builder = apply { maxPixels = pixels }

        public fun progress(progress: Progress): Builder = apply { this.progress = progress }

        public fun build(): Control = Control(this)
    }

    public companion object {
        /** `Control { timeoutMillis(500) }` */
        @JvmSynthetic
        public inline operator fun invoke(configure: Builder.() -> Unit): Control = Builder().apply(configure).build()
    }
}

/** Calls [body] with the address of a control that may be null, and its progress callback. */
internal inline fun <T> Control?.under(body: (Long, Progress?) -> T): T =
    if (this == null) body(0, null) else handle.use { body(it, progress) }
