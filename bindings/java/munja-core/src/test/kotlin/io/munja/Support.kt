package io.munja

import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Assumptions.assumeTrue
import java.io.File
import java.util.concurrent.TimeUnit

/** What the tests share. */
object Support {
    val root = File(System.getProperty("munja.root")).canonicalFile
    val pictures = File(root, "testdata/pictures")
    val receipt = File(pictures, "receipt.jpg")
    val sign = File(pictures, "sign_ko.jpg")

    /** Images that are not part of the repository. */
    val shared = File(root, "../shared/images/images")

    /** One engine for the tests that need nothing special. */
    val engine: OcrEngine by lazy { OcrEngine.create { threads(1) } }

    /** The output of the command, an oracle of its own. */
    fun command(vararg words: String): String {
        val command = File(System.getenv("MUNJA") ?: "$root/build/release/munja")
        assumeTrue(command.exists(), "$command is not built")
        val process = ProcessBuilder(command.path, *words).redirectError(ProcessBuilder.Redirect.DISCARD).start()
        val output = process.inputStream.readBytes().decodeToString()
        check(process.waitFor() == 0) { "$command ${words.joinToString(" ")} failed" }
        return output
    }

    class Ended(val status: Int, val output: String)

    /** Runs a program of the test classes in a JVM of its own. */
    fun java(
        program: String,
        arguments: List<String> = emptyList(),
        options: List<String> = emptyList(),
        minutes: Long = 5,
    ): Ended {
        val java = System.getProperty("java.home") + "/bin/java"
        val classes = System.getProperty("surefire.test.class.path") ?: System.getProperty("java.class.path")
        val process = ProcessBuilder(
            listOf(java, "-Xmx256m", "-Dmunja.root=$root") + options + listOf("-cp", classes, "io.munja.$program") + arguments,
        ).redirectErrorStream(true).start()
        val output = process.inputStream.readBytes().decodeToString()
        check(process.waitFor(minutes, TimeUnit.MINUTES)) { "$program does not end" }
        return Ended(process.exitValue(), output)
    }

    inline fun <reified T : Throwable> throws(noinline body: () -> Unit): T = assertThrows(T::class.java, body)

    fun failure(status: Status, body: () -> Unit): MunjaException {
        val exception = throws<MunjaException>(body)
        check(exception.status == status) { "$status was expected, but it is ${exception.status}: ${exception.message}" }
        return exception
    }
}
