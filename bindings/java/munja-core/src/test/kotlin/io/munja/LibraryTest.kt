package io.munja

import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import java.io.File
import java.nio.file.Files

/** How the native library is found. */
class LibraryTest {
    private fun inDirectory(test: (File) -> Unit) {
        val directory = Files.createTempDirectory("munja-test").toFile()
        try {
            test(directory)
        } finally {
            directory.deleteRecursively()
        }
    }

    @Test
    fun jar_CarriesTheLibrary_AndLeavesNothingBehind() = inDirectory { directory ->
        val ended = Support.java("PrintVersion", options = listOf("-Djava.io.tmpdir=$directory"))
        assertEquals("${Munja.version}\n" to 0, ended.output to ended.status)
        assertEquals(emptyList<String>(), directory.list()!!.toList())
    }

    @Test
    fun oldFilesOfAnotherVersion_AreNeverLoaded() = inDirectory { directory ->
        // What an earlier version could have left: directories and files with the names that are used.
        for (name in listOf("munja", "munja/native", "munja-jni")) File(directory, name).mkdir()
        for (name in listOf("munja/libmunja-jni.so", "munja/libmunja-tools.so.0")) File(directory, name).writeText("old")
        val ended = Support.java("PrintVersion", options = listOf("-Djava.io.tmpdir=$directory"))
        assertEquals("${Munja.version}\n" to 0, ended.output to ended.status)
        assertEquals("old", File(directory, "munja/libmunja-jni.so").readText())
    }

    @Test
    fun directoryByProperty_IsUsed_AndAWrongOneIsNamed() = inDirectory { directory ->
        val libraries = File(Support.root, "build/java/native/${JarLibrary.platform}")
        val there = Support.java("PrintVersion", options = listOf("-Dmunja.library.path=$libraries"))
        assertEquals("${Munja.version}\n" to 0, there.output to there.status)
        val absent = Support.java("PrintVersion", options = listOf("-Dmunja.library.path=$directory"))
        assertEquals(1, absent.status)
        assertTrue("$directory/libmunja-jni.so" in absent.output, absent.output)
    }

    @Test
    fun jarWithoutThisMachine_SaysWhatIsMissing() {
        val ended = Support.java("PrintVersion", options = listOf("-Dos.arch=unknown"))
        assertEquals(1, ended.status)
        assertTrue("munja-jni" in ended.output && "linux-unknown" in ended.output, ended.output)
    }

    @Test
    fun rulesForR8_AreInTheJar() {
        val rules = javaClass.getResource("/META-INF/proguard/munja-core.pro")!!.readText()
        for (name in listOf("Native", "MunjaException", "Progress", "LiveSink")) assertTrue("io.munja.$name " in rules)
    }
}
