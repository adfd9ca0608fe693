package io.munja

import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.condition.EnabledIfSystemProperty

/** Takes minutes: `tools/test-java -pl munja-core -Dtest=SoakTest -Dmunja.soak=10000`. */
class SoakTest {
    @Test
    @EnabledIfSystemProperty(named = "munja.soak", matches = "[0-9]+")
    fun tenThousandPages_LeaveTheMemoryFlat() {
        // The heap has its size from the start, so that only the native library's memory can grow.
        val heap = listOf("-Xms64m", "-Xmx64m", "-XX:+AlwaysPreTouch")
        val ended = Support.java("ReadManyPages", listOf(System.getProperty("munja.soak")), heap, minutes = 60)
        println(ended.output)
        assertEquals(0, ended.status, ended.output)
        assertTrue(ended.output.endsWith("done\n"))
    }
}
