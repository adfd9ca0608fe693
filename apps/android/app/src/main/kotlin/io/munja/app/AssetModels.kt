package io.munja.app

import android.content.res.AssetManager
import org.json.JSONArray
import org.json.JSONObject

/** The models of the application's assets: `models/NAME/bundle.json` and the files that it names. */
class AssetModels(private val assets: AssetManager) {
    /** The models besides that inside the library. */
    val names: List<String> = listOf("default-small")

    /** Codes of the languages that a model has language models for; null: the model inside the library. */
    fun languages(model: String?): List<String> {
        val groups = JSONObject(read(model ?: "default", BUNDLE).decodeToString()).getJSONArray("languages")
        return (0 until groups.length()).flatMap { i ->
            val codes = groups.getJSONObject(i).getJSONArray("codes")
            (0 until codes.length()).map { codes.getString(it) }
        }.distinct()
    }

    /** Read anew for every engine: no copy can be older than the application. */
    fun files(model: String): ModelFiles {
        val bundle = read(model, BUNDLE)
        return filesOf(JSONObject(bundle.decodeToString())).associateWith { read(model, it) } + (BUNDLE to bundle)
    }

    /** The values of all keys "file", wherever they are. */
    private fun filesOf(json: Any): Set<String> = when (json) {
        is JSONObject -> json.keys().asSequence().flatMap { key ->
            if (key == "file") setOf(json.getString(key)) else filesOf(json[key])
        }.toSet()
        is JSONArray -> (0 until json.length()).flatMap { filesOf(json[it]) }.toSet()
        else -> emptySet()
    }

    private fun read(model: String, file: String): ByteArray = assets.open("models/$model/$file").use { it.readBytes() }

    private companion object {
        const val BUNDLE = "bundle.json"
    }
}
