package io.munja

import java.nio.file.Files
import java.nio.file.Path

/** The native library that the jar carries, for machines with files that can be executed. */
internal object JarLibrary {
    /** linux-x86_64, linux-aarch64 ...: the directory of this machine's libraries in the jar. */
    val platform: String = run {
        val architecture = when (val name = System.getProperty("os.arch")) {
            "amd64", "x86_64" -> "x86_64"
            "aarch64", "arm64" -> "aarch64"
            else -> name
        }
        System.getProperty("os.name").lowercase() + "-" + architecture
    }

    /**
     * False if the jar has none for this machine. The files are written to a new directory that only this user can read,
     * loaded, and removed at once: nothing stays behind, and no other version's files can be taken for them.
     */
    fun load(name: String): Boolean {
        val list = JarLibrary::class.java.getResourceAsStream("native/$platform/files.txt") ?: return false
        val files = list.use { it.readBytes() }.decodeToString().lines().filter { it.isNotBlank() }
        val directory = Files.createTempDirectory("munja")
        try {
            for (file in files) copy(file, directory)
            System.load(directory.resolve(System.mapLibraryName(name)).toString())
        } finally {
            for (file in files) Files.deleteIfExists(directory.resolve(file))
            Files.deleteIfExists(directory)
        }
        return true
    }

    private fun copy(file: String, directory: Path) {
        val resource = JarLibrary::class.java.getResourceAsStream("native/$platform/$file")
            ?: throw UnsatisfiedLinkError("the jar of munja-core lacks native/$platform/$file")
        resource.use { Files.copy(it, directory.resolve(file)) }
    }
}
