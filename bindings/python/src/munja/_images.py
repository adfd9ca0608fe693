"""From what callers have to an image of the library."""

from __future__ import annotations

import os
import pathlib
import sys
from typing import TYPE_CHECKING, Any, Protocol, Union, runtime_checkable

from . import _munja

if TYPE_CHECKING:
    from collections.abc import Buffer  # type: ignore[attr-defined, unused-ignore]


@runtime_checkable
class Readable(Protocol):
    """An open binary file."""

    def read(self) -> bytes: ...


@runtime_checkable
class SupportsDLPack(Protocol):
    """An array of any library: NumPy, PyTorch, JAX ..."""

    def __dlpack__(self, *args: Any, **kwargs: Any) -> Any: ...


if TYPE_CHECKING:
    # Pillow's images are known by what they have, so that Pillow need not be installed.
    ImageSource = Union[str, os.PathLike[str], bytes, bytearray, memoryview, Readable, SupportsDLPack, Buffer, "Source", Any]


class Source:
    """An image and where it came from: its file's bytes, which output formats embed, or its pixels."""

    def __init__(self, name: str, data: bytes | None, page: int, dpi: float, image: _munja.Image | None) -> None:
        self.name = name
        self.data = data
        self.page = page
        self.dpi = dpi
        self._image = image

    def decode(self, threads: int = 0, control: _munja.Control | None = None) -> _munja.Image:
        """The image; that of a file is decoded anew, so that results do not keep its pixels."""
        if self._image is not None:
            return self._image
        assert self.data is not None
        return _munja.Image.decode(self.data, self.page, self.dpi, threads, control)


def _is_pillow(source: object) -> bool:
    return hasattr(source, "mode") and hasattr(source, "getexif") and hasattr(source, "convert")


def _from_pillow(picture: Any) -> _munja.Image:
    """Pixels of a Pillow image, turned upright as its EXIF data say, without an alpha channel where there is none."""
    from PIL import ImageOps  # It is installed: the image is one of its own.

    upright = ImageOps.exif_transpose(picture)
    mode: str = upright.mode
    if mode.startswith("I"):  # 16 bits.
        upright, mode = upright.convert("I").point(lambda value: value / 256).convert("L"), "L"
    elif mode in ("LA", "PA", "La") or (mode == "P" and "transparency" in upright.info):
        upright, mode = upright.convert("RGBA"), "RGBA"
    elif mode not in ("L", "RGB", "RGBA"):
        upright, mode = upright.convert("RGB"), "RGB"
    channels = {"L": 1, "RGB": 3, "RGBA": 4}[mode]
    pixels = memoryview(upright.tobytes()).cast("B", (upright.height, upright.width, channels))
    return _munja.Image.from_array(pixels)


def open_source(source: ImageSource, *, page: int = 0, dpi: float = 0.0, order: str = "rgb") -> Source:
    """A source of any kind that :func:`munja.read` takes."""
    if isinstance(source, Source):
        return source
    if isinstance(source, (str, os.PathLike)):
        path = os.fspath(source)
        return Source(path, pathlib.Path(path).read_bytes(), page, dpi, None)
    if isinstance(source, bytes):
        return Source("", source, page, dpi, None)
    if isinstance(source, (bytearray, memoryview)) and (isinstance(source, bytearray) or source.ndim == 1):
        return Source("", bytes(source), page, dpi, None)
    if _is_pillow(source):
        return Source(getattr(source, "filename", "") or "", None, 0, dpi, _from_pillow(source))
    if isinstance(source, Readable):
        data = source.read()
        if not isinstance(data, bytes):
            raise TypeError("the file must be open in binary mode")
        return Source(getattr(source, "name", "") or "", data, page, dpi, None)
    return Source("", None, 0, dpi, _munja.Image.from_array(source, order))


def numpy_module() -> Any:
    """NumPy, or None where it is not installed."""
    try:
        return sys.modules.get("numpy") or __import__("numpy")
    except ImportError:
        return None
