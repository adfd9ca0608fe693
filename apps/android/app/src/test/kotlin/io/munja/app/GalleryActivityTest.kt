package io.munja.app

import android.app.Activity
import android.content.ClipData
import android.content.Intent
import android.net.Uri
import android.view.View
import android.widget.GridView
import android.widget.TextView
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertTrue
import org.junit.Test
import org.robolectric.Shadows.shadowOf
import org.robolectric.annotation.Config
import org.robolectric.shadows.ShadowToast
import java.io.ByteArrayInputStream
import java.io.File

class GalleryActivityTest : ScreenTest() {
    private fun GalleryActivity.pictures() = model.gallery.state.value.pictures

    private fun gallery(vararg names: String): GalleryActivity {
        names.forEach { application.addPicture(it) }
        val activity = start<GalleryActivity>().get()
        until("the list") { activity.model.gallery.state.value.loaded }
        idle()
        return activity
    }

    @Test
    fun emptyGallery_SaysWhatToDo() {
        val activity = gallery()
        assertTrue(activity.view<View>(R.id.empty).isVisible)
        assertFalse(activity.view<View>(R.id.delete).isVisible)
    }

    @Test
    fun chosenPictures_AreCopied() {
        val activity = gallery()
        activity.view<View>(R.id.add).performClick()
        val asked = shadowOf(activity).nextStartedActivityForResult
        val good = Uri.parse("content://photos/1")
        val bytes = File(pictures, "receipt.jpg").readBytes()
        shadowOf(application.contentResolver).registerInputStreamSupplier(good) { ByteArrayInputStream(bytes) }
        val gone = Uri.parse("content://photos/2")
        shadowOf(application.contentResolver).registerInputStreamSupplier(gone) { throw SecurityException("revoked") }
        val chosen = ClipData.newRawUri("pictures", good).apply { addItem(ClipData.Item(gone)) }
        shadowOf(activity).receiveResult(asked.intent, Activity.RESULT_OK, Intent().apply { clipData = chosen })
        until("the copy") { activity.pictures().size == 1 }
        until("the message") { ShadowToast.getTextOfLatestToast() == activity.getString(R.string.import_failed, 1) }
    }

    @Test
    fun nothingChosen_ChangesNothing() {
        val activity = gallery("receipt.jpg")
        activity.view<View>(R.id.add).performClick()
        shadowOf(activity).receiveResult(shadowOf(activity).nextStartedActivityForResult.intent, Activity.RESULT_CANCELED, null)
        idle()
        assertEquals(1, activity.pictures().size)
    }

    @Test
    fun touchedPicture_IsOpened() {
        val activity = gallery("receipt.jpg")
        val grid = activity.view<GridView>(R.id.grid)
        grid.performItemClick(grid, 0, 0)
        assertEquals(Uri.fromFile(activity.pictures()[0]), shadowOf(activity).nextStartedActivity.data)
    }

    @Test
    fun selectedPictures_AreDeleted() {
        val activity = gallery("receipt.jpg", "sign_ko.jpg", "single_digits.png")
        val grid = activity.view<GridView>(R.id.grid)
        grid.onItemLongClickListener!!.onItemLongClick(grid, grid, 0, 0)
        idle()
        assertEquals("1 selected", activity.view<TextView>(R.id.title).text.toString())
        grid.performItemClick(grid, 1, 1)
        @Suppress("DEPRECATION")
        activity.onBackPressed()
        idle()
        assertFalse(activity.isFinishing)
        grid.onItemLongClickListener!!.onItemLongClick(grid, grid, 0, 0)
        idle()
        activity.view<View>(R.id.delete).performClick()
        until("the deletion") { activity.pictures().size == 2 }
        activity.view<View>(R.id.select_all).performClick()
        activity.view<View>(R.id.delete).performClick()
        until("the deletion of all") { activity.pictures().isEmpty() }
    }

    private fun draw(name: String) {
        // Files that are written within a second have no order of their own.
        listOf("receipt.jpg", "sign_ko.jpg", "tight_table.png").forEachIndexed { i, it ->
            application.addPicture(it).setLastModified(1_000_000_000_000L + i * 60_000)
        }
        val activity = gallery()
        until("the thumbnails") { activity.model.thumbnails.size() == 3 }
        compare(activity, name)
    }

    @Test
    fun screen_IsDrawnAsInTheDocuments() = draw("gallery")

    @Test
    @Config(qualifiers = "+ko-night")
    fun screen_IsDrawnDarkAndInKorean() = draw("gallery-ko-dark")
}
