package io.munja

import java.nio.file.Files
import java.nio.file.Path

/** Files of any file system. */
public object PathImages {
    /** A file, which is read at once. */
    @JvmStatic
    public fun of(path: Path): OcrImage = OcrImage.of(Files.readAllBytes(path))
}

/** A file of any file system, which is read at once. */
@JvmSynthetic
public fun OcrImage.Companion.of(path: Path): OcrImage = PathImages.of(path)
