"""Live text: frames and videos in, events out."""

from __future__ import annotations

import pathlib
import threading
from typing import Any

import pytest

import munja

numpy = pytest.importorskip("numpy")
TITLE = "BAKERY NORTHWIND"


@pytest.fixture()
def video(tmp_path: pathlib.Path, receipt: pathlib.Path) -> pathlib.Path:
    """Half a second of the receipt, then as much of nothing."""
    av = pytest.importorskip("av")
    from PIL import Image

    file = tmp_path / "receipt.mp4"
    page = numpy.asarray(Image.open(receipt).convert("RGB").resize((600, 800)))
    with av.open(str(file), "w") as container:
        stream: Any = container.add_stream("mpeg4", rate=10)
        stream.width, stream.height, stream.pix_fmt, stream.bit_rate = 600, 800, "yuv420p", 8_000_000
        for pixels in [page] * 5 + [numpy.full_like(page, 255)] * 5:
            container.mux(stream.encode(av.VideoFrame.from_ndarray(pixels, format="rgb24")))
        container.mux(stream.encode())
    return file


def test_a_video_gives_lines_with_their_times(engine: munja.Engine, video: pathlib.Path) -> None:
    events = [event for event in munja.live(video, engine=engine) if event.text == TITLE]
    assert [event.kind for event in events] == ["new", "final", "gone"]
    assert {event.line for event in events} == {events[0].line}
    assert events[0].time == 0.0 and not events[0].final
    assert events[1].final and events[1].readings >= 3
    assert events[2].last_time == pytest.approx(0.4, abs=0.02)
    assert all(0 <= x <= 600 and 0 <= y <= 800 for x, y in events[0].polygon)


def test_a_file_that_is_no_video_is_refused(engine: munja.Engine, tmp_path: pathlib.Path) -> None:
    pytest.importorskip("av")
    with pytest.raises(FileNotFoundError):
        list(munja.live(tmp_path / "absent.mp4", engine=engine))


def test_frames_step_by_step(engine: munja.Engine, receipt: pathlib.Path) -> None:
    live = munja.Live(engine, agree_readings=2)
    new = live.feed(receipt, 5.0)
    assert TITLE in [event.text for event in new]
    assert {box.line for box in live.boxes} == {event.line for event in new}
    assert TITLE in [event.text for event in live.feed(receipt, 5.1) if event.kind == "final"]
    restarted = next(event for event in live.feed(receipt, 1.0) if event.kind == "restarted")
    assert restarted.line == 0 and restarted.text
    assert {event.kind for event in live.finish()} == {"gone"}
    assert live.statistics["frames"] == 3 and live.statistics["restarts"] == 1


def test_the_same_frames_give_the_same_events(engine: munja.Engine, receipt: pathlib.Path) -> None:
    frames = [(receipt, 0.1 * i) for i in range(4)]
    assert list(munja.live(frames, engine=engine)) == list(munja.live(frames, engine=engine))


def test_a_region_is_all_that_is_read(engine: munja.Engine, receipt: pathlib.Path) -> None:
    whole = list(munja.live([(receipt, 0.0)], engine=engine))
    part = list(munja.live([(receipt, 0.0)], engine=engine, region=(150, 150, 620, 110)))
    assert 0 < len(part) < len(whole) / 2


def test_wrong_options_are_refused_at_once(engine: munja.Engine) -> None:
    with pytest.raises(ValueError, match="best_frames"):
        munja.live([], engine=engine, best_frames=51)
    with pytest.raises(TypeError):
        munja.live([], engine=engine, no_option=1)
    with pytest.raises(ValueError, match="finite"):
        munja.Live(engine).feed(numpy.zeros((64, 64, 3), numpy.uint8), float("nan"))


def test_two_threads_at_once_are_refused_or_wait(engine: munja.Engine, receipt: pathlib.Path) -> None:
    live = munja.Live(engine)
    errors: list[Exception] = []

    def feed(start: float) -> None:
        for i in range(5):
            try:
                live.feed(receipt, start + i)
            except munja.InvalidArgumentError as error:
                errors.append(error)

    threads = [threading.Thread(target=feed, args=(100.0 * k,)) for k in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all("one at a time" in str(error) for error in errors)
    assert live.statistics["frames"] + len(errors) == 10
