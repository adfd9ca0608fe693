package io.munja

import io.munja.Support.engine
import io.munja.Support.failure
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import java.util.Random

/** Text crosses as UTF-16, never as the modified UTF-8 of JNI. */
class TextTest {
    @Test
    fun anyText_CrossesUnchanged() {
        for (text in listOf("", "a", "é", "가", "한글 漢字", "😀", "a😀b\uDBFF\uDFFF", "\u0001\u007F\u0080\u07FF\u0800\uFFFF", "x".repeat(100_000))) {
            assertEquals(text, Native.echo(text))
        }
        val random = Random(7)
        repeat(200) {
            val text = StringBuilder()
            repeat(random.nextInt(50)) {
                var code: Int
                do code = 1 + random.nextInt(0x10FFFF) while (code in 0xD800..0xDFFF)
                text.appendCodePoint(code)
            }
            assertEquals(text.toString(), Native.echo(text.toString()))
        }
    }

    @Test
    fun halfASurrogatePair_IsRefused_NotReplaced() {
        for (text in listOf("ab\uD83D", "\uDE00", "\uD83Dx", "\uD83D\uD83D\uDE00", "\uDE00\uD83D")) {
            val message = failure(Status.INVALID_ARGUMENT) { Native.echo(text) }.message!!
            assertTrue("surrogate" in message, message)
        }
        failure(Status.INVALID_ARGUMENT) { OcrEngine.create { allowedCharacters("abc\uD83D") } }
    }

    @Test
    fun characterZero_IsRefused_SinceItWouldEndTheText() {
        failure(Status.INVALID_ARGUMENT) { OcrEngine.create { model("default\u0000x") } }
    }

    @Test
    fun sourceBeyondTheBasicPlane_IsInTheJson() {
        engine.process(OcrImage.of(Support.sign)).use { page ->
            assertTrue("\"source\":\"사진 😀.jpg\"" in page.toJson("사진 😀.jpg"), page.toJson("사진 😀.jpg"))
        }
    }

    @Test
    fun errorMessage_KeepsTheTextOfItsCause() {
        val message = failure(Status.NOT_FOUND) { OcrEngine.create { model("모델 😀") } }.message!!
        assertTrue("모델 😀" in message, message)
    }
}
