package io.munja

import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Test

/** The public surface is that of api/munja-core.api. A change of it is made there, too: `-Dmunja.api.write=true`. */
class ApiTest {
    @Test
    fun publicSurface_IsThatOfTheCommittedFile() {
        val internal = setOf("Native", "NativeHandle", "NativeLibrary", "JarLibrary", "PageDecoder", "SessionDecoder", "LiveSink")
        val (expected, actual) = Surface.compare(OcrEngine::class.java, "munja-core", internal)
        assertEquals(expected, actual, "write it anew with -Dmunja.api.write=true if the change is meant")
    }
}
