package io.munja

import io.munja.Support.engine
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Assumptions.assumeTrue
import org.junit.jupiter.api.Test
import java.io.File

/**
 * Defects that are known from applications of this kind. Stale copies of assets: [LibraryTest], and [ReadTest] for models
 * in memory, which are never copied to files. Modified UTF-8: [TextTest].
 */
class SeedTest {
    private fun json(engine: OcrEngine, file: File) =
        engine.process(OcrImage.of(file)).use { it.toJson().substringBefore(",\"timing_ms\"") }

    @Test
    fun secondPicture_IsReadAsTheFirstOfANewEngine() {
        val files = listOf("receipt.jpg", "upside_down_line.png", "sign_ko.jpg", "receipt.jpg", "tight_table.png", "sign_ko.jpg")
        OcrEngine.create { threads(1) }.use { used ->
            for (name in files) {
                val file = File(Support.pictures, name)
                OcrEngine.create { threads(1) }.use { fresh -> assertEquals(json(fresh, file), json(used, file), name) }
            }
        }
    }

    @Test
    fun acceleratorThatCannotRunTheModel_HandsItBackToTheProcessor() {
        val gpu = try {
            OcrEngine.create { accelerator("opencl").precision(Precision.FLOAT32).threads(1) }
        } catch (e: MunjaException) {
            assumeTrue(false, "there is no OpenCL here: ${e.message}")
            return
        }
        gpu.use {
            OcrEngine.create { precision(Precision.FLOAT32).threads(1) }.use { cpu ->
                val image = OcrImage.of(Support.sign)
                assertEquals(cpu.process(image).text, it.process(image).text)
            }
        }
    }

    @Test
    fun integerNetworks_ReadAsWellAsFloatOnes() {
        OcrEngine.create { precision(Precision.FLOAT32).threads(1) }.use { float ->
            for (name in listOf("receipt.jpg", "sign_ko.jpg", "tight_table.png")) {
                val image = OcrImage.of(File(Support.pictures, name))
                val expected = float.process(image).lines.map { it.text }
                val read = engine.process(image).lines.map { it.text }
                assertTrue(read.count { it in expected } >= expected.size * 9 / 10, "$name: $read instead of $expected")
            }
        }
    }
}
