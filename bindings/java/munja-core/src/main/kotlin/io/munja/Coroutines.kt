@file:JvmName("Coroutines")

package io.munja

import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.suspendCancellableCoroutine
import kotlin.coroutines.resumeWithException

/**
 * [OcrEngine.process] for coroutines: reads on a thread of [dispatcher]. Cancelling the coroutine ends the reading within
 * a tenth of a second.
 */
public suspend fun OcrEngine.awaitPage(
    image: OcrImage,
    options: ReadOptions = ReadOptions.DEFAULT,
    dispatcher: CoroutineDispatcher = Dispatchers.IO,
): Page = suspendCancellableCoroutine { continuation ->
    val future = processAsync(image, options) { dispatcher.dispatch(continuation.context, it) }
    continuation.invokeOnCancellation { future.cancel(true) }
    future.whenComplete { page, error ->
        when {
            error == null -> continuation.resume(page) { _, unused, _ -> unused.close() }
            !future.isCancelled -> continuation.resumeWithException(error)
        }
    }
}
