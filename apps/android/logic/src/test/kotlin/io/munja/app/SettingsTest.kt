package io.munja.app

import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Test

class SettingsTest {
    private class MemoryStore(var values: Map<String, String> = emptyMap()) : SettingsStore {
        override fun load() = values

        override fun save(values: Map<String, String>) {
            this.values = values
        }
    }

    @Test
    fun changes_AreThereAfterARestart() {
        val store = MemoryStore()
        val changed = Settings(
            EngineChoice(Accelerator.NPU, "default-small", setOf("ko", "en")),
            AspectRatio.SQUARE,
            1080,
            benchmark = true,
            theme = ThemeChoice.DARK,
        )
        SettingsModel(store).update { changed }
        assertEquals(changed, SettingsModel(store).settings.value)
    }

    @Test
    fun valuesOfAnotherVersion_BecomeTheDefaults() {
        val values = mapOf("accelerator" to "QUANTUM", "resolution" to "many", "aspect" to "", "theme" to "PINK", "more" to "1")
        assertEquals(Settings(), SettingsModel(MemoryStore(values)).settings.value)
    }

    @Test
    fun resolutionThatIsNotOffered_BecomesTheDefault() {
        assertEquals(Settings().resolution, Settings.of(mapOf("resolution" to "100000")).resolution)
    }
}
