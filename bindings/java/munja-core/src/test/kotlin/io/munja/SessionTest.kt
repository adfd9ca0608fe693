package io.munja

import io.munja.Support.failure
import io.munja.Support.throws
import org.junit.jupiter.api.Assertions.assertArrayEquals
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import java.io.File
import java.nio.ByteBuffer
import java.nio.ByteOrder
import kotlin.concurrent.thread

/** A network that doubles any number of floats. */
class SessionTest {
    private val file = File(Support.root, "testdata/models/double.tflite")

    private fun <T> session(body: (Session) -> T): T =
        Network.of(file).use { Session.create(it) { threads(1) } }.use(body)

    @Test
    fun network_IsDescribedAndRun() = session { session ->
        assertEquals(1, session.inputs.size)
        assertEquals(ElementType.FLOAT32, session.inputs[0].type)
        assertEquals(1, session.outputs.size)
        for (size in listOf(1, 3, 1000)) {
            val values = FloatArray(size) { it * 0.5f }
            val (output) = session.run(Tensor.of(values, size))
            assertEquals(listOf(size), output.shape)
            assertArrayEquals(FloatArray(size) { it * 1f }, output.floats())
        }
    }

    @Test
    fun bufferOfAnyKind_IsAnInput() = session { session ->
        val heap = ByteBuffer.allocate(12).order(ByteOrder.nativeOrder()).putFloat(9f).putFloat(1f).putFloat(2f).position(4)
        val direct = ByteBuffer.allocateDirect(12).order(ByteOrder.nativeOrder()).putFloat(9f).putFloat(1f).putFloat(2f).position(4)
        for (buffer in listOf(heap, direct, heap.asReadOnlyBuffer(), direct.asReadOnlyBuffer())) {
            assertArrayEquals(floatArrayOf(2f, 4f), session.run(Tensor(ElementType.FLOAT32, listOf(2), buffer))[0].floats())
        }
    }

    @Test
    fun wrongInputs_AreRefused() = session { session ->
        failure(Status.INVALID_ARGUMENT) { session.run(emptyList()) }
        failure(Status.INVALID_ARGUMENT) { session.run(Tensor.of(intArrayOf(1), 1)) }
        failure(Status.INVALID_ARGUMENT) { session.run(Tensor.of(floatArrayOf(1f, 2f), 3)) }
        throws<IllegalStateException> { session.run(Tensor.of(floatArrayOf(1f), 1))[0].ints() }
        throws<IllegalArgumentException> { Tensor.of(floatArrayOf(1f), 1, 1, 1, 1, 1, 1, 1, 1, 1) }
        assertArrayEquals(floatArrayOf(2f), session.run(Tensor.of(floatArrayOf(1f), 1))[0].floats())
    }

    @Test
    fun damagedNetwork_IsRefused() {
        failure(Status.MALFORMED) { Network.of(ByteArray(0)) }
        failure(Status.MALFORMED) { Network.of(file.readBytes().copyOf(100)) }
    }

    @Test
    fun closedSession_IsAnIllegalState() {
        val network = Network.of(file)
        val session = Session.create(network)
        network.close()
        throws<IllegalStateException> { Session.create(network) }
        assertArrayEquals(floatArrayOf(4f), session.run(Tensor.of(floatArrayOf(2f), 1))[0].floats())
        session.close()
        throws<IllegalStateException> { session.run(Tensor.of(floatArrayOf(2f), 1)) }
        throws<IllegalStateException> { session.fork() }
    }

    @Test
    fun manyThreads_ShareASessionOrForkIt() = session { session ->
        val failures = ArrayList<Throwable>()
        List(4) { i ->
            thread {
                try {
                    (if (i < 2) session else session.fork()).let { own ->
                        repeat(200) { k -> assertArrayEquals(floatArrayOf(2f * k), own.run(Tensor.of(floatArrayOf(1f * k), 1))[0].floats()) }
                    }
                } catch (e: Throwable) {
                    synchronized(failures) { failures += e }
                }
            }
        }.forEach { it.join() }
        assertTrue(failures.isEmpty(), "$failures")
    }

    @Test
    fun cancelledRun_Ends() = session { session ->
        Control().use { control ->
            control.cancel()
            failure(Status.CANCELLED) { session.run(listOf(Tensor.of(floatArrayOf(2f), 1)), control) }
            Unit // A test that returns something is not run.
        }
    }
}
