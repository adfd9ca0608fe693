package io.munja

import kotlin.concurrent.thread

/** An event of live text. */
public enum class LiveKind {
    /** A line appeared; its first text. */
    NEW,

    /** Its text is another one. */
    CHANGED,

    /** Its box moved by more than half of its height since its last event. */
    MOVED,

    /** Enough readings agree. The line rests until its image changes; [CHANGED] may follow then. */
    FINAL,

    /** It left; the last event of this line. */
    GONE,

    /** The size of the frames changed, or the time went back or jumped: all lines are gone. */
    RESTARTED,

    /** Reading a frame failed with [LiveEvent.status]; the next frames are read nevertheless. */
    FAILED,
}

/** What happened to a line of live text. */
public data class LiveEvent(
    public val kind: LiveKind,
    /** The line's number, never used again; 0: an event of the whole stream, and [text] is its reason in a sentence. */
    public val id: Long,
    public val text: String,
    /** 0 to 1. */
    public val confidence: Float,
    /** Four corners in the upright frame of [time], clockwise from the text's own top left. */
    public val cornerPoints: List<Point>,
    public val isFinal: Boolean,
    /** The number of readings that the text is made of. */
    public val readings: Int,
    /** Seconds, of the frame that the event comes from. */
    public val time: Double,
    /** The first and the last frame with this line, in seconds. */
    public val firstTime: Double,
    public val lastTime: Double,
    /** Why a frame failed, with [LiveKind.FAILED]. */
    public val status: Status,
) {
    public val boundingBox: Box get() = boxAround(cornerPoints)
}

/** A line as it is in the newest frame; its text came with the events. */
public data class LiveBox(
    public val id: Long,
    public val cornerPoints: List<Point>,
    public val confidence: Float,
    public val isFinal: Boolean,
)

/** Counts since the reader was made, and milliseconds of its parts in total. */
public data class LiveStatistics(
    public val frames: Long,
    /** Frames that were searched, or lines of which were read. */
    public val read: Long,
    public val unchanged: Long,
    /** Blurred, moving fast, or too dark or bright. */
    public val unusable: Long,
    public val overBudget: Long,
    /** They came while another was read. */
    public val dropped: Long,
    public val searches: Long,
    public val linesRead: Long,
    public val restarts: Long,
    public val failures: Long,
    public val gateMillis: Double,
    public val searchMillis: Double,
    public val recognizeMillis: Double,
    /** Lines that are reported and not gone. */
    public val lines: Int,
)

/** Gets the events of a [LiveReader]. */
public fun interface LiveListener {
    /**
     * Called by the thread of the library that reads, or, with [LiveOptions.Builder.everyFrame], by the one that feeds,
     * always one call at a time. While it runs, no frame is read, and only the newest one waits. It may call no function
     * of the reader but `cancel`, `boxes`, `statistics` and `close`. An exception ends the reading; the next call of
     * [LiveReader.feed] or [LiveReader.finish] throws it.
     */
    public fun onEvent(event: LiveEvent)
}

/**
 * Reads the frames of a camera or a video: lines keep their number from frame to frame, several readings of a line are
 * combined, and events report what appears, changes and leaves. Any thread may call it; calls that feed wait for each
 * other. [liveEvents] has the same as a flow.
 */
