"""Model tools: the reports and files that the commands make."""

from __future__ import annotations

import json
import pathlib

import numpy as np
import pytest
from conftest import ROOT, command

import munja

DETECTOR = ROOT / "models/default/detector.tflite"


def test_convert(tmp_path: pathlib.Path) -> None:
    source = ROOT / "testdata/models/quantized.onnx"
    report = munja.convert(source, tmp_path / "made.tflite")
    assert report["agrees"] is True and report["file_bytes"] == (tmp_path / "made.tflite").stat().st_size
    command("convert", source, "-o", tmp_path / "expected.tflite")
    assert (tmp_path / "made.tflite").read_bytes() == (tmp_path / "expected.tflite").read_bytes()
    with pytest.raises(munja.Error):
        munja.convert(ROOT / "LICENSE", tmp_path / "none.tflite")
    assert not (tmp_path / "none.tflite").exists()


def test_quantize(tmp_path: pathlib.Path) -> None:
    report = munja.quantize(DETECTOR, tmp_path / "small.tflite", mode="weights")
    assert isinstance(report, dict)
    assert (tmp_path / "small.tflite").stat().st_size < 0.6 * DETECTOR.stat().st_size
    values = np.random.default_rng(2).random((1, 64, 64, 3), np.float32)
    [exact], [near] = (munja.Session(path).run(values) for path in (DETECTOR, tmp_path / "small.tflite"))
    assert exact.shape == near.shape and np.abs(exact - near).max() < 0.1
    with pytest.raises(ValueError, match="int16x8"):
        munja.quantize(DETECTOR, tmp_path / "none.tflite", mode="int3")  # type: ignore[arg-type]
    with pytest.raises(munja.InvalidArgumentError):
        munja.quantize(DETECTOR, tmp_path / "none.tflite")  # int8 needs calibration.
    with pytest.raises(TypeError, match="list"):
        munja.quantize(DETECTOR, tmp_path / "none.tflite", calibration="x.npy")


def test_prune(tmp_path: pathlib.Path) -> None:
    calls = 0

    def progress(what: str, done: int, total: int) -> None:
        nonlocal calls
        calls += 1

    report = munja.prune(DETECTOR, tmp_path / "half.tflite", sparsity=0.5, progress=progress)
    command("prune", DETECTOR, "--sparsity", "0.5", "-o", tmp_path / "expected.tflite")
    assert (tmp_path / "half.tflite").read_bytes() == (tmp_path / "expected.tflite").read_bytes()
    assert isinstance(report, dict)
    with pytest.raises(munja.InvalidArgumentError):
        munja.prune(DETECTOR, tmp_path / "none.tflite", sparsity="150%")


def test_evaluate() -> None:
    labels = ROOT / "testdata/labels/pictures.jsonl"
    seen: list[tuple[int, int]] = []
    figures = munja.evaluate(labels, progress=lambda done, total: seen.append((done, total)))
    expected = json.loads(command("eval", "--labels", labels, "--json"))
    names = [name for name in figures if isinstance(figures[name], (int, float)) and name in expected]
    assert "word_f1" in names
    for name in names:
        assert figures[name] == pytest.approx(expected[name]), name
    assert seen[-1][0] == seen[-1][1] == len(seen)
    with pytest.raises(munja.Error):
        munja.evaluate(ROOT / "nope.jsonl")


def test_inspect(doubles: pathlib.Path) -> None:
    # The command names the file, too.
    expected = command("inspect", doubles).splitlines()
    assert munja.inspect(doubles).splitlines()[1:5] == expected[1:5]


def test_catalog(tmp_path: pathlib.Path) -> None:
    models = munja.catalog()
    assert models[0]["name"] == "ppocrv6-tiny" and "en" in models[0]["languages"]
    assert models == json.loads(command("models", "list", "--available", "--json"))
    with pytest.raises(munja.MissingError, match="ppocrv6-tiny"):
        munja.get_model("absent")
    with pytest.raises(FileNotFoundError, match="PP-OCRv6_tiny_det_onnx"):
        munja.get_model("ppocrv6-tiny", source=tmp_path, directory=tmp_path / "made")
    # A model that is there.
    assert munja.get_model("ppocrv6-tiny", directory=ROOT / "models/default") == str(ROOT / "models/default")
    # One in float is made anew to be quantized.
    with pytest.raises(FileNotFoundError, match="PP-OCRv6_tiny_det_onnx"):
        munja.get_model("ppocrv6-tiny", source=tmp_path, directory=tmp_path / "made", quantize="dynamic")
    with pytest.raises(ValueError, match="calibration"):
        munja.get_model("ppocrv6-tiny", source=tmp_path, directory=tmp_path / "made", quantize="int8")
    with pytest.raises(ValueError, match="calibration"):
        munja.get_model("ppocrv6-tiny", calibration=[tmp_path])


def test_system() -> None:
    system = munja.system()
    assert system["version"] == munja.__version__ and system["simd"] in system["simd_supported"]
    assert {"png", "pdf"} <= {row["name"] for row in system["formats"]}
