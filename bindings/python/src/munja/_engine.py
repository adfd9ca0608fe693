"""Engines: they hold a model and read any number of images with it."""

from __future__ import annotations

import collections
import concurrent.futures
import functools
import json
import os
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar, cast

from . import _munja
from ._images import Source, open_source
from ._page import Page

if TYPE_CHECKING:
    from typing import Literal

    from ._images import ImageSource

    Progress = Callable[[str, int, int], object]
    Polygon = Sequence[Sequence[float]]  # Four corners (x, y), clockwise from the text's own top left.
    Accelerator = str | tuple[str, Mapping[str, str]]
    T = TypeVar("T")
else:
    T = TypeVar("T")


def device_list(accelerator: Accelerator | Sequence[Accelerator] | None) -> list[tuple[str, list[tuple[str, str]]]]:
    """Names and options as the extension takes them."""
    if accelerator is None:
        return []
    if isinstance(accelerator, str):
        return [(accelerator, [])]
    if isinstance(accelerator, tuple) and len(accelerator) == 2 and isinstance(accelerator[1], Mapping):
        name, options = accelerator[0], accelerator[1]
        return [(str(name), [(str(key), str(value)) for key, value in options.items()])]
    return [row for one in cast("Sequence[Accelerator]", accelerator) for row in device_list(one)]


def control_of(
    control: _munja.Control | None, timeout: float | None, progress: Progress | None
) -> _munja.Control | None:
    if control is not None and (timeout is not None or progress is not None):
        raise ValueError("give timeout and progress to the Control, or to the call without a Control")
    if timeout is None and progress is None:
        return control
    if timeout is not None and timeout <= 0:
        raise ValueError("timeout must be above 0 seconds")
    return _munja.Control(seconds=timeout or 0.0, progress=progress)


