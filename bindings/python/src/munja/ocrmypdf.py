"""OCRmyPDF 17 with Munja as its engine. The plug-in is there as soon as both packages are installed:
``ocrmypdf --ocr-engine munja scan.pdf searchable.pdf``.

- ``--ocr-engine auto`` selects Munja where the program ``tesseract`` is not installed. Nothing here needs that program.
- ``-l kor+deu`` names languages by ISO 639 codes of two or three letters. Only the language models of these help; ``eng``,
  which OCRmyPDF also assumes where ``-l`` is not given, stands for all languages of the model.
- ``--munja-model NAME`` is another installed model, or its directory.
- ``--rotate-pages`` and ``--deskew`` work. ``--tesseract-...`` options, ``--user-words`` and ``--user-patterns`` have no
  effect.
- A warning says on which pages there are lines in scripts that the model cannot read.
"""

from __future__ import annotations

import functools
import logging
import math
import re
import shutil
import statistics
from argparse import ArgumentParser
from collections.abc import Iterable, Set
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ocrmypdf import hookimpl
from ocrmypdf.exceptions import BadArgsError, InputFileError, MissingDependencyError
from ocrmypdf.helpers import available_cpu_count
from ocrmypdf.languages import ISO_639_3
from ocrmypdf.models.ocr_element import Baseline, BoundingBox, OcrClass, OcrElement
from ocrmypdf.pluginspec import OcrEngine, OrientationConfidence
from PIL import Image
from pydantic import BaseModel, Field

import munja

if TYPE_CHECKING:
    Point = tuple[float, float]

log = logging.getLogger(__name__)

_NAME = "munja"
_TESSERACT = "ocrmypdf.builtin_plugins.tesseract_ocr"
_DEFAULT_LANGUAGE = "eng"
# OCRmyPDF turns pages from 14 on, which is where Tesseract is sure enough.
_MOST_CONFIDENCE = 30.0
# A page that is turned further loses its corners.
_MOST_SKEW = 15.0
# In heights of a line: the gap up to which Korean words share an element; the rise up to which a line is level as a
# whole, since readers take words of different heights for several lines; and the rise of a piece of a steeper one.
_WIDE_GAP = 1.5
_LEVEL_RISE = 1.2
_HIGH_STEP = 0.25


class MunjaOptions(BaseModel):
    """The plug-in's options: ``options.munja``."""

    model: str | None = None
    threads: int = Field(default=1, exclude=True)  # For each page in work.


# ---- Languages --------------------------------------------------------------


@functools.cache
def _codes() -> dict[str, str]:
    """ISO 639 codes of three letters and the names that Tesseract has, each with the code that models use."""
    codes = {"chi_sim": "zh", "chi_tra": "zh", "jpn_vert": "ja", "kor_vert": "ko"}
    for code, language in ISO_639_3.items():
        if language.alpha_2:
            codes[code] = language.alpha_2
            if language.alt:
                codes[language.alt] = language.alpha_2
    return codes


def _languages_of(model: str | None) -> set[str]:
    """All names by which a model's languages can be chosen, or those of all models where none is named; none for a model
    that is not installed."""
    known = {
        language
        for row in munja.models()
        if model in (None, row["name"]) and "error" not in row
        for language in row["languages"]
    }
    if not known:
        return set()
    return known | {_DEFAULT_LANGUAGE} | {code for code, language in _codes().items() if language in known}


def _chosen(languages: Iterable[str]) -> str | None:
    """The language that :class:`munja.Engine` is given."""
    names = dict.fromkeys(languages)
    if _DEFAULT_LANGUAGE in names:
        return None
    return ",".join(dict.fromkeys(_codes().get(name, name) for name in names))


# ---- Reading ----------------------------------------------------------------


@functools.lru_cache(maxsize=4)
def _engine(model: str | None, language: str | None, threads: int) -> munja.Engine:
    return munja.Engine(model, language=language, threads=threads)


