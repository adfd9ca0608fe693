package io.munja.app

import android.app.Activity
import android.content.Context
import android.content.res.Configuration
import android.os.Bundle
import android.view.View
import android.widget.Toast
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.MainScope
import kotlinx.coroutines.cancel
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.launch

/** An activity with a model that outlives turning the device. */
abstract class Screen<M : AutoCloseable> : Activity() {
    private class Kept(val model: AutoCloseable, val scope: CoroutineScope)

    private lateinit var kept: Kept

    /** Lives as long as this activity. */
    protected val scope = MainScope()

    @Suppress("UNCHECKED_CAST")
    val model: M get() = kept.model as M

    /** @param scope lives as long as the model */
    protected abstract fun createModel(scope: CoroutineScope, saved: Bundle?): M

    override fun attachBaseContext(base: Context) {
        val night = when (base.munja.settings.settings.value.theme) {
            ThemeChoice.SYSTEM -> null
            ThemeChoice.LIGHT -> Configuration.UI_MODE_NIGHT_NO
            ThemeChoice.DARK -> Configuration.UI_MODE_NIGHT_YES
        }
        super.attachBaseContext(base)
        if (night != null) applyOverrideConfiguration(Configuration().apply { uiMode = night })
    }

    override fun onCreate(savedInstanceState: Bundle?) {
        super.onCreate(savedInstanceState)
        @Suppress("DEPRECATION")
        kept = lastNonConfigurationInstance as? Kept
            ?: MainScope().let { Kept(createModel(it, savedInstanceState), it) }
        // A model of another screen's settings would be shown in the wrong colors.
        val theme = munja.settings.settings.value.theme
        munja.settings.settings.show { if (it.theme != theme) recreate() }
    }

    @Deprecated("Deprecated in Java")
    override fun onRetainNonConfigurationInstance(): Any = kept

    override fun onDestroy() {
        scope.cancel()
        if (!isChangingConfigurations) {
            kept.model.close()
            kept.scope.cancel()
        }
        super.onDestroy()
    }

    /** Calls [show] with each value, as long as the activity lives. */
    protected fun <T> Flow<T>.show(show: (T) -> Unit) {
        scope.launch { collect { show(it) } }
    }

    protected fun <V : View> view(id: Int): V = requireViewById(id)

    protected fun onClick(id: Int, action: () -> Unit) = view<View>(id).setOnClickListener { action() }

    protected fun tell(message: String) = Toast.makeText(this, message, Toast.LENGTH_SHORT).show()
}

var View.isVisible: Boolean
    get() = visibility == View.VISIBLE
    set(value) {
        visibility = if (value) View.VISIBLE else View.GONE
    }

/** A service that every device has. */
inline fun <reified T : Any> Context.service(): T = checkNotNull(getSystemService(T::class.java)) { "there is no ${T::class.java}" }

fun Context.nameOf(accelerator: Accelerator): String = getString(
    when (accelerator) {
        Accelerator.CPU -> R.string.accelerator_cpu
        Accelerator.GPU -> R.string.accelerator_gpu
        Accelerator.NPU -> R.string.accelerator_npu
    },
)

fun Context.describe(refusals: List<Refusal>): String =
    refusals.joinToString("\n") { getString(R.string.refused_accelerator, nameOf(it.accelerator), it.reason) }
