"""Model tools: converting, quantizing, pruning, inspecting and evaluating. Their reports are documented with the
commands of the same names."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from . import _munja
from ._engine import Engine, control_of
from ._images import open_source
from ._session import Network

if TYPE_CHECKING:
    from typing import Literal, Union

    from ._engine import Progress

    Path = Union[str, os.PathLike[str]]

__all__ = ["convert", "create_model", "evaluate", "get_model", "inspect", "prune", "quantize", "quantize_model"]

_MODES = ("int8", "int16x8", "dynamic", "weights")
_RANGES = ("mse", "minmax", "percentile", "entropy")
_FALLBACKS = ("float", "dynamic", "int16x8")


def _text(path: Path | None) -> str | None:
    return None if path is None else os.fspath(path)


def _texts(paths: Sequence[Path]) -> list[str]:
    if isinstance(paths, (str, os.PathLike)):
        raise TypeError("a list of paths is needed, not a path")
    return [os.fspath(path) for path in paths]


def _number(value: str, names: Sequence[str], what: str) -> int:
    if value not in names:
        raise ValueError(f"{what} must be one of {', '.join(map(repr, names))}, not {value!r}")
    return list(names).index(value)


def convert(
    source: Path,
    output: Path,
    *,
    fp16: bool = False,
    dictionary: Path | None = None,
    shape: str | None = None,
    compare: bool = True,
    allow_custom_ops: bool = False,
    gpu_safe: bool = False,
    images: Sequence[Path] = (),
    keep_layout: bool = False,
    constants: str | None = None,
    timeout: float | None = None,
    progress: Progress | None = None,
    control: _munja.Control | None = None,
) -> dict[str, Any]:
    """Converts an ONNX, Paddle, ncnn or .tflite network to a .tflite file and returns the report.

    shape: static input shapes, "1x640x640x3" or "NAME=1x640x640x3,..." (batch, height, width, channels). compare: run
    both on ``images`` (none: a synthetic one) and report the differences. fp16: store weights as float16.
    keep_layout: four-dimensional inputs and outputs keep channels before height. constants: "train=0": inputs to bind.
    """
    report = _munja.convert(
        os.fspath(source), os.fspath(output), fp16, _text(dictionary), shape, compare, allow_custom_ops, gpu_safe,
        _texts(images), keep_layout, constants, control_of(control, timeout, progress),
    )  # fmt: skip
    return _parsed(report)


def create_model(
    directory: Path,
    *,
    detector: Path,
    recognizer: Path,
    classifier: Path | None = None,
    dictionary: Path | None = None,
    configs: Sequence[Path] = (),
    name: str | None = None,
    description: str | None = None,
    fp16: bool = False,
    compare: bool = True,
    images: Sequence[Path] = (),
    timeout: float | None = None,
    progress: Progress | None = None,
    control: _munja.Control | None = None,
) -> dict[str, Any]:
    """Makes a model that :class:`munja.Engine` reads with, of networks that :func:`convert` takes.

    configs: "ppocrv6", "ppocrv5" or paths of Paddle's inference.yml files. Returns a report for each network.
    """
    report = _munja.create_model(
        os.fspath(directory), os.fspath(detector), os.fspath(recognizer), _text(classifier), _text(dictionary),
        _texts(configs), name, description, fp16, compare, _texts(images), control_of(control, timeout, progress),
    )  # fmt: skip
    return _parsed(report)


def get_model(
    name: str,
    *,
    source: Path | None = None,
    directory: Path | None = None,
    fp16: bool = False,
    compare: bool = True,
    classifier: bool = False,
    quantize: Literal["int8", "int16x8", "dynamic", "weights"] | None = None,
    calibration: Sequence[Path] = (),
    timeout: float | None = None,
    progress: Progress | None = None,
    control: _munja.Control | None = None,
) -> str:
    """Downloads a model of :func:`munja.catalog`, converts it, and returns its directory. One that is there is left.

    source: the address of a mirror, or a directory of downloaded files, instead of the publisher's address. directory:
    where the model is written; None: the user's data directory, where :class:`munja.Engine` finds it by its name.
    classifier: also the network that tells lines that are upside down. quantize: also quantizes it, as
    :func:`quantize_model` does on ``calibration``, images of pages; a model that is there in float is made anew.
    """
    if calibration and quantize is None:
        raise ValueError("calibration is for quantize, which is None")
    mode = -1 if quantize is None else _number(quantize, _MODES, "quantize")
    return _munja.get_model(
        name, _text(source), _text(directory), fp16, compare, classifier, mode, _texts(calibration),
        control_of(control, timeout, progress),
    )  # fmt: skip

def quantize(
    network: Path,
    output: Path,
    *,
    calibration: Sequence[Path] = (),
    model: str | None = None,
    role: Literal["detector", "recognizer", "classifier"] | None = None,
    mode: Literal["int8", "int16x8", "dynamic", "weights"] = "int8",
    range: Literal["mse", "minmax", "percentile", "entropy"] = "mse",
    percentile: float = 0.0,
    integer_io: bool = False,
    exclude: Sequence[str] = (),
    fallback: Literal["float", "dynamic", "int16x8"] = "float",
    max_loss: float = 0.0,
    max_changed: float = 0.0,
    threads: int = 0,
    timeout: float | None = None,
    progress: Progress | None = None,
    control: _munja.Control | None = None,
) -> dict[str, Any]:
    """Quantizes a .tflite network to integers and returns the report.

    calibration: files for its inputs (.npy, .csv, .txt, images), one for each input ("NAME=FILE"). With ``role`` the
    network is that of an OCR model, and calibration are images of pages or lines. mode: "int8" weights and activations,
    "int16x8", "dynamic" (activations quantized during the run) or "weights" only. exclude: layers that use
    ``fallback``, by the names of their outputs.
    """
    return _quantize(
        os.fspath(network), output, model, role, calibration, False, mode, range, percentile, integer_io, exclude,
        fallback, max_loss, max_changed, False, threads, control_of(control, timeout, progress),
    )  # fmt: skip


def quantize_model(
    model: str | None,
    directory: Path,
    *,
    calibration: Sequence[Path] = (),
    are_lines: bool = False,
    mode: Literal["int8", "int16x8", "dynamic", "weights"] = "int8",
    keep_float: bool = False,
    max_loss: float = 0.0,
    max_changed: float = 0.0,
    threads: int = 0,
    timeout: float | None = None,
    progress: Progress | None = None,
    control: _munja.Control | None = None,
) -> dict[str, Any]:
    """Quantizes all networks of an OCR model (None: the default one) and writes a model to ``directory``.

    calibration: images of pages, or of lines (``are_lines``). keep_float: keep the float networks, too, for
    ``precision="mixed"``. Returns a report for each network.
    """
    return _quantize(
        "", directory, model, None, calibration, are_lines, mode, "mse", 0.0, False, (), "float", max_loss, max_changed,
        keep_float, threads, control_of(control, timeout, progress),
    )  # fmt: skip


def _quantize(
    network: str, output: Path, model: str | None, role: str | None, calibration: Sequence[Path], are_lines: bool,
    mode: str, range: str, percentile: float, integer_io: bool, exclude: Sequence[str], fallback: str, max_loss: float,
    max_changed: float, keep_float: bool, threads: int, control: _munja.Control | None,
) -> dict[str, Any]:  # fmt: skip
    report = _munja.quantize(
        network, os.fspath(output), model, role, _texts(calibration), are_lines, _number(mode, _MODES, "mode"),
        _number(range, _RANGES, "range"), percentile, integer_io, _texts(exclude),
        _number(fallback, _FALLBACKS, "fallback"), max_loss, max_changed, keep_float, threads, control,
    )  # fmt: skip
    return _parsed(report)


_CRITERIA = ("l1", "l2", "geometric-median", "batch-norm", "random", "clusters")


def prune(
    network: Path,
    output: Path,
    *,
    sparsity: str | float | None = None,
    budget: float | None = None,
    criterion: Literal["l1", "l2", "geometric-median", "batch-norm", "random", "clusters"] = "l1",
    calibration: Path | None = None,
    model: str | None = None,
    profile: str | None = None,
    round_to: int = 0,
    seed: int = 0,
    threads: int = 0,
    timeout: float | None = None,
    progress: Progress | None = None,
    control: _munja.Control | None = None,
) -> dict[str, Any]:
    """Removes filters from a float .tflite network and returns the report.

    sparsity: share of each layer's filters that are removed, 0.7 or "70%". budget: instead of it, the share of the cost
    that remains, with a sparsity for each group of layers. calibration: labels (.jsonl) of images with boxes.
    """
    report = _munja.prune(
        os.fspath(network), os.fspath(output), None if sparsity is None else str(sparsity), budget or 0.0,
        _number(criterion, _CRITERIA, "criterion"), _text(calibration), model, profile, round_to, seed, threads,
        control_of(control, timeout, progress),
    )  # fmt: skip
    return _parsed(report)


def inspect(network: str | os.PathLike[str] | bytes | Network) -> str:
    """A listing of a network for people: signatures, nodes, tensors.

    >>> print(munja.inspect("double.tflite").splitlines()[-1].split())
    ['1', 'ADD']
    """
    return str(network if isinstance(network, Network) else Network(network))


def evaluate(
    labels: Path,
    *,
    engine: Engine | None = None,
    ignore_text: str | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> dict[str, Any]:
    """Reads the images of a file of labels and returns the scores ("char_f1", "word_f1", "hmean" ...).

    labels: one JSON object on each line: {"image", "lines": [{"poly", "text"}]}, or {"image", "text"} for images of
    single lines. ignore_text: marks illegible labels. progress(done, total): after each image.
    """
    evaluation = _munja.Evaluation(os.fspath(labels))
    if ignore_text is not None:
        evaluation.ignore_text(ignore_text)
    count = len(evaluation)
    own = Engine() if engine is None else None
    reader = engine or own
    assert reader is not None
    try:
        for index in range(count):
            source = open_source(evaluation.image(index))
            read = reader.read_line if evaluation.is_line(index) else reader.read
            evaluation.add(index, read(source)._document)
            if progress is not None:
                progress(index + 1, count)
    finally:
        if own is not None:
            own.close()
    return _parsed(evaluation.figures())


def _parsed(report: str) -> dict[str, Any]:
    result: dict[str, Any] = json.loads(report)
    return result