def _engine_of(options: Any) -> munja.Engine:
    try:
        return _engine(options.munja.model, _chosen(options.languages), options.munja.threads)
    except munja.MissingError as error:
        raise MissingDependencyError(str(error)) from error
    except munja.Error as error:
        raise BadArgsError(str(error)) from error


def _read(path: Path, options: Any, *, only_find: bool = False) -> munja.Page:
    engine = _engine_of(options)
    try:
        return engine.detect(path) if only_find else engine.read(path)
    except munja.Error as error:
        raise InputFileError(f"{path}: {error}") from error


def _angle(line: munja.Line) -> tuple[float, float]:
    """The direction in which a line runs, in radians clockwise from the right, and its length in pixels."""
    (x0, y0), (x1, y1), *_ = line.polygon
    return math.atan2(y1 - y0, x1 - x0), math.hypot(x1 - x0, y1 - y0)


def _quarters(angle: float) -> int:
    return round(angle / (math.pi / 2)) % 4


def orientation_of(page: munja.Page) -> tuple[int, float]:
    """How far a page lies turned clockwise (0, 90, 180, 270), and how sure that is (0 to 30).

    Each line votes with its length.
    """
    votes = [0.0] * 4
    sure = 0.0
    for line in page.lines:
        if line.text:
            angle, length = _angle(line)
            votes[_quarters(angle)] += length
            sure += length * line.confidence
    total = sum(votes)
    if total <= 0:
        return 0, 0.0
    most = max(range(4), key=votes.__getitem__)
    confidence = _MOST_CONFIDENCE * max(2 * votes[most] / total - 1, 0.0) * sure / total
    return 90 * most, confidence


def skew_of(page: munja.Page) -> float:
    """The angle of the page's lines, in degrees clockwise: half of the lines are turned less, half more."""
    angles = [math.remainder(_angle(line)[0], math.pi / 2) for line in page.lines if _angle(line)[1] > 0]
    return math.degrees(statistics.median(angles)) if angles else 0.0


# ---- The tree ---------------------------------------------------------------


def _turned(point: Point, quarters: int) -> Point:
    """A point as seen after the page has been turned counterclockwise by some quarters around its origin."""
    x, y = point
    for _ in range(quarters % 4):
        x, y = y, -x
    return x, y


def _box(points: Iterable[Point]) -> BoundingBox:
    xs, ys = zip(*points)
    return BoundingBox(min(xs), min(ys), max(xs), max(ys))


def _is_east_asian(text: str) -> bool:
    return all(ord(letter) >= 0x1100 for letter in text)


def _has_hangul(text: str) -> bool:
    return re.search("[\u1100-\u11ff\u3130-\u318f\ua960-\ua97f\uac00-\ud7ff]", text) is not None


def _word_elements(words: Iterable[munja.Word], height: float) -> list[OcrElement]:
    """Words side by side.

    OCRmyPDF writes no spaces between words of East Asian letters alone, which Korean has. Such words therefore share an
    element, unless the gap between them is wide.
    """
    elements: list[OcrElement] = []
    for word in words:
        box = BoundingBox(*word.box)
        last = elements[-1] if elements else None
        if (
            last is not None
            and last.bbox is not None
            and _is_east_asian(last.text.replace(" ", ""))
            and _is_east_asian(word.text)
            and _has_hangul(last.text + word.text)
            and max(box.left - last.bbox.right, box.top - last.bbox.bottom) < _WIDE_GAP * height
        ):
            last.text += f" {word.text}"
            last.confidence = min(last.confidence or 0.0, word.confidence)
            both = last.bbox, box
            last.bbox = _box([(one.left, one.top) for one in both] + [(one.right, one.bottom) for one in both])
        else:
            elements.append(OcrElement(OcrClass.WORD, bbox=box, text=word.text, confidence=word.confidence))
    return elements


