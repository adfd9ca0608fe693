"""Calls that take long: threads, order, progress, cancellation, Ctrl-C, forks, the end of the interpreter."""

from __future__ import annotations

import asyncio
import concurrent.futures
import multiprocessing
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from conftest import ROOT, run_python
from PIL import Image

import munja


@pytest.fixture(scope="module")
def large(receipt: pathlib.Path, tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """A page full of text, which takes seconds."""
    one = Image.open(receipt).convert("RGB")
    page = Image.new("RGB", (one.width * 5, one.height * 4), "white")
    for row in range(4):
        for column in range(5):
            page.paste(one, (column * one.width, row * one.height))
    path = tmp_path_factory.mktemp("large") / "large.png"
    page.save(path, compress_level=1)
    return path


def test_eight_threads_share_an_engine(pictures: pathlib.Path, engine: munja.Engine) -> None:
    names = ["receipt.jpg", "sign_ko.jpg"]
    expected = {name: engine.read(pictures / name).to_json() for name in names}

    def read(number: int) -> bool:
        name = names[number % 2]
        page = engine.read(pictures / name)
        text = expected[name]
        return page.to_json().split('"timing_ms"')[0] == text.split('"timing_ms"')[0]

    with concurrent.futures.ThreadPoolExecutor(8) as executor:
        assert all(executor.map(read, range(48)))


def test_engine_is_closed_while_others_read(receipt: pathlib.Path) -> None:
    engine = munja.Engine(threads=1)
    failures: list[BaseException] = []
    read = threading.Event()

    def work() -> None:
        try:
            while True:
                engine.read(receipt)
                read.set()
        except munja.InvalidArgumentError:
            pass
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    read.wait(60)
    engine.close()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    assert not failures


def test_other_threads_run_during_a_read(large: pathlib.Path, engine: munja.Engine) -> None:
    done = threading.Event()
    ticks = 0

    def count() -> None:
        nonlocal ticks
        while not done.is_set():
            ticks += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    engine.read(large)
    done.set()
    thread.join()
    assert ticks > 50


# ---- Many images -------------------------------------------------------------


def test_many_come_in_order_and_bounded(pictures: pathlib.Path, engine: munja.Engine) -> None:
    taken = 0

    def images() -> Iterator[pathlib.Path]:
        nonlocal taken
        for number in range(30):
            taken += 1
            yield pictures / ("receipt.jpg" if number % 3 == 0 else "sign_ko.jpg")

    for number, page in enumerate(engine.read_many(images(), workers=3)):
        assert taken <= number + 1 + 6
        assert ("BAKERY" in page.text) == (number % 3 == 0)
    assert taken == 30


def test_many_with_an_error(receipt: pathlib.Path, engine: munja.Engine) -> None:
    images = [receipt, b"no image", receipt]
    with pytest.raises(munja.UnsupportedError):
        list(engine.read_many(images))
    results = list(engine.read_many(images, return_errors=True))
    assert [type(result) for result in results] == [munja.Page, munja.UnsupportedError, munja.Page]


def test_closing_the_iterator_cancels(large: pathlib.Path, engine: munja.Engine) -> None:
    pages = engine.read_many([large] * 50, workers=2)
    next(pages)
    begin = time.monotonic()
    pages.close()  # type: ignore[attr-defined]
    assert time.monotonic() - begin < 5  # Less than one of the 50 takes.


def test_list_gives_a_list(receipt: pathlib.Path) -> None:
    pages = munja.read([receipt, receipt])
    assert [len(page) for page in pages] == [len(munja.read(receipt))] * 2


# ---- Progress and cancellation -----------------------------------------------


def test_progress_is_told_in_the_calling_thread(receipt: pathlib.Path, engine: munja.Engine) -> None:
    calls: list[tuple[str, int, int]] = []

    def progress(what: str, done: int, total: int) -> None:
        assert threading.current_thread() is threading.main_thread()
        calls.append((what, done, total))

    page = engine.read(receipt, progress=progress)
    assert calls and calls[-1][0] == "lines" and calls[-1][1] == calls[-1][2] >= len(page)


def test_progress_cancels(receipt: pathlib.Path, engine: munja.Engine) -> None:
    with pytest.raises(munja.CancelledError):
        engine.read(receipt, progress=lambda what, done, total: False)
    assert len(engine.read(receipt)) > 15


@pytest.mark.parametrize("error", [KeyError("mine"), KeyboardInterrupt(), SystemExit(3)])
def test_exception_of_a_callback_is_raised(receipt: pathlib.Path, engine: munja.Engine, error: BaseException) -> None:
    def progress(what: str, done: int, total: int) -> None:
        raise error

    with pytest.raises(type(error)) as raised:
        engine.read(receipt, progress=progress)
    assert raised.value is error
    with pytest.raises(TypeError):  # It takes three arguments.
        engine.read(receipt, progress=lambda: None)  # type: ignore[misc, arg-type]
    assert len(engine.read(receipt)) > 15


def test_callback_reads_with_the_same_engine(receipt: pathlib.Path, engine: munja.Engine) -> None:
    inner: list[munja.Page] = []

    def progress(what: str, done: int, total: int) -> None:
        if not inner:
            inner.append(engine.read(receipt))

    assert engine.read(receipt, progress=progress).text == inner[0].text


def test_timeout(large: pathlib.Path, engine: munja.Engine) -> None:
    begin = time.monotonic()
    with pytest.raises(munja.TimedOutError) as raised:
        engine.read(large, timeout=0.05)
    assert isinstance(raised.value, TimeoutError) and time.monotonic() - begin < 5
    # An engine that has read such a page may have kept all the memory that it needs.
    with munja.Engine() as fresh, pytest.raises(munja.OutOfMemoryError):
        fresh.read(large, control=munja.Control(max_memory=1 << 20))
    with pytest.raises(munja.OutOfMemoryError):
        engine.read(large, control=munja.Control(max_pixels=1000))


def test_control_cancels_from_another_thread(large: pathlib.Path, receipt: pathlib.Path, engine: munja.Engine) -> None:
    control = munja.Control()
    timer = threading.Timer(0.2, control.cancel)
    timer.start()
    with pytest.raises(munja.CancelledError):
        while True:
            engine.read(large, control=control)
    with pytest.raises(munja.CancelledError):
        engine.read(receipt, control=control)
    control.restart()
    assert len(engine.read(receipt, control=control)) > 15


INTERRUPTED = """
import signal, sys, threading, time, munja
engine = munja.Engine(threads=1)
print("ready", flush=True)
begin = time.monotonic()
try:
    while True:
        engine.read(sys.argv[1])
except KeyboardInterrupt:
    print("interrupted", flush=True)
assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
print(engine.read("receipt.jpg").lines[0].text)
"""


def test_ctrl_c_ends_a_read_at_once(large: pathlib.Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED, large], cwd=ROOT / "testdata/pictures", stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None and child.stdout.readline() == "ready\n"
        time.sleep(0.7)
        begin = time.monotonic()
        child.send_signal(signal.SIGINT)
        assert child.stdout.readline() == "interrupted\n"
        assert time.monotonic() - begin < 2
        assert child.stdout.readline() == "BAKERY NORTHWIND\n"
        assert child.wait(60) == 0


def test_signal_handler_that_returns_does_not_end_the_read(large: pathlib.Path) -> None:
    done = run_python(
        "import os, signal, sys, threading, munja\n"
        "caught = []\n"
        "signal.signal(signal.SIGINT, lambda number, frame: caught.append(number))\n"
        "threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
        "page = munja.read(sys.argv[1])\n"
        "print(len(page) > 200, caught)\n",
        large,
    )
    assert done.stdout == "True [2]\n", done.stderr


def test_ctrl_c_ends_many(large: pathlib.Path) -> None:
    done = run_python(
        "import os, signal, sys, threading, time, munja\n"
        "threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
        "try:\n"
        "    list(munja.read_many([sys.argv[1]] * 1000, workers=2))\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted')\n",
        large,
    )
    assert done.stdout == "interrupted\n", done.stderr


def test_interpreter_ends_while_threads_read(large: pathlib.Path) -> None:
    done = run_python(
        "import sys, threading, time, munja\n"
        "def work():\n"
        "    while True:\n"
        "        munja.read(sys.argv[1])\n"
        "for _ in range(3):\n"
        "    threading.Thread(target=work, daemon=True).start()\n"
        "time.sleep(1)\n"
        "print('end')\n",
        large,
    )
    assert (done.returncode, done.stdout) == (0, "end\n"), done.stderr
    assert "Fatal" not in done.stderr and "terminate" not in done.stderr


# ---- Processes -----------------------------------------------------------------


def read_in_child(path: str) -> str:
    return munja.read(path).text


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_processes(receipt: pathlib.Path, method: str) -> None:
    expected = munja.read(receipt).text  # The default engine is there before the fork.
    context = multiprocessing.get_context(method)
    with context.Pool(2) as pool:
        assert pool.map(read_in_child, [str(receipt)] * 4) == [expected] * 4


def test_fork_during_a_read(large: pathlib.Path, receipt: pathlib.Path) -> None:
    done = run_python(
        "import os, sys, threading, time, munja\n"
        "munja.read('receipt.jpg')\n"
        "thread = threading.Thread(target=munja.read, args=(sys.argv[1],))\n"
        "thread.start()\n"
        "time.sleep(0.3)\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    print(munja.read('receipt.jpg').lines[0].text, flush=True)\n"
        "    sys.exit(5)\n"
        "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
        "thread.join()\n",
        large,
    )
    assert done.stdout == "BAKERY NORTHWIND\n5\n", done.stderr


# ---- asyncio ---------------------------------------------------------------------


def test_asyncio(pictures: pathlib.Path, receipt: pathlib.Path, engine: munja.Engine, tmp_path: pathlib.Path) -> None:
    async def main() -> None:
        first, second = await asyncio.gather(engine.aread(receipt), munja.aread(pictures / "sign_ko.jpg", timeout=60.0))
        assert "BAKERY" in first.text and len(second) > 0
        texts = [page.text async for page in engine.aread_many([receipt, pictures / "sign_ko.jpg"])]
        assert texts == [first.text, second.text]
        frame = Image.open(receipt)
        frame.save(tmp_path / "two.tiff", save_all=True, append_images=[frame])
        assert len([page async for page in engine.aread_pdf(tmp_path / "two.tiff")]) == 2
        with pytest.raises(FileNotFoundError):
            await engine.aread("nope.jpg")

    asyncio.run(main())


def test_cancelled_task_ends_the_read(large: pathlib.Path, engine: munja.Engine) -> None:
    async def main() -> None:
        task = asyncio.create_task(engine.aread(large))
        await asyncio.sleep(0.3)
        begin = time.monotonic()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert time.monotonic() - begin < 2

    asyncio.run(main())


# ---- Memory ------------------------------------------------------------------------


def resident_kilobytes() -> int:
    for line in pathlib.Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    raise AssertionError("no VmRSS")


def test_memory_stays_flat(pictures: pathlib.Path) -> None:
    """Memory grows by less than 2 % after the first reads; MUNJA_SOAK=10000 reads more often."""
    count = int(os.environ.get("MUNJA_SOAK", "200"))
    warm = min(500, count // 2)
    names = ["sign_ko.jpg", "receipt.jpg"]
    done = run_python(
        "import sys, munja\n"
        "sys.path.insert(0, sys.argv[3])\n"
        "from test_calls import resident_kilobytes\n"
        "count, warm = int(sys.argv[1]), int(sys.argv[2])\n"
        "engine = munja.Engine(threads=1)\n"
        "for number in range(count):\n"
        f"    page = engine.read({names!r}[number % 2])\n"
        "    page.words, page.characters, page.to_json()\n"
        "    if number == warm - 1: before = resident_kilobytes()\n"
        "print(before, resident_kilobytes())\n",
        count,
        warm,
        pathlib.Path(__file__).parent,
    )
    before, after = map(int, done.stdout.split())
    assert after < before * 1.02, f"{before} kB after {warm} reads, {after} kB after {count}"


def test_objects_are_freed(receipt: pathlib.Path) -> None:
    """Engines, images, pages and callbacks in cycles with their controls."""
    import gc
    import weakref

    class Callback:
        def __call__(self, what: str, done: int, total: int) -> None: ...

    callback: Any = Callback()
    control = munja.Control(progress=callback)
    callback.control = control
    gone = weakref.ref(callback)
    with munja.Engine(threads=1) as engine:
        engine.read(receipt, control=control)
    del callback, control
    gc.collect()
    assert gone() is None
    array = np.full((64, 64, 3), 255, np.uint8)
    count = sys.getrefcount(array)
    page: Any = munja.read(array)
    assert sys.getrefcount(array) > count
    del page
    gc.collect()
    assert sys.getrefcount(array) == count
