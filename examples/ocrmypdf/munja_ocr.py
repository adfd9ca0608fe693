"""An OCRmyPDF plug-in: pages are read by Munja.

    ocrmypdf --plugin munja_ocr.py scan.pdf searchable.pdf

It runs munja-tesseract, which speaks OCRmyPDF's formats; MUNJA_TESSERACT says where it is, if not on the PATH. OCRmyPDF
14 asks for a Tesseract of some version to be there before it asks which engine to use; it is not run for any page.
"""
import functools
import math
import os
import re
import subprocess

from ocrmypdf import hookimpl
from ocrmypdf.exceptions import MissingDependencyError, SubprocessOutputError
from ocrmypdf.pluginspec import OcrEngine, OrientationConfidence


def _run(*words, timeout=None):
    program = os.environ.get("MUNJA_TESSERACT", "munja-tesseract")
    try:
        return subprocess.run([program, *map(str, words)], capture_output=True, text=True, timeout=timeout)
    except FileNotFoundError:
        raise MissingDependencyError(f"{program} is not there: install Munja, or set MUNJA_TESSERACT") from None
    except subprocess.TimeoutExpired:
        raise SubprocessOutputError(f"{program} took longer than --tesseract-timeout, {timeout} s") from None


def _write(input_file, formats, base, options, *words):
    """Reads a page into BASE.FORMAT for each of the formats."""
    done = _run(*words, input_file, base, *formats, timeout=options.tesseract_timeout)
    if done.returncode != 0:
        raise SubprocessOutputError(done.stderr.strip())


def _write_as(input_file, output, suffix, output_text, options, *words):
    # OCRmyPDF names its files freely, munja-tesseract by format.
    base = output.with_suffix("")
    _write(input_file, [suffix, "txt"], base, options, *words)
    os.replace(f"{base}.{suffix}", output)
    os.replace(f"{base}.txt", output_text)


class MunjaOcrEngine(OcrEngine):
    @staticmethod
    @functools.lru_cache(maxsize=None)
    def version():
        said = _run("--version")
        return re.search(r"[Mm]unja (\S+)", said.stdout + said.stderr)[1]

    @staticmethod
    def creator_tag(options):
        return f"Munja {MunjaOcrEngine.version()}"

    def __str__(self):
        return f"Munja {MunjaOcrEngine.version()}"

    @staticmethod
    def languages(options):
        return set(_run("--list-langs").stdout.splitlines()[1:])

    @staticmethod
    def get_orientation(input_file, options):
        said = _run("--psm", "0", input_file, "stdout", timeout=options.tesseract_timeout).stdout
        degrees = re.search(r"^Orientation in degrees: (\d+)", said, re.M)
        confidence = re.search(r"^Orientation confidence: ([\d.]+)", said, re.M)
        if not degrees or not confidence:  # A page without text.
            return OrientationConfidence(0, 0.0)
        return OrientationConfidence(int(degrees[1]), float(confidence[1]))

    @staticmethod
    def get_deskew(input_file, options):
        said = _run("--psm", "2", input_file, "stdout", timeout=options.tesseract_timeout).stderr
        angle = re.search(r"Deskew angle: (-?[\d.]+)", said)
        return math.degrees(float(angle[1])) if angle else 0.0

    @staticmethod
    def generate_hocr(input_file, output_hocr, output_text, options):
        _write_as(input_file, output_hocr, "hocr", output_text, options)

    @staticmethod
    def generate_pdf(input_file, output_pdf, output_text, options):
        _write_as(input_file, output_pdf, "pdf", output_text, options, "-c", "textonly_pdf=1")


@hookimpl
def get_ocr_engine():
    return MunjaOcrEngine()
