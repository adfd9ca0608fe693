package io.munja

import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Test

class JniTest {
    @Test
    fun everyCall_IsCleanUnderTheChecksOfTheJvm() {
        val ended = Support.java("CallEverything", options = listOf("-Xcheck:jni"))
        assertEquals("done\n" to 0, ended.output to ended.status)
    }

    @Test
    fun driverThatReplacesHandlersOfSignals_LeavesTheJvmItsOwn() {
        val ended = Support.java("OpenDrivers")
        assertEquals("done\n" to 0, ended.output to ended.status)
    }
}
