package io.munja.screen

import io.munja.LiveStatistics
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Test

class BenchmarkTest {
    private fun statistics(
        frames: Int = 0, read: Int = 0, searches: Int = 0, lines: Int = 0,
        gate: Double = 0.0, search: Double = 0.0, recognize: Double = 0.0,
    ) = LiveStatistics(
        frames.toLong(), read.toLong(), frames.toLong() - read, 0, 0, 0, searches.toLong(), lines.toLong(), 0, 0,
        gate, search, recognize, 0,
    )

    @Test
    fun quantiles_AreThoseOfTheLastThirty() {
        val benchmark = Benchmark { 42 }
        var report = benchmark.record(statistics(5, 5, 5, 5, 5e6, 5e6, 5e6), 0)
        var search = 5e6
        var recognize = 5e6
        for (i in 1..30) {
            search += i
            recognize += 2 * i
            // Two frames for each reading, and three lines in it.
            report = benchmark.record(statistics(5 + 2 * i, 5 + i, 5 + i, 5 + 3 * i, 5e6 + 8 * i, search, recognize), i * 50_000_000L)
        }
        assertEquals(Quantiles(4.0, 4.0), report.stages[Stage.FOLLOW])
        assertEquals(Quantiles(15.0, 27.0), report.stages[Stage.DETECT])
        assertEquals(Quantiles(30.0, 54.0), report.stages[Stage.RECOGNIZE])
        assertEquals(20.0, report.framesPerSecond, 1e-6)
        assertEquals(35, report.readings)
        assertEquals(30, report.skipped)
        assertEquals(42L, report.memory)
    }

    @Test
    fun nothingRead_HasNoTimes() {
        val report = Benchmark { 0 }.record(statistics(), 0)
        assertEquals(emptyMap<Stage, Quantiles>(), report.stages)
        assertEquals(0.0, report.framesPerSecond)
        assertEquals(0, report.readings)
    }
}
