package io.munja.app

import io.munja.MunjaException
import io.munja.OcrImage
import io.munja.OcrOptions
import io.munja.Status
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.runBlocking
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertSame
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.fail
import java.io.File

class EnginesTest {
    private val small: OcrOptions.Builder.(String) -> Unit = { name ->
        for (file in File(Support.root, "models/$name").listFiles()!!) {
            if (file.extension != "md") modelFile(file.name, file.readBytes())
        }
    }

    private fun text(loaded: LoadedEngine) = loaded.engine.process(OcrImage.of(Support.receipt)).use { it.text }

    @Test
    fun acceleratorThatIsNotThere_HandsOverToTheCpuAndSaysWhy() = runBlocking {
        Engines(mapOf(Accelerator.GPU to "no-such-accelerator"), threads = 1).use { engines ->
            val loaded = engines.get(EngineChoice(Accelerator.NPU))
            assertEquals(Accelerator.CPU, loaded.running)
            assertEquals(listOf(Accelerator.NPU, Accelerator.GPU), loaded.refusals.map { it.accelerator })
            assertTrue("no-such-accelerator" in loaded.refusals[1].reason, loaded.refusals[1].reason)
            assertTrue("BAKERY NORTHWIND" in text(loaded))
        }
    }

    @Test
    fun sameChoice_SharesTheEngine() = runBlocking {
        Engines(threads = 1).use { engines ->
            val first = engines.get(EngineChoice())
            assertSame(first, engines.get(EngineChoice()))
        }
    }

    @Test
    fun otherChoice_ReplacesTheEngine() = runBlocking {
        Engines(models = small, threads = 1).use { engines ->
            val first = engines.get(EngineChoice())
            val second = engines.get(EngineChoice(model = "default-small", languages = setOf("en")))
            Support.until("the end of the first engine") { first.engine.isClosed }
            assertFalse(second.engine.isClosed)
            assertEquals("default-small", second.engine.name)
            assertTrue("BAKERY" in text(second))
        }
    }

    @Test
    fun failure_IsReportedAndTriedAnew() = runBlocking {
        var broken = true
        val models: OcrOptions.Builder.(String) -> Unit = {
            if (broken) modelFile("bundle.json", "{}".toByteArray()) else small(it)
        }
        Engines(models = models, threads = 1).use { engines ->
            val choice = EngineChoice(model = "default-small")
            try {
                engines.get(choice)
                fail("a model without networks was loaded")
            } catch (e: MunjaException) {
                assertFalse(e.message.isNullOrBlank())
            }
            broken = false
            assertEquals("default-small", engines.get(choice).engine.name)
        }
    }

    @Test
    fun modelOfAnOlderVersion_IsReportedAsMissing() {
        Engines(threads = 1).use { engines ->
            val e = assertThrows(MunjaException::class.java) { runBlocking { engines.get(EngineChoice(model = "gone")) } }
            assertEquals(Status.NOT_FOUND, e.status)
            assertTrue("gone" in e.message!!, e.message)
        }
    }

    @Test
    fun applicationWithoutItsNativeLibrary_SaysSoEachTime() {
        val java = System.getProperty("java.home") + "/bin/java"
        val classes = System.getProperty("surefire.test.class.path") ?: System.getProperty("java.class.path")
        val process = ProcessBuilder(
            java, "-Dmunja.library.path=/nowhere", "-Dmunja.root=${Support.root}", "-cp", classes, WithoutLibrary::class.java.name,
        )
            .redirectErrorStream(true).start()
        val output = process.inputStream.readBytes().decodeToString()
        assertEquals(0, process.waitFor(), output)
        assertEquals(2, output.lines().count { "no native library for this device" in it }, output)
    }
}

/** Tries to make an engine, twice, and lives on with a camera. */
object WithoutLibrary {
    @JvmStatic
    fun main(arguments: Array<String>) = runBlocking {
        Engines().use { engines ->
            repeat(2) {
                try {
                    engines.get(EngineChoice())
                } catch (e: MunjaException) {
                    println(e.message)
                }
            }
        }
        val camera = CameraModel(Engines(), SettingsModel(MemoryStore()), this)
        camera.on(CameraEvent.Shown(permitted = true))
        camera.on(CameraEvent.Started)
        camera.onFrame(OcrImage.of(IntArray(64), 8, 8), 8, 8)
        camera.ui.first { "no native library" in it.failure.orEmpty() }
        camera.close()
    }
}
