#!/usr/bin/python3
"""munja-tesseract in Tesseract's place: what callers ask for and read; unmodified OCRmyPDF and pytesseract where they are
installed.

usage: tesseract_test.py MUNJA_TESSERACT SOURCES"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ET

try:
    import pytesseract
except ImportError:
    pytesseract = None
try:
    from PIL import Image, ImageDraw, ImageFont
except ImportError:
    Image = None

PROGRAM, SOURCES = "", pathlib.Path(".")


class Tesseract(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        (self.folder / "bin").mkdir()
        (self.folder / "bin" / "tesseract").symlink_to(PROGRAM)
        self.environment = os.environ | {"PATH": f"{self.folder}/bin:{os.environ['PATH']}",
                                         "MUNJA_MODELS": str(SOURCES / "models" / "default")}
        self.receipt = SOURCES / "testdata" / "pictures" / "receipt.jpg"

    def run_it(self, *words, code=0, **options):
        done = subprocess.run(["tesseract", *map(str, words)], capture_output=True, text=True, cwd=self.folder,
                              env=self.environment, **options)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def test_version_and_languages(self):
        self.assertRegex(self.run_it("--version").stdout, r"^tesseract 5\.5\.0\n")
        lines = self.run_it("--list-langs").stdout.splitlines()
        self.assertRegex(lines[0], r'^List of available languages in ".*" \(\d+\):$')
        self.assertEqual(len(lines) - 1, int(re.search(r"\((\d+)\)", lines[0])[1]))
        for language in ("eng", "kor", "osd"):
            self.assertIn(language, lines[1:])
        for line in lines[1:]:
            self.assertRegex(line, "^[a-z0-9_]+$")

    def test_text_to_standard_output_and_to_a_file(self):
        out = self.run_it(self.receipt, "stdout").stdout
        self.assertIn("BAKERY NORTHWIND", out)
        self.assertTrue(out.endswith("\f"))
        self.run_it(self.receipt, "base", "-l", "eng+kor", "--oem", "1", "--psm", "3", "--tessdata-dir", "/absent", "txt")
        self.assertEqual((self.folder / "base.txt").read_text(), out)

    def test_several_outputs_as_ocrmypdf_asks(self):
        self.run_it("-l", "eng", "-c", "textonly_pdf=1", "-c", "thresholding_method=0", self.receipt, "base", "pdf", "txt")
        pdf = (self.folder / "base.pdf").read_bytes()
        self.assertNotIn(b"/XObject", pdf)
        self.assertIn(b"/F1 ", pdf)
        self.assertTrue((self.folder / "base.txt").exists())
        self.run_it(self.receipt, "base", "hocr", "txt", "alto", "tsv")
        ET.fromstring((self.folder / "base.hocr").read_text())
        ET.fromstring((self.folder / "base.xml").read_text())
        self.assertTrue((self.folder / "base.tsv").read_text().startswith("level\tpage_num\t"))

    def test_outputs_by_variables_as_pytesseract_asks(self):
        # One -c, then bare words.
        self.run_it(self.receipt, "base", "-c", "tessedit_create_tsv=1", "tessedit_create_hocr=1")
        self.assertTrue((self.folder / "base.tsv").exists())
        self.assertTrue((self.folder / "base.hocr").exists())
        self.run_it(self.receipt, "box", "-c", "tessedit_create_boxfile=1", "batch.nochop", "makebox")
        for line in (self.folder / "box.box").read_text().splitlines():
            self.assertRegex(line, r"^\S+ \d+ \d+ \d+ \d+ 0$")

    def test_words_by_their_line_numbers_are_the_lines_of_the_text(self):
        # As users of pytesseract's image_to_data group them: an item and its amount are one line.
        self.run_it(self.receipt, "base", "tsv", "txt")
        lines = {}
        for row in (self.folder / "base.tsv").read_text().splitlines()[1:]:
            cells = row.split("\t")
            if cells[0] == "5":
                lines.setdefault(tuple(cells[1:5]), []).append(cells[11])
        text = (self.folder / "base.txt").read_text().replace("\f", "")
        self.assertEqual(list(lines.values()), [line.split() for line in text.splitlines() if line.strip()])
        self.assertIn(["1", "x", "Apple", "turnover", "2.95"], lines.values())

    def drawn(self, lines, name="drawn.png", size=(700, 360)):
        """An image of lines [(x, y, text)]; those of a page if there are several."""
        image = Image.new("L", size, 255)
        font = ImageFont.truetype("DejaVuSans.ttf", 36)
        for x, y, text in lines:
            ImageDraw.Draw(image).text((x, y), text, font=font, fill=0)
        image.save(self.folder / name)
        return image

    @unittest.skipIf(Image is None, "python3-pil is not here")
    def test_lists_of_characters(self):
        self.drawn([(30, 30, "Invoice number"), (30, 120, "Order 4471"), (30, 210, "Total 82.50")])
        (self.folder / "digits.cfg").write_text("# Only these.\n\ntessedit_char_whitelist 0123456789\r\n")
        (self.folder / "data" / "configs").mkdir(parents=True)
        (self.folder / "data" / "configs" / "mine").write_text("tessedit_char_whitelist\t0123456789")
        for words, allowed in ((["-c", "tessedit_char_whitelist=0123456789"], "0123456789"), (["digits"], "0123456789-."),
                               (["digits.cfg"], "0123456789"), (["--tessdata-dir", "data", "mine"], "0123456789"),
                               # -c counts more than a config.
                               (["-c", "tessedit_char_whitelist=471", "digits.cfg"], "471")):
            text = self.run_it("drawn.png", "-", *words).stdout
            self.assertIn("4471", text, words)
            self.assertLessEqual(set(text), set(allowed + " \n\f"), words)
        text = self.run_it("drawn.png", "-", "-c", "tessedit_char_blacklist=0123456789").stdout
        self.assertIn("Invoice number", text)
        self.assertFalse(set(text) & set("0123456789"))
        text = self.run_it("drawn.png", "-", "-c", "tessedit_char_blacklist=0123456789", "-c",
                           "tessedit_char_unblacklist=471").stdout
        self.assertIn("4471", text)
        self.assertFalse(set(text) & set("0235689"))
        # The model knows no Thai.
        done = self.run_it("drawn.png", "-", "-c", "tessedit_char_blacklist=0", "-c", "tessedit_char_whitelist=0", code=0)
        self.assertFalse(done.stdout.strip())

    @unittest.skipIf(Image is None, "python3-pil is not here")
    def test_config_files(self):
        self.drawn([(30, 30, "Invoice number")])
        (self.folder / "hocr.cfg").write_text("tessedit_create_hocr 1\n")
        self.assertIn("ocr_page", self.run_it("drawn.png", "-", "hocr.cfg").stdout)
        done = self.run_it("drawn.png", "-", "absent.cfg")
        self.assertIn("Can't open absent.cfg", done.stderr)
        self.assertIn("Invoice", done.stdout)

    @unittest.skipIf(Image is None, "python3-pil is not here")
    def test_spaces_between_words(self):
        self.drawn([(30, 30, "Left"), (400, 30, "Right"), (30, 120, "One line")])
        self.assertRegex(self.run_it("drawn.png", "-").stdout, "Left Right\n+One line\n")
        text = self.run_it("drawn.png", "-", "-c", "preserve_interword_spaces=1").stdout
        self.assertRegex(text, "Left {5,30}Right\n+One line\n")

    @unittest.skipIf(Image is None, "python3-pil is not here")
    def test_one_page_and_separators(self):
        pages = [self.drawn([(30, 30, text)]) for text in ("First page", "Second page")]
        pages[0].save(self.folder / "two.tif", save_all=True, append_images=pages[1:])
        self.assertEqual(self.run_it("two.tif", "-").stdout, "First page\n\fSecond page\n\f")
        self.assertEqual(self.run_it("two.tif", "-", "-c", "tessedit_page_number=1").stdout, "Second page\n\f")
        self.assertEqual(self.run_it("two.tif", "-", "-c", "page_separator=[P]").stdout, "First page\n[P]Second page\n[P]")
        self.assertEqual(self.run_it("two.tif", "-", "-c", "page_separator=").stdout, "First page\nSecond page\n")
        self.assertIn("no page 2", self.run_it("two.tif", "-", "-c", "tessedit_page_number=2", code=1).stderr)
        self.run_it("two.tif", "-", "-c", "tessedit_page_number=one", code=1)
        for i, page in enumerate(pages):
            page.save(self.folder / f"{i}.png")
        (self.folder / "list").write_text("0.png\n1.png\n")
        self.assertEqual(self.run_it("list", "-", "-c", "tessedit_page_number=1").stdout, "Second page\n\f")

    @unittest.skipIf(Image is None, "python3-pil is not here")
    def test_pages_of_many_pixels(self):
        # As large as a poster of A0 at 300 dpi nearly is.
        image = Image.new("1", (11000, 11000), 1)
        ImageDraw.Draw(image).text((600, 600), "Poster", font=ImageFont.truetype("DejaVuSans.ttf", 300), fill=0)
        image.save(self.folder / "poster.png")
        self.assertIn("Poster", self.run_it("poster.png", "-").stdout)
        words = ("poster.png", "-", "-c", "munja_max_pixels=1000000")
        self.assertIn("munja_max_pixels", self.run_it(*words, code=1).stderr)
        self.environment["MUNJA_MAX_PIXELS"] = "1000000"
        self.assertIn("$MUNJA_MAX_PIXELS", self.run_it("poster.png", "-", code=1).stderr)

    def test_what_is_not_supported_is_said(self):
        (self.folder / "train.cfg").write_text("tessedit_train_from_boxes 1\n")
        (self.folder / "words").write_text("bakery\n")
        for words, name in ((["-c", "classify_bln_numeric_mode=1"], "classify_bln_numeric_mode"), (["lstmbox"], "lstmbox"),
                            (["train.cfg"], "tessedit_train_from_boxes"), (["--user-patterns", "words"], "--user-patterns"),
                            (["-c", "user_patterns_file=words"], "user_patterns_file"),
                            (["--user-words", "absent"], "absent")):
            options, configs = (words, []) if words[0].startswith("-") else ([], words)
            self.assertIn(name, self.run_it(self.receipt, "-", *options, *configs, code=1).stderr)
        self.assertIn("no_such_thing has no effect", self.run_it(self.receipt, "-", "-c", "no_such_thing=1").stderr)
        self.assertEqual(self.run_it(self.receipt, "-", "-c", "thresholding_method=1", "--user-words", "words").stderr, "")
        done = self.run_it(self.receipt, "-", "--user-words", "words", "digits")
        self.assertIn("user words have no effect", done.stderr)
        # Each variable that is listed is one.
        for line in self.run_it("--print-parameters").stdout.splitlines()[1:]:
            name, value, _ = line.split("\t")
            self.assertNotIn("has no effect", self.run_it(self.receipt, "-", "-c", f"{name}={value}").stderr)

    def test_options_behind_a_config_are_configs(self):
        done = self.run_it(self.receipt, "base", "tsv", "--psm")
        self.assertIn("Can't open --psm", done.stderr)

    def test_lists(self):
        (self.folder / "list").write_text(f"{self.receipt}\n{self.receipt}\n")
        done = self.run_it("list", "base", "tsv")
        self.assertIn(f"Page 1 : {self.receipt}", done.stderr)
        self.assertIn("\n1\t2\t", (self.folder / "base.tsv").read_text())

    @unittest.skipIf(Image is None, "python3-pil is not here")
    def test_pages_of_a_tiff(self):
        page = Image.open(self.receipt)
        page.save(self.folder / "two.tif", save_all=True, append_images=[page])
        done = self.run_it("two.tif", "base", "tsv", "txt")
        self.assertIn("Page 2\n", done.stderr)
        self.assertIn("\n1\t2\t", (self.folder / "base.tsv").read_text())
        self.assertEqual((self.folder / "base.txt").read_text().count("\f"), 2)

    def test_what_is_wrong_ends_with_1(self):
        self.run_it("absent.png", "stdout", code=1)
        self.assertIn("xyz", self.run_it(self.receipt, "stdout", "-l", "xyz", code=1).stderr)
        self.run_it(self.receipt, "stdout", "--psm", "99", code=1)
        self.run_it(self.receipt, "stdout", "-c", "novalue", code=1)
        self.run_it(self.receipt, "stdout", "--unknown", "1", code=1)
        self.run_it(code=1)
        (self.folder / "bad.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
        self.run_it("bad.png", "stdout", code=1)

    def test_a_blank_page(self):
        (self.folder / "blank.pgm").write_bytes(b"P5 400 300 255\n" + b"\xff" * 120000)
        self.assertEqual(self.run_it("blank.pgm", "stdout").stdout, "\f")
        self.assertIn("Too few characters", self.run_it("-l", "osd", "--psm", "0", "blank.pgm", "stdout", code=1).stderr)
        self.run_it("blank.pgm", "stdout", "--psm", "2", code=1)

    @unittest.skipIf(Image is None, "python3-pil is not here")
    def test_orientation(self):
        for degrees, rotate in ((0, 0), (90, 90), (180, 180), (270, 270)):
            # Turned counter-clockwise.
            Image.open(self.receipt).rotate(degrees, expand=True).save(self.folder / "turned.png")
            out = self.run_it("-l", "osd", "--psm", "0", "turned.png", "stdout").stdout
            report = dict(line.split(": ") for line in out.splitlines())
            self.assertEqual(len(report), 6)
            self.assertEqual(int(report["Rotate"]), rotate, out)
            self.assertEqual(int(report["Orientation in degrees"]), (360 - rotate) % 360)
            self.assertGreater(float(report["Orientation confidence"]), 14)
            self.assertEqual(report["Script"], "Latin")

    @unittest.skipIf(Image is None, "python3-pil is not here")
    def test_skew(self):
        for degrees in (-3, 4):
            Image.open(self.receipt).rotate(degrees, fillcolor="white").save(self.folder / "skewed.png")
            before = float(re.search(r"Deskew angle: (.*)", self.run_it(self.receipt, "stdout", "--psm", "2").stderr)[1])
            done = self.run_it("skewed.png", "stdout", "--psm", "2")
            angle = float(re.search(r"Deskew angle: (.*)", done.stderr)[1])
            # The picture itself is slightly skewed. Counter-clockwise is upwards, negative.
            self.assertAlmostEqual(angle - before, -degrees * 3.14159 / 180, delta=0.012)

    def test_calls_of_ocrmypdf_16_and_17(self):
        # The calls of these versions, in their order, and what they take from the answers; standard error comes merged into
        # standard output where a call is only asked something.
        environment = self.environment | {"OMP_THREAD_LIMIT": "2"}

        def ask(*words):
            done = subprocess.run(["tesseract", *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  text=True, cwd=self.folder, env=environment)
            self.assertEqual(done.returncode, 0, done.stdout)
            return done.stdout

        version = re.match(r"tesseract (\d+)\.(\d+)\.(\d+)", ask("--version"))
        number = tuple(map(int, version.groups()))
        self.assertGreaterEqual(number, (4, 1, 1))
        # Refused by name.
        self.assertNotEqual(number, (5, 4, 0))
        languages = set(ask("--list-langs").splitlines()[1:])
        self.assertLessEqual({"eng", "kor", "osd"}, languages)

        report = ask("-l", "osd", "--psm", "0", self.receipt, "stdout")
        values = dict(line.split(": ", 1) for line in report.splitlines() if ": " in line)
        self.assertEqual(values["Orientation in degrees"], "0")
        self.assertGreater(float(values["Orientation confidence"]), 14)
        deskew = ask("-l", "eng+kor", "--psm", "2", self.receipt, "stdout")
        # The image is slightly skewed.
        self.assertLess(abs(float(re.search(r"Deskew angle: (\S+)", deskew)[1])), 0.1)

        (self.folder / "words").write_text("bakery\n")
        options = ["-l", "eng+kor", "--oem", "1", "--psm", "3", "-c", "thresholding_method=1", "--user-words", "words"]
        ask(*options[:2], "-c", "textonly_pdf=1", *options[2:], self.receipt, "sandwich", "pdf", "txt")
        ask(*options, self.receipt, "base", "hocr", "txt")
        text = (self.folder / "base.txt").read_text()
        self.assertEqual((self.folder / "sandwich.txt").read_text(), text)

        # Both read the first page with these classes only, and integers alone.
        root = ET.fromstring(re.sub(r'xmlns="[^"]*"', "", (self.folder / "base.hocr").read_text(), count=1))
        pages = root.findall(".//div[@class='ocr_page']")
        self.assertRegex(pages[0].get("title"), r"(^|; )bbox( \d+){4}(;|$)")
        words = []
        for paragraph in pages[0].iterfind(".//p[@class='ocr_par']"):
            for line in paragraph.iterfind(".//span[@class='ocr_line']"):
                self.assertRegex(line.get("title"), r"^bbox( \d+){4}; (baseline -?\d+(\.\d+)? -?\d+|textangle \d+);")
                for word in line.iterfind(".//span[@class='ocrx_word']"):
                    self.assertRegex(word.get("title"), r"^bbox( \d+){4}; x_wconf \d+$")
                    words.append("".join(word.itertext()))
        self.assertEqual(words, text.split())

        # The text of the first page and one font go into their file.
        pdf = (self.folder / "sandwich.pdf").read_bytes()
        self.assertRegex(pdf, rb"/Font\s*<<\s*/F1 ")
        self.assertNotIn(b"/Image", pdf)

    def test_pytesseract(self):
        if pytesseract is None or Image is None:
            self.skipTest("pytesseract is not here")
        pytesseract.pytesseract.tesseract_cmd = str(self.folder / "bin" / "tesseract")
        os.environ["MUNJA_MODELS"] = self.environment["MUNJA_MODELS"]
        text = pytesseract.image_to_string(Image.open(self.receipt))
        data = pytesseract.image_to_data(Image.open(self.receipt), output_type=pytesseract.Output.DICT)
        self.assertEqual([w for w in data["text"] if w.strip()], text.split())

    def test_ocrmypdf(self):
        if shutil.which("ocrmypdf") is None:
            self.skipTest("ocrmypdf is not here")
        text = self.run_it(self.receipt, "stdout").stdout.split()
        for renderer in ("sandwich", "hocr"):
            done = subprocess.run(["ocrmypdf", "--pdf-renderer", renderer, "--output-type", "pdf", "--image-dpi", "150",
                                   "--jobs", "1", "--sidecar", "side.txt", str(self.receipt), "out.pdf"],
                                  capture_output=True, text=True, cwd=self.folder, env=self.environment)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual((self.folder / "side.txt").read_text().replace("\f", " ").split(), text)
            if shutil.which("pdftotext"):
                out = subprocess.run(["pdftotext", "-raw", "out.pdf", "-"], capture_output=True, text=True,
                                     cwd=self.folder).stdout
                # OCRmyPDF's own renderer of hOCR writes no spaces.
                self.assertEqual(sorted("".join(out.split())), sorted("".join(text)), renderer)

    def test_ocrmypdf_plugin(self):
        if shutil.which("ocrmypdf") is None:
            self.skipTest("ocrmypdf is not here")
        # OCRmyPDF wants a Tesseract to be there; this one reads nothing.
        fake = self.folder / "bin" / "tesseract"
        fake.unlink()
        fake.write_text('#!/bin/sh\n[ "$1" = --version ] && exec "$MUNJA_TESSERACT" --version\n'
                        '[ "$1" = --list-langs ] && exec "$MUNJA_TESSERACT" --list-langs\nexit 9\n')
        fake.chmod(0o755)
        environment = self.environment | {"MUNJA_TESSERACT": PROGRAM}
        text = subprocess.run([PROGRAM, str(self.receipt), "stdout"], capture_output=True, text=True,
                              env=environment).stdout.split()
        self.assertIn("BAKERY", text)
        for renderer in ("sandwich", "hocr"):
            done = subprocess.run(["ocrmypdf", "--plugin", str(SOURCES / "examples" / "ocrmypdf" / "munja_ocr.py"),
                                   "--rotate-pages", "--pdf-renderer", renderer, "--output-type", "pdf", "--image-dpi",
                                   "150", "--jobs", "1", "--sidecar", "side.txt", str(self.receipt), "out.pdf"],
                                  capture_output=True, text=True, cwd=self.folder, env=environment)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual((self.folder / "side.txt").read_text().replace("\f", " ").split(), text)
        self.assertIn(b"Munja", (self.folder / "out.pdf").read_bytes())


if __name__ == "__main__":
    SOURCES = pathlib.Path(sys.argv.pop(2))
    PROGRAM = sys.argv.pop(1)
    unittest.main()