def _steps(words: Iterable[munja.Word], quarters: int, most: float) -> list[list[munja.Word]]:
    """The words of a line in groups that are no wider than ``most``, except single words."""
    steps: list[list[munja.Word]] = []
    begin = 0.0
    for word in words:
        ends = [_turned(point, quarters)[0] for point in word.polygon]
        if steps and max(ends) - begin <= most:
            steps[-1].append(word)
        else:
            steps.append([word])
            begin = min(ends)
    return steps


def _line_elements(line: munja.Line) -> list[OcrElement]:
    """A line as one level piece, or as stairs along its baseline where it is steep.

    OCRmyPDF would write the letters of a skewed line along a sloping baseline, and pdftotext takes a word apart where
    it rises by half a point.
    """
    quarters = _quarters(_angle(line)[0])
    corners = [_turned(point, quarters) for point in line.polygon]
    start, end = (_turned(point, quarters) for point in line.baseline)
    slope = (end[1] - start[1]) / (end[0] - start[0]) if end[0] > start[0] else 0.0
    middle = (start[1] + end[1]) / 2
    ascent = max(middle - (corners[0][1] + corners[1][1]) / 2, 1.0)
    descent = max((corners[2][1] + corners[3][1]) / 2 - middle, 0.0)
    height = ascent + descent
    rise = abs(slope) / height  # In heights of the line, for each pixel along it.
    most = _HIGH_STEP / rise if rise * (end[0] - start[0]) > _LEVEL_RISE else math.inf
    elements = []
    for words in _steps(line.words, quarters, most):
        xs = [_turned(point, quarters)[0] for word in words for point in word.polygon]
        left, right = min(xs), max(xs)
        base = start[1] + slope * ((left + right) / 2 - start[0])
        level = ((left, base - ascent), (right, base + descent))
        elements.append(
            OcrElement(
                OcrClass.LINE,
                bbox=_box([_turned(point, -quarters) for point in level]),
                confidence=line.confidence,
                direction="rtl" if line.direction == "right-to-left" and quarters == 0 else "ltr",
                language="kor" if _has_hangul(line.text) else None,
                baseline=Baseline(slope=0.0, intercept=-descent),
                textangle=(0.0, -90.0, 180.0, 90.0)[quarters],
                children=_word_elements(words, height),
            )
        )
    return elements


def tree_of(page: munja.Page, *, dpi: float = 72.0, page_number: int = 0) -> OcrElement:
    """A page as OCRmyPDF has it: blocks are its paragraphs. dpi: pixels per inch; page_number: from 0."""
    root = OcrElement(
        OcrClass.PAGE, bbox=BoundingBox(0, 0, page.width, page.height), dpi=dpi, page_number=page_number
    )
    for block in page.blocks:
        lines = [element for line in block.lines for element in _line_elements(line)]
        if lines:
            root.children.append(OcrElement(OcrClass.PARAGRAPH, bbox=BoundingBox(*block.box), children=lines))
    return root


def _resolution(path: Path) -> float:
    with Image.open(path) as image:
        return float(image.info.get("dpi", (72.0, 72.0))[0]) or 72.0


def _warn_of_unknown_scripts(page: munja.Page, where: str) -> None:
    scripts = [line.unknown_script for line in page.lines if line.unknown_script]
    if scripts:
        names = ", ".join(sorted(set(scripts)))
        log.warning("%s: %d lines are in a script that the model cannot read: %s", where, len(scripts), names)


