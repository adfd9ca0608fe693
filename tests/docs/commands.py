"""How each command of the documents is run and how it ends; or why the tests do not run it."""
import dataclasses
import json
import shutil
import typing


@dataclasses.dataclass
class Run:
    code: int = 0
    says: str = ""  # On standard output or standard error.
    writes: tuple = ()
    names: dict = dataclasses.field(default_factory=dict)  # A name in the documents -> its replacement here.
    before: typing.Callable = None  # Called with the folder and the options of run_docs.py.


@dataclasses.dataclass
class NotRun:
    why: str


IS_BUILD = NotRun("it builds and runs what this test is part of")
IS_CI = NotRun("it is what runs the tests")
NEEDS_INSTALLATION = NotRun("it installs packages")
NEEDS_SETS = NotRun("it needs labeled sets of pictures that are not part of the sources")
NEEDS_TRAINING = NotRun("it trains, or reads what training made; tests/cli/train_test.cc does the same in small")
NEEDS_ARM = NotRun("it needs the cross compiler for 64-bit Arm")
NEEDS_VIDEO = NotRun("it needs a video, a camera or a display; tests/live makes videos and reads them")
SMALL = {"1x640x640x3": "1x64x64x3"}  # The same nodes; nothing is asserted about their times.


def both_precisions(folder, options):
    """The default bundle with its networks twice, as quantize --keep-float makes them."""
    bundle = folder / "models" / "default-both"
    shutil.copytree(folder / "default-int8", bundle)
    manifest = json.loads((bundle / "bundle.json").read_text())
    manifest["integer"] = {}
    for role in ("detector", "recognizer"):
        entry = manifest[role] | {"file": f"{role}.integer.tflite"}
        shutil.copy(bundle / manifest[role]["file"], bundle / entry["file"])
        manifest["integer"][role] = entry
    (bundle / "bundle.json").write_text(json.dumps(manifest))


def without_model(folder, options):
    """A bundle is written where none is."""
    shutil.rmtree(folder / "models" / "mine")


def with_frames(folder, options):
    (folder / "frames").mkdir(exist_ok=True)
    shutil.copy(folder_of_sources() / "testdata" / "pictures" / "receipt.jpg", folder / "frames" / "1.jpg")


def with_quantized(folder, options):
    shutil.copytree(folder / "default-int8", folder / "models" / "default-int8", dirs_exist_ok=True)


def with_profile(folder, options):
    """A profile of the detector, as munja bench --op-profile --json prints it, in short."""
    nodes = [{"name": name, "ms": 1.5} for name in ("stem", "stage1_0", "stage1_1", "stage2_1", "smooth")]
    (folder / "profile.json").write_text(json.dumps({"nodes": nodes}))


def with_calibration(folder, options):
    """Four samples of the model's input, one on each line."""
    (folder / "calibration.csv").write_text("1,-2,0.5\n0.25,1,-1\n-0.5,0,2\n1.5,-1.5,0\n")


def with_c_program(folder, options):
    root = folder_of_sources()
    shutil.copy(root / "tests" / "capi" / "tflite_program.c", folder / "program.c")


def with_cpp_program(folder, options):
    shutil.copy(folder_of_sources() / "tests" / "capi" / "read_program.cc", folder / "prog.cc")


def with_driver_source(folder, options):
    shutil.copy(folder_of_sources() / "examples/driver/sample_driver.cc", folder / "mine.cc")


driver_library = b""  # The sample driver; built once for all commands that load it.


def with_driver(folder, options):
    """The sample, built as the document says."""
    global driver_library
    library = folder / "libmine.so"
    if not driver_library:
        import subprocess
        with_driver_source(folder, options)
        subprocess.run([options.cxx, "-std=c++20", "-shared", "-fPIC", "-I", folder_of_sources() / "include", "mine.cc",
                        "-o", "libmine.so"], cwd=folder, check=True)
        driver_library = library.read_bytes()
    library.write_bytes(driver_library)
    shutil.copy(folder_of_sources() / "examples/driver/cases.json", folder)


def with_sine_model(folder, options):
    shutil.copy(folder / "sine.tflite", folder / "model.tflite")
    import subprocess
    subprocess.run([folder_of_sources() / "tools/try-custom-operator", "-L", options.library.rpartition("/")[0], "-o",
                    "libsin.so", "Sin=tflite::ops::custom::Register_SINE", "sin.cc"], cwd=folder, check=True,
                   capture_output=True)


