package io.munja.app

import io.munja.OcrImage
import io.munja.of
import java.awt.image.BufferedImage
import java.io.File
import javax.imageio.ImageIO

/** Settings that are kept as long as this lives. */
class MemoryStore : SettingsStore {
    private var values = emptyMap<String, String>()

    override fun load() = values

    override fun save(values: Map<String, String>) {
        this.values = values
    }
}

/** What the tests share. */
object Support {
    val root: File = File(System.getProperty("munja.root")).canonicalFile
    val pictures = File(root, "testdata/pictures")
    val receipt = File(pictures, "receipt.jpg")

    /** A picture as a camera's frame. */
    class Frame(picture: BufferedImage) {
        val width = picture.width
        val height = picture.height
        val image = OcrImage.of(picture)
    }

    fun load(name: String): BufferedImage = ImageIO.read(File(pictures, name))

    fun until(what: String, seconds: Int = 60, condition: () -> Boolean) {
        val end = System.nanoTime() + seconds * 1_000_000_000L
        while (!condition()) {
            check(System.nanoTime() < end) { "$what did not happen in $seconds s" }
            Thread.sleep(5)
        }
    }
}
