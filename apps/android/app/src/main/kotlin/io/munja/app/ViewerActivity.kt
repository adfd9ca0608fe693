package io.munja.app

import android.app.Activity
import android.content.ActivityNotFoundException
import android.content.ClipData
import android.content.ClipboardManager
import android.content.Context
import android.content.Intent
import android.graphics.Bitmap
import android.net.Uri
import android.os.Bundle
import android.view.Menu
import android.view.View
import android.widget.PopupMenu
import android.widget.TextView
import io.munja.OcrImage
import io.munja.android.of
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.launch
import kotlinx.coroutines.withContext
import java.io.File
import java.io.FileNotFoundException
import java.io.IOException

/** One picture with its text: of the gallery, of the camera, or sent by another application. */
class ViewerActivity : Screen<ViewerActivity.Model>() {
    /** The bitmap is that which is read, so words and picture always match. */
    class Model(context: Context, scope: CoroutineScope, uri: Uri?) : AutoCloseable {
        @Volatile
        var picture: Bitmap? = null
            private set

        val viewer = ViewerModel(context.munja.engines, { context.munja.settings.settings.value.engine }, scope) {
            if (uri == null) throw FileNotFoundException(context.getString(R.string.no_text))
            OcrImage.of(Pictures.of(context.contentResolver, uri).also { picture = it })
        }

        override fun close() = viewer.close()
    }

    private var pendingExport = ExportFormat.TEXT

    override fun createModel(scope: CoroutineScope, saved: Bundle?): Model {
        val model = Model(applicationContext, scope, pictureOf(intent))
        saved?.getIntArray(SELECTION)?.let { (first, last) -> model.viewer.restoredSelection = first..last }
        model.viewer.read()
        return model
    }

    override fun onCreate(savedInstanceState: Bundle?) {
        super.onCreate(savedInstanceState)
        setContentView(R.layout.viewer)
        pendingExport = ExportFormat.entries[savedInstanceState?.getInt(EXPORT) ?: 0]
        view<PageView>(R.id.page).onSelect = model.viewer::select
        onClick(R.id.select_all) { done()?.let { model.viewer.select(it.words.all) } }
        onClick(R.id.copy, ::copy)
        onClick(R.id.share, ::share)
        onClick(R.id.export, ::chooseExport)
        onClick(R.id.status) { if (model.viewer.state.value is ViewerState.Failed) model.viewer.read() }
        model.viewer.state.show(::show)
    }

    override fun onSaveInstanceState(outState: Bundle) {
        super.onSaveInstanceState(outState)
        outState.putInt(EXPORT, pendingExport.ordinal)
        done()?.selection?.let { if (!it.isEmpty()) outState.putIntArray(SELECTION, intArrayOf(it.first, it.last)) }
    }

    private fun done() = model.viewer.state.value as? ViewerState.Done

    private fun show(state: ViewerState) {
        val done = state as? ViewerState.Done
        view<TextView>(R.id.status).text = when (state) {
            is ViewerState.Reading ->
                if (state.of > 0) getString(R.string.reading_lines, state.lines, state.of) else getString(R.string.reading)
            is ViewerState.Failed -> getString(R.string.failed, state.message) + "\n" + getString(R.string.try_again)
            is ViewerState.Done ->
                if (state.words.size == 0) {
                    getString(R.string.no_text)
                } else {
                    getString(R.string.words_found, state.words.size, nameOf(state.running))
                }
        }
        view<PageView>(R.id.page).show(model.picture, done?.words, done?.selection ?: IntRange.EMPTY)
        view<TextView>(R.id.selection).text = done?.selectedText
        val hasText = done != null && done.words.size > 0
        for (id in listOf(R.id.select_all, R.id.copy, R.id.share)) view<View>(id).isEnabled = hasText
        view<View>(R.id.export).isEnabled = done != null
    }

    /** What is selected; without a selection everything. */
    private fun text(): String? = done()?.let { if (it.selection.isEmpty()) it.page.text else it.selectedText }

    private fun copy() {
        val text = text() ?: return
        service<ClipboardManager>().setPrimaryClip(ClipData.newPlainText(getString(R.string.app_name), text))
        tell(getString(R.string.copied))
    }

    private fun share() {
        val send = Intent(Intent.ACTION_SEND).setType("text/plain").putExtra(Intent.EXTRA_TEXT, text() ?: return)
        startActivity(Intent.createChooser(send, null))
    }

    private fun chooseExport() = PopupMenu(this, view(R.id.export)).run {
        for (format in ExportFormat.entries) {
            val name = if (format == ExportFormat.PDF) R.string.export_pdf else R.string.export_text
            menu.add(Menu.NONE, format.ordinal, format.ordinal, name)
        }
        setOnMenuItemClickListener { export(ExportFormat.entries[it.itemId]) }
        show()
    }

    private fun export(format: ExportFormat): Boolean {
        pendingExport = format
        val create = Intent(Intent.ACTION_CREATE_DOCUMENT)
            .addCategory(Intent.CATEGORY_OPENABLE)
            .setType(format.mediaType)
            .putExtra(Intent.EXTRA_TITLE, "munja.${format.extension}")
        try {
            @Suppress("DEPRECATION") // Its successor is not part of the framework.
            startActivityForResult(create, EXPORT_REQUEST)
        } catch (e: ActivityNotFoundException) {
            tell(getString(R.string.save_failed, e.message))
        }
        return true
    }

    @Deprecated("Deprecated in Java")
    override fun onActivityResult(requestCode: Int, resultCode: Int, data: Intent?) {
        val uri = data?.data
        if (requestCode != EXPORT_REQUEST || resultCode != Activity.RESULT_OK || uri == null) return
        scope.launch { tell(save(uri, pendingExport)) }
    }

    private suspend fun save(uri: Uri, format: ExportFormat): String = try {
        val bytes = model.viewer.export(format, uri.lastPathSegment.orEmpty()) ?: throw IOException(getString(R.string.reading))
        withContext(Dispatchers.IO) {
            val stream = contentResolver.openOutputStream(uri, "wt") ?: throw FileNotFoundException(uri.toString())
            stream.use { it.write(bytes) }
        }
        getString(R.string.saved)
    } catch (e: CancellationException) {
        throw e
    } catch (e: IOException) {
        getString(R.string.save_failed, e.message)
    } catch (e: RuntimeException) {
        // The library's own, and those of the application that keeps the file.
        getString(R.string.save_failed, e.message)
    }

    companion object {
        private const val SELECTION = "selection"
        private const val EXPORT = "export"
        private const val EXPORT_REQUEST = 1

        fun intent(context: Context, file: File): Intent =
            Intent(context, ViewerActivity::class.java).setData(Uri.fromFile(file))

        /** What another application sent, or what of this one is to be seen. */
        @Suppress("DEPRECATION") // Its successor is that of Android 13.
        private fun pictureOf(intent: Intent): Uri? =
            if (intent.action == Intent.ACTION_SEND) intent.getParcelableExtra(Intent.EXTRA_STREAM) as? Uri else intent.data
    }
}
