"""The module that OCRmyPDF loads: the hooks of :mod:`munja.ocrmypdf`, or none where OCRmyPDF is older than 17, whose
engines have another interface."""

import importlib.metadata

if int(importlib.metadata.version("ocrmypdf").partition(".")[0]) >= 17:
    from .ocrmypdf import add_options as add_options
    from .ocrmypdf import check_options as check_options
    from .ocrmypdf import get_ocr_engine as get_ocr_engine
    from .ocrmypdf import initialize as initialize
    from .ocrmypdf import register_options as register_options
    from .ocrmypdf import validate as validate
