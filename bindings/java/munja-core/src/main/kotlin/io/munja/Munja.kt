package io.munja

/** The library as a whole. */
public object Munja {
    /** "0.1.0" */
    @JvmStatic
    public val version: String get() = Native.version()

    /** The installed models, as JSON. */
    @JvmStatic
    public fun models(): String = Native.models()

    /** What this machine has for reading, accelerators included, and what is missing, as JSON. */
    @JvmStatic
    @JvmOverloads
    public fun describeSystem(driverDirectories: String? = null): String = Native.system(driverDirectories)
}