class Engine:
    """Reads text with one model, from any number of threads at once. It is a context manager.

    model: the name of an installed model, or its directory; None: the default model, which is part of the package.
    language: languages of the text, "ko,en" or ["ko", "en"]: only the model's language models for these help where the
    network is unsure; None: all of them. A ValueError lists those that the model has. :func:`models` names them, too.
    threads: 1 to 1024 for each read; 0: one for each processor. The text never depends on it.
    accelerator: "opencl", "nn:NAME", the path of a delegate's shared library, or a list of these; each may be a pair of
    the name and a dictionary of options. What it cannot run, the CPU does.
    precision: "fp32", "fp16" or "mixed"; None: as the model has it.
    settings: overrides settings of the model, for example ``{"detector": {"limit_side": 1280}}``.
    words: a file of words to expect. allowed_characters: all others are excluded. denied_characters: these are, too.

    >>> with munja.Engine(threads=2) as engine:
    ...     page = engine.read("receipt.jpg")
    >>> len(page)
    21
    """

    def __init__(
        self,
        model: str | os.PathLike[str] | None = None,
        *,
        language: str | Iterable[str] | None = None,
        threads: int = 0,
        accelerator: Accelerator | Sequence[Accelerator] | None = None,
        precision: Literal["fp32", "fp16", "mixed"] | None = None,
        settings: Mapping[str, Any] | None = None,
        words: str | os.PathLike[str] | None = None,
        allowed_characters: str | None = None,
        denied_characters: str | None = None,
        control: _munja.Control | None = None,
    ) -> None:
        self._threads = threads
        self._engine = _munja.Engine.create(
            os.fspath(model) if model is not None else "",
            threads,
            json.dumps(settings) if settings else "",
            precision or "",
            device_list(accelerator),
            os.fspath(words) if words is not None else "",
            allowed_characters or "",
            denied_characters or "",
            language if isinstance(language, str) else ",".join(language or ()),
            control,
        )

    @property
    def name(self) -> str:
        """The model's name."""
        return self._engine.name

    @property
    def settings(self) -> dict[str, Any]:
        """The settings in force."""
        settings: dict[str, Any] = json.loads(self._engine.settings)
        return settings

    @property
    def closed(self) -> bool:
        return self._engine.closed

    def close(self) -> None:
        """Frees the model once no thread reads with it any more. Pages remain valid; reading raises an error."""
        self._engine.close()

    def __enter__(self) -> Engine:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return "<munja.Engine, closed>" if self.closed else f"<munja.Engine {self.name!r}>"

    # ---- One image ----------------------------------------------------------

    def read(
        self,
        image: ImageSource,
        *,
        region: tuple[int, int, int, int] | None = None,
        min_confidence: float | None = None,
        order: Literal["rgb", "bgr"] = "rgb",
        page: int = 0,
        dpi: float = 0.0,
        timeout: float | None = None,
        progress: Progress | None = None,
        control: _munja.Control | None = None,
        dump_directory: str | os.PathLike[str] | None = None,
    ) -> Page:
        """Finds and reads the text of an image.

        image: a path; the bytes of a file (JPEG, PNG, WebP, TIFF, GIF, BMP, PNM, HEIC, AVIF, JPEG 2000, JPEG XL, PDF); an
        open binary file; an array of uint8 with the shape (height, width), (height, width, 3) or (height, width, 4),
        whose channels are in ``order``; a Pillow image. Rows of RGB pixels are not copied, and must not change during
        the call.
        region: left, top, width, height: only this part is read. min_confidence: 0 to 1, lines below it are left out;
        None: the model's own threshold. page, dpi: of a file with several pages; PDF pages are rendered at ``dpi``.
        timeout: seconds. progress(what, done, total): called by this thread; returning False cancels, and an exception
        is raised by this call. control: for cancellation by other threads, instead of both.

        Raises a :class:`Error` with the library's message, for example :class:`MissingError` (a FileNotFoundError),
        :class:`MalformedError` (a ValueError), :class:`TimedOutError`.
        """
        control = control_of(control, timeout, progress)
        source = open_source(image, page=page, dpi=dpi, order=order)
        return self._read(source, "page", [], min_confidence, region, dump_directory, control)

    def detect(
        self,
        image: ImageSource,
        *,
        order: Literal["rgb", "bgr"] = "rgb",
        page: int = 0,
        dpi: float = 0.0,
        control: _munja.Control | None = None,
    ) -> Page:
        """Finds lines without reading them: their polygons, in reading order."""
        source = open_source(image, page=page, dpi=dpi, order=order)
        return self._read(source, "detect", [], None, None, None, control)

    def read_line(
        self,
        image: ImageSource,
        *,
        order: Literal["rgb", "bgr"] = "rgb",
        min_confidence: float | None = None,
        control: _munja.Control | None = None,
    ) -> Page:
        """Reads an image that is a single line of text."""
        source = open_source(image, order=order)
        return self._read(source, "line", [], min_confidence, None, None, control)

    def read_boxes(
        self,
        image: ImageSource,
        boxes: Sequence[Polygon],
        *,
        order: Literal["rgb", "bgr"] = "rgb",
        page: int = 0,
        dpi: float = 0.0,
        min_confidence: float | None = None,
        control: _munja.Control | None = None,
    ) -> Page:
        """Reads the lines in the given polygons; the page has them in this order."""
        source = open_source(image, page=page, dpi=dpi, order=order)
        corners = [[(float(x), float(y)) for x, y in box] for box in boxes]
        return self._read(source, "boxes", corners, min_confidence, None, None, control)

    def _read(
        self,
        source: Source,
        task: str,
        boxes: Sequence[Sequence[tuple[float, float]]],
        min_confidence: float | None,
        region: tuple[int, int, int, int] | None,
        dump_directory: str | os.PathLike[str] | None,
        control: _munja.Control | None,
    ) -> Page:
        if self.closed:
            self._engine.name  # Raises.
        image = source.decode(self._threads, control)
        document = self._engine.read(
            image,
            task,
            boxes,
            min_confidence,
            region,
            os.fspath(dump_directory) if dump_directory is not None else "",
            control,
        )
        return Page(document, source)

    # ---- Many images --------------------------------------------------------

    def read_many(
        self,
        images: Iterable[ImageSource],
        *,
        workers: int | None = None,
        return_errors: bool = False,
        **options: Any,
    ) -> Iterator[Page]:
        """Reads images and yields their pages in the order of the images.

        workers: threads that each read an image; None: one for each processor. At most twice as many images are in work
        or wait for the caller, so memory does not depend on their number. options: as for :meth:`read`, without
        timeout, progress and control. An image that cannot be read raises its error; with ``return_errors`` it is
        yielded in the page's place, and reading goes on. Closing the iterator cancels what is in work.

        For many images an engine with ``threads=1`` is best.
        """
        yield from self._in_order(((self.read, image) for image in images), workers, return_errors, options)

    def read_pdf(
        self,
        pdf: ImageSource,
        *,
        pages: Iterable[int] | None = None,
        dpi: float = 0.0,
        workers: int | None = None,
        **options: Any,
    ) -> Iterator[Page]:
        """Reads the pages of a PDF, TIFF, GIF or WebP file and yields them in order; :meth:`read_many` says how.

        pages: their numbers, from 0; None: all. dpi: at which PDF pages are rendered; 0: the resolution of the only
        image on the page, else 200.
        """
        source = open_source(pdf)
        if source.data is None:
            raise TypeError("pages are read from a file: a path, its bytes or an open binary file")
        numbers = range(_munja.Image.count(source.data)) if pages is None else pages
        sources = (Source(source.name, source.data, number, dpi, None) for number in numbers)
        yield from self._in_order(((self.read, one) for one in sources), workers, False, options)

    def _in_order(
        self,
        calls: Iterable[tuple[Callable[..., Page], ImageSource]],
        workers: int | None,
        return_errors: bool,
        options: Mapping[str, Any],
    ) -> Iterator[Page]:
        count = workers or os.cpu_count() or 1
        if count < 1:
            raise ValueError("workers must be at least 1")
        control = _munja.Control()
        waiting: collections.deque[concurrent.futures.Future[Page]] = collections.deque()
        remaining = iter(calls)
        with concurrent.futures.ThreadPoolExecutor(count, thread_name_prefix="munja") as executor:
            try:
                while True:
                    while len(waiting) < 2 * count:
                        call = next(remaining, None)
                        if call is None:
                            break
                        waiting.append(executor.submit(call[0], call[1], control=control, **options))
                    if not waiting:
                        return
                    future = waiting.popleft()
                    try:
                        page = future.result()
                    except Exception as error:
                        if not return_errors:
                            raise
                        page = cast("Page", error)
                    del future  # The page is the caller's alone.
                    yield page
                    del page
            finally:
                control.cancel()
                for future in waiting:
                    future.cancel()

    # ---- asyncio ------------------------------------------------------------

    async def aread(self, image: ImageSource, **options: Any) -> Page:
        """:meth:`read` for asyncio: in a thread of the loop's executor. Cancelling the task cancels the read."""
        control = control_of(options.pop("control", None), options.pop("timeout", None), options.pop("progress", None))
        return await _in_thread(control, self.read, image, **options)

    async def aread_many(
        self, images: Iterable[ImageSource], *, workers: int | None = None, return_errors: bool = False, **options: Any
    ) -> AsyncIterator[Page]:
        """:meth:`read_many` for asyncio."""
        iterator = self.read_many(images, workers=workers, return_errors=return_errors, **options)
        async for page in _iterate(iterator):
            yield page

    async def aread_pdf(
        self,
        pdf: ImageSource,
        *,
        pages: Iterable[int] | None = None,
        dpi: float = 0.0,
        workers: int | None = None,
        **options: Any,
    ) -> AsyncIterator[Page]:
        """:meth:`read_pdf` for asyncio."""
        async for page in _iterate(self.read_pdf(pdf, pages=pages, dpi=dpi, workers=workers, **options)):
            yield page


async def _in_thread(control: _munja.Control | None, function: Callable[..., T], *arguments: Any, **options: Any) -> T:
    import asyncio  # Here, since it is a third of the package's time to import.

    control = control or _munja.Control()
    call = functools.partial(function, *arguments, control=control, **options)
    future = asyncio.get_running_loop().run_in_executor(None, call)
    try:
        return await asyncio.shield(future)
    except asyncio.CancelledError:
        control.cancel()
        # The memory that the call uses is free again when this returns.
        await asyncio.wait([future])
        if not future.cancelled():
            future.exception()
        raise


async def _iterate(iterator: Iterator[Page]) -> AsyncIterator[Page]:
    import asyncio

    loop = asyncio.get_running_loop()
    end = object()
    try:
        while True:
            page = await loop.run_in_executor(None, next, iterator, end)
            if page is end:
                return
            yield page  # type: ignore[misc]
    finally:
        close = getattr(iterator, "close")
        await loop.run_in_executor(None, close)
