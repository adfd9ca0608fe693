package io.munja.app

import io.munja.Timing

enum class Stage { DETECT, RECOGNIZE, TOTAL }

/** Milliseconds of a stage over the last readings. */
data class Quantiles(val median: Double, val p90: Double)

data class BenchmarkReport(
    val stages: Map<Stage, Quantiles> = emptyMap(),
    val readings: Int = 0,
    /** Frames that were not read since nothing had moved, or since the last reading still ran. */
    val skipped: Int = 0,
    val framesPerSecond: Double = 0.0,
    /** Bytes that the process holds. */
    val memory: Long = 0,
)

/** The last values of something. */
class Window(private val capacity: Int = 30) {
    private val values = ArrayDeque<Double>()

    fun add(value: Double) {
        values.addLast(value)
        if (values.size > capacity) values.removeFirst()
    }

    /** The smallest value that at least the share [q] of the values do not exceed; 0 without values. */
    fun quantile(q: Double): Double {
        if (values.isEmpty()) return 0.0
        val sorted = values.sorted()
        return sorted[(kotlin.math.ceil(q * sorted.size).toInt() - 1).coerceIn(sorted.indices)]
    }

    val first: Double? get() = values.firstOrNull()
    val last: Double? get() = values.lastOrNull()
    val size: Int get() = values.size

    fun clear() = values.clear()
}

/** Collects what the panel shows. One thread at a time. */
class Benchmark(private val memory: () -> Long = ::heapBytes) {
    private val stages = Stage.entries.associateWith { Window() }
    private val ends = Window()
    private var readings = 0
    private var skipped = 0

    /** @param endNanos when the reading ended, by a clock that never goes back */
    fun record(timing: Timing, endNanos: Long): BenchmarkReport {
        stages.getValue(Stage.DETECT).add(timing.detect)
        stages.getValue(Stage.RECOGNIZE).add(timing.recognize)
        stages.getValue(Stage.TOTAL).add(timing.total)
        ends.add(endNanos / 1e9)
        readings++
        return report()
    }

    fun skip(): BenchmarkReport {
        skipped++
        return report()
    }

    fun report() = BenchmarkReport(
        stages.filterValues { it.size > 0 }.mapValues { (_, window) -> Quantiles(window.quantile(0.5), window.quantile(0.9)) },
        readings,
        skipped,
        framesPerSecond(),
        memory(),
    )

    private fun framesPerSecond(): Double {
        val seconds = (ends.last ?: return 0.0) - (ends.first ?: return 0.0)
        return if (seconds > 0) (ends.size - 1) / seconds else 0.0
    }

    fun clear() {
        stages.values.forEach { it.clear() }
        ends.clear()
        readings = 0
        skipped = 0
    }

    companion object {
        fun heapBytes(): Long = with(Runtime.getRuntime()) { totalMemory() - freeMemory() }
    }
}
