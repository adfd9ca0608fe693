package io.munja.app

import android.app.AlertDialog
import android.os.Bundle
import android.view.View
import android.widget.AdapterView
import android.widget.ArrayAdapter
import android.widget.CompoundButton
import android.widget.Spinner
import android.widget.TextView
import io.munja.MunjaException
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.launch
import java.util.Locale

/** Every change holds at once. */
class SettingsActivity : Screen<SettingsActivity.Model>() {
    class Model(val settings: SettingsModel) : AutoCloseable {
        override fun close() = Unit
    }

    override fun createModel(scope: CoroutineScope, saved: Bundle?) = Model(munja.settings)

    override fun onCreate(savedInstanceState: Bundle?) {
        super.onCreate(savedInstanceState)
        setContentView(R.layout.settings)
        val now = model.settings.settings.value
        choice(R.id.accelerator, Accelerator.entries, now.engine.accelerator, ::nameOf) { settings, chosen ->
            settings.copy(engine = settings.engine.copy(accelerator = chosen))
        }
        // The languages of one model need not be those of another.
        choice(R.id.model, listOf<String?>(null) + munja.models.names, now.engine.model, ::nameOfModel) { settings, chosen ->
            settings.copy(engine = settings.engine.copy(model = chosen, languages = emptySet()))
        }
        choice(R.id.aspect, AspectRatio.entries, now.aspect, ::nameOf) { settings, chosen -> settings.copy(aspect = chosen) }
        choice(R.id.resolution, Settings.RESOLUTIONS, now.resolution, { getString(R.string.resolution_value, it) }) { settings, chosen ->
            settings.copy(resolution = chosen)
        }
        choice(R.id.theme, ThemeChoice.entries, now.theme, ::nameOf) { settings, chosen -> settings.copy(theme = chosen) }
        onClick(R.id.languages, ::chooseLanguages)
        view<CompoundButton>(R.id.benchmark).run {
            isChecked = now.benchmark
            setOnCheckedChangeListener { _, checked -> model.settings.update { it.copy(benchmark = checked) } }
        }
        view<TextView>(R.id.version).text = getString(R.string.version, packageManager.getPackageInfo(packageName, 0).versionName)
        model.settings.settings.show(::show)
    }

    private fun show(settings: Settings) {
        view<TextView>(R.id.languages).text =
            settings.engine.languages.joinToString { languageName(it) }.ifEmpty { getString(R.string.languages_all) }
        showRefusals(settings.engine)
    }

    /** Why the chosen accelerator is not the one that runs, as soon as that is known. */
    private fun showRefusals(choice: EngineChoice) {
        val view = view<TextView>(R.id.refusals)
        view.isVisible = false
        if (choice.accelerator == Accelerator.CPU) return
        scope.launch {
            val text = try {
                describe(munja.engines.get(choice).refusals)
            } catch (e: MunjaException) {
                e.message.orEmpty()
            }
            if (model.settings.settings.value.engine != choice) return@launch
            view.isVisible = text.isNotEmpty()
            view.text = text
        }
    }

    private fun <T> choice(id: Int, values: List<T>, now: T, name: (T) -> String, change: (Settings, T) -> Settings) {
        view<Spinner>(id).run {
            adapter = ArrayAdapter(context, android.R.layout.simple_spinner_item, values.map(name)).apply {
                setDropDownViewResource(android.R.layout.simple_spinner_dropdown_item)
            }
            setSelection(values.indexOf(now).coerceAtLeast(0), false)
            onItemSelectedListener = object : AdapterView.OnItemSelectedListener {
                // The first call of all tells what is selected already.
                private var last = selectedItemPosition

                override fun onItemSelected(parent: AdapterView<*>?, view: View?, position: Int, id: Long) {
                    if (position == last) return
                    last = position
                    model.settings.update { change(it, values[position]) }
                }

                override fun onNothingSelected(parent: AdapterView<*>?) = Unit
            }
        }
    }

    private fun chooseLanguages() {
        val codes = munja.models.languages(model.settings.settings.value.engine.model)
        val chosen = model.settings.settings.value.engine.languages.toMutableSet()
        AlertDialog.Builder(this)
            .setTitle(R.string.languages)
            .setMultiChoiceItems(
                codes.map(::languageName).toTypedArray(),
                BooleanArray(codes.size) { codes[it] in chosen },
            ) { _, which, checked -> if (checked) chosen += codes[which] else chosen -= codes[which] }
            .setPositiveButton(R.string.ok) { _, _ ->
                model.settings.update { it.copy(engine = it.engine.copy(languages = chosen.toSet())) }
            }
            .show()
    }

    private fun languageName(code: String): String {
        val here: Locale = resources.configuration.locales[0]
        return Locale.forLanguageTag(code).getDisplayLanguage(here).ifEmpty { code }
    }

    private fun nameOfModel(model: String?) = when (model) {
        null -> getString(R.string.model_built_in)
        "default-small" -> getString(R.string.model_small)
        else -> model
    }

    private fun nameOf(aspect: AspectRatio) = getString(
        when (aspect) {
            AspectRatio.FOUR_THREE -> R.string.aspect_four_three
            AspectRatio.SIXTEEN_NINE -> R.string.aspect_sixteen_nine
            AspectRatio.SQUARE -> R.string.aspect_square
        },
    )

    private fun nameOf(theme: ThemeChoice) = getString(
        when (theme) {
            ThemeChoice.SYSTEM -> R.string.theme_system
            ThemeChoice.LIGHT -> R.string.theme_light
            ThemeChoice.DARK -> R.string.theme_dark
        },
    )
}