def folder_of_sources():
    import pathlib
    return pathlib.Path(__file__).resolve().parents[2]


COMMANDS = {
    # README.md, docs/tutorial
    "make": IS_BUILD,
    "make run": IS_BUILD,
    "make tools": IS_BUILD,
    "make test": IS_BUILD,
    "make train": NEEDS_INSTALLATION,
    "munja read photo.jpg": Run(says="BAKERY NORTHWIND"),
    "munja read --set without=dashes,quotes photo.jpg": Run(says="BAKERY NORTHWIND"),
    "munja read receipt.jpg": Run(says="BAKERY NORTHWIND"),
    "munja read --format json scans/ > scans.jsonl": Run(writes=("scans.jsonl",)),
    "munja read --format json receipt.jpg": Run(says="BAKERY NORTHWIND"),
    "munja read -o receipt.pdf receipt.jpg": Run(writes=("receipt.pdf",)),
    "munja read -o receipt.hocr receipt.jpg": Run(writes=("receipt.hocr",)),
    "munja read --overlay boxes.png receipt.jpg": Run(writes=("boxes.png",)),
    "munja read --html receipt.html receipt.jpg": Run(writes=("receipt.html",)),
    "munja read --recursive --format pdf --format text --output-dir out --resume scans/": Run(writes=("out",)),
    "munja read -o book.pdf scans/": Run(writes=("book.pdf",)),
    "g++ -std=c++20 -I include prog.cc -L build/release/lib -lmunja -Wl,-rpath,build/release/lib -o prog":
        Run(writes=("prog",), before=with_cpp_program,
            names={"g++": "{cxx}", "-I include": "-I {root}/include",
                   "-L build/release/lib -lmunja -Wl,-rpath,build/release/lib": "{library}"}),
    "munja run model.tflite --input x=x.npy --output out --compare-with reference": Run(writes=("out/y.npy",)),
    "munja bench model.tflite --op-profile --device ./delegate.so":
        Run(says="GFLOP/s", names={"model.tflite": "network.tflite"}),

    # docs/explanation/how-a-page-is-read.md
    "munja read --dump-stages stages photo.jpg": Run(writes=("stages/1-input.png", "stages/3-boxes.png")),
    "munja read --html page.html photo.jpg": Run(writes=("page.html",)),

    # docs/reference/interface.md
    "tools/install-packages docs": NEEDS_INSTALLATION,
    "cmake --preset release": IS_BUILD,
    "cmake --build --preset release --target docs": IS_BUILD,

    # docs/tutorial/python.md; its programs are run by bindings/python/tests
    "tools/install-packages build": NEEDS_INSTALLATION,

    # docs/how-to/java.md
    "tools/test-android": NotRun("it needs Maven Central, 430 MB of it; it is a test itself"),
    "tools/build-apk": NotRun("it needs Maven Central"),
    "tools/build-jar": NEEDS_ARM,
    "make java": NotRun("it needs Maven Central; tools/test-java builds the same jar and tests it"),
    # docs/how-to/web.md; bindings/web/tests run its programs' calls
    "tools/build-web": NEEDS_INSTALLATION,

    # docs/reference/install.md
    "make install": NotRun("the test install does the same below a directory of its own"),
    "make deb": NEEDS_INSTALLATION,
    "make dist": NotRun("it archives the last commit; the test docs/recipes fills in the recipes"),
    "tools/test-deb": NEEDS_INSTALLATION,
    "cc program.c $(pkg-config --cflags --libs munja) -o program": NotRun("the test install compiles with what it installs"),

    # docs/lab/accuracy.md, docs/lab/performance.md
    "tools/ablation --bundle build/models/ppocrv6_tiny --write": NEEDS_SETS,
    "tools/accuracy-tables": NEEDS_SETS,
    "tools/compare-onnx --table docs/lab/conversion.md FOLDER": NotRun("it needs ONNX Runtime and networks of others"),
    "munja eval --labels labels/sroie.jsonl --model ppocrv6_tiny --html wrong.html":
        Run(says="char_f1", names={"labels/sroie": "set/labels/receipts", "ppocrv6_tiny": "default"},
            writes=("wrong.html",)),
    "munja eval --labels labels/ic15_scene.jsonl --ignore-text '###'":
        Run(says="char_f1", names={"labels/ic15_scene": "set/labels/receipts"}),
    "munja eval --labels labels/ic15_scene.jsonl --ignore-text '###'":
        Run(says="char_f1", names={"labels/ic15_scene": "set/labels/receipts"}),
    "tools/fit-confidence models/default": NEEDS_TRAINING,
    "tools/install-packages bench": NEEDS_INSTALLATION,
    "bench/accuracy-against-tesseract --bundle NAME=DIR": NEEDS_SETS,
    "bench/compare/run --write": NotRun("it measures for minutes beside other engines"),
    "bench/compare/run --before old/build/release/munja": NotRun("it measures for minutes, and needs an older build"),
    "tools/same-text --bundle build/compare/ppocrv6_tiny": NEEDS_SETS,
    "tools/build-aarch64": NEEDS_ARM,
    "tools/same-text --bundle build/compare/ppocrv6_tiny --simd '' --threads '' --arm build/aarch64-command/munja "
    "--every 20": NEEDS_ARM,
    "munja bench detector.tflite --shape 1x640x640x3 --threads 1 --op-profile": Run(says="CONV_2D", names=SMALL),

    # docs/adding-*.md
    "munja inspect model.tflite --partition ./delegate.so --explain": Run(says="delegate"),
    "munja run model.tflite --input x=x.npy --device ./delegate.so --compare-with cpu": Run(),
    "munja run model.tflite --input x=x.npy --device ./delegate.so --device-option operators=ADD "
    "--device-option fail_in=eval --compare-with cpu": Run(),
    "cmake --build --preset dev --target munja_tests": IS_BUILD,
    "ctest --preset dev -R '^(delegates|runtime|examples/delegate|cli/Executors)'": IS_BUILD,
    "cmake --build --preset dev --target munja_ops_table": IS_BUILD,
    "build/dev/bin/munja_ops_table docs/reference/ops.md": NotRun("it writes into the sources; the test docs/ops compares"),
    "cmake --build --preset dev --target munja_kernels_test munja_ops_test": IS_BUILD,
    "ctest --preset dev -R '^(ops|kernels)/|^docs/ops$'": IS_BUILD,
    "cmake --build --preset dev --target munja_graph_test munja_runtime_test": IS_BUILD,
    "ctest --preset dev -R '^(graph|runtime)/'": IS_BUILD,
    "ctest --preset dev -R '^examples/'": IS_BUILD,
    "cmake --build --preset dev --target munja_document_test": IS_BUILD,
    "ctest --preset dev -R '^document/|^docs/lists$'": IS_BUILD,
    "cmake --build --preset dev --target munja_reading_correct_test": IS_BUILD,
    "ctest --preset dev -R '^reading/correct/'": IS_BUILD,
    "tools/ablation --write": NEEDS_SETS,
    "cmake --build --preset tests --target munja_capi_tools_test": IS_BUILD,
    "tests/abi/abi.py --library build/release/lib/libmunja.so --update":
        NotRun("it writes into the sources; the test abi/description compares"),
    "ctest --preset tests -R '^(abi/description$|capi/)'": IS_BUILD,

    # docs/how-to/convert.md, docs/how-to/quantize.md, docs/reference/onnx.md
    "tools/onnx-conformance --only test_name": NotRun("it needs the tests of ONNX"),
    "cmake --build --preset tests --target munja_import_test munja munja-tools": IS_BUILD,
    "ctest --preset tests -R '^import/'": IS_BUILD,
    "tools/onnx-conformance --table docs/reference/onnx.md": NotRun("it needs the tests of ONNX"),
    "munja convert --bundle --detector PP-OCRv5_mobile_det_infer/ --recognizer PP-OCRv5_mobile_rec_infer/ "
    "-o models/ppocrv5_mobile": NotRun("it needs published models"),
    "munja quantize --bundle default --calibrate pages/ -o default-int8 --eval set/labels/receipts.jsonl":
        Run(writes=("default-int8/bundle.json",)),
    "munja quantize model.tflite --calibrate calibration.npy -o model-int8.tflite":
        Run(writes=("model-int8.tflite",), names={"calibration.npy": "calibration.csv"}, before=with_calibration),
    "munja read --model default-int8 receipt.jpg": Run(says="BAKERY"),
    "build/train/munja-train language --recipe training/recipes/language-latin.json -o latin.lm": NEEDS_TRAINING,
    "build/train/munja-train synth --recipe training/recipes/default.json --pages --count 32 --seed 77 --out pages":
        NEEDS_TRAINING,
    "munja quantize --bundle default --calibrate pages/images -o default-int8":
        NotRun("it takes a while, and the command above is the same with other pictures"),
    "munja quantize --bundle v6 --calibrate pages/images -o v6-int8": NotRun("it needs published models"),
    "munja quantize --bundle default --calibrate pages/images --both -o default-both":
        Run(writes=("default-both/bundle.json",), names={"pages/images": "pages"}),
    "munja read --model default-both --precision mixed receipt.jpg": Run(says="BAKERY", before=both_precisions),
    "munja eval --labels labels/sroie.jsonl --model v6-both --precision mixed":
        Run(says="char_f1", names={"labels/sroie": "set/labels/receipts", "v6-both": "default-both"}, before=both_precisions),
    "munja eval --labels labels/sroie.jsonl --model v6-int8":
        Run(says="char_f1", names={"labels/sroie": "set/labels/receipts", "v6-int8": "default-int8"}),
    "munja eval --labels labels/crops_iiit5k.jsonl --task recognize --model v6-int8": NEEDS_SETS,
    "tools/quantization-table --bundle v6 --calibrate pages/images": NEEDS_SETS,

    # docs/explanation/testing.md
    "tools/test-sanitized": IS_CI,
    "tools/test-sanitized --thread": IS_CI,
    "tools/lint": IS_CI,
    "tools/install-packages mutants": NEEDS_INSTALLATION,
    "tools/mutants": NotRun("it builds and tests for hours"),
    "tools/mutants --seed 20261129 --count 50": NotRun("it builds and tests for hours"),
    "tools/mutants --only 'src/ocr/text'": NotRun("it builds and tests for hours"),
    "tools/mutants --modules geometry,text": NotRun("it builds and tests for minutes"),
    "tools/mutants --list": NotRun("it needs a library that tests do not install"),
    "tools/plant-bugs": NotRun("it builds and tests for hours"),
    "tools/plant-bugs --only '^kernels/'": NotRun("it builds and tests for hours"),
    "tools/plant-bugs --only '^train/' --build-option=-DMUNJA_TRAIN=ON": NotRun("it builds and tests for hours"),
    "tools/plant-bugs --list": Run(names={"tools/": "{root}/tools/"}),
    "tools/plant-bugs --check": Run(names={"tools/": "{root}/tools/"}),
    "tools/test-aarch64": NEEDS_ARM,
    ".ci/run": IS_CI,
    "qemu-aarch64 build/aarch64-command/munja read receipt.jpg": NEEDS_ARM,
    "tools/same-text --simd '' --threads '' --arm build/aarch64-command/munja --every 20": NEEDS_ARM,
    "cmake --preset fuzz && cmake --build --preset fuzz --target npy_fuzz": IS_BUILD,
    "build/fuzz/bin/npy_fuzz -max_total_time=60 fuzz/corpora/npy_fuzz": NotRun("it fuzzes for a minute"),
    "hostile_pictures --seed 7 --seconds 3600": NotRun("it runs for an hour; the test hostile/pictures runs some cases"),
    "hostile_pictures --seed 7 --once 123456": NotRun("the same program"),

    # docs/how-to/adding-a-driver.md
    "g++ -std=c++20 -O2 -shared -fPIC -I include mine.cc -o libmine.so":
        Run(writes=("libmine.so",), before=with_driver_source, names={"g++": "{cxx} -I {root}/include"}),
    "munja nn-test --driver ./libmine.so cases.json": Run(says="FULLY_CONNECTED", before=with_driver),
    "munja nn-test --isolated --modes all --driver ./libmine.so cases.json": Run(says="FULLY_CONNECTED", before=with_driver),
    "munja inspect model.tflite --partition nn:./libmine.so --explain": Run(says="nodes", before=with_driver),
    "munja read --device nn:mine photo.jpg":
        Run(says="BAKERY", before=with_driver, names={"munja read": "MUNJA_DRIVERS=. munja read"}),

    # docs/explanation/drivers.md
    "build/release/bin/munja_transport_bench 3000": NotRun("it measures, and is not built with the tests"),

    # docs/explanation/accelerators.md
    "munja devices": Run(says="reference"),
    "munja read --device nn:cpu photo.jpg": Run(says="BAKERY"),
    "munja bench model.tflite --device nn:./libnpu.so":
        Run(says="median", before=with_driver, names={"libnpu.so": "libmine.so", "model.tflite": "network.tflite"}),
    "munja inspect model.tflite --partition nn:cpu --explain": Run(says="nodes"),

    # docs/how-to/gpu.md, docs/how-to/adding-a-gpu-kernel.md; the CPU reads where there is no device.
    "munja read --device opencl photo.jpg": Run(says="BAKERY"),
    "munja read --device opencl --device-option cache=kernels photo.jpg": Run(says="BAKERY"),
    "munja run model.tflite --input x=x.npy --device opencl --compare-with cpu": Run(),
    "munja run model.tflite --input x=x.npy --device opencl --trace trace.json --compare-with cpu":
        Run(),
    "munja bench detector.tflite --shape 1x640x640x3 --device opencl --op-profile --json > detector.json":
        Run(writes=("detector.json",), names=SMALL),
    "bench/gpu-prediction detector.json": NotRun("it needs a profile of a device, which may not be there"),
    "munja inspect model.tflite --partition opencl --explain": Run(says="nodes"),
    "munja bench detector.tflite --shape 1x640x640x3 --device opencl --op-profile": Run(says="CONV_2D", names=SMALL),
    "tools/install-packages test": NEEDS_INSTALLATION,
    "cmake --build --preset tests --target munja_delegates_opencl_test": IS_BUILD,
    "ctest --preset tests -R '^delegates/opencl/'": IS_BUILD,
    "build/release/bin/munja_delegates_opencl_test "
    "--gtest_filter='OpenCl.*_MatchTheCpu'": IS_BUILD,

    # docs/tflite-*.md
    "cc -I src/tflite_api/include program.c -lmunja-tflite":
        Run(writes=("a.out",), before=with_c_program,
            names={"src/tflite_api": "{root}/src/tflite_api", "-lmunja-tflite": "{tflite_library}"}),
    "ctest --preset tests -R '^(tflite_api|abi|capi)/'": IS_BUILD,
    "tools/try-custom-operator -o libsin.so Sin=Register_SIN sin.cc":
        Run(says="libsin.so: Sin", writes=("libsin.so",),
            names={"tools/": "{root}/tools/", " -o ": " -L $(dirname {library}) -o ",
                   "Register_SIN": "tflite::ops::custom::Register_SINE"}),
    "munja run --operators ./libsin.so model.tflite --input x.npy --output out":
        Run(writes=("out",), before=with_sine_model),
    "cmake --build --preset dev --target munja_tflite_api_test tflite_api_plugin_test": IS_BUILD,
    "ctest --preset dev -R '^tflite_api/'": IS_BUILD,

    # docs/how-to/serve.md
    "munja serve": NotRun("it runs until it is ended; tests/server starts it"),

    # docs/how-to/prune.md
    "munja prune detector.tflite --sparsity 0.5 -o half.tflite":
        Run(says="parameters", writes=("half.tflite",)),
    "munja prune recognizer.tflite --sparsity 0.333 --round-to 8 -o two-thirds.tflite":
        Run(says="48 of    80  bottleneck", writes=("two-thirds.tflite",)),
    "munja prune detector.tflite --sparsity 70% --criterion clusters --calibrate set/labels/train.jsonl -o small.tflite":
        Run(says="parameters", writes=("small.tflite",),
            names={"labels/train": "labels/receipts"}),
    "munja bench detector.tflite --shape 1x640x640x3 --threads 1 --op-profile --json > profile.json":
        Run(writes=("profile.json",), names=SMALL),
    "munja prune detector.tflite --budget 0.8 --profile profile.json --calibrate set/labels/train.jsonl "
    "-o small.tflite":
        Run(says="parameters", writes=("small.tflite",), names={"labels/train": "labels/receipts"}, before=with_profile),
    "build/train/munja-train prune mine/detector.checkpoint --level 0.5 --out mine/small.checkpoint "
    "--recipe-out mine/small.json": NEEDS_TRAINING,
    "build/train/munja-train detect --recipe mine/small.json --out mine/small.checkpoint --resume": NEEDS_TRAINING,
    "tools/prune-in-rounds objects mine/parcels.checkpoint --level 0.7 --rounds 3 --steps 500 --distill 1 "
    "--out mine/round3": NEEDS_TRAINING,
    "build/train/munja-train objects --recipe training/pruning_study/parcels.json --out mine/parcels.checkpoint "
    "--plot mine/curves.png": NEEDS_TRAINING,
    "build/train/munja-train export mine/parcels.checkpoint -o mine/parcels.tflite": NEEDS_TRAINING,
    "build/train/munja-train measure-objects mine/parcels.tflite": NEEDS_TRAINING,
    "tools/pruning-table --work parcels --recipe mine/quarter.json --seeds 3 --retrain 300 --rate-factor 1":
        NEEDS_TRAINING,
    "build/train/munja-train prune --count-only --network yolov7-tiny --classes 1 --level 0.7": NEEDS_TRAINING,

    # docs/how-to/train.md
    "tools/train-default-model": NEEDS_TRAINING,
    "tools/train-default-model --go-on": NEEDS_TRAINING,
    "munja live clip.mp4": NEEDS_VIDEO,
    """munja live clip.mp4 | grep '"event":"final"'""": NEEDS_VIDEO,
    "munja live -o clip.srt clip.mp4": NEEDS_VIDEO,
    "munja live --start 1 --stop 3 --annotate seen.mp4 clip.mp4": NEEDS_VIDEO,
    "munja live --preview --size 1280x720 --rate 30 /dev/video0": NEEDS_VIDEO,
    "munja live --rate 10 frames/": Run(says="BAKERY", before=with_frames),
    "tools/live-streams --seconds 1.5 build/live": NEEDS_TRAINING,
    "tools/live-table build/live": NEEDS_TRAINING,
    "tools/live-speed build/live": NEEDS_TRAINING,
    "tools/european-words": NEEDS_TRAINING,
    "tools/foreign-words": NEEDS_TRAINING,
    "tools/language-table --no-language-too": NEEDS_TRAINING,
    "tools/european-words --wide": NEEDS_TRAINING,
    "build/train/munja-train recognize --recipe training/recipes/wide.json --from models/default/recognizer.tflite "
    "--out wide.checkpoint": NEEDS_TRAINING,
    "tools/language-table --bundle models/wide --languages be,bg,el,ru,sr,uk,vi": NEEDS_TRAINING,
    "build/train/munja-train synth --recipe mine/label.json --count 80 --preview mine/lines.png": NEEDS_TRAINING,
    "build/train/munja-train synth --recipe mine/label.json --count 16 --pages --preview mine/pages.png": NEEDS_TRAINING,
    "build/train/munja-train recognize --recipe mine/label.json --out mine/label.checkpoint --plot mine/curves.png":
        NEEDS_TRAINING,
    "build/release/munja models extract default -o mine/default":
        Run(writes=("mine/default/recognizer.tflite",), names={"build/release/munja": "munja"}),
    "build/train/munja-train recognize --recipe mine/label.json --from mine/default/recognizer.tflite "
    "--out mine/label.checkpoint --plot mine/curves.png": NEEDS_TRAINING,
    "build/train/munja-train bundle --detector mine/default/detector.tflite --recognizer mine/label.checkpoint "
    "-o mine/label": NEEDS_TRAINING,
    "build/release/munja read --model mine/label picture.jpg":
        Run(says="BAKERY", names={"build/release/munja": "munja", "mine/label": "default-int8", "picture": "photo"}),
    "build/release/munja eval --model mine/label --labels mine/set.jsonl":
        Run(says="char_f1", names={"build/release/munja": "munja", "mine/label": "default-int8",
                                   "mine/set": "set/labels/receipts"}),
    'cmake --preset train -DCMAKE_PREFIX_PATH="$(python3 -c \'import torch; print(torch.utils.cmake_prefix_path)\')"':
        NotRun("it needs PyTorch from elsewhere"),
}

# Parts of programs, by their first line, and what stands before them: these are compiled, not linked.
FRAGMENTS = {
    '#include "munja_plugin.h"': """#include "munja_plugin.h"
namespace {
TfLiteStatus SinPrepare(TfLiteContext*, TfLiteNode*) { return kTfLiteOk; }
TfLiteStatus SinEval(TfLiteContext*, TfLiteNode*) { return kTfLiteOk; }
}  // namespace
""",
}
