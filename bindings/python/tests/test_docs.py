"""The examples in docstrings and documents run as they are written; the package's types are complete."""

from __future__ import annotations

import doctest
import json
import pathlib
import re
import shutil
import subprocess
import sys

import pytest
from conftest import ROOT

import munja
import munja._engine
import munja._live
import munja._page
import munja._session
import munja.compat.rapidocr
import munja.tools

DOCUMENTS = [ROOT / "docs/tutorial/python.md", ROOT / "bindings/python/README.md", ROOT / "README.md"]


@pytest.fixture()
def folder(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    """The files that examples name."""
    data = ROOT / "testdata"
    shutil.copy(data / "pictures/receipt.jpg", tmp_path)
    shutil.copy(data / "pictures/receipt.jpg", tmp_path / "photo.jpg")
    shutil.copy(data / "models/double.tflite", tmp_path)
    shutil.copy(data / "models/double.tflite", tmp_path / "model.tflite")
    (tmp_path / "scans").mkdir()
    shutil.copy(data / "pictures/sign_ko.jpg", tmp_path / "scans")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "module",
    [munja, munja._engine, munja._live, munja._page, munja._session, munja.tools, munja.compat.rapidocr],
)
def test_docstrings(folder: pathlib.Path, module: object) -> None:
    import numpy

    names = {"munja": munja, "numpy": numpy}
    failed, count = doctest.testmod(module, extraglobs=names, verbose=False)  # type: ignore[arg-type]
    assert failed == 0 and count > 0


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_documents(folder: pathlib.Path, document: pathlib.Path) -> None:
    """The Python programs of a document run one after the other, in one interpreter."""
    programs = re.findall(r"^```python\n(.*?)^```", document.read_text(), re.M | re.S)
    assert programs
    done = subprocess.run([sys.executable, "-c", "\n".join(programs)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "BAKERY NORTHWIND" in done.stdout


def test_notebook(folder: pathlib.Path) -> None:
    """The cells of the notebook run one after the other, in one interpreter."""
    notebook = json.loads((ROOT / "examples/python/receipts.ipynb").read_text(encoding="utf-8"))
    programs = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert not any(cell.get("outputs") for cell in notebook["cells"])
    done = subprocess.run([sys.executable, "-c", "\n".join(programs)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "BAKERY NORTHWIND" in done.stdout and "18.40" in done.stdout


def test_example_search(folder: pathlib.Path) -> None:
    def run(*words: str) -> str:
        command = [sys.executable, str(ROOT / "examples/python/search.py"), "index.db", *words]
        return subprocess.run(command, check=True, capture_output=True, text=True, timeout=300).stdout

    run("add", "receipt.jpg", "scans/sign_ko.jpg")
    run("add", "receipt.jpg")  # Again: it is there once.
    found = run("find", "northwind")
    assert found.startswith("receipt.jpg, page 1, ") and "BAKERY NORTHWIND" in found and found.count("\n") == 2
    assert run("find", "northwind", "street").count("\n") == 1
    for words in (["토요일"], ["전화"], ["전화", "토요일"]):
        assert "sign_ko.jpg" in run("find", *words)
    assert run("find", "absent*") == ""


def test_everything_public_is_documented() -> None:
    for name in munja.__all__:
        thing = getattr(munja, name)
        assert thing.__doc__, name
        if isinstance(thing, type) and thing.__module__.startswith("munja._e"):
            for member, value in vars(thing).items():
                if callable(value) and not member.startswith("_"):
                    assert value.__doc__, f"{name}.{member}"


def test_types_are_complete() -> None:
    """mypy --strict accepts the installed package and these tests, which use all of it."""
    pytest.importorskip("mypy")
    tests = pathlib.Path(__file__).parent
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "-p", "munja", "--no-incremental"],
        cwd=tests, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
