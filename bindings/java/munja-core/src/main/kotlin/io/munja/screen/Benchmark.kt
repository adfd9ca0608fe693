package io.munja.screen

import io.munja.LiveStatistics

/** A part of reading live text. */
public enum class Stage {
    /** The change and the motion between two frames. */
    FOLLOW,

    /** A search for lines. */
    DETECT,

    /** Reading the lines of one frame that are new, changed or not final. */
    RECOGNIZE,
}

/** Milliseconds of a stage over the last readings. */
public data class Quantiles(public val median: Double, public val p90: Double)

/** What a panel of times shows. */
public data class BenchmarkReport(
    public val stages: Map<Stage, Quantiles> = emptyMap(),
    public val readings: Long = 0,
    /** Frames that were not read since nothing had changed, since they were blurred, or since the last reading still ran. */
    public val skipped: Long = 0,
    /** Readings a second. */
    public val framesPerSecond: Double = 0.0,
    /** Bytes that the process holds. */
    public val memory: Long = 0,
)

/** The last values of something. */
internal class Window(private val capacity: Int = 30) {
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
}

/** Collects what the panel shows of one stream of frames. */
public class Benchmark @JvmOverloads constructor(private val memory: () -> Long = ::heapBytes) {
    private val stages = Stage.entries.associateWith { Window() }
    private val ends = Window()
    private var last = NOTHING

    /** @param nanos when the counts were taken, by a clock that never goes back */
    @Synchronized
    public fun record(now: LiveStatistics, nanos: Long): BenchmarkReport {
        val before = last
        last = now
        fun add(stage: Stage, count: Long, millis: Double) {
            if (count > 0) stages.getValue(stage).add(millis / count)
        }
        add(Stage.FOLLOW, now.frames - before.frames, now.gateMillis - before.gateMillis)
        add(Stage.DETECT, now.searches - before.searches, now.searchMillis - before.searchMillis)
        add(Stage.RECOGNIZE, minOf(1L, now.linesRead - before.linesRead), now.recognizeMillis - before.recognizeMillis)
        if (now.read > before.read) ends.add(nanos / 1e9)
        return BenchmarkReport(
            stages.filterValues { it.size > 0 }.mapValues { (_, window) -> Quantiles(window.quantile(0.5), window.quantile(0.9)) },
            now.read,
            now.unchanged + now.unusable + now.overBudget + now.dropped,
            framesPerSecond(),
            memory(),
        )
    }

    private fun framesPerSecond(): Double {
        val seconds = (ends.last ?: return 0.0) - (ends.first ?: return 0.0)
        return if (seconds > 0) (ends.size - 1) / seconds else 0.0
    }

    public companion object {
        private val NOTHING = LiveStatistics(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.0, 0.0, 0.0, 0)

        /** Bytes that objects of the JVM take. */
        public fun heapBytes(): Long = with(Runtime.getRuntime()) { totalMemory() - freeMemory() }
    }
}
