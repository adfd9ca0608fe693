"""Munja reads the text of images on this machine, and runs .tflite networks.

>>> import munja
>>> print(munja.read("receipt.jpg").lines[0].text)
BAKERY NORTHWIND
"""

from __future__ import annotations

import atexit as _atexit
import json as _json
import os as _os
import threading as _threading
from collections.abc import Iterable, Iterator
from typing import Any, overload

from . import _munja
from ._engine import Engine
from ._errors import (
    CancelledError,
    Error,
    InternalError,
    InvalidArgumentError,
    MalformedError,
    MissingError,
    NeedsValuesError,
    OutOfMemoryError,
    ReadWriteError,
    Status,
    TimedOutError,
    UnavailableError,
    UnsupportedError,
)
from ._live import Live, LiveBox, LiveEvent, live_events
from ._munja import Character, Control, Line, Word
from ._page import Block, Page
from ._session import Network, OperatorUse, Session, Signature, TensorInfo
from .tools import convert, create_model, evaluate, get_model, inspect, prune, quantize, quantize_model

__version__: str = _munja.version()
__all__ = [
    "Block",
    "CancelledError",
    "Character",
    "Control",
    "Engine",
    "Error",
    "InternalError",
    "InvalidArgumentError",
    "Line",
    "Live",
    "LiveBox",
    "LiveEvent",
    "MalformedError",
    "MissingError",
    "NeedsValuesError",
    "Network",
    "OperatorUse",
    "OutOfMemoryError",
    "Page",
    "ReadWriteError",
    "Session",
    "Signature",
    "Status",
    "TensorInfo",
    "TimedOutError",
    "UnavailableError",
    "UnsupportedError",
    "Word",
    "aread",
    "catalog",
    "convert",
    "create_model",
    "devices",
    "evaluate",
    "get_model",
    "inspect",
    "live",
    "models",
    "prune",
    "quantize",
    "quantize_model",
    "read",
    "read_many",
    "read_pdf",
    "system",
]

# Calls of daemon threads end before the interpreter does, and later ones raise an error.
_atexit.register(_munja.shutdown)

_default_engine: Engine | None = None
_default_lock = _threading.Lock()


def _forked() -> None:
    """In the child of a fork a lock may belong to a thread that is not there."""
    global _default_lock
    _default_lock = _threading.Lock()
    _munja.forked()


_os.register_at_fork(after_in_child=_forked)


def _default() -> Engine:
    """The engine of the functions below, which is made at the first call and kept."""
    global _default_engine
    with _default_lock:
        if _default_engine is None:
            _default_engine = Engine()
        return _default_engine


@overload
def read(image: list[Any], **options: Any) -> list[Page]: ...  # pyright: ignore[reportOverlappingOverload]
@overload
def read(image: Any, **options: Any) -> Page: ...
def read(image: Any, **options: Any) -> Page | list[Page]:
    """Reads the text of an image with the default model.

    image: a path, the bytes of a file, an open binary file, an array of uint8, a Pillow image; a list of these returns
    a list of pages. options: as for :meth:`Engine.read`. For other models or settings make an :class:`Engine`.

    >>> page = munja.read("receipt.jpg")
    >>> page.words[0].text, round(page.words[0].confidence, 1)
    ('BAKERY', 1.0)
    """
    if isinstance(image, list):
        return list(read_many(image, **options))
    return _default().read(image, **options)


def read_many(images: Iterable[Any], **options: Any) -> Iterator[Page]:
    """Reads images on all processors and yields their pages in order; :meth:`Engine.read_many` has the options."""
    return _default().read_many(images, **options)


def read_pdf(pdf: Any, **options: Any) -> Iterator[Page]:
    """Reads a PDF file page by page; :meth:`Engine.read_pdf` has the options."""
    return _default().read_pdf(pdf, **options)


async def aread(image: Any, **options: Any) -> Page:
    """:func:`read` of one image for asyncio."""
    return await _default().aread(image, **options)


def live(
    source: str | _os.PathLike[str] | Iterable[tuple[Any, float]], *, engine: Engine | None = None, **options: Any
) -> Iterator[LiveEvent]:
    """Reads a video and yields what happens to its lines of text: they appear, change, are agreed on, and leave.

    source: the path of a video, which PyAV decodes (``pip install av numpy``), or pairs of a frame and its seconds, such
    as those of a camera; a frame is all that :meth:`Engine.read` takes. engine: None: the default model. options: as
    for :class:`Live`. Each frame is read before the next is taken, so frames of a slow source wait in the source.

    >>> events = munja.live([("receipt.jpg", 0.0), ("receipt.jpg", 0.1)])
    >>> [event.text for event in events if event.kind == "gone"][0]
    'BAKERY NORTHWIND'
    """
    return live_events(Live(engine or _default(), **options), source)


def models() -> list[dict[str, Any]]:
    """The installed models: "name", "path", "embedded", "description", "languages", or "error" for a damaged one."""
    result: list[dict[str, Any]] = _json.loads(_munja.models())
    return result


def catalog() -> list[dict[str, Any]]:
    """Models that others publish and that :func:`get_model` downloads: "name", "description", "languages",
    "download_bytes", "license", "publisher", "installed" and more."""
    result: list[dict[str, Any]] = _json.loads(_munja.catalog())
    return result


def system() -> dict[str, Any]:
    """Describes what this machine has for reading: vector instructions, memory, formats of images, accelerators. What
    is missing has "problem", and "package" where a Debian package brings it. ``munja doctor`` prints the same."""
    result: dict[str, Any] = _json.loads(_munja.system())
    return result


def devices() -> dict[str, Any]:
    """The devices that ``accelerator`` can name, with what they support."""
    result: dict[str, Any] = _json.loads(_munja.devices())
    return result
