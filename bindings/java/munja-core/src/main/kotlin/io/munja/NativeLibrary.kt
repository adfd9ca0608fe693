package io.munja

/**
 * Loads libmunja-jni. In this order: from the directory that the system property `munja.library.path` names; on Android
 * from the application; from the jar, if it carries the library for this machine; from `java.library.path`.
 */
internal object NativeLibrary {
    private const val NAME = "munja-jni"

    fun load() {
        val directory = System.getProperty("munja.library.path")
        if (directory != null) {
            System.load(java.io.File(directory, System.mapLibraryName(NAME)).absolutePath)
            return
        }
        val isAndroid = System.getProperty("java.vendor", "").contains("Android")
        // JarLibrary uses what Android lacks, so it is not even looked up there.
        if (isAndroid) {
            System.loadLibrary(NAME)
        } else if (!JarLibrary.load(NAME)) {
            try {
                System.loadLibrary(NAME)
            } catch (e: UnsatisfiedLinkError) {
                throw UnsatisfiedLinkError(
                    "the jar of munja-core carries no library for ${JarLibrary.platform}, and java.library.path has " +
                        "none: build munja_jni there and name its directory by -Dmunja.library.path (${e.message})",
                )
            }
        }
    }
}
