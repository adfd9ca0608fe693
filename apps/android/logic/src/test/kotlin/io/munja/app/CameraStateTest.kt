package io.munja.app

import io.munja.app.CameraEvent.Available
import io.munja.app.CameraEvent.Caught
import io.munja.app.CameraEvent.Failed
import io.munja.app.CameraEvent.Froze
import io.munja.app.CameraEvent.Permitted
import io.munja.app.CameraEvent.Resumed
import io.munja.app.CameraEvent.Retried
import io.munja.app.CameraEvent.Revoked
import io.munja.app.CameraEvent.Shown
import io.munja.app.CameraEvent.Started
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test

class CameraStateTest {
    private fun after(vararg events: CameraEvent): CameraState =
        events.fold(CameraState.Hidden() as CameraState) { state, event -> state.after(event) }

    @Test
    fun firstStart_AsksThenOpensThenShows() {
        assertEquals(CameraState.Asking, after(Shown(false)))
        assertEquals(CameraState.Opening, after(Shown(false), Permitted))
        assertEquals(CameraState.Previewing, after(Shown(false), Permitted, Started))
        assertEquals(CameraState.Previewing, after(Shown(true), Started))
    }

    @Test
    fun refusal_IsNotAskedAgainByItself() {
        val refused = after(Shown(false), CameraEvent.Hidden, CameraEvent.Refused(forGood = false))
        assertEquals(CameraState.Refused(false), refused)
        assertEquals(CameraState.Refused(false), refused.after(CameraEvent.Hidden).after(Shown(false)))
        assertEquals(CameraState.Asking, refused.after(Retried(permitted = false)))
        assertEquals(CameraState.Opening, refused.after(CameraEvent.Hidden).after(Shown(true)))
    }

    @Test
    fun permissionRevokedInTheMiddle_ShowsTheRefusal() {
        assertEquals(CameraState.Refused(false), after(Shown(true), Started, Revoked))
        assertEquals(CameraState.Asking, after(Shown(true), Started, CameraEvent.Hidden, Shown(false)))
    }

    @Test
    fun cameraTakenByAnotherApplication_ComesBackByItself() {
        val taken = after(Shown(true), Started, Failed(CameraLoss.TAKEN))
        assertEquals(CameraState.Lost(CameraLoss.TAKEN), taken)
        assertEquals(CameraState.Previewing, taken.after(Available).after(Started))
    }

    @Test
    fun brokenCamera_IsTriedAgainOnlyWhenAsked() {
        val broken = after(Shown(true), Failed(CameraLoss.BROKEN))
        assertEquals(broken, broken.after(Available))
        assertEquals(CameraState.Opening, broken.after(Retried(permitted = true)))
        assertEquals(CameraState.Opening, broken.after(CameraEvent.Hidden).after(Shown(true)))
    }

    @Test
    fun frozenPicture_SurvivesOtherScreens() {
        val freezing = after(Shown(true), Started, Froze)
        assertTrue(freezing.takesFrames)
        assertEquals(CameraState.Lost(CameraLoss.TAKEN), freezing.after(Failed(CameraLoss.TAKEN)))
        assertEquals(CameraState.Opening, freezing.after(CameraEvent.Hidden).after(Shown(true)))
        val frozen = freezing.after(Caught)
        assertEquals(CameraState.Frozen, frozen)
        assertFalse(frozen.wantsCamera)
        assertEquals(CameraState.Frozen, frozen.after(CameraEvent.Hidden).after(Shown(true)))
        assertEquals(CameraState.Opening, frozen.after(Resumed))
    }

    @Test
    fun lateEvents_ChangeNothing() {
        val hidden = after(Shown(true), Started, CameraEvent.Hidden)
        for (event in listOf(Started, Failed(CameraLoss.TAKEN), Available, Froze, Caught, Resumed, Revoked, Permitted)) {
            assertEquals(hidden, hidden.after(event), "$event")
        }
        val frozen = after(Shown(true), Started, Froze, Caught)
        for (event in listOf(Started, Failed(CameraLoss.BROKEN), Available, Revoked, Permitted)) {
            assertEquals(frozen, frozen.after(event), "$event")
        }
    }
}
