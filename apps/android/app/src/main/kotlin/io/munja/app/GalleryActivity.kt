package io.munja.app

import android.app.Activity
import android.content.ActivityNotFoundException
import android.content.Intent
import android.graphics.Bitmap
import android.net.Uri
import android.os.Bundle
import android.util.LruCache
import android.view.View
import android.view.ViewGroup
import android.widget.BaseAdapter
import android.widget.FrameLayout
import android.widget.GridView
import android.widget.ImageView
import android.widget.TextView
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.launch
import kotlinx.coroutines.withContext
import java.io.File
import java.io.FileNotFoundException
import java.io.IOException

/** The pictures that were added. A touch reads one; a long touch begins to select some. */
class GalleryActivity : Screen<GalleryActivity.Model>() {
    class Model(store: PictureStore, scope: CoroutineScope) : AutoCloseable {
        val gallery = GalleryModel(store, scope)

        /** Kept when the device is turned. */
        val thumbnails = LruCache<File, Bitmap>(100)

        override fun close() = Unit
    }

    private val adapter = Adapter()
    private var shown = GalleryState()

    override fun createModel(scope: CoroutineScope, saved: Bundle?) = Model(munja.pictures, scope)

    override fun onCreate(savedInstanceState: Bundle?) {
        super.onCreate(savedInstanceState)
        setContentView(R.layout.gallery)
        val grid = view<GridView>(R.id.grid)
        grid.adapter = adapter
        grid.setOnItemClickListener { _, _, position, _ ->
            val picture = shown.pictures[position]
            if (shown.isSelecting) model.gallery.toggle(picture) else startActivity(ViewerActivity.intent(this, picture))
        }
        grid.setOnItemLongClickListener { _, _, position, _ ->
            model.gallery.toggle(shown.pictures[position])
            true
        }
        onClick(R.id.add, ::choose)
        onClick(R.id.select_all, model.gallery::selectAll)
        onClick(R.id.delete, model.gallery::deleteSelected)
        model.gallery.state.show(::show)
    }

    override fun onStart() {
        super.onStart()
        model.gallery.refresh()
    }

    @Deprecated("Deprecated in Java")
    override fun onBackPressed() {
        if (shown.isSelecting) {
            model.gallery.clearSelection()
        } else {
            @Suppress("DEPRECATION") // Its successor is that of Android 13.
            super.onBackPressed()
        }
    }

    private fun show(state: GalleryState) {
        if (state.failed > shown.failed) tell(getString(R.string.import_failed, state.failed))
        shown = state
        view<TextView>(R.id.title).text =
            if (state.isSelecting) getString(R.string.selected_pictures, state.selected.size) else getString(R.string.gallery)
        view<View>(R.id.empty).isVisible = state.isEmpty
        view<View>(R.id.select_all).isVisible = state.pictures.isNotEmpty()
        view<View>(R.id.delete).isVisible = state.isSelecting
        adapter.notifyDataSetChanged()
    }

    private fun choose() {
        val open = Intent(Intent.ACTION_OPEN_DOCUMENT)
            .addCategory(Intent.CATEGORY_OPENABLE)
            .setType("image/*")
            .putExtra(Intent.EXTRA_ALLOW_MULTIPLE, true)
        try {
            @Suppress("DEPRECATION") // Its successor is not part of the framework.
            startActivityForResult(open, OPEN_REQUEST)
        } catch (e: ActivityNotFoundException) {
            tell(e.message.orEmpty())
        }
    }

    @Deprecated("Deprecated in Java")
    override fun onActivityResult(requestCode: Int, resultCode: Int, data: Intent?) {
        if (requestCode != OPEN_REQUEST || resultCode != Activity.RESULT_OK || data == null) return
        val clip = data.clipData
        val uris: List<Uri> =
            if (clip != null) (0 until clip.itemCount).map { clip.getItemAt(it).uri } else listOfNotNull(data.data)
        val resolver = applicationContext.contentResolver
        model.gallery.add(uris.map { uri -> { resolver.openInputStream(uri) ?: throw FileNotFoundException(uri.toString()) } })
    }

    private inner class Adapter : BaseAdapter() {
        override fun getCount() = shown.pictures.size

        override fun getItem(position: Int) = shown.pictures[position]

        override fun getItemId(position: Int) = position.toLong()

        override fun getView(position: Int, convertView: View?, parent: ViewGroup): View {
            val cell = convertView as? ImageView ?: ImageView(this@GalleryActivity).apply {
                val size = (112 * resources.displayMetrics.density).toInt()
                layoutParams = ViewGroup.LayoutParams(FrameLayout.LayoutParams.MATCH_PARENT, size)
                scaleType = ImageView.ScaleType.CENTER_CROP
            }
            val picture = shown.pictures[position]
            cell.contentDescription = getString(R.string.picture, position + 1, shown.pictures.size)
            cell.isSelected = picture in shown.selected
            cell.imageAlpha = if (cell.isSelected) 100 else 255
            cell.tag = picture
            val known = model.thumbnails[picture]
            cell.setImageBitmap(known)
            if (known == null) load(picture, cell)
            return cell
        }
    }

    private fun load(picture: File, cell: ImageView) {
        scope.launch {
            val bitmap = try {
                withContext(Dispatchers.IO) { Pictures.thumbnail(picture, THUMBNAIL_PIXELS) }
            } catch (e: IOException) {
                // The viewer says what is wrong with it.
                return@launch
            }
            model.thumbnails.put(picture, bitmap)
            // The cell may show another picture by now.
            if (cell.tag == picture) cell.setImageBitmap(bitmap)
        }
    }

    private companion object {
        const val OPEN_REQUEST = 1
        const val THUMBNAIL_PIXELS = 200_000
    }
}
