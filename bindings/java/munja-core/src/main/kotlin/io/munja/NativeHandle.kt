package io.munja

import java.lang.ref.PhantomReference
import java.lang.ref.ReferenceQueue
import java.util.Collections

/**
 * An object of the native library. It is freed by [close], or, if its owner was forgotten, after the garbage collector
 * has found that; in either case when the last call that uses it has returned. Any thread may use it at any time.
 *
 * This is java.lang.ref.Cleaner for all versions of Android, which has that class from version 13 on only.
 *
 * @param what names it in the message of the exception that a closed handle throws
 */
internal class NativeHandle(owner: Any, address: Long, what: String, free: (Long) -> Unit) {
    private val state = State(address, what, free)
    private val reference = Reference(owner, state)

    val isClosed: Boolean get() = state.isClosed

    fun close() {
        reference.clear()
        pending.remove(reference)
        state.close()
    }

    /** Calls [body] with the address; it stays valid until that returns. */
    inline fun <T> use(body: (Long) -> T): T {
        val address = acquire()
        try {
            return body(address)
        } finally {
            release()
        }
    }

    /** For calls of two threads: what [acquire] returned is valid until [release]. */
    fun acquire(): Long = state.acquire()

    fun release(): Unit = state.release()

    private class State(private val address: Long, private val what: String, private val free: (Long) -> Unit) {
        private var users = 0
        var isClosed = false
            @Synchronized get
            private set

        @Synchronized
        fun acquire(): Long {
            check(!isClosed) { "the $what is closed" }
            users++
            return address
        }

        fun release() {
            val last = synchronized(this) { --users == 0 && isClosed }
            if (last) free(address)
        }

        fun close() {
            val last = synchronized(this) {
                val first = !isClosed
                isClosed = true
                first && users == 0
            }
            if (last) free(address)
        }
    }

    private class Reference(owner: Any, val state: State) : PhantomReference<Any>(owner, queue) {
        init {
            pending.add(this)
        }
    }

    private companion object {
        val queue = ReferenceQueue<Any>()
        val pending: MutableSet<Reference> = Collections.synchronizedSet(HashSet())

        init {
            val thread = Thread({
                while (true) {
                    val reference = queue.remove() as Reference
                    pending.remove(reference)
                    reference.state.close()
                }
            }, "munja-reaper")
            thread.isDaemon = true
            thread.start()
        }
    }
}
