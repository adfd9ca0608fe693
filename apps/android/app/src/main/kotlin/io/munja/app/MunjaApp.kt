package io.munja.app

import android.app.Application
import android.content.Context
import android.content.SharedPreferences
import android.os.Debug
import io.munja.screen.Benchmark
import java.io.File

/** What all screens share. Nothing here is made before it is needed, so that the first screen appears at once. */
class MunjaApp : Application() {
    val settings: SettingsModel by lazy { SettingsModel(PreferencesStore(getSharedPreferences("settings", MODE_PRIVATE))) }
    val models: AssetModels by lazy { AssetModels(assets) }
    val pictures: PictureStore by lazy { PictureStore(File(filesDir, "pictures")) }

    @Volatile
    private var made: Engines? = null

    /** The engines; tests put others here before the first screen. */
    var engines: Engines
        @Synchronized get() = made ?: Engines(models = models::addTo).also { made = it }
        @Synchronized set(value) {
            made?.close()
            made = value
        }
}

val Context.munja: MunjaApp get() = applicationContext as MunjaApp

/** Bytes that the process holds in memory, native ones included. */
fun processMemory(): Long = Benchmark.heapBytes() + Debug.getNativeHeapAllocatedSize()

private class PreferencesStore(private val preferences: SharedPreferences) : SettingsStore {
    override fun load(): Map<String, String> = preferences.all.mapValues { (_, value) -> value.toString() }

    override fun save(values: Map<String, String>) =
        preferences.edit().apply { values.forEach { (key, value) -> putString(key, value) } }.apply()
}
