"""The interface of RapidOCR 3 over Munja: replace ``from rapidocr import RapidOCR`` by
``from munja.compat.rapidocr import RapidOCR``. It needs NumPy.

Calls and results have the shape that RapidOCR's have. What differs:

- The networks are those of a Munja model: the default one, or the one that the parameter ``"Munja.model"`` names.
  Parameters that choose or tune ONNX networks are accepted, and a warning lists those that have no effect.
- Options of a call hold for this call only; in RapidOCR they stay for later ones.
- The direction of lines is found by the engine; ``use_cls`` has no effect, and classification alone is refused.
- Lines come in reading order, and ``to_markdown()`` is that of Munja.
- URLs are not fetched.
"""

from __future__ import annotations

import enum
import io
import os
import threading
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Union

import numpy as np

from .. import _munja
from .._engine import Engine
from .._errors import Error, UnsupportedError
from .._images import Source, open_source
from .._page import Page

__all__ = [
    "EngineType",
    "LangCls",
    "LangDet",
    "LangRec",
    "LoadImageError",
    "ModelType",
    "OCRVersion",
    "RapidOCR",
    "RapidOCROutput",
    "TextDetOutput",
    "TextRecOutput",
]

Array = np.ndarray[Any, Any]
# A word's text, confidence and four corners.
WordResult = tuple[str, float, Union[list[list[int]], None]]


class LoadImageError(Exception):
    """An image cannot be loaded."""


def _names(name: str, values: str) -> Any:
    """An enumeration as RapidOCR has it: the value is the member's name in small letters, unless "NAME=value" says so."""
    members = {}
    for word in values.split():
        member, _, value = word.partition("=")
        members[member] = value or member.lower()
    return enum.Enum(name, members, module=__name__)


EngineType = _names("EngineType", "ONNXRUNTIME OPENVINO PADDLE TORCH TENSORRT MNN")
LangCls = _names("LangCls", "CH")
LangDet = _names("LangDet", "CH EN MULTI")
LangRec = _names(
    "LangRec",
    "CH CH_DOC EN ARABIC CHINESE_CHT CYRILLIC DEVANAGARI JAPAN KOREAN KA LATIN TA TE ESLAV TH EL",
)
ModelType = _names("ModelType", "MOBILE SERVER TINY SMALL MEDIUM")
OCRVersion = _names("OCRVersion", "PPOCRV4=PP-OCRv4 PPOCRV5=PP-OCRv5 PPOCRV6=PP-OCRv6")


@dataclass
class RapidOCROutput:
    """Lines of an image; all None where there are none."""

    img: Array | None = None  # BGR.
    boxes: Array | None = None  # (lines, 4, 2)
    txts: tuple[str, ...] | None = None
    scores: tuple[float, ...] | None = None
    word_results: tuple[Any, ...] = (("", 1.0, None),)
    elapse_list: list[float | None] = field(default_factory=list)
    elapse: float = field(init=False)
    page: Page | None = None  # The page that Munja read.

    def __post_init__(self) -> None:
        self.elapse = sum(seconds for seconds in self.elapse_list if seconds is not None)

    def __len__(self) -> int:
        return 0 if self.txts is None else len(self.txts)

    def to_json(self) -> list[dict[str, Any]] | None:
        if self.boxes is None or self.txts is None or self.scores is None:
            return None
        return [
            {"box": box.tolist(), "txt": text, "score": score}
            for box, text, score in zip(self.boxes, self.txts, self.scores)
        ]

    def to_markdown(self) -> str:
        return "" if self.page is None or self.txts is None else self.page.to_markdown()

    def vis(self, save_path: str | os.PathLike[str] | None = None) -> Array | None:
        """The image with its words outlined, BGR; also written to a file, as PNG."""
        return None if self.txts is None else _draw(self.page, save_path)


@dataclass
class TextDetOutput:
    """The boxes that detection alone finds."""

    img: Array | None = None
    boxes: Array | None = None
    scores: list[float] | None = None
    elapse: float = 0.0
    page: Page | None = None

    def __len__(self) -> int:
        return 0 if self.boxes is None else len(self.boxes)

    def vis(self, save_path: str | os.PathLike[str] | None = None) -> Array | None:
        return _draw(self.page, save_path)


@dataclass
class TextRecOutput:
    """The text that recognition alone reads of an image that is one line."""

    imgs: list[Array] | None = None
    txts: tuple[str, ...] | None = None
    scores: list[float] = field(default_factory=lambda: [1.0])
    word_results: tuple[Any, ...] = (("", 1.0, None),)
    elapse: float | None = None

    def __len__(self) -> int:
        return 0 if self.txts is None else len(self.txts)


