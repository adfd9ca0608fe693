"""Reading: the same text as the command's, from every kind of source; results, formats, errors."""

from __future__ import annotations

import io
import json
import pathlib
import typing
from typing import Any

import numpy as np
import pytest
from conftest import command, run_python
from PIL import Image

import munja
from munja._images import Source


def variants(pictures: pathlib.Path, folder: pathlib.Path) -> list[pathlib.Path]:
    """Twenty images of different size, angle and format."""
    made: list[pathlib.Path] = []
    for name in ("receipt.jpg", "receipt_ru.png", "sign_ko.jpg"):
        picture = Image.open(pictures / name).convert("RGB")
        stem = name.split(".")[0]
        for suffix, changed in (
            ("plain.png", picture),
            ("small.jpg", picture.resize((picture.width // 2, picture.height // 2))),
            ("large.webp", picture.resize((picture.width * 3 // 2, picture.height * 3 // 2))),
            ("skewed.bmp", picture.rotate(7, expand=True, fillcolor="white")),
            ("turned.tiff", picture.transpose(Image.Transpose.ROTATE_90)),
            ("gray.png", picture.convert("L")),
            ("part.ppm", picture.crop((0, 0, picture.width, picture.height // 2))),
        ):
            made.append(folder / f"{stem}-{suffix}")
            changed.save(made[-1])
    return made[:20]


def without_times(document: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in document.items() if key != "timing_ms"}


def test_json_is_that_of_the_command(pictures: pathlib.Path, tmp_path: pathlib.Path) -> None:
    paths = variants(pictures, tmp_path)
    assert len(paths) == 20
    expected = [json.loads(line) for line in command("read", "--format", "json", *paths).splitlines()]
    pages = munja.read([str(path) for path in paths])
    assert [without_times(page.to_dict()) for page in pages] == [without_times(document) for document in expected]
    assert sum(len(page) for page in pages) > 100


@pytest.mark.parametrize("format", ["hocr", "alto", "tsv", "markdown", "json2", "pdf", "svg", "text", "page"])
def test_file_is_that_of_the_command(receipt: pathlib.Path, tmp_path: pathlib.Path, format: str) -> None:
    command("read", "--format", format, "-o", tmp_path / "expected", receipt)
    munja.read(receipt).save(tmp_path / "written", format=format)
    expected, written = (tmp_path / "expected").read_bytes(), (tmp_path / "written").read_bytes()
    if format == "pdf":  # Apart from its time stamps.
        assert len(written) == len(expected) and written[:8] == b"%PDF-1.7"[:8]
    elif format == "page":
        assert len(written) == len(expected)
    elif format == "json2":
        assert without_times(json.loads(written)) == without_times(json.loads(expected))
    else:
        assert written == expected


def pixels(receipt: pathlib.Path) -> np.ndarray[Any, np.dtype[np.uint8]]:
    return np.asarray(Image.open(receipt).convert("RGB"))


def test_every_source_gives_the_same_text(receipt: pathlib.Path, tmp_path: pathlib.Path) -> None:
    array = pixels(receipt)
    lossless = tmp_path / "lossless.png"
    Image.fromarray(array).save(lossless)
    expected = munja.read(lossless).text
    assert "BAKERY NORTHWIND" in expected
    wide = np.zeros((array.shape[0], array.shape[1] + 5, 3), np.uint8)
    wide[:, :-5] = array
    sources: dict[str, Any] = {
        "str": str(lossless),
        "bytes": lossless.read_bytes(),
        "bytearray": bytearray(lossless.read_bytes()),
        "memoryview": memoryview(lossless.read_bytes()),
        "file": lossless.open("rb"),
        "stream": io.BytesIO(lossless.read_bytes()),
        "array": array,
        "pillow": Image.fromarray(array),
        "pillow of a file": Image.open(lossless),
        "rows with gaps": wide[:, :-5],
        "turned twice": array[::-1, ::-1][::-1, ::-1],
        "fortran": np.asfortranarray(array),
        "planes": np.ascontiguousarray(array.transpose(2, 0, 1)).transpose(1, 2, 0),
        "memoryview of pixels": array.data,
        "rgba": np.dstack([array, np.full(array.shape[:2], 255, np.uint8)]),
    }
    for name, source in sources.items():
        assert munja.read(source).text == expected, name
    assert munja.read(array[:, :, ::-1], order="bgr").text == expected
    assert munja.read(np.ascontiguousarray(array[:, :, ::-1]), order="bgr").text == expected


def test_gray_and_sixteen_bits(receipt: pathlib.Path) -> None:
    gray = Image.open(receipt).convert("L")
    expected = munja.read(np.asarray(gray)).text
    assert munja.read(np.asarray(gray)[:, :, None]).text == expected
    assert munja.read(gray).text == expected
    deep = Image.fromarray(np.asarray(gray).astype(np.uint16) * 256 + 128)
    assert munja.read(deep).text == expected


def test_transparent_pixels_are_white(receipt: pathlib.Path) -> None:
    array = pixels(receipt)
    transparent = np.dstack([np.zeros_like(array), np.zeros(array.shape[:2], np.uint8)])
    assert len(munja.read(transparent)) == 0
    assert len(munja.read(Image.fromarray(transparent, "RGBA"))) == 0


def test_pillow_image_is_turned_upright(receipt: pathlib.Path, tmp_path: pathlib.Path) -> None:
    lying = Image.fromarray(pixels(receipt)).transpose(Image.Transpose.ROTATE_90)
    exif = lying.getexif()
    exif[274] = 6  # Turn by 90 degrees clockwise.
    lying.save(tmp_path / "lying.png", exif=exif)
    page = munja.read(Image.open(tmp_path / "lying.png"))
    assert (page.width, page.height) == (900, 1180)
    assert "BAKERY NORTHWIND" in page.text


def test_pixels_are_not_copied(receipt: pathlib.Path) -> None:
    """A change of the array shows in an image that was made of it before."""
    array = pixels(receipt).copy()
    image = munja._munja.Image.from_array(array)
    array[:] = 255
    source = Source("", None, 0, 0.0, image)
    assert len(munja.read(source)) == 0


def test_page(receipt: pathlib.Path) -> None:
    page = munja.read(receipt)
    assert (page.width, page.height, page.source) == (900, 1180, str(receipt))
    assert len(page) == len(page.lines) == len(list(page)) > 15
    assert bool(page) and str(page) == page.text
    data = page.to_dict()
    for line, expected in zip(page.lines, data["lines"]):
        assert line.text == expected["text"]
        assert line.confidence == pytest.approx(expected["confidence"], abs=1e-4)
        for corner, wanted in zip(line.polygon, expected["polygon"]):
            assert corner == pytest.approx(wanted, abs=0.01)
        assert "".join(character.text for character in line.characters) == line.text
        assert " ".join(word.text for word in line.words).split() == line.text.split()
        left, top, right, bottom = line.box
        assert left == min(x for x, _ in line.polygon) and bottom == max(y for _, y in line.polygon)
        assert left < right and top < bottom and line.direction == "left-to-right"
    assert [line.text for block in page.blocks for line in block.lines] == [line.text for line in page]
    assert page.blocks[0].text.startswith("BAKERY NORTHWIND\n")
    assert page.text.count("\n\n") == len(page.blocks) - 1
    assert page.timing["total"] > 0


def test_tables(receipt: pathlib.Path) -> None:
    page = munja.read(receipt)
    words = [word.text for word in page.words]
    assert [record["text"] for record in page.to_records()] == words
    pandas = pytest.importorskip("pandas")
    table = page.to_pandas()
    assert isinstance(table, pandas.DataFrame) and list(table["text"]) == words
    assert munja.read(np.full((64, 64), 255, np.uint8)).to_pandas()["left"].dtype == "float64"
    polars = pytest.importorskip("polars")
    frame = page.to_polars()
    assert isinstance(frame, polars.DataFrame) and frame["text"].to_list() == words
    assert munja.read(np.full((64, 64), 255, np.uint8)).to_polars().schema["text"] == polars.String


def test_notebook_shows_image_and_text(receipt: pathlib.Path) -> None:
    shown = munja.read(receipt)._repr_html_()
    assert "data:image/png;base64,iVBOR" in shown and "BAKERY NORTHWIND" in shown


def test_searchable_pdf_can_be_read_again(receipt: pathlib.Path, tmp_path: pathlib.Path) -> None:
    data = munja.read(receipt).to_pdf(tmp_path / "page.pdf")
    assert (tmp_path / "page.pdf").read_bytes() == data
    try:
        pages = list(munja.read_pdf(data))
    except munja.UnsupportedError:
        pytest.skip("poppler-utils is not installed")
    assert len(pages) == 1 and "BAKERY NORTHWIND" in pages[0].text


def test_pages_of_a_file_come_in_order(pictures: pathlib.Path, tmp_path: pathlib.Path, engine: munja.Engine) -> None:
    frames = [Image.open(pictures / name).convert("RGB") for name in ("receipt.jpg", "sign_ko.jpg")] * 3
    frames[0].save(tmp_path / "many.tiff", save_all=True, append_images=frames[1:])
    pages = list(engine.read_pdf(tmp_path / "many.tiff", workers=3))
    assert len(pages) == 6
    assert [("BAKERY" in page.text) for page in pages] == [True, False] * 3
    assert [page.text for page in engine.read_pdf(tmp_path / "many.tiff", pages=[3, 0])] == [
        pages[3].text,
        pages[0].text,
    ]
    # Formats with the image embed that of the page.
    again = munja.read(pages[1].to_bytes("png"))
    assert (again.width, again.height) == frames[1].size


def test_tasks(receipt: pathlib.Path, engine: munja.Engine) -> None:
    page = engine.read(receipt)
    found = engine.detect(receipt)
    assert len(found) >= len(page) and not any(line.text for line in found)
    chosen = [page.lines[5], page.lines[0]]
    read = engine.read_boxes(receipt, [line.polygon for line in chosen])
    assert [line.text for line in read] == [line.text for line in chosen]
    left, top, right, bottom = (int(value) for value in page.lines[0].box)
    line = engine.read_line(pixels(receipt)[top - 4 : bottom + 4, left - 4 : right + 4])
    assert "NORTHWIND" in line.text
    region = engine.read(receipt, region=(0, 0, 900, 350))
    assert len(region) == 3 and region.width == 900
    assert len(engine.read(receipt, min_confidence=0.999)) < len(page)


def test_language(receipt: pathlib.Path) -> None:
    for language in ("en", "ko,en", ["ko", "en"], [], None):
        with munja.Engine(language=language, threads=2) as engine:
            assert engine.read(receipt).lines[0].text == "BAKERY NORTHWIND"
    with pytest.raises(ValueError, match="'xx'; it has those for en, "):
        munja.Engine(language=["en", "xx"])
    assert {"en", "ko"} <= set(munja.models()[-1]["languages"])


def test_engine_options(receipt: pathlib.Path, pictures: pathlib.Path) -> None:
    with munja.Engine(allowed_characters="0123456789.: -", precision="fp32", threads=2) as digits:
        assert digits.name == "default" and set(digits.read(receipt).text) <= set("0123456789.: -\n")
    with munja.Engine(denied_characters="0123456789", threads=2) as letters:
        text = letters.read(receipt).text
        assert "BAKERY" in text and not set(text) & set("0123456789")
    with munja.Engine(settings={"detector": {"limit_side": 256}}) as coarse:
        assert coarse.settings["detector"]["limit_side"] == 256
    with munja.Engine(model=pictures.parents[1] / "models" / "default") as same:
        assert same.read(receipt).text == munja.read(receipt).text
    assert munja.models()[-1]["name"] == "default"
    assert munja.__version__.count(".") == 2 and "devices" in munja.devices()


def test_accelerator(receipt: pathlib.Path) -> None:
    with munja.Engine(accelerator=("nn:reference", {})) as engine:
        assert "BAKERY NORTHWIND" in engine.read(receipt, region=(150, 150, 600, 150)).text
    with pytest.raises(munja.Error):
        munja.Engine(accelerator="no such device")


BAD_IMAGES: list[tuple[str, Any, type[Exception]]] = [
    ("a path that is not there", "nope.jpg", FileNotFoundError),
    ("a directory", ".", IsADirectoryError),
    ("text", b"no image", munja.UnsupportedError),
    ("nothing", b"", ValueError),
    ("None", None, TypeError),
    ("a number", 7, TypeError),
    ("a file of text", io.StringIO("text"), TypeError),
    ("floats", np.zeros((8, 8, 3), np.float32), TypeError),
    ("booleans", np.zeros((8, 8), bool), TypeError),
    ("16 bits", np.zeros((8, 8), np.uint16), TypeError),
    ("two channels", np.zeros((8, 8, 2), np.uint8), ValueError),
    ("one dimension", np.zeros(8, np.uint8), ValueError),
    ("four dimensions", np.zeros((1, 8, 8, 3), np.uint8), ValueError),
    ("no rows", np.zeros((0, 8, 3), np.uint8), ValueError),
    ("no columns", np.zeros((8, 0), np.uint8), ValueError),
    ("objects", np.zeros((8, 8), object), TypeError),
]


@pytest.mark.parametrize("what, image, error", BAD_IMAGES, ids=[row[0] for row in BAD_IMAGES])
def test_bad_image_is_an_error(what: str, image: Any, error: type[Exception]) -> None:
    with pytest.raises(error) as raised:
        munja.read(image)
    assert str(raised.value)


def test_bad_options_are_errors(receipt: pathlib.Path, engine: munja.Engine) -> None:
    bad: list[typing.Callable[[], object]] = [
        lambda: engine.read(receipt, region=(0, 0, 9000, 10)),
        lambda: engine.read(receipt, min_confidence=2.0),
        lambda: engine.read(receipt, timeout=-1.0),
        lambda: engine.read(receipt, timeout=1.0, control=munja.Control()),
        lambda: engine.read(pixels(receipt), order=typing.cast(Any, "grb")),
        lambda: engine.read_boxes(receipt, [[(0, 0), (1, 1)]]),
        lambda: munja.Engine(threads=5000),
        lambda: munja.Engine(precision=typing.cast(Any, "int3")),
        lambda: munja.Engine(settings={"detector": {"no such": 1}}),
        lambda: munja.read(receipt).save("page.unknown"),
        lambda: list(engine.read_many([receipt], workers=-1)),
    ]
    for call in bad:
        with pytest.raises((ValueError, TypeError)):
            call()
    with pytest.raises(munja.MissingError, match="pdfa"):
        munja.read(receipt).to_bytes("no such format")
    with pytest.raises(munja.MissingError) as missing:
        munja.Engine(model="no such model")
    assert missing.value.status is munja.Status.NOT_FOUND


def test_error_classes_have_every_status() -> None:
    from munja._errors import class_of

    classes = {class_of(int(status)) for status in munja.Status}
    assert {kind.status for kind in classes} == set(munja.Status)
    assert class_of(99) is munja.InternalError


def test_closed_engine(receipt: pathlib.Path) -> None:
    engine = munja.Engine(threads=1)
    page = engine.read(receipt)
    engine.close()
    engine.close()
    assert engine.closed and "closed" in repr(engine)
    with pytest.raises(munja.InvalidArgumentError, match="closed"):
        engine.read(receipt)
    with pytest.raises(ValueError, match="closed"):
        engine.name
    assert "BAKERY" in page.text


def test_words_outlive_page_and_engine(receipt: pathlib.Path) -> None:
    word = munja.Engine(threads=1).read(receipt).lines[0].words[0]
    import gc

    gc.collect()
    assert (word.text, str(word.characters[0])) == ("BAKERY", "B") and len(word.polygon) == 4


def test_without_numpy(receipt: pathlib.Path, doubles: pathlib.Path) -> None:
    done = run_python(
        "import sys; sys.modules['numpy'] = sys.modules['PIL'] = None\n"
        "import array, munja\n"
        "print(munja.read('receipt.jpg').lines[0].text)\n"
        "output, = munja.Session(sys.argv[1]).run(array.array('f', [1, 2.5]))\n"
        "print(list(memoryview(output)))\n"
        "print(hasattr(output, '__dlpack__'))\n",
        doubles,
    )
    assert done.stdout == "BAKERY NORTHWIND\n[2.0, 5.0]\nTrue\n", done.stderr
