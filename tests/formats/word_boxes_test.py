#!/usr/bin/python3
"""Compares boxes of words with the ink of words that Pillow has drawn: upright, slightly skewed and rotated pages.

usage: word_boxes_test.py MUNJA"""
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

try:
    from PIL import Image, ImageDraw, ImageFont
except ImportError:
    Image = None

ROOT = pathlib.Path(__file__).resolve().parents[2]
FONTS = pathlib.Path("/usr/share/fonts/truetype")
LATIN = [FONTS / "dejavu" / name for name in ("DejaVuSans.ttf", "DejaVuSerif.ttf", "DejaVuSans-Bold.ttf")]
KOREAN = [FONTS / "nanum" / name for name in ("NanumGothic.ttf", "NanumMyeongjo.ttf")]
MUNJA = ""
WORDS = """the quick brown fox jumps over lazy dogs while morning light falls across quiet harbor towns where sailors mend
their nets and children count passing ships beyond seven bridges Monday report total amount received 2031 1,250 48.90 page
invoice customer street number Northwind Bakery yellow garden window people company between because market winter""".split()
KOREAN_WORDS = """오늘 아침 우리는 바다로 나가 작은 배를 타고 섬까지 갔다 사람들은 시장에서 생선과 과일을 사고 아이들은 학교에 간다 서울
부산 전화 번호 합계 금액 주문 확인 안내 도서관 문화 생활 정보 한국어 문장 인식 결과""".split()


def turned(point, angle, middle):
    """As Image.rotate() turns it, counter-clockwise."""
    x, y = point[0] - middle[0], point[1] - middle[1]
    c, s = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    return (middle[0] + c * x + s * y, middle[1] - s * x + c * y)


def drawn_page(seed, angle, fonts, vocabulary):
    """A picture of words in lines, and the words with the corners of their ink."""
    chance = random.Random(seed)
    page = Image.new("L", (1100, 1100), "white")
    pen = ImageDraw.Draw(page)
    words = []
    top = 190
    while top < 880:
        font = ImageFont.truetype(str(chance.choice(fonts)), chance.randint(18, 34))
        left = 170 + chance.randint(0, 60)
        while True:
            word = chance.choice(vocabulary)
            box = pen.textbbox((left, top), word, font=font)
            if box[2] > 930:
                break
            pen.text((left, top), word, font=font, fill=chance.randint(0, 60))
            # The ink itself: fonts say more than they draw.
            ink = Image.new("L", page.size, 0)
            ImageDraw.Draw(ink).text((left, top), word, font=font, fill=255)
            x0, y0, x1, y1 = ink.point(lambda v: 255 if v > 127 else 0).getbbox()
            words.append((word, [(x0, y0), (x1, y0), (x1, y1), (x0, y1)]))
            left = box[2] + font.getlength(" ") * chance.uniform(0.9, 1.6)
        top += round(font.size * chance.uniform(1.5, 2.2))
    middle = (page.size[0] / 2, page.size[1] / 2)
    page = page.rotate(angle, Image.BICUBIC, fillcolor="white")
    return page, [(word, [turned(p, angle, middle) for p in corners]) for word, corners in words]


def overlap(a, b):
    """Common area by the area of both, counted on a grid of quarters of pixels."""
    x0, y0 = (math.floor(min(p[k] for p in a + b)) for k in (0, 1))
    x1, y1 = (math.ceil(max(p[k] for p in a + b)) for k in (0, 1))
    masks = []
    for corners in (a, b):
        mask = Image.new("1", (4 * (x1 - x0), 4 * (y1 - y0)))
        ImageDraw.Draw(mask).polygon([(4 * (x - x0), 4 * (y - y0)) for x, y in corners], fill=1)
        masks.append(mask.tobytes())
    count = [sum(bin(p & q).count("1") for p, q in zip(*masks)), sum(bin(p | q).count("1") for p, q in zip(*masks))]
    return count[0] / count[1]


def is_inside(point, corners):
    """The area of a convex polygon, clockwise on the page."""
    for (x0, y0), (x1, y1) in zip(corners, corners[1:] + corners[:1]):
        if (x1 - x0) * (point[1] - y0) - (y1 - y0) * (point[0] - x0) < 0:
            return False
    return True


def middle_of(corners):
    return tuple(sum(p[k] for p in corners) / len(corners) for k in (0, 1))


@unittest.skipIf(Image is None, "python3-pil is not here")
class WordBoxes(unittest.TestCase):
    def check(self, angles, fonts=LATIN, vocabulary=WORDS):
        if not all(font.exists() for font in fonts):
            self.skipTest("the fonts are not here")
        overlaps, inside, all_words = [], 0, 0
        with tempfile.TemporaryDirectory() as folder:
            pages = []
            for seed, angle in enumerate(angles):
                page, words = drawn_page(seed, angle, fonts, vocabulary)
                page.save(f"{folder}/{seed:02}.png")
                pages.append(words)
            done = subprocess.run([MUNJA, "read", "--quiet", "--model", ROOT / "models" / "default", "--format", "json2",
                                   folder], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            for words, line in zip(pages, done.stdout.splitlines()):
                all_words += len(words)
                read = [(w["text"], [tuple(p) for p in w["polygon"]]) for block in json.loads(line)["blocks"]
                        for row in block["lines"] for w in row["words"]]
                for word, corners in words:
                    near = [polygon for text, polygon in read
                            if text == word and math.dist(middle_of(polygon), middle_of(corners)) < 60]
                    if not near:
                        continue  # Read as something else.
                    best = min(near, key=lambda polygon: math.dist(middle_of(polygon), middle_of(corners)))
                    overlaps.append(overlap(best, corners))
                    inside += is_inside(middle_of(best), corners)
        mean = sum(overlaps) / len(overlaps)
        print(f"{len(overlaps)} of {all_words} words: overlap {mean:.3f}, centers inside {inside / len(overlaps):.4f}")
        self.assertGreater(len(overlaps), 0.85 * all_words)
        self.assertGreaterEqual(mean, 0.8)
        self.assertGreaterEqual(inside, 0.99 * len(overlaps))

    def test_upright(self):
        self.check([0, 0, 0, 0])

    def test_skewed(self):
        self.check([1, -2, 3.5, -5])

    def test_turned(self):
        self.check([90, 180, 270, 88])

    def test_korean(self):
        self.check([0, 0, 2, -3], KOREAN, KOREAN_WORDS)


if __name__ == "__main__":
    MUNJA = sys.argv.pop(1)
    unittest.main()
