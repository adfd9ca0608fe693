package io.munja

/** How live text is read: `LiveOptions { region(0, 600, 1280, 120).timeShare(0.5) }`. */
public class LiveOptions private constructor(builder: Builder) {
    // In the order of bindings/java/native/live.cc.
    internal val numbers: DoubleArray = doubleArrayOf(
        if (builder.everyFrame) 0.0 else 1.0,
        builder.frameMillis,
        builder.timeShare,
        builder.agreeReadings.toDouble(),
        builder.bestFrames.toDouble(),
        builder.appearAfter.toDouble(),
        builder.leaveAfter.toDouble(),
        builder.minConfidence.toDouble(),
        builder.maxGap,
    )
    internal val region = builder.region

    public class Builder {
        internal var everyFrame = false
        internal var frameMillis = 0.0
        internal var timeShare = 0.0
        internal var agreeReadings = 0
        internal var bestFrames = 0
        internal var appearAfter = 0
        internal var leaveAfter = 0
        internal var minConfidence = -1f
        internal var maxGap = 0.0
        internal var region: IntArray? = null

        /**
         * For files: [LiveReader.feed] returns when the frame has been read, and no frame is dropped, so the same frames
         * give the same events. Without it, for cameras: feeding never waits, and while a frame is read only the newest
         * of those that come is kept.
         */
        public fun everyFrame(): Builder = apply { everyFrame = true }

        /** The only part of the frames that is read, in pixels of the upright frame. */
        public fun region(left: Int, top: Int, width: Int, height: Int): Builder =
            apply { region = intArrayOf(left, top, width, height) }

        /** Milliseconds that reading one frame may take; fewer lines are read in one, then. */
        public fun frameMillis(milliseconds: Double): Builder = apply { frameMillis = milliseconds }

        /** The share of the time that may be spent on reading, 0 to 1: the rest of it is left to others. */
        public fun timeShare(share: Double): Builder = apply { timeShare = share }

        /** Equal readings that make a text final; 3 without it. */
        public fun agreeReadings(count: Int): Builder = apply { agreeReadings = count }

        /** The best readings of a line that are combined; 5 without it. */
        public fun bestFrames(count: Int): Builder = apply { bestFrames = count }

        /** Searches that must find a line before it is reported; 1 without it. */
        public fun appearAfter(searches: Int): Builder = apply { appearAfter = searches }

        /** Searches in a row that must miss a line before it is gone; 2 without it. */
        public fun leaveAfter(searches: Int): Builder = apply { leaveAfter = searches }

        /** Readings below are ignored, 0 to 1. Without it, the model's own threshold applies. */
        public fun minConfidence(confidence: Float): Builder = apply {
            require(confidence in 0f..1f) { "a confidence of $confidence; it is 0 to 1" }
            minConfidence = confidence
        }

        /** Seconds between two frames from which on the stream starts anew; 10 without it. */
        public fun maxGap(seconds: Double): Builder = apply { maxGap = seconds }

        public fun build(): LiveOptions = LiveOptions(this)
    }

    public companion object {
        @JvmField
        public val DEFAULT: LiveOptions = Builder().build()

        @JvmSynthetic
        public inline operator fun invoke(configure: Builder.() -> Unit): LiveOptions = Builder().apply(configure).build()
    }
}
