package io.munja.app

import kotlinx.coroutines.flow.MutableStateFlow
import kotlinx.coroutines.flow.StateFlow
import kotlinx.coroutines.flow.asStateFlow

/** The settings of the whole application: each change is kept at once and seen by every screen. */
class SettingsModel(private val store: SettingsStore) {
    private val mutable = MutableStateFlow(Settings.of(store.load()))
    val settings: StateFlow<Settings> = mutable.asStateFlow()

    @Synchronized
    fun update(change: (Settings) -> Settings) {
        val changed = change(mutable.value)
        if (changed == mutable.value) return
        store.save(changed.toMap())
        mutable.value = changed
    }
}
