"""The text of one image."""

from __future__ import annotations

import base64
import html
import json
import os
import pathlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from . import _munja
from ._errors import InvalidArgumentError
from ._images import Source

if TYPE_CHECKING:
    import pandas  # type: ignore[import-untyped, import-not-found, unused-ignore]
    import polars  # type: ignore[import-not-found, unused-ignore]


class Block:
    """Consecutive lines that belong together: a paragraph, a column, a part of a table."""

    def __init__(self, lines: list[_munja.Line]) -> None:
        self.lines = lines

    @property
    def text(self) -> str:
        """Its lines' texts, a line break between them."""
        return "\n".join(line.text for line in self.lines)

    @property
    def words(self) -> list[_munja.Word]:
        return [word for line in self.lines for word in line.words]

    @property
    def box(self) -> tuple[float, float, float, float]:
        """The upright rectangle around its lines: left, top, right, bottom, in pixels."""
        boxes = [line.box for line in self.lines]
        return (
            min(box[0] for box in boxes),
            min(box[1] for box in boxes),
            max(box[2] for box in boxes),
            max(box[3] for box in boxes),
        )

    def __repr__(self) -> str:
        return f"<munja.Block of {len(self.lines)} lines>"


class Page:
    """The text of one image, in reading order. It never changes, and any number of threads may use it.

    ``len(page)`` is the number of lines, iteration yields them, ``str(page)`` is the text. Lines, words and characters
    remain valid without the page.

    >>> page = munja.read("receipt.jpg")
    >>> page.lines[0].text
    'BAKERY NORTHWIND'
    >>> page.width, page.height
    (900, 1180)
    """

    def __init__(self, document: _munja.Document, source: Source) -> None:
        self._document = document
        self._source = source

    @property
    def text(self) -> str:
        """The lines' texts, a line break after each, an empty line between blocks."""
        return self._document.text()

    @property
    def source(self) -> str:
        """The name of the image's file; empty for images from memory."""
        return self._source.name

    @property
    def width(self) -> int:
        """Pixels of the upright image."""
        return self._document.width

    @property
    def height(self) -> int:
        """Pixels of the upright image."""
        return self._document.height

    @property
    def lines(self) -> list[_munja.Line]:
        return self._document.lines

    @property
    def words(self) -> list[_munja.Word]:
        return [word for line in self.lines for word in line.words]

    @property
    def characters(self) -> list[_munja.Character]:
        return [character for line in self.lines for character in line.characters]

    @property
    def blocks(self) -> list[Block]:
        blocks: dict[int, list[_munja.Line]] = {}
        for line in self.lines:
            blocks.setdefault(line.block, []).append(line)
        return [Block(lines) for lines in blocks.values()]

    @property
    def timing(self) -> dict[str, float]:
        """Milliseconds of the stages "decode", "detect" and "recognize", and of all ("total")."""
        return self._document.timing

    def __len__(self) -> int:
        return self._document.line_count()

    def __iter__(self) -> Iterator[_munja.Line]:
        return iter(self.lines)

    def __bool__(self) -> bool:
        return True  # A page without text is a page.

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<munja.Page {self.width}x{self.height} with {len(self)} lines>"

    # ---- Files --------------------------------------------------------------

    def to_bytes(self, format: str, *, dpi: float = 0.0) -> bytes:
        """The page as a file: "text", "json", "json2", "tsv", "hocr", "alto", "page", "markdown", "pdf", "pdfa",
        "pdf_text", "svg" or "png".

        Formats that show the image embed it. dpi: pixels per inch for the page size of PDF; 0: from the image's file.

        Raises :class:`MissingError` for an unknown format; the message lists all.
        """
        image = file = None
        if format in _WITH_IMAGE:
            image = self._source.decode()
            if self._source.page == 0:
                file = self._source.data
        return self._document.write(format, self._source.name, image, file, dpi)

    def to_json(self) -> str:
        """JSON with lines, polygons and confidences: what ``munja read --format json`` prints."""
        return self._document.json(self._source.name)

    def to_dict(self) -> dict[str, Any]:
        """:meth:`to_json`, parsed."""
        result: dict[str, Any] = json.loads(self.to_json())
        return result

    def to_markdown(self) -> str:
        return self.to_bytes("markdown").decode()

    def to_hocr(self) -> str:
        return self.to_bytes("hocr").decode()

    def to_alto(self) -> str:
        return self.to_bytes("alto").decode()

    def to_tsv(self) -> str:
        return self.to_bytes("tsv").decode()

    def to_svg(self) -> str:
        """The words over the image, which is embedded if it is a JPEG file."""
        return self.to_bytes("svg").decode()

    def to_pdf(self, path: str | os.PathLike[str] | None = None, *, dpi: float = 0.0) -> bytes:
        """A PDF file of the image with invisible text over it; also written to ``path`` if one is given."""
        data = self.to_bytes("pdf", dpi=dpi)
        if path is not None:
            pathlib.Path(path).write_bytes(data)
        return data

    def save(self, path: str | os.PathLike[str], *, format: str | None = None, dpi: float = 0.0) -> None:
        """Writes a file in ``format``; without one, in that of the path's extension (".pdf", ".hocr", ".md" ...)."""
        if format is None:
            name = os.fspath(path).lower()
            # The longest extension that matches: "x.alto.xml".
            known = sorted(_munja.formats(), key=lambda row: -len(row[1]))
            format = next((row[0] for row in known if name.endswith("." + row[1])), None)
            if format is None:
                raise InvalidArgumentError(f"{name}: no format has this extension")
        pathlib.Path(path).write_bytes(self.to_bytes(format, dpi=dpi))

    # ---- Tables -------------------------------------------------------------

    def to_records(self) -> list[dict[str, Any]]:
        """One dictionary for each word: block, line, word (numbers from 0), text, confidence, and its box in pixels."""
        records = []
        for line_number, line in enumerate(self.lines):
            for word_number, word in enumerate(line.words):
                left, top, right, bottom = word.box
                records.append(
                    {
                        "block": line.block,
                        "line": line_number,
                        "word": word_number,
                        "text": word.text,
                        "confidence": word.confidence,
                        "left": left,
                        "top": top,
                        "right": right,
                        "bottom": bottom,
                    }
                )
        return records

    def _columns(self) -> dict[str, list[Any]]:
        records = self.to_records()
        return {name: [record[name] for record in records] for name in _COLUMNS}

    def to_pandas(self) -> pandas.DataFrame:
        """The words of :meth:`to_records` as a table of pandas, which must be installed."""
        import pandas

        return pandas.DataFrame(self._columns()).astype(_COLUMNS)

    def to_polars(self) -> polars.DataFrame:
        """The words of :meth:`to_records` as a table of Polars, which must be installed."""
        import polars

        types = {"int64": polars.Int64, "float64": polars.Float64, "object": polars.String}
        return polars.DataFrame(self._columns(), schema={name: types[kind] for name, kind in _COLUMNS.items()})

    def _repr_html_(self) -> str:
        """The image with its words outlined, and the text beside it, for notebooks."""
        png = base64.b64encode(self.to_bytes("png")).decode()
        return (
            '<div style="display: flex; gap: 1em">'
            f'<img style="max-width: 50%; object-fit: contain" src="data:image/png;base64,{png}">'
            f'<pre style="max-width: 50%; overflow: auto">{html.escape(self.text)}</pre></div>'
        )


_COLUMNS = {
    "block": "int64",
    "line": "int64",
    "word": "int64",
    "text": "object",
    "confidence": "float64",
    "left": "float64",
    "top": "float64",
    "right": "float64",
    "bottom": "float64",
}
_WITH_IMAGE = frozenset(("pdf", "pdfa", "svg", "png"))
