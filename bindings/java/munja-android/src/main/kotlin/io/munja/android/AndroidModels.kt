@file:JvmName("AndroidModels")

package io.munja.android

import android.content.res.AssetManager
import android.graphics.Rect
import android.graphics.RectF
import io.munja.Box
import io.munja.OcrOptions
import java.io.FileNotFoundException

/**
 * The model in a directory of the assets: "bundle.json" and all files next to it. They are read into memory, never copied
 * to files, so a new version of the application never meets an old version's model.
 */
public fun OcrOptions.Builder.modelAssets(assets: AssetManager, directory: String): OcrOptions.Builder = apply {
    val names = assets.list(directory).orEmpty()
    if ("bundle.json" !in names) throw FileNotFoundException("the assets have no $directory/bundle.json")
    for (name in names) {
        val path = "$directory/$name"
        // A name in the list may be that of a directory, which has names of its own.
        if (assets.list(path).isNullOrEmpty()) modelFile(name, assets.open(path).use { it.readBytes() })
    }
}

/** For drawing. */
public fun Box.toRectF(): RectF = RectF(left, top, right, bottom)

/** The smallest rectangle of whole pixels around it. */
public fun Box.toRect(): Rect = Rect().also { toRectF().roundOut(it) }
