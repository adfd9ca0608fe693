package io.munja

/** The native methods; bindings/java/native has them, in module.cc by name. Handles are addresses, 0 for none. */
internal object Native {
    init {
        NativeLibrary.load()
    }

    @JvmStatic external fun version(): String

    @JvmStatic external fun models(): String

    @JvmStatic external fun system(drivers: String?): String

    @JvmStatic external fun echo(text: String): String

    @JvmStatic external fun controlCreate(maxMemory: Long, seconds: Double, maxPixels: Long): Long

    @JvmStatic external fun controlFree(control: Long)

    @JvmStatic external fun controlCancel(control: Long)

    @JvmStatic external fun controlRestart(control: Long)

    @JvmStatic external fun controlPeak(control: Long): Long

    @JvmStatic
    external fun engineCreate(
        control: Long,
        progress: Progress?,
        texts: Array<String?>,
        threads: Int,
        precision: Int,
        accelerators: Array<Array<String>>,
        fileNames: Array<String>,
        fileContents: Array<Any>,
    ): Long

    @JvmStatic external fun engineFree(engine: Long)

    @JvmStatic external fun engineName(engine: Long): String

    @JvmStatic external fun engineSettings(engine: Long): String

    @JvmStatic
    external fun engineRead(
        engine: Long,
        control: Long,
        progress: Progress?,
        planes: Array<Any?>,
        numbers: IntArray,
        dpi: Double,
        task: Int,
        minConfidence: Float,
        region: IntArray?,
        boxes: FloatArray?,
    ): ByteArray

    @JvmStatic external fun imageCount(planes: Array<Any?>, numbers: IntArray): Int

    /** Writes width and height to [size]. */
    @JvmStatic external fun imageArgb(planes: Array<Any?>, numbers: IntArray, dpi: Double, size: IntArray): IntArray

    @JvmStatic external fun liveCreate(engine: Long, sink: LiveSink, numbers: DoubleArray, region: IntArray?): Long

    @JvmStatic external fun liveFree(live: Long)

    @JvmStatic external fun liveFeed(live: Long, planes: Array<Any?>, numbers: IntArray, seconds: Double)

    @JvmStatic external fun liveFinish(live: Long)

    @JvmStatic external fun liveReset(live: Long)

    @JvmStatic external fun liveCancel(live: Long)

    @JvmStatic external fun liveBoxes(live: Long): DoubleArray

    @JvmStatic external fun liveStatistics(live: Long): DoubleArray

    @JvmStatic external fun documentFree(document: Long)

    @JvmStatic external fun writerCreate(format: String): Long

    @JvmStatic external fun writerFree(writer: Long)

    @JvmStatic
    external fun writerAdd(
        writer: Long,
        document: Long,
        source: String,
        planes: Array<Any?>?,
        numbers: IntArray?,
        imageDpi: Double,
        dpi: Double,
    ): ByteArray

    @JvmStatic external fun writerFinish(writer: Long): ByteArray

    @JvmStatic external fun writerFormats(): Array<String>

    @JvmStatic external fun networkLoad(content: Any): Long

    @JvmStatic external fun networkFree(network: Long)

    @JvmStatic
    external fun sessionCreate(
        network: Long,
        control: Long,
        progress: Progress?,
        threads: Int,
        precision: Int,
        signature: String?,
        accelerators: Array<Array<String>>,
    ): Long

    @JvmStatic external fun sessionFork(session: Long, threads: Int): Long

    @JvmStatic external fun sessionFree(session: Long)

    @JvmStatic external fun sessionDescribe(session: Long): Array<Any>

    @JvmStatic
    external fun sessionRun(
        session: Long,
        control: Long,
        progress: Progress?,
        contents: Array<Any>,
        numbers: IntArray,
    ): Array<Any>

    @JvmStatic external fun sessionReset(session: Long)
}
