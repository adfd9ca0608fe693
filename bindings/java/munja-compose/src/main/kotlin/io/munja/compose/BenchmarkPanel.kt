package io.munja.compose

import androidx.compose.foundation.background
import androidx.compose.foundation.clickable
import androidx.compose.foundation.layout.Column
import androidx.compose.foundation.layout.padding
import androidx.compose.foundation.shape.RoundedCornerShape
import androidx.compose.foundation.text.BasicText
import androidx.compose.runtime.Composable
import androidx.compose.ui.Modifier
import androidx.compose.ui.draw.clip
import androidx.compose.ui.graphics.Color
import androidx.compose.ui.text.TextStyle
import androidx.compose.ui.unit.dp
import androidx.compose.ui.unit.sp
import io.munja.screen.BenchmarkReport
import io.munja.screen.Stage
import kotlin.math.roundToLong

/** The words of a [BenchmarkPanel] in English; a class of yours has those of another language. Numbers are ready to show. */
public open class BenchmarkWords {
    public open fun stage(stage: Stage): String = when (stage) {
        Stage.FOLLOW -> "following"
        Stage.DETECT -> "finding"
        Stage.RECOGNIZE -> "reading"
    }

    /** Milliseconds. */
    public open fun times(stage: String, median: String, p90: String): String = "$stage  $median ms  (90 %: $p90)"

    public open fun rate(framesPerSecond: String, skipped: String): String =
        "$framesPerSecond frames a second, $skipped skipped"

    public open fun memory(megabytes: String): String = "$megabytes MB of memory"

    /** All lines of the panel. */
    public fun describe(report: BenchmarkReport): List<String> = report.stages.map { (stage, times) ->
        times(stage(stage), times.median.roundToLong().toString(), times.p90.roundToLong().toString())
    } + rate(tenths(report.framesPerSecond), report.skipped.toString()) + memory((report.memory shr 20).toString())

    private fun tenths(value: Double) = (value * 10).roundToLong().let { "${it / 10}.${it % 10}" }
}

/**
 * What reads, in its color, and below it, if [expanded], the times of its stages: median and 90th percentile.
 *
 * @param name of what reads: "CPU", "OpenCL" ...
 */
@Composable
public fun BenchmarkPanel(
    report: BenchmarkReport,
    name: String,
    expanded: Boolean,
    onToggle: () -> Unit,
    modifier: Modifier = Modifier,
    color: Color = TextColors.box,
    style: TextStyle = TextStyle(Color.White, 13.sp),
    words: BenchmarkWords = BenchmarkWords(),
) {
    Column(modifier.clip(RoundedCornerShape(8.dp)).background(Color(0xCC202124)).clickable(onClick = onToggle)) {
        BasicText(name, Modifier.background(color).padding(10.dp, 4.dp), style)
        if (expanded) BasicText(words.describe(report).joinToString("\n"), Modifier.padding(10.dp, 6.dp), style)
    }
}
