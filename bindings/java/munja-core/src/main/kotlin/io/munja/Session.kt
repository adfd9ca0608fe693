package io.munja

import java.io.File
import java.nio.ByteBuffer
import java.nio.ByteOrder

/** The type of a tensor's elements. */
public enum class ElementType(internal val value: Int, internal val bits: Int) {
    FLOAT32(0, 32),
    FLOAT16(1, 16),
    INT32(2, 32),
    UINT8(3, 8),
    INT64(4, 64),
    STRING(5, 0),
    BOOL(6, 8),
    INT16(7, 16),
    COMPLEX64(8, 64),
    INT8(9, 8),
    FLOAT64(10, 64),
    COMPLEX128(11, 128),
    UINT64(12, 64),
    RESOURCE(13, 0),
    VARIANT(14, 0),
    UINT32(15, 32),
    UINT16(16, 16),
    INT4(17, 4),
    BFLOAT16(18, 16);

    internal companion object {
        fun of(value: Int): ElementType =
            entries.firstOrNull { it.value == value } ?: throw MunjaException(Status.UNSUPPORTED, "an element type $value")
    }
}

/** Describes an input or output of a session. */
public class TensorInfo internal constructor(
    public val name: String,
    public val type: ElementType,
    /** -1: dynamic. */
    public val shape: List<Int>,
    /** 0: not quantized, or quantized per axis. */
    public val scale: Float,
    public val zeroPoint: Int,
) {
    override fun toString(): String = "$name: $type$shape"
}

/**
 * A dense row-major tensor.
 *
 * @param data its bytes in the byte order of the machine, from position to limit; they are not copied
 */
public class Tensor(public val type: ElementType, public val shape: List<Int>, data: ByteBuffer) {
    /** Its bytes, in the byte order of the machine. */
    public val data: ByteBuffer = data.slice().order(ByteOrder.nativeOrder())

    init {
        require(shape.size <= Session.MAX_RANK) { "a tensor of rank ${shape.size}; at most ${Session.MAX_RANK}" }
    }

    public fun floats(): FloatArray = checked(ElementType.FLOAT32).asFloatBuffer().let { b -> FloatArray(b.remaining()).also { b.get(it) } }

    public fun ints(): IntArray = checked(ElementType.INT32).asIntBuffer().let { b -> IntArray(b.remaining()).also { b.get(it) } }

    public fun longs(): LongArray = checked(ElementType.INT64).asLongBuffer().let { b -> LongArray(b.remaining()).also { b.get(it) } }

    /** Its bytes, whatever its type is. */
    public fun bytes(): ByteArray = ordered().let { b -> ByteArray(b.remaining()).also { b.get(it) } }

    private fun ordered(): ByteBuffer = data.duplicate().order(ByteOrder.nativeOrder())

    private fun checked(wanted: ElementType): ByteBuffer {
        check(type == wanted) { "the tensor is of type $type, not $wanted" }
        return ordered()
    }

    override fun toString(): String = "$type$shape"

    public companion object {
        @JvmStatic
        public fun of(values: FloatArray, vararg shape: Int): Tensor =
            Tensor(ElementType.FLOAT32, shape.toList(), direct(4L * values.size).also { it.asFloatBuffer().put(values) })

        @JvmStatic
        public fun of(values: IntArray, vararg shape: Int): Tensor =
            Tensor(ElementType.INT32, shape.toList(), direct(4L * values.size).also { it.asIntBuffer().put(values) })

        @JvmStatic
        public fun of(values: LongArray, vararg shape: Int): Tensor =
            Tensor(ElementType.INT64, shape.toList(), direct(8L * values.size).also { it.asLongBuffer().put(values) })

        private fun direct(bytes: Long) = ByteBuffer.allocateDirect(Math.toIntExact(bytes)).order(ByteOrder.nativeOrder())
    }
}

/** A network: a .tflite model in memory. It never changes; any number of sessions are made of it, and may outlive it. */
public class Network private constructor(content: Any) : AutoCloseable {
    internal val handle = NativeHandle(this, Native.networkLoad(content), "network", Native::networkFree)

    override fun close(): Unit = handle.close()

    public companion object {
        @JvmStatic
        public fun of(file: ByteArray): Network = Network(file)

        @JvmStatic
        public fun of(file: File): Network = Network(file.readBytes())
    }
}

/**
 * Runs a network. One run at a time: threads that share a session wait for each other, and each has a [fork] if they shall
 * not.
 */
