"""Networks besides PP-OCRv6 tiny: other ONNX networks against ONNX Runtime, and .tflite ones as they are."""
import json
import subprocess

import measure
import prepare

# row, file, size, turns of each side, runs in a turn. One thread.
ONNX = [
    ("PP-OCRv3 detector 640x640", "ppocrv3_det/onnx/ch_PP-OCRv3_det_infer.onnx", "640x640", 6, 4),
    ("CRNN recognizer 32x320", "rec_crnn_v2/onnx/en_number_mobile_v2.0_rec_infer.onnx", "32x320", 8, 15),
    ("direction classifier, MobileNetV3, 48x192", "cls_v2/onnx/ch_ppocr_mobile_v2.0_cls_infer.onnx", "48x192", 8, 50),
    ("direction classifier, PP-LCNet, 80x160", "textline_ori/onnx/PP-LCNet_x0_25_textline_ori_0.25M.onnx", "80x160",
     8, 100),
]
# row, file, shape of the input, what most of it computes with, turns, runs.
TFLITE = [
    ("MobileNet v1 0.25", "mobilenet_v1_0.25_224_1_default_1", "1x224x224x3", "float32", 6, 100),
    ("MobileNet v1 0.25", "mobilenet_v1_0.25_128_quant", "1x128x128x3", "uint8", 6, 200),
    ("ResNet of three stages", "pretrainedResnet", "1x32x32x3", "float32", 6, 200),
    ("ResNet of three stages", "pretrainedResnet_quant", "1x32x32x3", "int8", 6, 400),
    ("MobileNet v3 segmentation", "seg_graph_f", "1x513x1025x3", "float32", 4, 5),
    ("MobileNet v3 segmentation", "seg_graph_q", "1x513x1025x3", "uint8", 4, 5),
    ("DeepLab v3, MobileNet v2 0.5", "deeplabv3_mnv2_dm05_pascal_quant", "1x513x513x3", "uint8", 4, 5),
    ("face detector, short range", "face_detection_short_range", "1x128x128x3", "float32", 6, 100),
    ("face detector, full range, sparse weights", "face_detection_full_range_sparse", "1x192x192x3", "float32", 6, 50),
    ("convolutions with dilation", "dilated_conv", "1x256x256x3", "float32", 6, 10),
    ("spoken words", "kws_ref_model", "1x49x10x1", "int8", 6, 500),
]


def onnx_models(sides, work):
    """The rows of ONNX whose files are there, each with its network converted."""
    folder = sides.options.other_models
    for name, file, size, turns, runs in ONNX:
        source = folder / file
        if source.exists():
            yield name, source, prepare.converted(sides.munja, source, work / "others"), size, turns, runs
        else:
            prepare.say(f"no {source} (--other-models): its row is omitted")


def tflite_models(sides):
    for name, stem, shape, arithmetic, turns, runs in TFLITE:
        source = sides.options.other_models / "tflite" / f"{stem}.tflite"
        if source.exists():
            yield name, source, shape, arithmetic, turns, runs
        else:
            prepare.say(f"no {source} (--other-models): its row is omitted")


def multiply_accumulates(munja, model, shape):
    """The multiply-accumulates of the operators that run: `convert` counts them in float networks only."""
    report = json.loads(prepare.must([munja, "bench", model, "--shape", shape, "--runs", 1, "--threads", 1,
                                      "--json"]))
    return sum(row["macs"] for row in report["operators"])


def munja_model(sides, model, shape, way="munja", *more):
    return lambda: sides.munja_model(way, model, shape, 1, 0, *more)


def munja_models(sides, model, size):
    """Munja's ways to run a converted network: what starts a driver, by its name."""
    ways = {"munja": munja_model(sides, model, f"1x{size}x3")}
    if sides.has_reduced:
        ways["munja reduced"] = munja_model(sides, model, f"1x{size}x3", "munja reduced", *measure.REDUCED)
    return ways


def onnx_rows(sides, cores, work):
    rows = []
    for name, source, model, size, turns, runs in onnx_models(sides, work):
        prepare.say(name)
        drivers = [start() for start in munja_models(sides, model, size).values()]
        if sides.library:
            drivers.append(sides.onnx_model("onnx", source, size, 1, "--threads", 1))
        rows.append(measure.take_turns(drivers, {"row": name, "threads": 1, "turns": turns, "runs": runs}, cores,
                                       multiply_accumulates=measure.multiply_accumulates(sides.munja, model,
                                                                                         f"1x{size}x3")))
    return rows


def tflite_rows(sides, cores):
    rows = []
    for name, model, shape, arithmetic, turns, runs in tflite_models(sides):
        prepare.say(f"{name}, {arithmetic}")
        drivers = [munja_model(sides, model, shape)()]
        rows.append(measure.take_turns(drivers, {"row": name, "threads": 1, "turns": turns, "runs": runs}, cores,
                                       shape=shape, arithmetic=arithmetic,
                                       multiply_accumulates=multiply_accumulates(sides.munja, model, shape)))
    return rows
