package io.munja

import java.nio.ByteBuffer

/** The number format of networks. */
public enum class Precision(internal val value: Int) {
    /** As the model has it. */
    DEFAULT(0),
    FLOAT32(1),

    /** bf16 or fp16 where the processor multiplies them faster. */
    FLOAT16(2),

    /** Integer networks, and low-confidence lines again with the float ones. */
    MIXED(3),
}

/** How an engine is made: `OcrOptions { languages("ko", "en"); threads(2) }`, or with [Builder] from Java. */
public class OcrOptions private constructor(builder: Builder) {
    internal val texts: Array<String?> = arrayOf(
        builder.model,
        builder.settings,
        builder.words,
        builder.languages.joinToString(",").ifEmpty { null },
        builder.allowedCharacters,
        builder.deniedCharacters,
    )
    internal val threads = builder.threads
    internal val precision = builder.precision.value
    internal val accelerators: Array<Array<String>> = builder.accelerators.toTypedArray()
    internal val fileNames: Array<String> = builder.files.keys.toTypedArray()
    internal val fileContents: Array<Any> = builder.files.values.toTypedArray()
    internal val control = builder.control

    public class Builder {
        internal var model: String? = null
        internal var settings: String? = null
        internal var words: String? = null
        internal var languages: List<String> = emptyList()
        internal var allowedCharacters: String? = null
        internal var deniedCharacters: String? = null
        internal var threads = 0
        internal var precision = Precision.DEFAULT
        internal val accelerators = ArrayList<Array<String>>()
        internal val files = LinkedHashMap<String, Any>()
        internal var control: Control? = null

        /** The name of an installed model or its directory. Without it, the model inside the library. */
        public fun model(nameOrDirectory: String): Builder = apply { model = nameOrDirectory }

        /**
         * A file of a model that is in memory, for example an asset: "bundle.json" and those that it names. They are read
         * anew for every engine, so a newer version of an application never meets an older version's files.
         */
        public fun modelFile(name: String, content: ByteArray): Builder = apply { files[name] = content }

        /** The same for a direct buffer, the whole of which is read. */
        public fun modelFile(name: String, content: ByteBuffer): Builder = apply {
            require(content.isDirect) { "the buffer of $name is not direct; give its bytes as a ByteArray" }
            files[name] = content
        }

        /** Language codes: only the model's language models for these help. Without them, all of the model's. */
        public fun languages(vararg codes: String): Builder = apply { languages = codes.toList() }

        /** 1 to 1024; 0: one for each processor. The text never depends on it. */
        public fun threads(count: Int): Builder = apply { threads = count }

        public fun precision(precision: Precision): Builder = apply { this.precision = precision }

        /**
         * "opencl" or "nn:NAME" with options of its own. What it cannot run, the CPU does. Several are asked in the order
         * in which they were added.
         */
        @JvmOverloads
        public fun accelerator(name: String, options: Map<String, String> = emptyMap()): Builder = apply {
            accelerators += (listOf(name) + options.flatMap { (key, value) -> listOf(key, value) }).toTypedArray()
        }

        /** Overrides settings of the model, as JSON: `{"detector": {"limit_side": 1280}}`. */
        public fun settings(json: String): Builder = apply { settings = json }

        /** A file of expected words, UTF-8. */
        public fun words(path: String): Builder = apply { words = path }

        /** Characters that a text may have; a space must be listed to be read. */
        public fun allowedCharacters(characters: String): Builder = apply { allowedCharacters = characters }

        /** Characters that no text has. */
        public fun deniedCharacters(characters: String): Builder = apply { deniedCharacters = characters }

        /** Limits of the creation. */
        public fun control(control: Control): Builder = apply { this.control = control }

        public fun build(): OcrOptions = OcrOptions(this)
    }

    public companion object {
        @JvmSynthetic
        public inline operator fun invoke(configure: Builder.() -> Unit): OcrOptions = Builder().apply(configure).build()
    }
}

/** What of an image is read, and how: `ReadOptions { region(0, 0, 400, 80) }`. */
public class ReadOptions private constructor(builder: Builder) {
    internal val task = builder.task
    internal val minConfidence = builder.minConfidence
    internal val region = builder.region
    internal val boxes = builder.boxes

    /** Limits of the call, or null. */
    public val control: Control? = builder.control

    internal fun with(control: Control): ReadOptions = Builder(this).control(control).build()

    public class Builder() {
        internal var task = 0
        internal var minConfidence = Float.NaN
        internal var region: IntArray? = null
        internal var boxes: FloatArray? = null
        internal var control: Control? = null

        internal constructor(options: ReadOptions) : this() {
            task = options.task
            minConfidence = options.minConfidence
            region = options.region
            boxes = options.boxes
            control = options.control
        }

        /** Only finds the lines; their texts are empty. */
        public fun detectOnly(): Builder = apply { task = 1 }

        /** The image is a single line of text. */
        public fun singleLine(): Builder = apply { task = 2 }

        /** Reads the lines in these quadrilaterals, four corners each, clockwise from the text's own top left. */
        public fun boxes(boxes: List<List<Point>>): Builder = apply {
            require(boxes.all { it.size == 4 }) { "a box has four corners" }
            task = 3
            this.boxes = boxes.flatten().flatMap { listOf(it.x, it.y) }.toFloatArray()
        }

        /** Only this part is read, in pixels of the upright image. Results are in pixels of the whole image. */
        public fun region(left: Int, top: Int, width: Int, height: Int): Builder =
            apply { region = intArrayOf(left, top, width, height) }

        /** Lines below it are omitted, 0 to 1. Without it, the model's own threshold applies. */
        public fun minConfidence(confidence: Float): Builder = apply { minConfidence = confidence }

        /** Limits, progress and cancellation of the call. */
        public fun control(control: Control): Builder = apply { this.control = control }

        public fun build(): ReadOptions = ReadOptions(this)
    }

    public companion object {
        @JvmField
        public val DEFAULT: ReadOptions = Builder().build()

        @JvmSynthetic
        public inline operator fun invoke(configure: Builder.() -> Unit): ReadOptions = Builder().apply(configure).build()
    }
}