def _draw(page: Page | None, path: str | os.PathLike[str] | None) -> Array | None:
    if page is None:
        return None
    png = page.to_bytes("png")
    if path is not None:
        with open(path, "wb") as file:
            file.write(png)
    return _bgr(_munja.Image.decode(png))


def _bgr(image: _munja.Image) -> Array:
    return np.ascontiguousarray(image.pixels()[:, :, ::-1])


# Parameters that have an effect, and the others that RapidOCR knows by their sections.
_GLOBAL = {
    "text_score": 0.5,
    "use_det": True,
    "use_cls": True,
    "use_rec": True,
    "return_word_box": False,
    "return_single_char_box": False,
}
_SECTIONS = frozenset(("Global", "EngineConfig", "Det", "Cls", "Rec", "Munja"))
# Entries of RapidOCR's configuration that are the same for every image here.
_WITHOUT_EFFECT = frozenset(("Global.log_level", "Global.font_path", "Global.model_root_dir"))


class RapidOCR:
    """Reads images as RapidOCR's class of this name does.

    params: "Global.text_score", "Det.box_thresh" and the like; "EngineConfig.onnxruntime.intra_op_num_threads" is the
    number of threads, "Munja.model" the model. config_path: a YAML file of the same, for which PyYAML must be installed.

    >>> result = RapidOCR()("receipt.jpg")
    >>> result.txts[0], result.boxes.shape
    ('BAKERY NORTHWIND', (21, 4, 2))
    """

    def __init__(
        self, config_path: str | os.PathLike[str] | None = None, params: Mapping[str, Any] | None = None
    ) -> None:
        self._options: dict[str, Any] = dict(_GLOBAL)
        self._detector: dict[str, float] = {}
        self._model: str | None = None
        self._threads = 0
        self._engines: dict[tuple[tuple[str, float], ...], Engine] = {}
        self._lock = threading.Lock()
        if config_path is not None and os.path.exists(config_path):
            import yaml  # type: ignore[import-untyped, import-not-found, unused-ignore]

            with open(config_path, encoding="utf-8") as file:
                self._set(dict(_flattened(yaml.safe_load(file))), warn=False)
        self._set(dict(params or {}), warn=True)

    def _set(self, params: dict[str, Any], warn: bool) -> None:
        ignored = []
        for key, value in params.items():
            section, _, name = key.partition(".")
            if section not in _SECTIONS or not name:
                raise ValueError(f"unknown parameter {key!r}: a name like 'Global.text_score' is needed")
            if section == "Global" and name in _GLOBAL:
                self._options[name] = value
            elif key in ("Det.box_thresh", "Det.unclip_ratio"):
                self._detector[name] = float(value)
            elif section == "EngineConfig" and name.endswith("intra_op_num_threads"):
                self._threads = max(0, int(value))
            elif key == "Munja.model":
                self._model = os.fspath(value)
            elif key not in _WITHOUT_EFFECT:
                ignored.append(key)
        if ignored and warn:
            warnings.warn(f"munja.compat.rapidocr: these parameters have no effect: {', '.join(ignored)}", stacklevel=3)

    def _engine(self, box_thresh: float | None, unclip_ratio: float | None) -> Engine:
        detector = dict(self._detector)
        if box_thresh is not None:
            detector["box_thresh"] = box_thresh
        if unclip_ratio is not None:
            detector["unclip_ratio"] = unclip_ratio
        key = tuple(sorted(detector.items()))
        with self._lock:
            if key not in self._engines:
                names = {"box_thresh": "box_threshold", "unclip_ratio": "unclip_ratio"}
                settings = {"detector": {names[name]: value for name, value in key}} if key else None
                self._engines[key] = Engine(self._model, threads=self._threads, settings=settings)
            return self._engines[key]

    def __call__(
        self,
        img_content: Any,
        use_det: bool | None = None,
        use_cls: bool | None = None,
        use_rec: bool | None = None,
        return_word_box: bool | None = None,
        return_single_char_box: bool | None = None,
        text_score: float | None = None,
        box_thresh: float | None = None,
        unclip_ratio: float | None = None,
    ) -> RapidOCROutput | TextDetOutput | TextRecOutput:
        """Reads an image: a path, the bytes of a file, an array (BGR, as OpenCV has it) or a Pillow image.

        Returns RapidOCROutput; TextDetOutput without recognition, TextRecOutput without detection.
        """
        given = {
            "use_det": use_det,
            "use_cls": use_cls,
            "use_rec": use_rec,
            "return_word_box": return_word_box,
            "return_single_char_box": return_single_char_box,
            "text_score": text_score,
        }
        options = self._options | {name: value for name, value in given.items() if value is not None}
        if not options["use_det"] and not options["use_rec"]:
            if options["use_cls"]:
                raise UnsupportedError("lines are not classified by themselves: the engine turns them where it reads")
            return RapidOCROutput()
        source = self._load(img_content)
        engine = self._engine(box_thresh, unclip_ratio)
        if not options["use_rec"]:
            return _detected(engine.detect(source))
        read = engine.read if options["use_det"] else engine.read_line
        page = read(source, min_confidence=float(options["text_score"]))
        lines = [line for line in page.lines if line.text.strip()]
        if not lines:
            return RapidOCROutput() if options["use_det"] else TextRecOutput()
        texts = tuple(line.text for line in lines)
        scores = tuple(line.confidence for line in lines)
        words: tuple[Any, ...] = ()
        if options["return_word_box"]:
            words = tuple(_words(line, bool(options["return_single_char_box"])) for line in lines)
        timing = page.timing
        picture = _bgr(source.decode())
        if not options["use_det"]:
            return TextRecOutput([picture], texts, list(scores), words, timing["recognize"] / 1000)
        return RapidOCROutput(
            img=picture,
            boxes=_boxes(lines),
            txts=texts,
            scores=scores,
            word_results=words,
            elapse_list=[timing["detect"] / 1000, None, timing["recognize"] / 1000],
            page=page,
        )

    def _load(self, content: Any) -> Source:
        try:
            if isinstance(content, np.ndarray):
                return open_source(_opaque(content), order="bgr")
            if content is None:
                raise LoadImageError("None is no image")
            source = _without_alpha(open_source(content), content)
            source.decode(self._threads)  # Its errors are those of loading.
            return source
        except (OSError, TypeError, ValueError, Error) as error:
            raise LoadImageError(str(error)) from error


