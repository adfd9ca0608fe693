"""munja.ocrmypdf: unmodified OCRmyPDF 17 reads with Munja, without the program tesseract. pdftotext reads its files."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
from typing import Any

import pytest
from PIL import Image

import munja

pytest.importorskip("ocrmypdf", "17", reason="ocrmypdf 17 is not installed; it needs Python 3.11")
if shutil.which("pdftotext") is None:
    pytest.skip("pdftotext is not installed ('tools/install-packages python')", allow_module_level=True)

import pypdfium2  # type: ignore[import-untyped, unused-ignore]  # noqa: E402
from ocrmypdf.models.ocr_element import OcrElement  # noqa: E402

import munja.ocrmypdf as plugin  # noqa: E402


@pytest.fixture()
def path(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    """The only directory in which programs are looked for. It has no tesseract."""
    programs = tmp_path / "programs"
    programs.mkdir()
    monkeypatch.setenv("PATH", str(programs))
    return programs


def ocr(source: pathlib.Path, *words: object, code: int = 0) -> tuple[pathlib.Path, str]:
    """Runs ocrmypdf; its PDF file and what it printed."""
    output = source.with_name(f"{source.stem}.ocr.pdf")
    done = subprocess.run(
        [sys.executable, "-m", "ocrmypdf", "--jobs", "1", "--output-type", "pdf", *map(str, words), source, output],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == code, done.stderr
    return output, done.stderr


def text_of(pdf: pathlib.Path, *words: str) -> str:
    program = shutil.which("pdftotext", path=os.defpath + ":/usr/local/bin:/opt/homebrew/bin")
    assert program is not None
    return subprocess.run([program, *words, pdf, "-"], check=True, capture_output=True, text=True).stdout


def shown_in(pdf: pathlib.Path) -> munja.Page:
    """The first page as a viewer shows it, read."""
    image: Image.Image = pypdfium2.PdfDocument(pdf)[0].render(scale=2).to_pil()
    return munja.Engine(threads=1).read(image)


# The sample receipt is skewed by so many degrees.
SKEW = 4.05


def scan(picture: pathlib.Path, folder: pathlib.Path, turn: float = 0.0) -> pathlib.Path:
    """A picture as a scanned page, turned counterclockwise."""
    image = Image.open(picture).convert("L")
    page = image.rotate(turn, Image.Resampling.BICUBIC, expand=True, fillcolor=255)
    page.save(folder / "scan.png", dpi=(150, 150))
    return folder / "scan.png"


def words_of(element: OcrElement) -> list[str]:
    return [text for word in element.words for text in word.text.split()]


# ---- The program ------------------------------------------------------------


def test_korean_text_keeps_its_words(path: pathlib.Path, pictures: pathlib.Path, tmp_path: pathlib.Path) -> None:
    source = scan(pictures / "sign_ko.jpg", tmp_path)
    pdf, _ = ocr(source, "--ocr-engine", "munja", "-l", "kor", "--sidecar", tmp_path / "text.txt")
    raw = text_of(pdf, "-raw").splitlines()
    for line in ("한빛 서점", "새 책과 헌책을 사고팝니다", "토요일 11:00 - 18:00"):
        assert line in raw
    assert "새 책과 헌책을 사고팝니다" in (tmp_path / "text.txt").read_text()


def test_auto_selects_munja_where_tesseract_is_not_installed(
    path: pathlib.Path, receipt: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    pdf, _ = ocr(scan(receipt, tmp_path))
    assert "BAKERY NORTHWIND" in text_of(pdf, "-layout")
    auto, other = (type("Options", (), {"ocr_engine": name}) for name in ("auto", "none"))
    assert plugin.get_ocr_engine(auto) is not None and plugin.get_ocr_engine(other) is None
    (path / "tesseract").write_text("#!/bin/sh\n")
    (path / "tesseract").chmod(0o755)
    assert plugin.get_ocr_engine(auto) is None
    assert plugin.get_ocr_engine(type("Options", (), {"ocr_engine": "munja"})) is not None


@pytest.mark.parametrize("turn", [90, 180, 270])
def test_pages_are_rotated(path: pathlib.Path, receipt: pathlib.Path, tmp_path: pathlib.Path, turn: int) -> None:
    pdf, _ = ocr(scan(receipt, tmp_path, turn), "--ocr-engine", "munja", "--rotate-pages")
    shown = shown_in(pdf)
    assert shown.lines[0].text == "BAKERY NORTHWIND" and plugin.orientation_of(shown)[0] == 0
    assert shown.height > shown.width
    assert text_of(pdf, "-layout").split()[:2] == ["BAKERY", "NORTHWIND"]


def test_pages_are_deskewed(path: pathlib.Path, receipt: pathlib.Path, tmp_path: pathlib.Path) -> None:
    for turn in (0, 2 * SKEW):
        source = scan(receipt, tmp_path, turn)
        pdf, _ = ocr(source, "--ocr-engine", "munja", "--deskew")
        assert abs(plugin.skew_of(shown_in(pdf))) < 0.5
        # Without it the page remains as it is, and no word is taken apart.
        pdf, _ = ocr(source, "--ocr-engine", "munja")
        assert plugin.skew_of(shown_in(pdf)) == pytest.approx(SKEW - turn, abs=0.5)
        assert {"BAKERY", "NORTHWIND", "turnover"} <= set(text_of(pdf).split())


@pytest.mark.parametrize("renderer", ["sandwich", "hocr"])
def test_other_renderers(path: pathlib.Path, receipt: pathlib.Path, tmp_path: pathlib.Path, renderer: str) -> None:
    pdf, _ = ocr(scan(receipt, tmp_path), "--ocr-engine", "munja", "--pdf-renderer", renderer)
    assert "BAKERY NORTHWIND" in text_of(pdf, "-layout")


def test_what_cannot_be_done_is_said(path: pathlib.Path, pictures: pathlib.Path, tmp_path: pathlib.Path) -> None:
    source = scan(pictures / "receipt_ru.png", tmp_path)
    bad, missing = 1, 3
    said = ocr(source, "--ocr-engine", "munja", "-l", "tha", code=bad)[1]
    assert "no language model for 'th'" in said and "ko" in said
    said = ocr(source, "--ocr-engine", "munja", "--munja-model", "no such model", code=missing)[1]
    assert "no such model" in said
    assert "cyrillic" in ocr(source, "--ocr-engine", "munja")[1]


# ---- Its parts --------------------------------------------------------------


def test_older_versions_get_no_hooks(monkeypatch: pytest.MonkeyPatch) -> None:
    import munja._ocrmypdf_hooks as hooks

    assert hooks.get_ocr_engine is plugin.get_ocr_engine
    monkeypatch.setattr(importlib.metadata, "version", lambda name: "14.0.1+dfsg1")
    spec = importlib.util.spec_from_file_location("munja._older", hooks.__file__)
    assert spec is not None and spec.loader is not None
    older = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(older)
    assert not hasattr(older, "get_ocr_engine")


def test_languages() -> None:
    names = plugin._languages_of(None)
    assert {"eng", "en", "kor", "ko", "deu", "ger", "de"} <= names and "tha" not in names
    assert plugin._languages_of("no such model") == set()
    assert plugin._chosen(["kor", "ger", "deu"]) == "ko,de"
    assert plugin._chosen(["eng"]) is None and plugin._chosen(["eng", "kor"]) is None


def test_tree_has_the_words_of_the_page(receipt: pathlib.Path, pictures: pathlib.Path) -> None:
    for picture in (receipt, pictures / "sign_ko.jpg", pictures / "note_on_its_side.png"):
        page = munja.read(picture)
        tree = plugin.tree_of(page, dpi=150, page_number=3)
        assert words_of(tree) == [word.text for word in page.words]
        assert (tree.dpi, tree.page_number) == (150, 3)
        assert tree.bbox is not None and (tree.bbox.width, tree.bbox.height) == (page.width, page.height)
        assert len(tree.paragraphs) == len(page.blocks)
        for word in tree.words:
            assert word.bbox is not None and word.confidence is not None and 0 <= word.confidence <= 1


@pytest.mark.parametrize(("turn", "angle"), [(0, 0), (90, 90), (180, 180), (270, -90)])
def test_lines_are_where_the_text_is(receipt: pathlib.Path, tmp_path: pathlib.Path, turn: int, angle: int) -> None:
    page = munja.read(scan(receipt, tmp_path, turn + SKEW))
    lines = plugin.tree_of(page).lines
    assert {line.textangle for line in lines} == {angle}
    for line, element in zip(page.lines, lines):
        left, top, right, bottom = line.box
        assert element.bbox is not None and element.baseline is not None
        found = (element.bbox.left, element.bbox.top, element.bbox.right, element.bbox.bottom)
        assert found == pytest.approx((left, top, right, bottom), abs=12)
        assert element.baseline.slope == 0 and element.baseline.intercept <= 0


def test_pieces_of_skewed_lines_follow_the_baseline(receipt: pathlib.Path, tmp_path: pathlib.Path) -> None:
    page = munja.read(scan(receipt, tmp_path, -4))
    line = page.lines[0]
    pieces = plugin._line_elements(line)
    assert [piece.words[0].text for piece in pieces] == ["BAKERY", "NORTHWIND"]
    (x0, y0), (x1, y1) = line.baseline
    for piece in pieces:
        assert piece.bbox is not None and piece.baseline is not None
        middle = (piece.bbox.left + piece.bbox.right) / 2
        expected = y0 + (middle - x0) * (y1 - y0) / (x1 - x0)
        assert piece.bbox.bottom + piece.baseline.intercept == pytest.approx(expected, abs=1)


def test_confidence_of_the_orientation(receipt: pathlib.Path, tmp_path: pathlib.Path) -> None:
    class Options:
        languages = ["eng"]
        munja = plugin.MunjaOptions()

    def of(source: Any) -> Any:
        return plugin.MunjaOcrEngine.get_orientation(source, Options())

    assert of(scan(receipt, tmp_path, 90)).angle == 270
    assert of(scan(receipt, tmp_path)).angle == 0 and of(scan(receipt, tmp_path)).confidence > 20
    Image.new("L", (300, 300), 255).save(tmp_path / "blank.png")
    assert of(tmp_path / "blank.png") == (0, 0.0)
