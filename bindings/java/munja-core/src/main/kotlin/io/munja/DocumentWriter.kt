package io.munja

import java.io.OutputStream

/** A format that documents can be written in. */
public data class Format(
    /** As [DocumentWriter] takes it: "pdf". */
    public val name: String,
    /** For file names, without the dot. */
    public val extension: String,
    public val mediaType: String,
)

/**
 * One file that is written page by page. Its bytes go to [output] as pages are added, so that memory holds one page
 * however long the file gets; [output] is not closed. One thread at a time.
 */
public class DocumentWriter(format: String, private val output: OutputStream) : AutoCloseable {
    private val handle = NativeHandle(this, Native.writerCreate(format), "writer", Native::writerFree)

    /**
     * Adds a page.
     *
     * @param source the image's name in the output
     * @param image what was read, for formats that show it
     * @param dpi pixels per inch; 0: from the file
     */
    @JvmOverloads
    @Synchronized
    public fun add(page: Page, source: String = "", image: OcrImage? = null, dpi: Double = 0.0) {
        val bytes = handle.use { writer ->
            page.handle.use { document ->
                Native.writerAdd(writer, document, source, image?.planes, image?.numbers, image?.dpi ?: 0.0, dpi)
            }
        }
        output.write(bytes)
    }

    /** Ends the file; no page may follow. */
    @Synchronized
    public fun finish(): Unit = output.write(handle.use { Native.writerFinish(it) })

    /** Frees the writer; without [finish] the file is incomplete. */
    override fun close(): Unit = handle.close()

    public companion object {
        /** The formats that this library writes. */
        @JvmStatic
        public val formats: List<Format> by lazy { Native.writerFormats().toList().chunked(3).map { (a, b, c) -> Format(a, b, c) } }
    }
}