def _flattened(tree: Any, prefix: str = "") -> Any:
    for key, value in tree.items():
        if isinstance(value, dict):
            yield from _flattened(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value


def _without_alpha(source: Source, content: Any) -> Source:
    """A file or Pillow image with an alpha channel by way of _opaque(), where Pillow is installed."""
    try:
        from PIL import Image, UnidentifiedImageError
    except ImportError:
        return source
    try:
        picture = content if isinstance(content, Image.Image) else Image.open(io.BytesIO(source.data or b""))
    except UnidentifiedImageError:
        return source  # The library knows more formats.
    if picture.mode not in ("RGBA", "LA", "PA") and "transparency" not in picture.info:
        return source
    opaque = _opaque(np.asarray(picture.convert("RGBA")))
    return Source(source.name, None, 0, source.dpi, _munja.Image.from_array(opaque))


def _opaque(array: Array) -> Array:
    """Without an alpha channel: over white, or over black where what is to be seen is light."""
    if array.ndim != 3 or array.shape[2] not in (2, 4):
        return array
    colors = array[:, :, :-1].astype(np.float32)
    alpha = array[:, :, -1:].astype(np.float32) / 255
    seen = colors.mean(axis=2, keepdims=True)[alpha > 0]
    background = 0.0 if seen.size and seen.mean() >= 128 else 255.0
    blended = (colors * alpha + background * (1 - alpha) + 0.5).astype(np.uint8)
    return blended


def _boxes(lines: list[_munja.Line]) -> Array:
    return np.array([line.polygon for line in lines], np.float32)


def _detected(page: Page) -> TextDetOutput:
    lines = page.lines
    if not lines:
        return TextDetOutput()
    return TextDetOutput(
        _bgr(page._source.decode()),
        _boxes(lines),
        [line.confidence for line in lines],
        page.timing["detect"] / 1000,
        page,
    )


def _is_ideograph(text: str) -> bool:
    """Whether a character is a word of its own, as in Chinese and Japanese."""
    return any(0x2E80 <= ord(letter) <= 0x9FFF or 0xF900 <= ord(letter) <= 0xFAFF for letter in text)


def _words(line: _munja.Line, single: bool) -> tuple[WordResult, ...]:
    results: list[WordResult] = []
    for word in line.words:
        characters = [character for character in word.characters if character.text.strip()]
        parts: list[Any] = [word]
        if characters and (single or any(_is_ideograph(character.text) for character in characters)):
            parts = characters
        for part in parts:
            corners = [[round(x), round(y)] for x, y in part.polygon]
            results.append((part.text, part.confidence, corners))
    return tuple(results)
