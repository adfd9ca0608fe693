package io.munja

import io.munja.Support.engine
import io.munja.Support.failure
import io.munja.Support.throws
import org.junit.jupiter.api.Assertions.assertArrayEquals
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import java.io.ByteArrayOutputStream
import java.io.File
import java.io.IOException
import java.io.OutputStream
import java.nio.file.Files

class WriterTest {
    private val image = OcrImage.of(Support.receipt)

    @Test
    fun formats_AreThoseOfTheLibrary() {
        val names = DocumentWriter.formats.map { it.name }
        assertTrue(names.containsAll(listOf("text", "json", "hocr", "markdown", "pdf", "alto", "tsv")), "$names")
        assertEquals("application/pdf", DocumentWriter.formats.first { it.name == "pdf" }.mediaType)
    }

    @Test
    fun files_AreThoseOfTheCommand() {
        val directory = Files.createTempDirectory("munja-test").toFile()
        try {
            val page = engine.process(image)
            for (format in listOf("text", "hocr", "markdown", "tsv", "pdf")) {
                val file = File(directory, "expected")
                Support.command("read", "--format", format, "-o", file.path, Support.receipt.path)
                assertArrayEquals(file.readBytes(), page.write(format, Support.receipt.path, image), format)
            }
        } finally {
            directory.deleteRecursively()
        }
    }

    @Test
    fun shortcuts_WriteTheirFormats() {
        engine.process(image).use { page ->
            assertTrue("ocr_page" in page.toHocr("a.jpg"))
            assertTrue("BAKERY" in page.toMarkdown())
            assertTrue(page.toPdf(image).decodeToString(0, 5) == "%PDF-")
        }
    }

    @Test
    fun manyPages_ReachTheStreamOneByOne() {
        val sizes = ArrayList<Int>()
        val output = ByteArrayOutputStream()
        engine.process(image).use { page ->
            DocumentWriter("pdf", output).use { writer ->
                repeat(3) {
                    writer.add(page, image = image)
                    sizes += output.size()
                }
                writer.finish()
                failure(Status.INVALID_ARGUMENT) { writer.add(page) }
            }
        }
        assertTrue(sizes[0] > 0 && sizes[1] > sizes[0] && sizes[2] > sizes[1])
        assertTrue(output.toString(Charsets.ISO_8859_1).trimEnd().endsWith("%%EOF"))
    }

    @Test
    fun streamThatFails_EndsTheCallWithItsException() {
        val exception = IOException("the disk is full")
        val broken = object : OutputStream() {
            override fun write(b: Int) = throw exception
        }
        engine.process(image).use { page ->
            DocumentWriter("text", broken).use { writer ->
                assertEquals(exception, throws<IOException> { writer.add(page) })
            }
        }
    }

    @Test
    fun unknownFormat_IsNotFound() {
        val message = failure(Status.NOT_FOUND) { DocumentWriter("docx", ByteArrayOutputStream()) }.message!!
        assertTrue("pdf" in message, message)
    }
}
