"""munja.docling: docling finds the plug-in, and pages get the text and the places that the engine gives for them."""

from __future__ import annotations

import logging
import pathlib
from collections.abc import Iterator
from typing import Any

import pytest
from PIL import Image

import munja

pytest.importorskip("docling", reason="docling is not installed")
pytest.importorskip("pypdfium2", reason="pypdfium2 is not installed")

from docling.backend.pypdfium2_backend import PyPdfiumDocumentBackend  # noqa: E402
from docling.datamodel.accelerator_options import AcceleratorOptions  # noqa: E402
from docling.datamodel.base_models import InputFormat, Page  # noqa: E402
from docling.datamodel.document import ConversionResult, InputDocument  # noqa: E402
from docling.datamodel.pipeline_options import OcrMode, TesseractOcrOptions  # noqa: E402
from docling.exceptions import OcrLanguageNotSupportedError  # noqa: E402
from docling.models.factories import get_ocr_factory  # noqa: E402

from munja.docling import MunjaOcrModel, MunjaOcrOptions  # noqa: E402


def model_of(options: Any, *, enabled: bool = True) -> Any:
    return get_ocr_factory(allow_external_plugins=True).create_instance(
        options=options, enabled=enabled, artifacts_path=None, accelerator_options=AcceleratorOptions(num_threads=1)
    )


@pytest.fixture()
def result(tmp_path: pathlib.Path, receipt: pathlib.Path) -> Iterator[ConversionResult]:
    """The receipt as the only picture of a PDF page of 450x590 points, not read yet."""
    Image.open(receipt).save(tmp_path / "scan.pdf", resolution=144)
    document = InputDocument(tmp_path / "scan.pdf", InputFormat.PDF, PyPdfiumDocumentBackend)
    backend: Any = document._backend
    loaded = backend.load_page(0)
    page = Page(page_no=1, size=loaded.get_size(), parsed_page=loaded.get_segmented_page())
    page._backend = loaded
    yield ConversionResult(input=document, pages=[page])
    loaded.unload()
    backend.unload()


def test_docling_finds_the_plug_in_when_it_is_allowed_to() -> None:
    assert "munja" in get_ocr_factory(allow_external_plugins=True).registered_kind
    assert "munja" not in get_ocr_factory(allow_external_plugins=False).registered_kind
    options = get_ocr_factory(allow_external_plugins=True).create_options(kind="munja", lang=["iso:ko"])
    assert isinstance(options, MunjaOcrOptions) and isinstance(model_of(options), MunjaOcrModel)


def test_a_page_gets_the_lines_and_their_places(result: ConversionResult, engine: munja.Engine) -> None:
    model = model_of(MunjaOcrOptions(mode=OcrMode.FULL_PAGE, scale=2.0))
    (page,) = model(result, result.pages)
    assert page._backend is not None
    image = page._backend.get_page_image(scale=2.0)
    lines = [line for line in engine.read(image).lines if line.text]
    assert [cell.text for cell in page.cells] == [line.text for line in lines]
    assert "BAKERY NORTHWIND" in [cell.text for cell in page.cells]
    for cell, line in zip(page.cells, lines):
        assert cell.from_ocr and cell.confidence == pytest.approx(line.confidence)
        # The page is half as large in points as the picture in pixels.
        box = cell.rect.to_bounding_box()
        assert box.l == pytest.approx(min(x for x, _ in line.polygon) / 2, abs=0.01)
        assert box.b == pytest.approx(max(y for _, y in line.polygon) / 2, abs=0.01)
        # The angle of the text, not that of its box: docling counts counterclockwise.
        (x0, y0), (x1, y1), *_ = line.polygon
        assert (cell.rect.r_y2 - cell.rect.r_y3) * (x1 - x0) == pytest.approx(
            (cell.rect.r_x2 - cell.rect.r_x3) * (y1 - y0), rel=1e-3, abs=0.1
        )


def test_a_region_is_read_in_its_place(result: ConversionResult) -> None:
    (page,) = model_of(MunjaOcrOptions(mode=OcrMode.FULL_PAGE, scale=2.0))(result, result.pages)
    title = next(cell for cell in page.cells if cell.text == "BAKERY NORTHWIND").rect.to_bounding_box()
    model = model_of(MunjaOcrOptions(scale=2.0))
    region = title.model_copy(update={"l": title.l - 20, "r": title.r + 20, "t": title.t - 10, "b": title.b + 10})
    cell = next(cell for cell in model._read(page, region) if cell.text == "BAKERY NORTHWIND")
    assert cell.rect.to_bounding_box().intersection_over_union(title) > 0.6


def test_nothing_is_read_where_it_is_switched_off(result: ConversionResult) -> None:
    (page,) = model_of(MunjaOcrOptions(mode=OcrMode.FULL_PAGE), enabled=False)(result, result.pages)
    assert page.cells == []


def test_languages_are_those_of_the_model() -> None:
    model_of(MunjaOcrOptions(lang=["iso:ko", "de"]))
    with pytest.raises(OcrLanguageNotSupportedError, match="iso:ja"):
        model_of(MunjaOcrOptions(lang=["iso:ja"]))
    with pytest.raises(OcrLanguageNotSupportedError, match="kor"):
        model_of(MunjaOcrOptions(lang=["kor"]))


def test_a_missing_model_is_an_error_of_munja() -> None:
    with pytest.raises(munja.Error, match="no-such-model"):
        model_of(MunjaOcrOptions(model="no-such-model"))


def test_other_engines_are_not_touched() -> None:
    with pytest.raises(ValueError, match="Extra inputs"):
        MunjaOcrOptions(psm=3)  # type: ignore[call-arg]
    assert TesseractOcrOptions().kind == "tesserocr"


def test_lines_in_unknown_scripts_are_said(
    result: ConversionResult, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = model_of(MunjaOcrOptions(mode=OcrMode.FULL_PAGE))

    class Line:
        text, unknown_script, polygon, confidence = "", "Cyrl", [(0, 0)] * 4, 0.5

    class Read:
        lines = [Line(), Line()]

    class Engine:
        def read(self, image: object) -> Read:
            return Read()

    monkeypatch.setattr(model, "_engine", Engine())
    with caplog.at_level(logging.WARNING):
        (page,) = model(result, result.pages)
    assert page.cells == []
    assert "page 1: 2 lines are in a script that the model cannot read: Cyrl" in caplog.text
