package io.munja.app

import android.content.res.AssetManager
import io.munja.OcrOptions
import io.munja.android.modelAssets
import org.json.JSONObject

/** The models of the application's assets: `models/NAME/bundle.json` and the files that it names. */
class AssetModels(private val assets: AssetManager) {
    /** The models besides that inside the library. */
    val names: List<String> = listOf("default-small")

    /** Codes of the languages that a model has language models for; null: the model inside the library. */
    fun languages(model: String?): List<String> {
        val bundle = assets.open("models/${model ?: "default"}/bundle.json").use { it.readBytes() }
        val groups = JSONObject(bundle.decodeToString()).getJSONArray("languages")
        return (0 until groups.length()).flatMap { i ->
            val codes = groups.getJSONObject(i).getJSONArray("codes")
            (0 until codes.length()).map { codes.getString(it) }
        }.distinct()
    }

    /** Adds the files of a model, which are read anew for every engine: no copy can be older than the application. */
    fun addTo(options: OcrOptions.Builder, model: String) {
        options.modelAssets(assets, "models/$model")
    }
}
