"""Live text: the lines of a video or a camera, from frame to frame."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from . import _munja
from ._images import open_source

if TYPE_CHECKING:
    from typing import Literal

    from ._engine import Engine
    from ._images import ImageSource

    Corners = tuple[tuple[float, float], tuple[float, float], tuple[float, float], tuple[float, float]]


@dataclasses.dataclass(frozen=True)
class LiveEvent:
    """Something that happened to a line of text.

    kind: "new", "changed" (another text), "moved" (by half of its height), "final" (enough readings agree), "gone", or
    "restarted": all lines are gone, because frames of another size came or the time jumped; ``text`` is the reason.
    line: the line's number, from 1, which is never used again; 0: an event of the stream. time: seconds, of the frame;
    first_time, last_time: the frames with the line until now. polygon: four corners (x, y) in pixels of that frame,
    clockwise from the top left of the text. readings: how many the text is made of.
    """

    kind: str
    line: int
    time: float
    first_time: float
    last_time: float
    text: str
    confidence: float
    polygon: Corners
    final: bool
    readings: int


@dataclasses.dataclass(frozen=True)
class LiveBox:
    """The place of a line in the newest frame. Its text came with the events."""

    line: int
    polygon: Corners
    confidence: float
    final: bool


class Live:
    """Reads a stream of frames, step by step: the same frames give the same events. One thread at a time.

    engine: the one to read with, which may serve other calls meanwhile. region: left, top, width, height, the only part
    that is read. frame_ms: milliseconds that reading a frame may take; time_share: 0 to 1, the share of the time that
    may be spent on reading; 0: no limit. agree_readings: equal readings that make a text final (3). best_frames: the
    best readings of a line that are combined (5). appear_after: searches that must find a line before it is new (1);
    leave_after: searches in a row that must miss it before it is gone (2). min_confidence: readings below are ignored;
    None: the model's own threshold. max_gap: seconds between two frames from which on the stream starts anew (10).

    >>> live = munja.Live(munja.Engine())
    >>> [event.text for event in live.feed("receipt.jpg", 0.0) if event.kind == "new"][0]
    'BAKERY NORTHWIND'
    """

    def __init__(
        self,
        engine: Engine,
        *,
        region: tuple[int, int, int, int] | None = None,
        frame_ms: float = 0.0,
        time_share: float = 0.0,
        agree_readings: int = 0,
        best_frames: int = 0,
        appear_after: int = 0,
        leave_after: int = 0,
        min_confidence: float | None = None,
        max_gap: float = 0.0,
    ) -> None:
        self._threads = engine._threads
        self._live = _munja.Live(
            engine._engine,
            region,
            frame_ms,
            time_share,
            agree_readings,
            best_frames,
            appear_after,
            leave_after,
            min_confidence,
            max_gap,
        )

    def feed(self, frame: ImageSource, time: float, *, order: Literal["rgb", "bgr"] = "rgb") -> list[LiveEvent]:
        """Reads the next frame and returns its events. frame: as for :meth:`Engine.read`. time: seconds, from any
        origin; one that goes back starts the stream anew."""
        image = open_source(frame, order=order).decode(self._threads)
        return [LiveEvent(*event) for event in self._live.feed(image, time)]

    def finish(self) -> list[LiveEvent]:
        """The end of the stream: all lines are gone. Another stream may follow."""
        return [LiveEvent(*event) for event in self._live.finish()]

    @property
    def boxes(self) -> list[LiveBox]:
        """The lines in the newest frame."""
        return [LiveBox(*box) for box in self._live.boxes()]

    @property
    def statistics(self) -> dict[str, Any]:
        """How many frames came, were read, unchanged and so on, and the milliseconds that it took."""
        return self._live.statistics()


def frames_of(path: str | os.PathLike[str]) -> Iterator[tuple[Any, float]]:
    """The frames of a video as upright arrays, with their seconds from its beginning."""
    try:
        import av
        import numpy
    except ImportError as error:
        raise ImportError("videos are read with PyAV and NumPy: pip install av numpy") from error
    with av.open(os.fspath(path)) as container:
        if not container.streams.video:
            raise ValueError(f"{os.fspath(path)} has no video in it")
        first: float | None = None
        for frame in container.decode(container.streams.video[0]):
            if frame.time is None:
                continue
            first = frame.time if first is None else first
            pixels = frame.to_ndarray(format="rgb24")
            quarters = round(getattr(frame, "rotation", 0) / 90) % 4
            yield numpy.ascontiguousarray(numpy.rot90(pixels, quarters)), frame.time - first


def live_events(
    stream: Live, source: str | os.PathLike[str] | Iterable[tuple[ImageSource, float]]
) -> Iterator[LiveEvent]:
    """The events of a video, or of pairs of frame and seconds."""
    for frame, time in frames_of(source) if isinstance(source, (str, os.PathLike)) else source:
        yield from stream.feed(frame, time)
    yield from stream.finish()
