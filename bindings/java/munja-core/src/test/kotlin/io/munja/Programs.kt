package io.munja

import java.io.File
import java.util.concurrent.Executors
import kotlin.concurrent.thread
import kotlin.system.exitProcess

// Programs that tests run in a JVM of their own.

/** Kilobytes of memory that this process has. */
internal fun residentKilobytes(): Long =
    File("/proc/self/status").readLines().first { it.startsWith("VmRSS") }.filter { it.isDigit() }.toLong()

/** Reads pages that it never closes, and fails if they stay in memory. */
internal object ForgetPages {
    @JvmStatic
    fun main(arguments: Array<String>) {
        val image = OcrImage.of(File(Support.pictures, "single_digits.png"))
        OcrEngine.create { threads(1) }.use { engine ->
            fun read(count: Int): Long {
                repeat(count) { engine.process(image) }
                return residentKilobytes()
            }
            val before = read(60)
            val after = read(200)
            check(after - before < 40_000) { "$before kB became $after kB" }
        }
        println("done")
    }
}

/**
 * Reads as many pages as it is told to, some forgotten, by two threads, and prints the memory in between. The threads live
 * on: malloc of glibc keeps memory of its own for each new one, up to eight for each processor.
 */
internal object ReadManyPages {
    @JvmStatic
    fun main(arguments: Array<String>) {
        val count = arguments[0].toInt()
        val images = listOf("single_digits.png", "upside_down_line.png").map { OcrImage.of(File(Support.pictures, it)) }
        val threads = Executors.newFixedThreadPool(images.size) { Thread(it).apply { isDaemon = true } }
        OcrEngine.create { threads(1) }.use { engine ->
            fun read(pages: Int): Long {
                fun readOne(image: OcrImage) =
                    repeat(pages / images.size) { i -> engine.process(image).let { if (i % 8 != 0) it.close() } }
                images.map { threads.submit { readOne(it) } }.forEach { it.get() }
                System.gc()
                return residentKilobytes()
            }
            // The heap and the allocators have their size after some pages.
            val before = read(count / 10)
            var now = before
            repeat(9) {
                now = read(count / 10)
                println("${(it + 2) * (count / 10)} pages: $now kB")
            }
            check(now - before < 20_000) { "$before kB became $now kB" }
        }
        println("done")
    }
}

/** Ends while threads of its own, daemons, read. */
internal object ExitWhileReading {
    @JvmStatic
    fun main(arguments: Array<String>) {
        val engine = OcrEngine.create { threads(2) }
        val image = OcrImage.of(Support.receipt)
        repeat(3) {
            thread(isDaemon = true) {
                while (true) engine.process(image)
            }
        }
        engine.process(image).close()
        when (arguments[0]) {
            "exit" -> exitProcess(7)
            "halt" -> Runtime.getRuntime().halt(8)
            "throw" -> throw IllegalStateException("the program fails")
        }
    }
}

/** Makes every kind of call once, with what goes wrong in it, for a JVM that checks all calls of native code. */
internal object CallEverything {
    @JvmStatic
    fun main(arguments: Array<String>) {
        fun fails(body: () -> Unit) = check(runCatching(body).isFailure)
        val pixels = OcrImage.of(IntArray(64 * 64) { it }, 64, 64, rotation = 90)
        OcrEngine.create { languages("ko").threads(2).allowedCharacters("😀abc 가") }.use { engine ->
            val file = OcrImage.of(Support.receipt)
            engine.process(pixels).close()
            engine.process(file, ReadOptions { region(0, 0, 100, 100).minConfidence(0.1f) }).use { page ->
                for (format in DocumentWriter.formats) page.write(format.name, "x", file)
            }
            engine.process(file, ReadOptions { boxes(listOf(listOf(Point(0f, 0f), Point(99f, 0f), Point(99f, 30f), Point(0f, 30f)))) }).close()
            var calls = 0
            Control { progress { _, _, _ -> calls++ >= 0 } }.use { control ->
                engine.process(file, ReadOptions { control(control) }).close()
                check(calls > 0)
                control.cancel()
                fails { engine.process(file, ReadOptions { control(control) }) }
                control.restart()
                control.peakMemory
            }
            Control { progress { _, _, _ -> error("no") } }.use { control ->
                fails { engine.process(file, ReadOptions { control(control) }) }
            }
            fails { engine.process(OcrImage.of(ByteArray(10))) }
            fails { engine.process(OcrImage.of(IntArray(10), 10, 10)) }
            fails { OcrEngine.create { model("half \uD83D") } }
            fails { OcrEngine.create { accelerator("warp", mapOf("a" to "b")) } }
            engine.settings + engine.name + file.pageCount + pixels.pageCount
        }
        OcrEngine.create { threads(2) }.use { engine ->
            val frame = javax.imageio.ImageIO.read(Support.receipt)
            for (options in listOf(LiveOptions.DEFAULT, LiveOptions { everyFrame().region(0, 100, 900, 400) })) {
                val events = java.util.concurrent.atomic.AtomicInteger()
                LiveReader.create(engine, options) { events.incrementAndGet() }.use { live ->
                    repeat(4) { live.feed(OcrImage.of(frame), it / 10.0) }
                    live.finish()
                    check(events.get() > 0)
                    live.boxes.size + live.statistics.frames
                    live.cancel()
                    fails { live.feed(pixels, 1.0) }
                    live.reset()
                }
                LiveReader.create(engine, options) { error("no") }.use { live ->
                    fails { repeat(9) { live.feed(OcrImage.of(frame), it / 10.0) }.also { live.finish() } }
                }
            }
        }
        Network.of(File(Support.root, "testdata/models/double.tflite")).use { network ->
            Session.create(network).use { session ->
                check(session.fork().run(Tensor.of(floatArrayOf(2f), 1))[0].floats()[0] == 4f)
                fails { session.run(emptyList()) }
                session.resetVariables()
            }
        }
        Munja.models() + Munja.version
        println("done")
    }
}

/** Opens drivers, which may replace handlers of signals. */
internal object OpenDrivers {
    @JvmStatic
    fun main(arguments: Array<String>) {
        Munja.describeSystem()
        runCatching { OcrEngine.create { accelerator("opencl") }.use { it.process(OcrImage.of(Support.sign)).close() } }
        // The JVM finds null pointers by a signal, whose handler must still be its own.
        check(NullPointers.caught(20_000) == 10_000)
        println("done")
    }
}

internal object PrintVersion {
    @JvmStatic
    fun main(arguments: Array<String>) = println(Munja.version)
}
