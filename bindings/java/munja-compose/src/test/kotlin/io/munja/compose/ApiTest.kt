package io.munja.compose

import io.munja.Surface
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import java.io.File

/** The public surface is that of api/munja-compose.api. A change of it is made there, too: `-Dmunja.api.write=true`. */
class ApiTest {
    @Test
    fun publicSurface_IsThatOfTheCommittedFile() {
        val (expected, actual) = Surface.compare(TextColors::class.java, "munja-compose", internal = setOf("BoxesKt"))
        assertEquals(expected, actual, "write it anew with -Dmunja.api.write=true if the change is meant")
    }

    /**
     * Compose compiles functions of one platform into classes like AndroidPath_androidKt or SkiaBackedPath_skikoKt. A class
     * file that names none runs on any platform.
     */
    @Test
    fun classes_ReferToNoPartOfOnePlatform() {
        val classes = File(TextColors::class.java.protectionDomain.codeSource.location.toURI())
        val files = classes.walk().filter { it.extension == "class" }.toList()
        assertTrue(files.size > 5)
        val references = files.flatMap { file ->
            val content = file.readBytes().toString(Charsets.ISO_8859_1)
            Regex("(androidx/|org/jetbrains/|java/|javax/)[A-Za-z0-9_/$]+").findAll(content).map { it.value }
        }.toSet()
        val foreign = references.filter {
            Regex("_(skiko|desktop|nonAndroid)").containsMatchIn(it) || it.startsWith("org/jetbrains/skia") ||
                it.startsWith("org/jetbrains/skiko") || it.startsWith("javax/") ||
                it.startsWith("java/") && !it.startsWith("java/lang/") && !it.startsWith("java/util/")
        }
        assertEquals(emptyList<String>(), foreign)
    }
}
