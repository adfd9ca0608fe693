package io.munja.android

import io.munja.Surface
import org.junit.Assert.assertEquals
import org.junit.Test

/** The public surface is that of api/munja-android.api. A change of it is made there, too: `-Dmunja.api.write=true`. */
class ApiTest {
    @Test
    fun publicSurface_IsThatOfTheCommittedFile() {
        val (expected, actual) = Surface.compare(AndroidImages::class.java, "munja-android")
        assertEquals("write it anew with -Dmunja.api.write=true if the change is meant", expected, actual)
    }
}
