package io.munja.app

import android.app.Activity
import android.content.ClipboardManager
import android.content.Intent
import android.net.Uri
import android.view.View
import android.view.accessibility.AccessibilityNodeInfo
import android.widget.TextView
import io.munja.Point
import io.munja.screen.ImageToView
import io.munja.screen.PageWords
import io.munja.screen.Scaling
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertNotSame
import org.junit.Assert.assertTrue
import org.junit.Test
import org.robolectric.Shadows.shadowOf
import org.robolectric.android.controller.ActivityController
import org.robolectric.annotation.Config
import org.robolectric.shadows.ShadowPopupMenu
import org.robolectric.shadows.ShadowToast
import java.io.ByteArrayInputStream
import java.io.ByteArrayOutputStream
import java.io.File

class ViewerActivityTest : ScreenTest() {
    private fun view(name: String): ActivityController<ViewerActivity> {
        val controller = start<ViewerActivity>(ViewerActivity.intent(application, application.addPicture(name)))
        awaitPage(controller.get())
        return controller
    }

    private fun awaitPage(activity: ViewerActivity) =
        until("the end of reading") { activity.model.viewer.state.value !is ViewerState.Reading }

    private fun clipboard() =
        application.service<ClipboardManager>().primaryClip?.getItemAt(0)?.text.toString()

    @Test
    fun picture_IsReadAndCopied() {
        val activity = view("receipt.jpg").get()
        val status = activity.view<TextView>(R.id.status).text.toString()
        assertTrue(status, "Processor" in status)
        activity.view<View>(R.id.copy).performClick()
        assertTrue(clipboard(), "BAKERY NORTHWIND" in clipboard())
    }

    @Test
    fun turnedScreen_KeepsPageAndSelection() {
        val controller = view("receipt.jpg")
        val viewer = controller.get().model.viewer
        viewer.select(0..1)
        val before = controller.get()
        turn(controller)
        assertNotSame(before, controller.get())
        assertEquals(viewer, controller.get().model.viewer)
        assertEquals("BAKERY NORTHWIND", controller.get().view<TextView>(R.id.selection).text.toString())
    }

    @Test
    fun sharedPicture_IsRead() {
        val uri = Uri.parse("content://another.application/receipt")
        val bytes = File(pictures, "receipt.jpg").readBytes()
        shadowOf(application.contentResolver).registerInputStreamSupplier(uri) { ByteArrayInputStream(bytes) }
        val send = Intent(Intent.ACTION_SEND).setType("image/jpeg").putExtra(Intent.EXTRA_STREAM, uri)
            .setClass(application, ViewerActivity::class.java)
        val activity = start<ViewerActivity>(send).get()
        awaitPage(activity)
        val state = activity.model.viewer.state.value
        assertTrue("$state", state is ViewerState.Done && "BAKERY NORTHWIND" in state.page.text)
    }

    @Test
    fun providerThatFails_IsToldAboutAndTriedAgain() {
        val uri = Uri.parse("content://another.application/receipt")
        var works = false
        val bytes = File(pictures, "receipt.jpg").readBytes()
        shadowOf(application.contentResolver).registerInputStreamSupplier(uri) {
            if (works) ByteArrayInputStream(bytes) else throw IllegalArgumentException("no such row")
        }
        val activity = start<ViewerActivity>(Intent(Intent.ACTION_VIEW, uri).setClass(application, ViewerActivity::class.java)).get()
        awaitPage(activity)
        idle()
        assertTrue("no such row" in activity.view<TextView>(R.id.status).text)
        works = true
        activity.view<View>(R.id.status).performClick()
        awaitPage(activity)
        assertTrue(activity.model.viewer.state.value is ViewerState.Done)
    }

    @Test
    fun sharedPictureThatIsGone_SaysSo() {
        val send = Intent(Intent.ACTION_SEND).setType("image/jpeg").setClass(application, ViewerActivity::class.java)
        val activity = start<ViewerActivity>(send).get()
        awaitPage(activity)
        assertTrue(activity.model.viewer.state.value is ViewerState.Failed)
        assertFalse(activity.view<View>(R.id.copy).isEnabled)
    }

