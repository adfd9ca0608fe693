@file:JvmName("LiveFlow")

package io.munja

import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.channels.trySendBlocking
import kotlinx.coroutines.ensureActive
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.channelFlow
import kotlinx.coroutines.flow.flowOn
import kotlinx.coroutines.launch

/** A frame of a stream: pixels, and its time in seconds from any origin. */
public data class LiveFrame(public val image: OcrImage, public val seconds: Double)

/**
 * Live text as a flow of events. Collecting it makes a [LiveReader], for [feed] to give frames to; when [feed] returns,
 * the lines that are left are reported as gone and the flow ends. Cancelling the collector ends the reading within a tenth
 * of a second.
 *
 * ```
 * engine.liveEvents { live ->
 *     camera.onFrame = { image, seconds -> live.feed(image, seconds) }
 *     awaitCancellation()
 * }.collect { event -> show(event) }
 * ```
 *
 * No event is lost: while the collector is busy 64 of them wait, then reading waits for it and frames are dropped, all but
 * the newest one. [feed] runs on Dispatchers.IO.
 */
public fun OcrEngine.liveEvents(
    options: LiveOptions = LiveOptions.DEFAULT,
    feed: suspend (LiveReader) -> Unit,
): Flow<LiveEvent> = channelFlow {
    LiveReader.create(this@liveEvents, options) { trySendBlocking(it) }.use { live ->
        val watcher = launch {
            try {
                awaitCancellation()
            } finally {
                live.cancel()
            }
        }
        try {
            feed(live)
            live.finish()
        } catch (e: MunjaException) {
            // The reader was cancelled because the flow was.
            ensureActive()
            throw e
        }
        watcher.cancel()
    }
}.flowOn(Dispatchers.IO)

/** The events of a flow of frames; those that come while one is read are dropped, all but the newest. */
public fun OcrEngine.liveEvents(frames: Flow<LiveFrame>, options: LiveOptions = LiveOptions.DEFAULT): Flow<LiveEvent> =
    liveEvents(options) { live -> frames.collect { live.feed(it.image, it.seconds) } }
