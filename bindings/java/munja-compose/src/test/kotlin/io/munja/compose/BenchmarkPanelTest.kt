package io.munja.compose

import androidx.compose.runtime.getValue
import androidx.compose.runtime.mutableStateOf
import androidx.compose.runtime.setValue
import androidx.compose.ui.use
import io.munja.LiveStatistics
import io.munja.compose.Drawing.draw
import io.munja.compose.Drawing.touch
import io.munja.screen.Benchmark
import io.munja.screen.BenchmarkReport
import io.munja.screen.Stage
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test

/** The panel is read by the engine, as a person reads it. */
class BenchmarkPanelTest {
    @Test
    fun panel_ShowsMedianAnd90thPercentile() {
        val drawn = Drawing.draw(1000, 500, density = 3f) { BenchmarkPanel(report, "CPU", true, {}, style = Drawing.style) }
        val lines = Drawing.read(drawn).lines.map { it.text.replace(" ", "") }
        val times = listOf("following4ms(90%:4)", "finding15ms(90%:27)", "reading30ms(90%:54)")
        for (expected in times + listOf("CPU", "20.0framesasecond,30skipped", "42MBofmemory")) {
            assertTrue(expected in lines, "$expected is not in $lines")
        }
    }

    @Test
    fun touch_OpensAndCloses() {
        var isOpen by mutableStateOf(false)
        Drawing.scene(1000, 500, density = 3f) {
            BenchmarkPanel(report, "OpenCL", isOpen, { isOpen = !isOpen }, style = Drawing.style)
        }.use { scene ->
            fun text() = Drawing.read(scene.draw()).text
            assertEquals("OpenCL", text())
            scene.touch(40f to 40f, millis = 1000)
            assertTrue("finding" in text(), text())
            scene.touch(40f to 40f, millis = 2000)
            assertEquals("OpenCL", text())
        }
    }

    @Test
    fun words_CanBeThoseOfAnotherLanguage() {
        val korean = object : BenchmarkWords() {
            override fun stage(stage: Stage) = if (stage == Stage.DETECT) "찾기" else super.stage(stage)
            override fun memory(megabytes: String) = "메모리 $megabytes MB"
        }
        assertEquals(
            listOf(
                "following  4 ms  (90 %: 4)",
                "찾기  15 ms  (90 %: 27)",
                "reading  30 ms  (90 %: 54)",
                "20.0 frames a second, 30 skipped",
                "메모리 42 MB",
            ),
            korean.describe(report),
        )
    }

    companion object {
        /** Thirty readings of 1 to 30 ms of search, twice as much of recognition, and two frames for each. */
        val report: BenchmarkReport by lazy {
            val benchmark = Benchmark({ 42L shl 20 })
            var last = BenchmarkReport()
            for (i in 0..30) {
                val sum = i * (i + 1) / 2.0
                val n = i.toLong()
                val counts = LiveStatistics(2 * n, n, n, 0, 0, 0, n, 3 * n, 0, 0, 8.0 * n, sum, 2 * sum, 0)
                last = benchmark.record(counts, i * 50_000_000L)
            }
            last
        }
    }
}