    @Test
    fun killedScreen_SelectsAgainAfterReadingAgain() {
        val controller = view("receipt.jpg")
        controller.get().model.viewer.select(0..1)
        val again = restore(controller, controller.get().intent)
        awaitPage(again)
        idle()
        assertEquals("BAKERY NORTHWIND", again.view<TextView>(R.id.selection).text.toString())
    }

    /** A place in the view above a word. */
    private fun PageView.over(words: PageWords, index: Int, bitmapWidth: Int, bitmapHeight: Int): Pair<Float, Float> {
        val corners = words.corners(index)
        val middle = Point(corners.map { it.x }.average().toFloat(), corners.map { it.y }.average().toFloat())
        val seen = ImageToView.of(bitmapWidth, bitmapHeight, width, height, Scaling.FIT).toView(middle)
        return seen.x to seen.y
    }

    @Test
    fun fingers_SelectWords() {
        val activity = view("receipt.jpg").get()
        val done = activity.model.viewer.state.value as ViewerState.Done
        val bitmap = activity.model.picture!!
        val page = activity.view<PageView>(R.id.page)
        val first = done.words.all.first { done.words.text(it) == "BAKERY" }
        val (x, y) = page.over(done.words, first, bitmap.width, bitmap.height)
        val (toX, toY) = page.over(done.words, first + 1, bitmap.width, bitmap.height)
        touch(page, x to y)
        idle()
        assertEquals("BAKERY", activity.view<TextView>(R.id.selection).text.toString())
        touch(page, x to y, (x + toX) / 2 to (y + toY) / 2, toX to toY)
        idle()
        assertEquals("BAKERY NORTHWIND", activity.view<TextView>(R.id.selection).text.toString())
        activity.view<View>(R.id.copy).performClick()
        assertEquals("BAKERY NORTHWIND", clipboard())
    }

    @Test
    fun screenReader_FindsEveryWord() {
        val activity = view("receipt.jpg").get()
        idle()
        val words = (activity.model.viewer.state.value as ViewerState.Done).words
        val page = activity.view<PageView>(R.id.page)
        val nodes = page.accessibilityNodeProvider
        for (i in words.all) assertEquals(words.text(i), nodes.createAccessibilityNodeInfo(i)!!.contentDescription.toString())
        assertEquals(null, nodes.createAccessibilityNodeInfo(words.size))
        assertTrue(nodes.performAction(1, AccessibilityNodeInfo.ACTION_CLICK, null))
        idle()
        assertEquals(words.text(1), activity.view<TextView>(R.id.selection).text.toString())
    }

    @Test
    fun export_WritesThePdf() {
        val activity = view("receipt.jpg").get()
        val target = Uri.parse("content://documents/munja.pdf")
        val written = ByteArrayOutputStream()
        shadowOf(application.contentResolver).registerOutputStream(target, written)
        activity.view<View>(R.id.export).performClick()
        ShadowPopupMenu.getLatestPopupMenu().menu.performIdentifierAction(ExportFormat.PDF.ordinal, 0)
        val asked = shadowOf(activity).nextStartedActivityForResult
        assertEquals(Intent.ACTION_CREATE_DOCUMENT, asked.intent.action)
        shadowOf(activity).receiveResult(asked.intent, Activity.RESULT_OK, Intent().setData(target))
        until("the end of writing") { ShadowToast.getTextOfLatestToast() == "Saved" }
        assertTrue(written.toString().startsWith("%PDF-"))
    }

    @Test
    fun share_SendsTheText() {
        val activity = view("receipt.jpg").get()
        activity.view<View>(R.id.share).performClick()
        @Suppress("DEPRECATION")
        val send = shadowOf(activity).nextStartedActivity.getParcelableExtra<Intent>(Intent.EXTRA_INTENT)!!
        assertTrue("BAKERY NORTHWIND" in send.getStringExtra(Intent.EXTRA_TEXT)!!)
    }

    private fun draw(name: String) {
        val controller = view("receipt.jpg")
        controller.get().model.viewer.select(0..3)
        compare(controller.get(), name)
    }

    @Test
    fun screen_IsDrawnAsInTheDocuments() = draw("viewer")

    @Test
    @Config(qualifiers = "+ko-night")
    fun screen_IsDrawnDarkAndInKorean() = draw("viewer-ko-dark")
}
