package io.munja

import io.munja.Support.command
import io.munja.Support.engine
import io.munja.Support.failure
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertNull
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Assumptions.assumeTrue
import org.junit.jupiter.api.Test
import java.io.File

class ReadTest {
    /** Compares the JSON of both, apart from the milliseconds. */
    private fun compare(file: File) {
        val times = Regex(",\"timing_ms\":\\{[^}]*\\}")
        val json = engine.process(OcrImage.of(file)).use { it.toJson(file.path) }
        assertTrue(times in json)
        assertEquals(command("read", "-f", "json", file.path).trimEnd().replace(times, ""), json.replace(times, ""))
    }

    @Test
    fun json_OfThePicturesHere_IsThatOfTheCommand() {
        for (file in Support.pictures.listFiles()!!.sorted()) compare(file)
    }

    @Test
    fun json_OfTwentyOtherPictures_IsThatOfTheCommand() {
        assumeTrue(Support.shared.isDirectory, "the images in ${Support.shared} are not there")
        val sets = Support.shared.listFiles()!!.filter { it.isDirectory }.sorted()
        val pictures = sets.flatMap { set ->
            set.walkTopDown().filter { it.extension in listOf("jpg", "png") && it.length() < 600_000 }.sorted().take(2)
        }.take(20)
        assertEquals(20, pictures.size)
        for (file in pictures) compare(file)
    }

    @Test
    fun text_IsThatOfTheWriter() {
        for (name in listOf("receipt.jpg", "sign_ko.jpg", "tight_table.png")) {
            engine.process(OcrImage.of(File(Support.pictures, name))).use { page ->
                assertEquals(page.write("text").decodeToString().trimEnd('\n'), page.text)
            }
        }
    }

    @Test
    fun parts_AddUpToTheirLine() {
        val page = engine.process(OcrImage.of(Support.receipt))
        assertTrue(page.lines.size > 10)
        assertEquals(page.lines.size, page.blocks.sumOf { it.lines.size })
        for (line in page.lines) {
            assertEquals(line.text, line.symbols.joinToString("") { it.text })
            assertEquals(line.text.split(" ").filter { it.isNotEmpty() }, line.elements.map { it.text })
            for (element in line.elements) {
                assertEquals(element.text, element.symbols.joinToString("") { it.text })
                assertTrue(element.confidence in 0f..1f)
            }
            assertEquals(4, line.cornerPoints.size)
            assertTrue(line.boundingBox.left >= -2 && line.boundingBox.right <= page.width + 2)
            assertTrue(Math.abs(line.angle) < 10, "${line.text} is upright, but has an angle of ${line.angle}")
            assertNull(line.unknownScript)
            assertEquals(Direction.LEFT_TO_RIGHT, line.direction)
        }
        assertTrue(page.timing.total > 0 && page.timing.recognize > 0)
    }

    @Test
    fun angle_OfANoteOnItsSide_IsAQuarterTurn() {
        val page = engine.process(OcrImage.of(File(Support.pictures, "note_on_its_side.png")))
        val long = page.lines.filter { it.text.length > 8 }
        assertTrue(long.isNotEmpty())
        for (line in long) assertEquals(90f, Math.abs(line.angle), 5f, line.text)
    }

    @Test
    fun unknownScript_OfACyrillicReceipt_IsNamedOrRead() {
        val page = engine.process(OcrImage.of(File(Support.pictures, "receipt_ru.png")))
        val expected = Regex("\"unknown_writing\":\"([a-z]+)\"").findAll(page.write("json2").decodeToString()).map { it.groupValues[1] }.toList()
        assertEquals(expected, page.lines.mapNotNull { it.unknownScript })
    }

    @Test
    fun region_ReadsOnlyThatPart_InPixelsOfTheWhole() {
        val whole = engine.process(OcrImage.of(Support.receipt))
        val box = whole.lines[3].boundingBox
        val part = engine.process(
            OcrImage.of(Support.receipt),
            ReadOptions { region(0, box.top.toInt() - 8, whole.width, box.height.toInt() + 16) },
        )
        assertEquals(whole.height, part.height)
        assertTrue(part.lines.isNotEmpty() && part.lines.size < whole.lines.size / 2)
        for (line in part.lines) assertTrue(line.boundingBox.bottom > box.top && line.boundingBox.top < box.bottom)
    }

