package io.munja.app

import io.munja.Timing
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Test

class BenchmarkTest {
    @Test
    fun quantiles_AreThoseOfTheLastThirty() {
        val benchmark = Benchmark { 42 }
        for (i in 1..5) benchmark.record(Timing(0.0, 1e6, 1e6, 2e6), 0)
        var report = BenchmarkReport()
        for (i in 1..30) report = benchmark.record(Timing(0.0, i.toDouble(), 2.0 * i, 3.0 * i), i * 50_000_000L)
        assertEquals(Quantiles(15.0, 27.0), report.stages[Stage.DETECT])
        assertEquals(Quantiles(45.0, 81.0), report.stages[Stage.TOTAL])
        assertEquals(20.0, report.framesPerSecond, 1e-6)
        assertEquals(35, report.readings)
        assertEquals(42L, report.memory)
    }

    @Test
    fun nothingRead_HasNoTimes() {
        val report = Benchmark { 0 }.skip()
        assertEquals(emptyMap<Stage, Quantiles>(), report.stages)
        assertEquals(0.0, report.framesPerSecond)
        assertEquals(1, report.skipped)
    }
}