public class LiveReader private constructor(
    engine: OcrEngine,
    options: LiveOptions,
    listener: LiveListener,
) : AutoCloseable {
    private val calls = Calls(listener)
    private val handle: NativeHandle
    private val feeding = Any()

    init {
        val engineHandle = engine.handle
        val address = engineHandle.acquire()
        val calls = calls
        handle = try {
            val live = Native.liveCreate(address, calls, options.numbers, options.region)
            // It must not refer to this object, whose end it awaits.
            NativeHandle(this, live, "live reader") { free(it, calls, engineHandle) }
        } catch (e: Throwable) {
            engineHandle.release()
            throw e
        }
    }

    /**
     * The next frame: pixels in any format and rotation, both of which may change. They are not needed after the call. A
     * frame of another upright size, one whose time is not later than the last one's, and one much later start the stream
     * anew.
     *
     * @param seconds from any origin
     */
    public fun feed(frame: OcrImage, seconds: Double) {
        require(!frame.isFile) { "a frame is pixels, not the bytes of a file" }
        call { Native.liveFeed(it, frame.planes, frame.numbers, seconds) }
    }

    /** The end of the stream: waits until the last frame is read and reports all lines as gone. Another may follow. */
    public fun finish(): Unit = call { Native.liveFinish(it) }

    /** Forgets all lines without events, and withdraws a cancellation. */
    public fun reset(): Unit = call { Native.liveReset(it) }

    /** Reading ends within a tenth of a second, and [feed] and [finish] fail until [reset]. None if it is closed. */
    public fun cancel() {
        val address = try {
            handle.acquire()
        } catch (_: IllegalStateException) {
            return
        }
        try {
            Native.liveCancel(address)
        } finally {
            handle.release()
        }
    }

    /** The lines that were reported, where they are in the newest frame that was fed. Never waits for reading. */
    public val boxes: List<LiveBox>
        get() {
            val n = handle.use { Native.liveBoxes(it) }
            return List(n.size / BOX) { i ->
                val at = i * BOX
                val corners = List(4) { Point(n[at + 1 + 2 * it].toFloat(), n[at + 2 + 2 * it].toFloat()) }
                LiveBox(n[at].toLong(), corners, n[at + 9].toFloat(), n[at + 10] != 0.0)
            }
        }

    public val statistics: LiveStatistics
        get() {
            val n = handle.use { Native.liveStatistics(it) }
            fun count(i: Int) = n[i].toLong()
            return LiveStatistics(
                count(0), count(1), count(2), count(3), count(4), count(5), count(6), count(7), count(8), count(9),
                n[10], n[11], n[12], n[13].toInt(),
            )
        }

    /** Ends reading within a tenth of a second and frees it; lines are not reported as gone. The engine stays open. */
    override fun close() {
        cancel()
        handle.close()
    }

    private inline fun call(body: (Long) -> Unit) {
        check(!calls.isCurrent) { "a listener of live text may not feed, finish or reset its reader" }
        synchronized(feeding) {
            handle.use { live ->
                val failed = runCatching { body(live) }
                calls.throwFailure(live)
                failed.getOrThrow()
            }
        }
    }

    /** Calls the listener for the native library. */
    private class Calls(private val listener: LiveListener) : LiveSink {
        @Volatile private var caller: Thread? = null
        @Volatile private var failure: Throwable? = null
        val isCurrent: Boolean get() = caller === Thread.currentThread()

        override fun onEvent(
            kind: Int,
            status: Int,
            id: Long,
            time: Double,
            firstTime: Double,
            lastTime: Double,
            text: String,
            confidence: Float,
            polygon: FloatArray,
            isFinal: Boolean,
            readings: Int,
        ) {
            if (failure != null) return
            val outer = caller
            caller = Thread.currentThread()
            try {
                val corners = List(4) { Point(polygon[2 * it], polygon[2 * it + 1]) }
                listener.onEvent(
                    LiveEvent(
                        LiveKind.entries[kind], id, text, confidence, corners, isFinal, readings, time, firstTime, lastTime,
                        Status.of(status),
                    ),
                )
            } catch (e: Throwable) {
                failure = e
            } finally {
                caller = outer
            }
        }

        fun throwFailure(live: Long) {
            val e = failure ?: return
            failure = null
            Native.liveCancel(live)
            throw e
        }
    }

    public companion object {
        private const val BOX = 11

        /** The engine may serve other calls at the same time, and closes when its last reader has. */
        @JvmStatic
        @JvmOverloads
        public fun create(
            engine: OcrEngine,
            options: LiveOptions = LiveOptions.DEFAULT,
            listener: LiveListener,
        ): LiveReader = LiveReader(engine, options, listener)

        private fun free(live: Long, calls: Calls, engine: NativeHandle) {
            val work = {
                Native.liveFree(live)
                engine.release()
            }
            // The library waits for its thread, which a listener that closes its reader is on.
            if (calls.isCurrent) thread(name = "munja-live-close", isDaemon = true) { work() } else work()
        }
    }
}

/** What the native library calls; bindings/java/native/live.cc has its name and signature. */
internal interface LiveSink {
    fun onEvent(
        kind: Int,
        status: Int,
        id: Long,
        time: Double,
        firstTime: Double,
        lastTime: Double,
        text: String,
        confidence: Float,
        polygon: FloatArray,
        isFinal: Boolean,
        readings: Int,
    )
}