    @Test
    fun boxes_AreReadInTheirOrder() {
        val whole = engine.process(OcrImage.of(Support.receipt))
        val chosen = listOf(whole.lines[5], whole.lines[1])
        val read = engine.process(OcrImage.of(Support.receipt), ReadOptions { boxes(chosen.map { it.cornerPoints }) })
        assertEquals(chosen.map { it.text }, read.lines.map { it.text })
    }

    @Test
    fun detectOnly_FindsLinesWithoutText() {
        val page = engine.process(OcrImage.of(Support.receipt), ReadOptions { detectOnly() })
        assertTrue(page.lines.size > 10)
        assertTrue(page.lines.all { it.text.isEmpty() && it.elements.isEmpty() })
    }

    @Test
    fun singleLine_ReadsTheWholeImageAsOne() {
        val file = File(Support.pictures, "upside_down_line.png")
        val page = engine.process(OcrImage.of(file), ReadOptions { singleLine() })
        assertEquals(command("read", "--line", file.path).trim(), page.text)
    }

    @Test
    fun minConfidence_OmitsLinesBelow() {
        val all = engine.process(OcrImage.of(Support.receipt))
        val limit = all.lines.map { it.confidence }.sorted()[all.lines.size / 2]
        val some = engine.process(OcrImage.of(Support.receipt), ReadOptions { minConfidence(limit) })
        assertTrue(some.lines.size < all.lines.size && some.lines.all { it.confidence >= limit })
    }

    @Test
    fun emptyImage_HasNoBlocks() {
        val page = engine.process(OcrImage.of(IntArray(64 * 48) { -1 }, 64, 48))
        assertEquals("", page.text)
        assertEquals(emptyList<Block>(), page.blocks)
        assertEquals(64, page.width)
    }

    @Test
    fun options_ReachTheEngine() {
        val image = OcrImage.of(File(Support.pictures, "single_digits.png"))
        OcrEngine.create { allowedCharacters("0123456789").threads(2) }.use { digits ->
            assertEquals("default", digits.name)
            assertTrue(digits.process(image).text.all { it.isDigit() || it.isWhitespace() })
        }
        OcrEngine.create { settings("""{"detector": {"limit_side": 960}}""") }.use {
            assertTrue(it.settings.replace(" ", "").contains("\"limit_side\":960"), it.settings)
        }
        OcrEngine.create { languages("ko", "en") }.use { assertTrue(it.process(OcrImage.of(Support.sign)).text.isNotEmpty()) }
    }

    @Test
    fun wrongOptions_SayWhatIsWrong() {
        assertTrue("nowhere" in failure(Status.NOT_FOUND) { OcrEngine.create { model("nowhere") } }.message!!)
        assertTrue("xx" in failure(Status.INVALID_ARGUMENT) { OcrEngine.create { languages("xx") } }.message!!)
        assertTrue("warp" in failure(Status.NOT_FOUND) { OcrEngine.create { accelerator("warp") } }.message!!)
        failure(Status.INVALID_ARGUMENT) { OcrEngine.create { threads(-1) } }
        failure(Status.NOT_FOUND) { OcrEngine.create { words("/nowhere/words.txt") } }
    }

    @Test
    fun modelInMemory_IsReadWith() {
        val model = File(Support.root, "models/default")
        assumeTrue(File(model, "bundle.json").exists())
        val buffered = java.nio.ByteBuffer.allocateDirect(File(model, "bundle.json").length().toInt())
        buffered.put(File(model, "bundle.json").readBytes())
        OcrEngine.create {
            modelFile("bundle.json", buffered)
            for (file in model.listFiles()!!.filter { it.isFile && it.name != "bundle.json" }) {
                modelFile(file.name, file.readBytes())
            }
        }.use { inMemory ->
            assertEquals(
                engine.process(OcrImage.of(Support.sign)).text,
                inMemory.process(OcrImage.of(Support.sign)).text,
            )
        }
    }

    @Test
    fun library_DescribesItself() {
        assertEquals(command("--version").trim().substringAfterLast(' '), Munja.version)
        assertTrue("\"default\"" in Munja.models())
        assertTrue("\"simd\"" in Munja.describeSystem())
    }
}
