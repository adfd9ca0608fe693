"""The prerequisites of a comparison: ONNX Runtime, the drivers, the bundle."""
import json
import platform
import re
import shutil
import subprocess
import sys

ONNX_RUNTIME = "onnxruntime-node@1.30.0"


def say(text):
    print(text, file=sys.stderr, flush=True)


def must(command, **options):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(str(c) for c in command)} failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def onnx_runtime(folder, given):
    """The native library of npm's package, or None with a word why."""
    if given:
        return given
    machine = {"x86_64": "x64", "aarch64": "arm64"}.get(platform.machine(), "none")
    pattern = f"node_modules/onnxruntime-node/bin/napi-v*/linux/{machine}/libonnxruntime.so.1"
    found = sorted(folder.glob(pattern))
    if not found and shutil.which("npm"):
        folder.mkdir(parents=True, exist_ok=True)
        say(f"npm install {ONNX_RUNTIME}")
        # The package's script would fetch libraries for graphics processors.
        subprocess.run(["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", str(folder),
                        ONNX_RUNTIME], capture_output=True, check=False)
        found = sorted(folder.glob(pattern))
    if not found:
        say(f"No ONNX Runtime: npm is not there or cannot install {ONNX_RUNTIME}; give the library with "
            "--onnxruntime. Its columns stay empty.")
        return None
    return found[-1]


def drivers(root, folder, munja_build):
    """Builds the programs of this folder; gives the folder they are in."""
    must(["cmake", "-S", root / "bench" / "compare", "-B", folder, f"-DMUNJA_BUILD={munja_build}"])
    must(["cmake", "--build", folder])
    return folder


def bundle(munja, models, folder):
    """The peer's own files, converted."""
    if not (folder / "bundle.json").exists():
        must([munja, "convert", "--bundle", "--detector", models.detector, "--recognizer", models.recognizer,
              "--dictionary", models.dictionary, "--contract", "ppocrv6", "--name", "ppocrv6_tiny", "-o", folder])
    return folder


def as_known_to(munja, bundles, picture):
    """Takes out of bundles what an older build does not know; both builds then read with their defaults for it. The
    names of what is gone."""
    gone = set()
    for folder in filter(None, bundles):
        while True:
            refused = subprocess.run([munja, "read", "--model", folder, picture], capture_output=True, text=True).stderr
            unknown = re.search(r"bundle\.json: ([\w.]+) is not known here", refused)
            if unknown is None:
                break
            names = unknown.group(1).split(".")
            description = json.loads((folder / "bundle.json").read_text(encoding="utf-8"))
            holder = description
            for name in names[:-1]:
                holder = holder[name]
            del holder[names[-1]]
            (folder / "bundle.json").write_text(json.dumps(description, indent=2) + "\n", encoding="utf-8")
            gone.add(unknown.group(1))
    return gone


def converted(munja, source, folder):
    """A single network as .tflite."""
    model = folder / f"{source.stem}.tflite"
    if not model.exists():
        folder.mkdir(parents=True, exist_ok=True)
        must([munja, "convert", source, "-o", model, "--no-compare"])
    return model


def quantized(munja, bundle, pictures, folder):
    """The bundles that compute with integers, by the name of these. Speed does not depend on what they were calibrated
    on, as long as no layer is excluded for what it loses; the images that ship with the sources will do."""
    common = [munja, "quantize", "--bundle", bundle, "--calibrate", pictures, "--max-changed", 1]
    made = {"int8": folder / "ppocrv6_tiny_int8", "int16x8": folder / "ppocrv6_tiny_int16x8"}
    if not (made["int8"] / "bundle.json").exists():
        say("quantizing")
        must([*common, "-o", made["int8"]])
    if not (made["int16x8"] / "detector.tflite").exists():
        made["int16x8"].mkdir(parents=True, exist_ok=True)
        must([*common, "--role", "detector", "--mode", "int16x8", "-o", made["int16x8"] / "detector.tflite"])
    return made


def of_both_precisions(munja, bundle, pictures, folder):
    """A bundle that is read with integers and, where a line is in doubt, in float."""
    made = folder / "ppocrv6_tiny_both"
    if not (made / "bundle.json").exists():
        must([munja, "quantize", "--bundle", bundle, "--calibrate", pictures, "--max-changed", 1, "--keep-float",
              "-o", made])
    return made


def library_of(program):
    """The folder of the libmunja that was built, or installed, with a munja command."""
    folder = program.resolve().parent
    places = [folder / "lib", folder.parent / "lib", *sorted(folder.parent.glob("lib/*-linux-gnu"))]
    for place in places:
        if (place / "libmunja.so.0").exists():
            return place
    sys.exit(f"{program} has no libmunja.so.0 of its own (looked in {', '.join(map(str, places))}): networks and pages "
             "are timed inside it. 'make' builds both, 'cmake --build FOLDER --target munja_shared' the library")
