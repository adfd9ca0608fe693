package io.munja.app

import android.app.PendingIntent
import android.content.DialogInterface
import android.view.View
import android.widget.CompoundButton
import android.widget.Spinner
import android.widget.TextView
import kotlinx.coroutines.runBlocking
import org.junit.Assert.assertEquals
import org.junit.Assert.assertTrue
import org.junit.Test
import org.robolectric.Robolectric
import org.robolectric.Shadows.shadowOf
import org.robolectric.annotation.Config
import org.robolectric.shadows.ShadowAlertDialog
import org.robolectric.util.ReflectionHelpers
import java.lang.reflect.Proxy

class SettingsActivityTest : ScreenTest() {
    private val settings get() = application.settings.settings.value

    @Test
    fun choices_AreKept() {
        val controller = start<SettingsActivity>()
        val activity = controller.get()
        idle()
        activity.view<Spinner>(R.id.aspect).setSelection(2)
        activity.view<Spinner>(R.id.resolution).setSelection(3)
        activity.view<Spinner>(R.id.model).setSelection(1)
        activity.view<CompoundButton>(R.id.benchmark).isChecked = true
        until("the changes") { settings.resolution == 1440 && settings.engine.model == "default-small" && settings.aspect == AspectRatio.SQUARE }
        assertTrue(settings.benchmark)
        assertEquals("default-small", runBlocking { application.engines.get(settings.engine) }.engine.name)
        val again = restore(controller)
        idle()
        assertEquals(2, again.view<Spinner>(R.id.aspect).selectedItemPosition)
        assertEquals(1, again.view<Spinner>(R.id.model).selectedItemPosition)
    }

    @Test
    fun acceleratorThatIsNotThere_IsExplained() {
        val activity = start<SettingsActivity>().get()
        idle()
        activity.view<Spinner>(R.id.accelerator).setSelection(Accelerator.NPU.ordinal)
        until("the reason") { activity.view<View>(R.id.refusals).isVisible }
        val text = activity.view<TextView>(R.id.refusals).text.toString()
        assertTrue(text, "Accelerator: " in text && "Graphics (OpenCL): " in text)
    }

    @Test
    fun languages_AreThoseOfTheModel() {
        val activity = start<SettingsActivity>().get()
        idle()
        activity.view<View>(R.id.languages).performClick()
        val dialog = ShadowAlertDialog.getLatestDialog() as android.app.AlertDialog
        idle()
        val list = dialog.listView
        val korean = (0 until list.adapter.count).first { list.adapter.getItem(it).toString() == "Korean" }
        list.performItemClick(list.adapter.getView(korean, null, list), korean, korean.toLong())
        dialog.getButton(DialogInterface.BUTTON_POSITIVE).performClick()
        until("the choice") { settings.engine.languages == setOf("ko") }
        assertEquals("Korean", activity.view<TextView>(R.id.languages).text.toString())
    }

    @Test
    fun darkTheme_IsThatOfTheNextScreen() {
        application.settings.update { it.copy(theme = ThemeChoice.DARK) }
        val activity = start<SettingsActivity>().get()
        assertEquals(0xFF80CBC4.toInt(), activity.getColor(R.color.accent))
    }

    @Test
    fun tile_OpensTheCamera() {
        val tile = Robolectric.setupService(ReadTile::class.java)
        // What the system's part of the tile is asked to start.
        var asked: PendingIntent? = null
        val system = Class.forName("android.service.quicksettings.IQSService")
        val service = Proxy.newProxyInstance(system.classLoader, arrayOf(system)) { _, method, arguments ->
            if (method.name == "startActivity") asked = arguments[1] as PendingIntent
            null
        }
        ReflectionHelpers.setField(tile, "mService", service)
        tile.onStartListening()
        tile.onClick()
        assertEquals(CameraActivity::class.java.name, shadowOf(asked).savedIntent.component!!.className)
    }

    private fun draw(name: String) {
        val activity = start<SettingsActivity>().get()
        idle()
        compare(activity, name)
    }

    @Test
    fun screen_IsDrawnAsInTheDocuments() = draw("settings")

    @Test
    @Config(qualifiers = "+ko-night")
    fun screen_IsDrawnDarkAndInKorean() = draw("settings-ko-dark")
}