public class Session private constructor(address: Long) : AutoCloseable {
    private val handle = NativeHandle(this, address, "session", Native::sessionFree)

    public val inputs: List<TensorInfo>
    public val outputs: List<TensorInfo>

    init {
        val (names, numbers) = handle.use { Native.sessionDescribe(it) }
        names as Array<*>
        numbers as IntArray
        val all = names.indices.map { i ->
            val at = 1 + i * NUMBERS
            TensorInfo(names[i] as String, type(numbers, at), shape(numbers, at), Float.fromBits(numbers[at + SCALE]), numbers[at + SCALE + 1])
        }
        inputs = all.take(numbers[0])
        outputs = all.drop(numbers[0])
    }

    /** Runs it on inputs in the order of [inputs]; returns its outputs in the order of [outputs]. */
    @JvmOverloads
    @Synchronized
    public fun run(inputs: List<Tensor>, control: Control? = null): List<Tensor> {
        val numbers = IntArray(inputs.size * NUMBERS)
        val contents = Array<Any>(inputs.size) { i ->
            val tensor = inputs[i]
            numbers[i * NUMBERS] = tensor.type.value
            numbers[i * NUMBERS + 1] = tensor.shape.size
            tensor.shape.forEachIndexed { k, size -> numbers[i * NUMBERS + 2 + k] = size }
            if (tensor.data.isDirect) tensor.data else tensor.bytes()
        }
        val results = handle.use { session ->
            control.under { limits, progress -> Native.sessionRun(session, limits, progress, contents, numbers) }
        }
        val described = results[0] as IntArray
        return List(results.size - 1) { i ->
            val bytes = ByteBuffer.wrap(results[i + 1] as ByteArray)
            Tensor(type(described, i * NUMBERS), shape(described, i * NUMBERS), bytes)
        }
    }

    /** The same for networks with one input. */
    public fun run(input: Tensor): List<Tensor> = run(listOf(input))

    /** Another session that shares program and weights, with variables of its own. */
    @JvmOverloads
    public fun fork(threads: Int = 1): Session = Session(handle.use { Native.sessionFork(it, threads) })

    /** Forgets what the network's variables kept from earlier runs. */
    @Synchronized
    public fun resetVariables(): Unit = handle.use { Native.sessionReset(it) }

    override fun close(): Unit = handle.close()

    public class Options private constructor(builder: Builder) {
        internal val threads = builder.threads
        internal val precision = builder.precision
        internal val signature = builder.signature
        internal val accelerators = builder.accelerators.toTypedArray()

        public class Builder {
            internal var threads = 0
            internal var precision = Precision.DEFAULT
            internal var signature: String? = null
            internal val accelerators = ArrayList<Array<String>>()

            /** 0: one for each processor. */
            public fun threads(count: Int): Builder = apply { threads = count }

            public fun precision(precision: Precision): Builder = apply { this.precision = precision }

            /** The signature to run; without it, the main subgraph. */
            public fun signature(key: String): Builder = apply { signature = key }

            /** As in [OcrOptions.Builder.accelerator]. */
            @JvmOverloads
            public fun accelerator(name: String, options: Map<String, String> = emptyMap()): Builder = apply {
                accelerators += (listOf(name) + options.flatMap { (key, value) -> listOf(key, value) }).toTypedArray()
            }

            public fun build(): Options = Options(this)
        }
    }

    public companion object {
        internal const val MAX_RANK = 8

        // The layout of a tensor's numbers; bindings/java/native/session.cc has the same.
        private const val SCALE = 2 + MAX_RANK
        private const val NUMBERS = SCALE + 2

        private fun type(numbers: IntArray, at: Int) = ElementType.of(numbers[at])

        private fun shape(numbers: IntArray, at: Int) = List(numbers[at + 1]) { numbers[at + 2 + it] }

        /** Makes a session. [Status.UNSUPPORTED] names every missing operator. */
        @JvmStatic
        @JvmOverloads
        public fun create(network: Network, options: Options = Options.Builder().build()): Session = Session(
            network.handle.use {
                with(options) { Native.sessionCreate(it, 0, null, threads, precision.value, signature, accelerators) }
            },
        )

        /** `Session.create(network) { threads(2) }` */
        @JvmSynthetic
        public inline fun create(network: Network, configure: Options.Builder.() -> Unit): Session =
            create(network, Options.Builder().apply(configure).build())
    }
}
