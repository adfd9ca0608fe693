package io.munja

/** What a failed call should make its caller do; the same values as `munja_status` of the C interface. */
public enum class Status(internal val value: Int) {
    /** The call itself is wrong. */
    INVALID_ARGUMENT(1),

    /** Bytes from outside are not what they claim. */
    MALFORMED(2),

    /** Well formed, but not implemented here. */
    UNSUPPORTED(3),

    /** No memory, or a stated limit was passed. */
    OUT_OF_MEMORY(4),

    /** The system refused to read or write. */
    IO(5),

    /** A file, tensor or model does not exist. */
    NOT_FOUND(6),

    /** A server or an optional part is absent. */
    UNAVAILABLE(7),

    /** The call was cancelled. */
    CANCELLED(8),

    /** A bug in the library. */
    INTERNAL(9),

    /** A stated limit of time was passed. */
    TIMED_OUT(10),

    /** Only a run, which has the values, can tell. */
    NEEDS_VALUES(11);

    internal companion object {
        fun of(value: Int): Status = entries.firstOrNull { it.value == value } ?: INTERNAL
    }
}

/** A call of the library that failed: [status] says why, the message what, where and what to do. */
public class MunjaException(
    /** Chosen by what the caller should do about it. */
    public val status: Status,
    message: String,
) : RuntimeException(message) {
    // Called by the native library.
    private constructor(status: Int, message: String) : this(Status.of(status), message)
}
