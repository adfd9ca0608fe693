package io.munja.app

/** Why there is no picture from the camera. */
enum class CameraLoss {
    /** The device has none. */
    NONE,

    /** Another application uses it. */
    TAKEN,

    /** The device's policy or its switch turned it off. */
    DISABLED,

    /** The device or its driver failed. */
    BROKEN,
}

/** Where the camera screen is. The camera is open in [Opening], [Previewing] and [Freezing] only. */
sealed interface CameraState {
    /** Another screen is in front. */
    data class Hidden(val frozen: Boolean = false) : CameraState

    /** The user is being asked. */
    data object Asking : CameraState

    /** The user refused. [forGood]: the system does not ask again, only its settings help. */
    data class Refused(val forGood: Boolean) : CameraState

    data object Opening : CameraState

    data object Previewing : CameraState

    /** The next frame is the picture that will stand still. */
    data object Freezing : CameraState

    /** The picture stands still, and so do the boxes; the camera is closed. */
    data object Frozen : CameraState

    data class Lost(val loss: CameraLoss) : CameraState

    val takesFrames: Boolean get() = this is Previewing || this is Freezing

    val wantsCamera: Boolean get() = this is Opening || takesFrames
}

sealed interface CameraEvent {
    /** The screen is in front; whether the permission is there may have changed meanwhile. */
    data class Shown(val permitted: Boolean) : CameraEvent

    data object Hidden : CameraEvent

    data object Permitted : CameraEvent

    data class Refused(val forGood: Boolean) : CameraEvent

    /** The user wants to try again, after a refusal or a loss. */
    data class Retried(val permitted: Boolean) : CameraEvent

    data object Started : CameraEvent

    data class Failed(val loss: CameraLoss) : CameraEvent

    /** The system refused for lack of a permission that was there before. */
    data object Revoked : CameraEvent

    /** Another application gave the camera back. */
    data object Available : CameraEvent

    data object Froze : CameraEvent

    /** The picture that stands still is there. */
    data object Caught : CameraEvent

    data object Resumed : CameraEvent
}

/** The state after [event]. Events that come late, after the screen went away, change nothing. */
fun CameraState.after(event: CameraEvent): CameraState = when (event) {
    is CameraEvent.Shown -> when {
        !event.permitted -> if (this is CameraState.Refused) this else CameraState.Asking
        this is CameraState.Hidden && frozen -> CameraState.Frozen
        this is CameraState.Hidden || this is CameraState.Asking || this is CameraState.Refused -> CameraState.Opening
        else -> this
    }
    CameraEvent.Hidden -> when (this) {
        // The dialog that asks hides the screen, too; and who refused is not asked again at each return.
        is CameraState.Asking, is CameraState.Refused -> this
        is CameraState.Hidden -> this
        else -> CameraState.Hidden(frozen = this is CameraState.Frozen)
    }
    CameraEvent.Permitted -> if (this is CameraState.Asking || this is CameraState.Refused) CameraState.Opening else this
    is CameraEvent.Refused -> if (this is CameraState.Hidden) this else CameraState.Refused(event.forGood)
    is CameraEvent.Retried -> when (this) {
        is CameraState.Refused, is CameraState.Lost -> if (event.permitted) CameraState.Opening else CameraState.Asking
        else -> this
    }
    CameraEvent.Started -> if (this is CameraState.Opening) CameraState.Previewing else this
    is CameraEvent.Failed -> if (wantsCamera) CameraState.Lost(event.loss) else this
    CameraEvent.Revoked -> if (wantsCamera) CameraState.Refused(forGood = false) else this
    CameraEvent.Available ->
        if (this is CameraState.Lost && loss == CameraLoss.TAKEN) CameraState.Opening else this
    CameraEvent.Froze -> if (this is CameraState.Previewing) CameraState.Freezing else this
    CameraEvent.Caught -> if (this is CameraState.Freezing) CameraState.Frozen else this
    CameraEvent.Resumed -> if (this is CameraState.Frozen) CameraState.Opening else this
}