class MunjaOcrEngine(OcrEngine):
    """Munja as OCRmyPDF calls its engines."""

    @staticmethod
    def version() -> str:
        return munja.__version__

    @staticmethod
    def creator_tag(options: Any) -> str:
        return f"Munja {munja.__version__}"

    def __str__(self) -> str:
        return f"Munja {munja.__version__}"

    @staticmethod
    def languages(options: Any) -> Set[str]:
        return _languages_of(options.munja.model)

    @staticmethod
    def get_orientation(input_file: Path, options: Any) -> OrientationConfidence:
        return OrientationConfidence(*orientation_of(_read(input_file, options)))

    @staticmethod
    def get_deskew(input_file: Path, options: Any) -> float:
        skew = skew_of(_read(input_file, options, only_find=True))
        if abs(skew) > _MOST_SKEW:
            log.warning("%s: lines are skewed by %.0f degrees; the page is not deskewed", input_file.stem, skew)
            return 0.0
        return skew

    @staticmethod
    def supports_generate_ocr() -> bool:
        return True

    @staticmethod
    def generate_ocr(input_file: Path, options: Any, page_number: int = 0) -> tuple[OcrElement, str]:
        page = _read(input_file, options)
        _warn_of_unknown_scripts(page, f"page {page_number + 1}")
        return tree_of(page, dpi=_resolution(input_file), page_number=page_number), page.text

    @staticmethod
    def _write(format: str, input_file: Path, output: Path, output_text: Path, options: Any) -> None:
        page = _read(input_file, options)
        _warn_of_unknown_scripts(page, input_file.stem)
        output.write_bytes(page.to_bytes(format, dpi=_resolution(input_file)))
        output_text.write_text(page.text, encoding="utf-8")

    @staticmethod
    def generate_hocr(input_file: Path, output_hocr: Path, output_text: Path, options: Any) -> None:
        MunjaOcrEngine._write("hocr", input_file, output_hocr, output_text, options)

    @staticmethod
    def generate_pdf(input_file: Path, output_pdf: Path, output_text: Path, options: Any) -> None:
        MunjaOcrEngine._write("pdf_text", input_file, output_pdf, output_text, options)


# ---- Hooks ------------------------------------------------------------------


def _is_selected(options: Any) -> bool:
    name = getattr(options, "ocr_engine", "auto")
    return name == _NAME or (name == "auto" and shutil.which("tesseract") is None)


@hookimpl
def initialize(plugin_manager: Any) -> None:
    """Keeps OCRmyPDF from asking for the program ``tesseract`` where Munja reads."""
    for hook in plugin_manager.hook.check_options.get_hookimpls():
        if getattr(hook.plugin, "__name__", "") == _TESSERACT and not hasattr(hook.function, "__wrapped__"):
            hook.function = _unless_selected(hook.function)


def _unless_selected(check: Any) -> Any:
    @functools.wraps(check)
    def check_options(options: Any) -> None:
        if not _is_selected(options):
            check(options)

    return check_options


@hookimpl
def add_options(parser: ArgumentParser) -> None:
    for action in parser._actions:
        if "--ocr-engine" in action.option_strings and action.choices is not None and _NAME not in action.choices:
            action.choices = [*action.choices, _NAME]
            action.help = f"{action.help} 'munja' uses Munja, as 'auto' does where Tesseract is not installed."
    group = parser.add_argument_group("Munja", "Control of Munja, the engine of '--ocr-engine munja'")
    group.add_argument(
        "--munja-model", metavar="NAME", dest="munja_model", help="The name of an installed model, or its directory."
    )


@hookimpl
def register_options() -> dict[str, type[BaseModel]]:
    return {_NAME: MunjaOptions}


@hookimpl
def check_options(options: Any) -> None:
    if _is_selected(options):
        _engine_of(options)  # An unknown model or language is said before the first page.


@hookimpl
def validate(pdfinfo: Any, options: Any) -> None:
    """Pages are read side by side; where there are fewer than jobs, each is read by several threads."""
    if _is_selected(options):
        jobs = options.jobs or available_cpu_count()
        options.munja.threads = max(1, jobs // max(1, len(pdfinfo)))


@hookimpl
def get_ocr_engine(options: Any) -> MunjaOcrEngine | None:
    return MunjaOcrEngine() if options is not None and _is_selected(options) else None
