"""docling with Munja as its OCR engine. The plug-in is there as soon as both packages are installed; docling loads plug-ins
of others when ``allow_external_plugins`` is set::

    from docling.datamodel.base_models import InputFormat
    from docling.datamodel.pipeline_options import PdfPipelineOptions
    from docling.document_converter import DocumentConverter, PdfFormatOption
    from munja.docling import MunjaOcrOptions

    options = PdfPipelineOptions(ocr_options=MunjaOcrOptions(), allow_external_plugins=True)
    converter = DocumentConverter(format_options={InputFormat.PDF: PdfFormatOption(pipeline_options=options)})
    print(converter.convert("scan.pdf").document.export_to_markdown())

``docling --allow-external-plugins --ocr-engine munja scan.pdf`` does the same. Nothing is downloaded for reading; docling's
own layout model is a download of docling's.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, ClassVar

from docling.datamodel.accelerator_options import AcceleratorOptions
from docling.datamodel.base_models import Page
from docling.datamodel.document import ConversionResult
from docling.datamodel.pipeline_options import OcrOptions
from docling.datamodel.settings import settings
from docling.exceptions import OcrLanguageNotSupportedError
from docling.models.base_ocr_model import BaseOcrModel
from docling.utils.ocr_language import OcrLanguage, OcrLanguageSupport
from docling.utils.profiling import TimeRecorder
from docling_core.types.doc.base import BoundingBox, CoordOrigin
from docling_core.types.doc.page import BoundingRectangle, TextCell
from pydantic import ConfigDict, Field

import munja

log = logging.getLogger(__name__)


class MunjaOcrOptions(OcrOptions):
    """Options of the engine: ``PdfPipelineOptions(ocr_options=MunjaOcrOptions(lang=["iso:ko"]))``."""

    kind: ClassVar[str] = "munja"
    lang: Annotated[
        list[str],
        Field(
            description="Languages whose language models help, such as 'iso:ko' or 'ko'; none: all of the model's.",
            examples=[["iso:en", "iso:ko"], []],
        ),
    ] = []
    model: Annotated[
        str | None,
        Field(description="An installed model, or the directory of one; None: the default model."),
    ] = None
    model_config = ConfigDict(extra="forbid")


class MunjaOcrModel(BaseOcrModel):
    """Reads the regions of a page that docling names."""

    multiple_languages = True

    def __init__(
        self,
        *,
        enabled: bool,
        artifacts_path: Path | None,
        options: MunjaOcrOptions,
        accelerator_options: AcceleratorOptions,
    ) -> None:
        super().__init__(
            enabled=enabled, artifacts_path=artifacts_path, options=options, accelerator_options=accelerator_options
        )
        self._scale = options.scale
        self._languages = [
            language
            for row in munja.models()
            if options.model in (None, row["name"]) and "error" not in row
            for language in row["languages"]
        ]
        if enabled:
            self._engine = munja.Engine(
                options.model, language=self.resolve_ocr_languages(), threads=accelerator_options.num_threads
            )

    def supported_ocr_languages(self) -> OcrLanguageSupport:
        """The languages of the model, or of all installed ones where none is named."""
        return OcrLanguageSupport(bcp47=self._languages, native=self._languages)

    def map_ocr_language(self, language: OcrLanguage) -> str:
        """The model's name of a language. A model in a directory is asked when it is loaded."""
        name = language.native or language.bcp47_language or ""
        if self._languages and name not in self._languages:
            raise OcrLanguageNotSupportedError(
                "Munja",
                language.tag(),
                supported=self.supported_ocr_languages(),
                detail="The model does not know it.",
            )
        return name

    def __call__(self, conv_res: ConversionResult, page_batch: Iterable[Page]) -> Iterable[Page]:
        for page in page_batch:
            if self.enabled and page._backend is not None and page._backend.is_valid():
                with TimeRecorder(conv_res, "ocr"):
                    regions = self.get_ocr_rects(page)
                    cells = [cell for region in regions for cell in self._read(page, region)]
                    self.post_process_cells(cells, page, conv_res)
                if settings.debug.visualize_ocr:
                    self.draw_ocr_rects_and_cells(conv_res, page, regions)
            yield page

    def _read(self, page: Page, region: BoundingBox) -> Iterable[TextCell]:
        assert page._backend is not None
        if region.area() == 0:
            return
        lines = self._engine.read(page._backend.get_page_image(scale=self._scale, cropbox=region)).lines
        unknown = [line.unknown_script for line in lines if line.unknown_script]
        if unknown:
            log.warning(
                "page %d: %d lines are in a script that the model cannot read: %s",
                page.page_no,
                len(unknown),
                ", ".join(sorted(set(unknown))),
            )
        for line in lines:
            if line.text:
                yield TextCell(
                    index=0,  # docling numbers the cells of a page.
                    text=line.text,
                    orig=line.text,
                    from_ocr=True,
                    confidence=line.confidence,
                    rect=self._place(line.polygon, region),
                )

    def _place(self, polygon: Iterable[tuple[float, float]], region: BoundingBox) -> BoundingRectangle:
        """From pixels of a region, clockwise from the top left, to points of the page, counterclockwise from the bottom
        left."""
        top_left, top_right, bottom_right, bottom_left = [
            (region.l + x / self._scale, region.t + y / self._scale) for x, y in polygon
        ]
        return BoundingRectangle(
            r_x0=bottom_left[0],
            r_y0=bottom_left[1],
            r_x1=bottom_right[0],
            r_y1=bottom_right[1],
            r_x2=top_right[0],
            r_y2=top_right[1],
            r_x3=top_left[0],
            r_y3=top_left[1],
            coord_origin=CoordOrigin.TOPLEFT,
        )

    @classmethod
    def get_options_type(cls) -> type[OcrOptions]:
        return MunjaOcrOptions


def ocr_engines() -> dict[str, list[type[BaseOcrModel]]]:
    """The hook that docling calls."""
    return {"ocr_engines": [MunjaOcrModel]}
