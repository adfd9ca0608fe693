#!/usr/bin/python3
"""Output of munja read, as others read it: poppler's pdftotext and qpdf, Python's XML and JSON readers, jsonschema.

usage: formats_test.py MUNJA
Tests that need a program or a module that is not here are skipped."""
import collections
import csv
import io
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ET

try:
    import pikepdf
except ImportError:
    pikepdf = None
try:
    from PIL import Image, ImageCms
except ImportError:
    ImageCms = None
try:
    import jsonschema
except ImportError:
    jsonschema = None

ROOT = pathlib.Path(__file__).resolve().parents[2]
PICTURES = ROOT / "testdata" / "pictures"
MODEL = ROOT / "models" / "default"
MUNJA = ""
XHTML = "{http://www.w3.org/1999/xhtml}"
ALTO = "{http://www.loc.gov/standards/alto/ns-v4#}"
PAGE = "{http://schema.primaresearch.org/PAGE/gts/pagecontent/2019-07-15}"


def run(*words, **options):
    return subprocess.run([str(w) for w in words], capture_output=True, text=True, **options)


class Formats(unittest.TestCase):
    """One reading of two pages, in all formats."""

    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        formats = ["text", "tsv", "hocr", "alto", "page", "pdf", "markdown", "json2"]
        cls.pages = [PICTURES / "receipt.jpg", PICTURES / "sign_ko.jpg"]
        cls.pages = [page for page in cls.pages if page.exists()]
        words = [MUNJA, "read", "--model", MODEL, "-o", cls.folder / "out"]
        for name in formats:
            words += ["--format", name]
        done = run(*words, *cls.pages)
        assert done.returncode == 0, done.stderr
        cls.documents = [json.loads(line) for line in cls.text("json").splitlines()]
        cls.words = [[(w["text"], w["polygon"]) for b in d["blocks"] for line in b["lines"] for w in line["words"]]
                     for d in cls.documents]

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    @classmethod
    def text(cls, extension):
        return (cls.folder / f"out.{extension}").read_text(encoding="utf-8")

    def expect_words(self, pages):
        """Pages of (text, left, top, right, bottom), in the words' order, each around its polygon by less than two
        pixels."""
        self.assertEqual(len(pages), len(self.words))
        for found, expected in zip(pages, self.words):
            self.assertEqual([w[0] for w in found], [w[0] for w in expected])
            for word, (text, polygon) in zip(found, expected):
                xs, ys = [p[0] for p in polygon], [p[1] for p in polygon]
                for a, b in zip(word[1:], (min(xs), min(ys), max(xs), max(ys))):
                    self.assertLess(abs(a - b), 2, (word, text, polygon))

    def test_json2_is_as_its_schema_says(self):
        if jsonschema is None:
            self.skipTest("python3-jsonschema is not here")
        schema = json.loads((ROOT / "docs" / "reference" / "schemas" / "document-2.schema.json").read_text())
        jsonschema.Draft7Validator.check_schema(schema)
        for document in self.documents:
            jsonschema.validate(document, schema)
        # It says something: what is missing or of another kind is refused.
        for damage in ({"schema_version": 1}, {"blocks": None}, {"width": "900"}):
            with self.assertRaises(jsonschema.ValidationError):
                jsonschema.validate(self.documents[0] | damage, schema)

    def test_characters_are_the_words(self):
        for document in self.documents:
            for block in document["blocks"]:
                for line in block["lines"]:
                    self.assertEqual("".join(line["text"].split()), "".join(w["text"] for w in line["words"]))
                    for word in line["words"]:
                        self.assertEqual(word["text"], "".join(c["text"] for c in word["characters"]))

    def test_tsv(self):
        rows = list(csv.DictReader(self.text("tsv").splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE))
        pages = []
        for row in rows:
            if row["level"] == "1":
                pages.append([])
            box = [int(row[k]) for k in ("left", "top", "width", "height")]
            if row["level"] == "5":
                pages[-1].append((row["text"], box[0], box[1], box[0] + box[2], box[1] + box[3]))
                self.assertTrue(0 <= float(row["conf"]) <= 100)
            else:
                self.assertEqual(row["conf"], "-1")
        self.expect_words(pages)

    def test_hocr(self):
        tree = ET.fromstring(self.text("hocr"))
        pages = []
        for page in tree.iter(XHTML + "div"):
            if page.get("class") != "ocr_page":
                continue
            words = [e for e in page.iter(XHTML + "span") if e.get("class") == "ocrx_word"]
            pages.append([(w.text, *map(int, re.match(r"bbox (\d+) (\d+) (\d+) (\d+); x_wconf \d+$",
                                                       w.get("title")).groups())) for w in words])
        self.expect_words(pages)

    def test_alto(self):
        pages = []
        for page in ET.fromstring(self.text("alto.xml")).iter(ALTO + "Page"):
            pages.append([])
            for word in page.iter(ALTO + "String"):
                x, y, w, h = (float(word.get(k)) for k in ("HPOS", "VPOS", "WIDTH", "HEIGHT"))
                pages[-1].append((word.get("CONTENT"), x, y, x + w, y + h))
        self.expect_words(pages)

    def test_page(self):
        # A file for each page.
        files = [self.text("page.xml")]
        files += [(self.folder / f"out-{n}.page.xml").read_text(encoding="utf-8") for n in range(2, len(self.pages) + 1)]
        pages = []
        for file in files:
            pages.append([])
            for word in ET.fromstring(file).iter(PAGE + "Word"):
                points = [tuple(map(int, p.split(","))) for p in word.find(PAGE + "Coords").get("points").split()]
                xs, ys = [p[0] for p in points], [p[1] for p in points]
                text = word.find(PAGE + "TextEquiv/" + PAGE + "Unicode").text
                pages[-1].append((text, min(xs), min(ys), max(xs), max(ys)))
        self.expect_words(pages)

    def test_pdf_is_sound(self):
        if shutil.which("qpdf") is None:
            self.skipTest("qpdf is not here")
        done = run("qpdf", "--check", self.folder / "out.pdf")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertNotIn("WARNING", done.stdout + done.stderr)

    def test_pdf_keeps_the_jpeg(self):
        self.assertIn(self.pages[0].read_bytes(), (self.folder / "out.pdf").read_bytes())

    def test_pdf_has_its_words_where_they_are(self):
        if shutil.which("pdftotext") is None:
            self.skipTest("poppler-utils is not here")
        done = run("pdftotext", "-bbox", self.folder / "out.pdf", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        pages = re.findall(r'<page width="([\d.]+)" height="([\d.]+)">(.*?)</page>', done.stdout, re.S)
        self.assertEqual(len(pages), len(self.words))
        for (width, height, body), document, words in zip(pages, self.documents, self.words):
            scale = document["width"] / float(width)
            self.assertAlmostEqual(document["height"] / float(height), scale, delta=0.01 * scale)
            found = re.findall(r'<word xMin="(.*?)" yMin="(.*?)" xMax="(.*?)" yMax="(.*?)">(.*?)</word>', body)
            for entity, c in (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&amp;", "&")):
                found = [(*w[:4], w[4].replace(entity, c)) for w in found]
            # Between the cells of a row are words of blanks.
            found = [w for w in found if w[4].strip()]
            self.assertEqual(sorted(w[4] for w in found), sorted(w[0] for w in words))
            for text, polygon in words:
                left, right = min(p[0] for p in polygon), max(p[0] for p in polygon)
                middle = sum(p[1] for p in polygon) / 4
                # The word's sides, and its middle in the height of its line.
                self.assertTrue(any(w[4] == text and abs(float(w[0]) * scale - left) < 3 and
                                    abs(float(w[2]) * scale - right) < 3 and
                                    float(w[1]) * scale < middle < float(w[3]) * scale for w in found),
                                (text, polygon, [w for w in found if w[4] == text]))

    def test_pdf_text_comes_in_order(self):
        if shutil.which("pdftotext") is None:
            self.skipTest("poppler-utils is not here")
        done = run("pdftotext", "-raw", self.folder / "out.pdf", "-")
        self.assertEqual(done.stdout.split(), self.text("txt").split())

    def test_pdf_rows_are_read_as_rows(self):
        if shutil.which("pdftotext") is None:
            self.skipTest("poppler-utils is not here")
        # Without a request for the order of the file (-raw) poppler finds columns by what is empty. The amounts of a
        # receipt are none.
        done = run("pdftotext", "-l", "1", self.folder / "out.pdf", "-")
        page = self.text("txt").split("\f")[0]
        self.assertIn(" 7.80\n", page)
        self.assertEqual(done.stdout.split(), page.split())

    def test_pdf_is_read_again(self):
        if shutil.which("pdftoppm") is None:
            self.skipTest("poppler-utils is not here")
        # A page's only picture is taken out as it is: the same pixels say the same.
        done = run(MUNJA, "read", "--model", MODEL, "--format", "text", "-o", "-", self.folder / "out.pdf")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, self.text("txt"))
        done = run(MUNJA, "read", "--model", MODEL, "--dpi", "50", "--format", "json2", self.folder / "out.pdf", "-o", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        sizes = [(d["width"], d["height"]) for d in map(json.loads, done.stdout.splitlines())]
        for (width, height), whole in zip(sizes, self.documents):
            self.assertLess(width, whole["width"])
            self.assertAlmostEqual(width / height, whole["width"] / whole["height"], delta=0.02)

    def test_pdf_that_cannot_be_read(self):
        if shutil.which("pdftoppm") is None or shutil.which("qpdf") is None:
            self.skipTest("poppler-utils or qpdf is not here")
        run("qpdf", "--encrypt", "secret", "owner", "256", "--", self.folder / "out.pdf", self.folder / "locked.pdf",
            check=True)
        (self.folder / "cut.pdf").write_bytes((self.folder / "out.pdf").read_bytes()[:200])
        for name, code, message in (("locked", 4, "MUNJA_PDF_PASSWORD"), ("cut", 3, "damaged")):
            done = run(MUNJA, "read", "--model", MODEL, self.folder / f"{name}.pdf")
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertIn(f"{name}.pdf: pdf: ", done.stderr)
            self.assertIn(message, done.stderr)

    def test_pages_of_pdf_keep_their_size(self):
        if shutil.which("pdftoppm") is None:
            self.skipTest("poppler-utils is not here")
        # An odd size, drawn at a resolution that does not fit it, and the same page on its side.
        for number, turn in enumerate((0, 90)):
            page = (f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 333.25 517.5] /Rotate {turn} /Contents 4 0 R "
                    "/Resources << /Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>")
            text = "BT /F 24 Tf 40 250 Td (Rye bread 7.80) Tj ET"
            objects = ["<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>", page,
                       f"<< /Length {len(text)} >>\nstream\n{text}\nendstream"]
            body, offsets = "%PDF-1.4\n", []
            for i, o in enumerate(objects):
                offsets.append(len(body))
                body += f"{i + 1} 0 obj\n{o}\nendobj\n"
            table = "".join(f"{at:010} 00000 n \n" for at in offsets)
            body += (f"xref\n0 5\n0000000000 65535 f \n{table}trailer\n<< /Size 5 /Root 1 0 R >>\nstartxref\n"
                     f"{len(body)}\n%%EOF\n")
            source, out = self.folder / f"odd{number}.pdf", self.folder / f"read{number}.pdf"
            source.write_text(body)
            done = run(MUNJA, "read", "--model", MODEL, "--dpi", "97", source, "-o", out)
            self.assertEqual(done.returncode, 0, done.stderr)
            said = run("pdfinfo", out).stdout
            size = re.search(r"Page size: +([\d.]+) x ([\d.]+)", said).groups()
            self.assertEqual(tuple(map(float, size)), (333.25, 517.5))
            self.assertRegex(said, rf"Page rot: +{turn}\n")

    def make_scan(self, name, rotation=0, crop=None, **save):
        """A page with a picture of a receipt, and one with text, in a file with all that files have."""
        from pikepdf import Array, Dictionary, Name, String
        pdf = pikepdf.new()
        with Image.open(PICTURES / "receipt.jpg") as image:
            width, height = image.size
        scan = pdf.make_stream((PICTURES / "receipt.jpg").read_bytes(), Type=Name.XObject, Subtype=Name.Image,
                               Width=width, Height=height, BitsPerComponent=8, ColorSpace=Name.DeviceRGB,
                               Filter=Name.DCTDecode)
        # At half a point a pixel, from (10, 20) on; turned so that it is shown upright.
        w, h = width / 2, height / 2
        across, up = (w, h) if rotation % 180 == 0 else (h, w)
        matrix = {0: f"{w} 0 0 {h} 10 20", 90: f"0 {w} {-h} 0 {10 + h} 20", 180: f"{-w} 0 0 {-h} {10 + w} {20 + h}",
                  270: f"0 {-w} {h} 0 10 {20 + w}"}[rotation]
        page = Dictionary(Type=Name.Page, MediaBox=Array([0, 0, across + 30, up + 40]), UserUnit=2, Rotate=rotation,
                          CropBox=Array([10, 20, 10 + across, 20 + up]),
                          # A page may leave states open and change them for good; its text does not move.
                          Contents=pdf.make_stream(f"q 2 0 0 2 5 5 cm Q q {matrix} cm /Im Do 3 0 0 3 9 9 cm q".encode()),
                          Resources=Dictionary(XObject=Dictionary(Im=scan)),
                          Annots=Array([Dictionary(Type=Name.Annot, Subtype=Name.Link, Rect=Array([10, 20, 60, 50]),
                                                   A=Dictionary(S=Name.URI, URI=String("https://example.org/")))]))
        pdf.pages.append(pikepdf.Page(pdf.make_indirect(page)))
        font = Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica)
        page = Dictionary(Type=Name.Page, MediaBox=Array([0, 0, 300, 200]),
                          Contents=pdf.make_stream(b"BT /F1 24 Tf 40 100 Td (Rye bread 7.80) Tj ET"),
                          Resources=Dictionary(Font=Dictionary(F1=font)))
        pdf.pages.append(pikepdf.Page(pdf.make_indirect(page)))
        with pdf.open_outline() as outline:
            outline.root.append(pikepdf.OutlineItem("The receipt", 0))
        pdf.Root.PageLabels = Dictionary(Nums=Array([0, Dictionary(S=Name.r)]))
        with pdf.open_metadata() as metadata:
            metadata["dc:title"] = "A receipt"
        pdf.docinfo["/Author"] = String("Ann Author")
        pdf.attachments["note.txt"] = b"attached"
        source = self.folder / name
        pdf.save(source, **save)
        return source

    def test_pdf_keeps_what_it_has_when_text_is_added(self):
        if pikepdf is None or ImageCms is None or shutil.which("qpdf") is None:
            self.skipTest("python3-pikepdf, python3-pil or qpdf is not here")
        modes = [{"object_stream_mode": pikepdf.ObjectStreamMode.disable},
                 {"object_stream_mode": pikepdf.ObjectStreamMode.generate},
                 {"object_stream_mode": pikepdf.ObjectStreamMode.disable, "linearize": True},
                 {"object_stream_mode": pikepdf.ObjectStreamMode.generate}]
        words = None
        for rotation, save in zip((0, 90, 180, 270), modes):
            with self.subTest(rotation=rotation, **save):
                source, out = self.make_scan("scan.pdf", rotation, **save), self.folder / "kept.pdf"
                out.unlink(missing_ok=True)
                done = run(MUNJA, "read", "--model", MODEL, source, "-o", out)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertNotIn("anew", done.stderr)
                self.assertIn("1 of ", done.stderr)
                self.assertTrue(out.read_bytes().startswith(source.read_bytes()))
                done = run("qpdf", "--check", out)
                self.assertIn("No syntax or stream encoding errors found", done.stdout, done.stdout + done.stderr)
                with pikepdf.open(source) as before, pikepdf.open(out) as after:
                    self.assertEqual(len(after.pages), 2)
                    for key in ("/Outlines", "/PageLabels", "/Metadata", "/Names"):
                        self.assertEqual(after.Root[key].objgen, before.Root[key].objgen)
                    self.assertEqual(str(after.docinfo["/Author"]), "Ann Author")
                    self.assertEqual(after.attachments["note.txt"].get_file().read_bytes(), b"attached")
                    with after.open_outline() as outline:
                        self.assertEqual(outline.root[0].title, "The receipt")
                    with after.open_metadata() as metadata:
                        self.assertEqual(metadata["dc:title"], "A receipt")
                    page = after.pages[0]
                    self.assertEqual(str(page.Annots[0].A.URI), "https://example.org/")
                    for key in ("/MediaBox", "/CropBox", "/UserUnit", "/Rotate"):
                        self.assertEqual(page.obj[key], before.pages[0].obj[key])
                # It looks as before.
                drawn = [run("pdftoppm", "-r", "50", "-cropbox", "-png", file, self.folder / f"drawn-{file.stem}")
                         and (self.folder / f"drawn-{file.stem}-1.png").read_bytes() for file in (source, out)]
                self.assertEqual(drawn[0], drawn[1])
                # The words stand where they are read, whatever the turn: in points from the upper left corner.
                xml = run("pdftotext", "-bbox", "-cropbox", "-f", 1, "-l", 1, out, "-").stdout
                found = [(w.text, *(float(w.get(k)) for k in ("xMin", "yMin", "xMax", "yMax")))
                         for w in ET.fromstring(re.sub(r"<!DOCTYPE[^>]*>", "", xml)).iter(XHTML + "word") if w.text.strip()]
                self.assertGreater(len(found), 20)
                times = collections.Counter(w[0] for w in found)
                found = [w for w in found if times[w[0]] == 1]
                if words is None:
                    words = {w[0]: w[1:] for w in found}
                    known = {text: polygon for text, polygon in self.words[0]}
                    near = [text for text, box in words.items() if text in known and
                            abs(box[0] * 2 - min(p[0] for p in known[text])) < 8 and
                            abs(box[3] * 2 - max(p[1] for p in known[text])) < 12]
                    self.assertGreater(len(near), 0.8 * len(known))
                for text, *box in found:
                    for a, b in zip(box, words.get(text, box)):
                        self.assertLess(abs(a - b), 3, text)
                # Once, although the page was read, too.
                text = run("pdftotext", "-f", 2, "-l", 2, out, "-").stdout
                self.assertEqual(text.count("7.80"), 1, text)

    def test_encrypted_pdf_is_not_opened_in_silence(self):
        if pikepdf is None or ImageCms is None:
            self.skipTest("python3-pikepdf or python3-pil is not here")
        source = self.make_scan("locked.pdf", encryption=pikepdf.Encryption(owner="o", user="", R=6))
        for words in (("-o", self.folder / "unlocked.pdf"), ("--format", "pdf", "--output-dir", self.folder / "d")):
            done = run(MUNJA, "read", "--model", MODEL, source, *words)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("because the file is encrypted", done.stderr)
            self.assertIn("warning: " + str(source) + "#page=1: the file is encrypted, what is written is not",
                          done.stderr)

    def test_pdf_for_archives(self):
        if pikepdf is None or shutil.which("qpdf") is None:
            self.skipTest("python3-pikepdf or qpdf is not here")
        file = self.folder / "archive.pdf"
        done = run(MUNJA, "read", "--model", MODEL, "--format", "pdfa", *self.pages, "-o", file)
        self.assertEqual(done.returncode, 0, done.stderr)
        done = run("qpdf", "--check", file)
        self.assertEqual((done.returncode, "WARNING" in done.stdout + done.stderr), (0, False), done.stdout + done.stderr)
        # The demands of ISO 19005-2 on a file of conformance B, as far as ours could go wrong.
        data = file.read_bytes()
        self.assertTrue(re.match(rb"%PDF-1\.[0-7]\n%[\x80-\xff]{4}", data))
        self.assertTrue(data.endswith(b"%%EOF\n"))
        with pikepdf.open(file) as pdf:
            with pdf.open_metadata() as metadata:
                self.assertEqual(metadata.pdfa_status, "2B")
            self.assertNotIn("/Encrypt", pdf.trailer)
            self.assertEqual(len(pdf.trailer.ID), 2)
            self.assertNotIn("/Filter", pdf.Root.Metadata)
            intent, = pdf.Root.OutputIntents
            self.assertEqual(intent.S, "/GTS_PDFA1")
            self.assertEqual(intent.DestOutputProfile.N, 3)
            profile = intent.DestOutputProfile.read_bytes()
            self.assertLess(profile[8], 5)
            for name in ("/AA", "/OpenAction", "/AcroForm", "/OCProperties"):
                self.assertNotIn(name, pdf.Root)
            for page in pdf.pages:
                self.assertTrue(all(3 <= float(side) <= 14400 for side in list(page.MediaBox)[2:]))
                self.assertNotIn("/Annots", page)
                for image in page.images.values():
                    self.assertIn(image.ColorSpace, ("/DeviceRGB", "/DeviceGray"))
                    self.assertFalse({"/Interpolate", "/SMask", "/Alternates", "/OPI"} & set(image.keys()))
                font = page.Resources.Font.F1
                descendant = font.DescendantFonts[0]
                self.assertEqual(font.Encoding, "/Identity-H")
                self.assertIn("/FontFile2", descendant.FontDescriptor)
                glyphs = descendant.CIDToGIDMap.read_bytes()
                # No character is the missing glyph.
                self.assertNotIn(b"\0\0", [glyphs[i:i + 2] for i in range(2, len(glyphs), 2)])
                for operands, operator in pikepdf.parse_content_stream(page):
                    if str(operator) == "Tj":
                        codes = bytes(operands[0])
                        self.assertLessEqual(len(codes), 32767)
                        self.assertTrue(all(0 < int.from_bytes(codes[i:i + 2], "big") < len(glyphs) // 2
                                            for i in range(0, len(codes), 2)))
        if ImageCms is not None:
            # The profile is sRGB: nothing changes from the one that lcms makes.
            ours = ImageCms.ImageCmsProfile(io.BytesIO(profile))
            colors = [(r, g, b) for r in range(0, 256, 51) for g in range(0, 256, 51) for b in range(0, 256, 51)]
            image = Image.new("RGB", (len(colors), 1))
            image.putdata(colors)
            shown = ImageCms.profileToProfile(image, ours, ImageCms.createProfile("sRGB"))
            for before, after in zip(colors, shown.getdata()):
                self.assertTrue(all(abs(a - b) <= 2 for a, b in zip(before, after)), (before, after))

    def test_overlay_as_a_picture(self):
        file = self.folder / "overlay.png"
        done = run(MUNJA, "read", "--model", MODEL, self.pages[0], "-o", file)
        self.assertEqual(done.returncode, 0, done.stderr)
        head = file.read_bytes()[:24]
        self.assertTrue(head.startswith(b"\x89PNG\r\n\x1a\n"))
        self.assertEqual([int.from_bytes(head[i:i + 4], "big") for i in (16, 20)],
                         [self.documents[0]["width"], self.documents[0]["height"]])
        # One page a file.
        done = run(MUNJA, "read", "--model", MODEL, *self.pages, "-o", self.folder / "two.png")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("a PNG file holds one page", done.stderr)

    def test_text_and_markdown(self):
        self.assertEqual(self.text("txt").count("\f"), len(self.pages) - 1)
        # A line for each row: lines side by side have the same number.
        lines = []
        for document in self.documents:
            row = None
            for line in (line for b in document["blocks"] for line in b["lines"] if line["text"]):
                if row is not None and row == line.get("row"):
                    lines[-1] += " " + line["text"]
                else:
                    lines.append(line["text"])
                row = line.get("row")
        self.assertEqual([t for t in re.split(r"[\n\f]", self.text("txt")) if t], lines)
        plain = re.sub(r"\\(.)", r"\1", self.text("md"))
        self.assertEqual([t for t in re.split(r"\s*\n", plain) if t and t != "---"], lines)


if __name__ == "__main__":
    MUNJA = sys.argv.pop(1)
    unittest.main()
