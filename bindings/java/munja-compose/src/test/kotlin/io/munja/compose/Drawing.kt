package io.munja.compose

import androidx.compose.runtime.Composable
import androidx.compose.ui.ImageComposeScene
import androidx.compose.ui.geometry.Offset
import androidx.compose.ui.graphics.ImageBitmap
import androidx.compose.ui.graphics.toComposeImageBitmap
import androidx.compose.ui.input.pointer.PointerEventType
import androidx.compose.ui.text.TextStyle
import androidx.compose.ui.text.font.FontFamily
import androidx.compose.ui.text.platform.Font
import androidx.compose.ui.unit.Density
import androidx.compose.ui.unit.sp
import androidx.compose.ui.use
import io.munja.ArgbImage
import io.munja.OcrEngine
import io.munja.OcrImage
import io.munja.of
import org.jetbrains.skia.EncodedImageFormat
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import java.awt.image.BufferedImage
import java.io.File
import javax.imageio.ImageIO
import kotlin.math.abs
import androidx.compose.ui.graphics.Color as ComposeColor

/** What the tests share: a scene without a display, and the real engine. */
internal object Drawing {
    val root: File = File(System.getProperty("munja.root")).canonicalFile
    val engine: OcrEngine by lazy { OcrEngine.create { threads(1) } }

    /** Debian's package fonts-dejavu-core; the system's own font differs from machine to machine. */
    val style: TextStyle by lazy {
        val font = Font(File("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"))
        TextStyle(ComposeColor.White, 13.sp, fontFamily = FontFamily(font))
    }

    fun load(name: String): BufferedImage = ImageIO.read(File(root, "testdata/pictures/$name"))

    fun read(picture: BufferedImage) = engine.process(OcrImage.of(picture))

    fun ArgbImage.toBitmap(): ImageBitmap = BufferedImage(width, height, BufferedImage.TYPE_INT_RGB)
        .also { it.setRGB(0, 0, width, height, pixels, 0, width) }.toComposeImageBitmap()

    fun scene(width: Int, height: Int, density: Float = 1f, content: @Composable () -> Unit) =
        ImageComposeScene(width, height, Density(density), content = content)

    /** What the scene shows now. */
    fun ImageComposeScene.draw(): BufferedImage {
        // The first pass draws what a change of state has made.
        render()
        return ImageIO.read(render().encodeToData(EncodedImageFormat.PNG)!!.bytes.inputStream())
    }

    fun draw(width: Int, height: Int, density: Float = 1f, content: @Composable () -> Unit): BufferedImage =
        scene(width, height, density, content).use { it.draw() }

    /** A finger that goes down at the first place, over the others, and up at the last, [millis] after the scene began. */
    fun ImageComposeScene.touch(vararg places: Pair<Float, Float>, millis: Long) {
        fun send(type: PointerEventType, at: Pair<Float, Float>) =
            sendPointerEvent(type, Offset(at.first, at.second), timeMillis = millis)
        send(PointerEventType.Press, places.first())
        places.drop(1).forEach { send(PointerEventType.Move, it) }
        send(PointerEventType.Release, places.last())
        render()
    }

    /** Compares a drawing with the picture in docs/images/compose, and leaves it in build/java/munja-compose/screens. */
    fun compare(drawn: BufferedImage, name: String) {
        val file = File(System.getProperty("munja.screens"), "$name.png")
        file.parentFile.mkdirs()
        ImageIO.write(drawn, "png", file)
        val committed = File(root, "docs/images/compose/$name.png")
        assertTrue(committed.exists(), "$committed is missing; $file is what was drawn")
        val expected = ImageIO.read(committed)
        assertEquals(expected.width to expected.height, drawn.width to drawn.height, "$file has another size than $committed")
        val different = drawn.pixels().zip(expected.pixels()).count { (a, b) ->
            (0..16 step 8).any { abs((a shr it and 255) - (b shr it and 255)) > 32 }
        }
        // Rounding at the edges of letters and boxes differs from processor to processor.
        assertTrue(different < drawn.width * drawn.height / 200, "$different pixels of $file are not those of $committed")
    }

    fun BufferedImage.pixels(): List<Int> = getRGB(0, 0, width, height, null, 0, width).asList()
}
