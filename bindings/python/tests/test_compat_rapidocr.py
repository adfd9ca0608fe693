"""munja.compat.rapidocr: RapidOCR's calls and results. The texts are those that the sample image shows."""

from __future__ import annotations

import io
import pathlib
from typing import Any

import numpy as np
import pytest
from PIL import Image

import munja
from munja.compat import rapidocr
from munja.compat.rapidocr import LoadImageError, RapidOCR, RapidOCROutput, TextDetOutput, TextRecOutput


@pytest.fixture(scope="module")
def engine() -> RapidOCR:
    return RapidOCR(params={"EngineConfig.onnxruntime.intra_op_num_threads": 1})


def bgr(path: pathlib.Path) -> np.ndarray[Any, Any]:
    return np.asarray(Image.open(path).convert("RGB"))[:, :, ::-1]


def test_every_input_gives_the_same_result(engine: RapidOCR, receipt: pathlib.Path) -> None:
    sources = (receipt, str(receipt), receipt.read_bytes(), Image.open(receipt), bgr(receipt))
    results = [engine(source) for source in sources]
    for result in results:
        assert isinstance(result, RapidOCROutput)
        assert result.txts is not None and result.boxes is not None and result.scores is not None
        assert result.txts[0] == "BAKERY NORTHWIND" and "Cash" in " ".join(result.txts)
        assert result.boxes.shape == (len(result), 4, 2) and len(result.scores) == len(result) == len(result.txts)
        assert result.img is not None and result.img.shape == (1180, 900, 3)
    # Blue and red are where OpenCV has them.
    assert np.abs(results[0].img.astype(int) - bgr(receipt)).max() < 16  # type: ignore[union-attr]


def test_result(engine: RapidOCR, receipt: pathlib.Path, tmp_path: pathlib.Path) -> None:
    result = engine(receipt)
    assert isinstance(result, RapidOCROutput) and result.boxes is not None
    assert result.word_results == ()
    data = result.to_json()
    assert data is not None and data[0]["txt"] == "BAKERY NORTHWIND"
    assert data[0]["box"] == result.boxes[0].tolist() and 0.9 < data[0]["score"] <= 1
    assert "BAKERY NORTHWIND" in result.to_markdown()
    assert result.elapse > 0 and len(result.elapse_list) == 3
    drawn = result.vis(tmp_path / "drawn.png")
    assert drawn is not None and drawn.shape == (1180, 900, 3)
    assert Image.open(tmp_path / "drawn.png").size == (900, 1180)


def test_nothing_found(engine: RapidOCR, receipt: pathlib.Path) -> None:
    for result in (engine(np.zeros((640, 640, 3), np.uint8)), engine(receipt, text_score=1.0)):
        assert isinstance(result, RapidOCROutput)
        assert result.img is None and result.boxes is None and result.txts is None and len(result) == 0
        assert result.to_json() is None and result.to_markdown() == "" and result.vis() is None
    # An option of one call is not one of the next.
    assert len(engine(receipt)) > 15


def test_words(engine: RapidOCR, receipt: pathlib.Path) -> None:
    result = engine(receipt, return_word_box=True)
    assert isinstance(result, RapidOCROutput) and result.txts is not None
    assert len(result.word_results) == len(result.txts)
    texts, scores, boxes = zip(*result.word_results[0])
    assert texts == ("BAKERY", "NORTHWIND") and all(0.9 < score <= 1 for score in scores)
    assert np.array(boxes).shape == (2, 4, 2)
    single = engine(receipt, return_word_box=True, return_single_char_box=True)
    assert isinstance(single, RapidOCROutput)
    assert "".join(text for text, _, _ in single.word_results[0]) == "BAKERYNORTHWIND"


def test_parts(engine: RapidOCR, receipt: pathlib.Path) -> None:
    found = engine(receipt, use_det=True, use_cls=False, use_rec=False)
    assert isinstance(found, TextDetOutput) and found.boxes is not None and len(found) > 15
    left, top, right, bottom = (int(value) for value in munja.read(receipt).lines[0].box)
    line = bgr(receipt)[top - 4 : bottom + 4, left - 4 : right + 4]
    read = engine(line, use_det=False, use_cls=False, use_rec=True)
    assert isinstance(read, TextRecOutput) and read.txts is not None and "NORTHWIND" in read.txts[0]
    assert len(engine(receipt, use_det=False, use_cls=False, use_rec=False)) == 0
    with pytest.raises(munja.UnsupportedError):
        engine(receipt, use_det=False, use_cls=True, use_rec=False)


def test_light_text_on_transparent_pixels_is_read(engine: RapidOCR, receipt: pathlib.Path) -> None:
    gray = np.asarray(Image.open(receipt).convert("L"))
    ink = 255 - gray
    for shade in (0, 255):
        colors = np.full((*gray.shape, 3), shade, np.uint8)
        colored, two = np.dstack([colors, ink]), np.dstack([colors[:, :, :1], ink])
        file = io.BytesIO()
        Image.fromarray(colored).save(file, "png")
        for content in (colored, two, file.getvalue(), Image.fromarray(colored)):
            result = engine(content)
            assert isinstance(result, RapidOCROutput) and result.txts is not None
            assert result.txts[0] == "BAKERY NORTHWIND"


@pytest.mark.parametrize("content", [None, "nope.jpg", b"no image", 3, np.zeros((4, 4, 5), np.uint8)])
def test_bad_image(engine: RapidOCR, content: Any) -> None:
    with pytest.raises(LoadImageError):
        engine(content)


def test_parameters(receipt: pathlib.Path, tmp_path: pathlib.Path) -> None:
    for bad in ({"text_score": 0.5}, {"Global": 0.5}, {"Unknown.key": 1}):
        with pytest.raises(ValueError):
            RapidOCR(params=bad)
    with pytest.warns(UserWarning, match="Rec.lang_type"):
        RapidOCR(params={"Rec.lang_type": rapidocr.LangRec.KOREAN, "Global.log_level": "info"})
    assert rapidocr.OCRVersion.PPOCRV5.value == "PP-OCRv5" and rapidocr.LangRec.CH.value == "ch"
    strict = RapidOCR(params={"Global.text_score": 0.99, "Det.box_thresh": 0.9})
    assert len(strict(receipt)) < len(RapidOCR()(receipt))
    assert len(strict(receipt, text_score=0.5, box_thresh=0.4)) == len(RapidOCR()(receipt))
    with pytest.raises(munja.MissingError):
        RapidOCR(params={"Munja.model": "no such model"})(receipt)
    pytest.importorskip("yaml")
    (tmp_path / "config.yaml").write_text("Global: {text_score: 0.99}\nRec: {rec_batch_num: 6}\n")
    assert len(RapidOCR(config_path=tmp_path / "config.yaml")(receipt)) < len(RapidOCR()(receipt))
