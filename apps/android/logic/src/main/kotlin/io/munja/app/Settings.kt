package io.munja.app

/** Hardware that networks run on. */
enum class Accelerator { CPU, GPU, NPU }

enum class AspectRatio(val width: Int, val height: Int) {
    FOUR_THREE(4, 3),
    SIXTEEN_NINE(16, 9),
    SQUARE(1, 1),
}

enum class ThemeChoice { SYSTEM, LIGHT, DARK }

/** Everything that decides how an engine is made; two equal ones can share an engine. */
data class EngineChoice(
    val accelerator: Accelerator = Accelerator.CPU,
    /** A directory of the assets' models, or null for the model inside the library. */
    val model: String? = null,
    /** Codes of languages; none: all that the model has. */
    val languages: Set<String> = emptySet(),
)

/** What the user chose; kept from start to start. */
data class Settings(
    val engine: EngineChoice = EngineChoice(),
    val aspect: AspectRatio = AspectRatio.FOUR_THREE,
    /** The wanted height of camera frames, in pixels of their short side. */
    val resolution: Int = 720,
    val benchmark: Boolean = false,
    val theme: ThemeChoice = ThemeChoice.SYSTEM,
) {
    /** For a store of texts. */
    fun toMap(): Map<String, String> = mapOf(
        "accelerator" to engine.accelerator.name,
        "model" to engine.model.orEmpty(),
        "languages" to engine.languages.sorted().joinToString(","),
        "aspect" to aspect.name,
        "resolution" to resolution.toString(),
        "benchmark" to benchmark.toString(),
        "theme" to theme.name,
    )

    companion object {
        val RESOLUTIONS = listOf(480, 720, 1080, 1440, 2160)

        /** Values that are absent, or that this version does not know, become the default ones. */
        fun of(map: Map<String, String>): Settings {
            val default = Settings()
            return Settings(
                EngineChoice(
                    enumOf(map["accelerator"], default.engine.accelerator),
                    map["model"]?.ifEmpty { null },
                    map["languages"].orEmpty().split(',').filterTo(LinkedHashSet()) { it.isNotBlank() },
                ),
                enumOf(map["aspect"], default.aspect),
                map["resolution"]?.toIntOrNull()?.takeIf { it in RESOLUTIONS } ?: default.resolution,
                map["benchmark"]?.toBooleanStrictOrNull() ?: default.benchmark,
                enumOf(map["theme"], default.theme),
            )
        }

        private inline fun <reified T : Enum<T>> enumOf(name: String?, default: T): T =
            enumValues<T>().firstOrNull { it.name == name } ?: default
    }
}

/** Where settings are kept. */
interface SettingsStore {
    fun load(): Map<String, String>

    fun save(values: Map<String, String>)
}
