package io.munja.app

import android.app.Activity
import android.content.Context
import android.content.Intent
import android.content.res.Configuration
import android.graphics.Bitmap
import android.graphics.BitmapFactory
import android.graphics.Canvas
import android.os.Bundle
import android.os.Looper
import android.os.SystemClock
import android.view.MotionEvent
import android.view.View
import org.junit.After
import org.junit.Assert.assertTrue
import org.junit.Before
import org.junit.runner.RunWith
import org.robolectric.Robolectric
import org.robolectric.RobolectricTestRunner
import org.robolectric.RuntimeEnvironment
import org.robolectric.Shadows.shadowOf
import org.robolectric.android.controller.ActivityController
import java.io.File
import java.time.Duration
import kotlin.math.abs

/** A screen on the framework of Android 15, with the real engine. */
@RunWith(RobolectricTestRunner::class)
abstract class ScreenTest {
    protected val application: MunjaApp get() = RuntimeEnvironment.getApplication() as MunjaApp
    private val controllers = mutableListOf<ActivityController<*>>()

    @Before
    fun useOneThread() {
        application.engines = Engines(emptyMap(), application.models::addTo, threads = 1)
    }

    @After
    fun closeScreens() {
        controllers.filter { !it.get().isDestroyed }.forEach { it.close() }
        application.engines.close()
    }

    protected inline fun <reified T : Activity> start(intent: Intent? = null): ActivityController<T> =
        Robolectric.buildActivity(T::class.java, intent).also { track(it) }.setup()

    protected fun track(controller: ActivityController<*>) {
        controllers += controller
    }

    /** Lets the main thread work until [condition] holds. */
    protected fun until(what: String, condition: () -> Boolean) {
        val end = System.nanoTime() + 60_000_000_000
        while (true) {
            idle()
            if (condition()) return
            check(System.nanoTime() < end) { "$what did not happen" }
            Thread.sleep(5)
        }
    }

    /** Turns the device: the activity is made anew. */
    protected fun turn(controller: ActivityController<*>) {
        val configuration = Configuration(controller.get().resources.configuration)
        configuration.orientation = Configuration.ORIENTATION_LANDSCAPE
        controller.configurationChange(configuration)
        idle()
    }

    /** Kills the activity and starts another with what it saved. */
    protected inline fun <reified T : Activity> restore(controller: ActivityController<T>, intent: Intent? = null): T {
        val saved = Bundle()
        controller.pause().stop().saveInstanceState(saved).destroy()
        return Robolectric.buildActivity(T::class.java, intent).also { track(it) }.setup(saved).get()
    }

    /** A finger that goes down at the first place, over the others, and up at the last. */
    protected fun touch(view: View, vararg places: Pair<Float, Float>) {
        val begin = SystemClock.uptimeMillis()
        fun send(action: Int, place: Pair<Float, Float>) {
            val event = MotionEvent.obtain(begin, SystemClock.uptimeMillis(), action, place.first, place.second, 0)
            view.dispatchTouchEvent(event)
            event.recycle()
        }
        send(MotionEvent.ACTION_DOWN, places.first())
        places.drop(1).forEach { send(MotionEvent.ACTION_MOVE, it) }
        send(MotionEvent.ACTION_UP, places.last())
        // Longer than a double touch takes.
        shadowOf(Looper.getMainLooper()).idleFor(Duration.ofSeconds(1))
    }

    /** All at once: one by one they take seconds. */
    protected fun Bitmap.pixels() = IntArray(width * height).also { getPixels(it, 0, width, 0, 0, width, height) }

    protected fun idle() = shadowOf(Looper.getMainLooper()).idle()

    protected fun <V : View> Activity.view(id: Int): V = requireViewById(id)

    /** Draws the screen and compares it with the picture in docs/images/android. */
    protected fun compare(activity: Activity, name: String) {
        idle()
        val view = activity.window.decorView
        val bitmap = Bitmap.createBitmap(view.width, view.height, Bitmap.Config.ARGB_8888)
        view.draw(Canvas(bitmap))
        val small = Bitmap.createScaledBitmap(bitmap, view.width / 3, view.height / 3, true)
        val drawn = File(System.getProperty("munja.screens")!!, "$name.png")
        drawn.parentFile!!.mkdirs()
        drawn.outputStream().use { small.compress(Bitmap.CompressFormat.PNG, 100, it) }
        val committed = File(root, "docs/images/android/$name.png")
        assertTrue("$committed is missing; $drawn is what was drawn", committed.exists())
        val expected = BitmapFactory.decodeFile(committed.path)
        assertTrue("$drawn has another size than $committed", expected.width == small.width && expected.height == small.height)
        val different = small.pixels().zip(expected.pixels()).count { (a, b) ->
            (0..16 step 8).any { abs((a shr it and 255) - (b shr it and 255)) > 32 }
        }
        // Rounding at the edges of letters and boxes differs from processor to processor.
        assertTrue("$different pixels of $drawn are not those of $committed", different < small.width * small.height / 200)
    }

    companion object {
        val root: File = File(System.getProperty("munja.root")!!).canonicalFile
        val pictures = File(root, "testdata/pictures")
    }
}

/** Keeps a picture of the repository in the gallery, as an import does. */
fun Context.addPicture(name: String): File =
    munja.pictures.add(File(ScreenTest.pictures, name).inputStream())
