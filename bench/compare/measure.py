"""The comparisons. Everything here gives plain dictionaries, which `run` keeps as JSON and tables.py prints."""
import functools
import json
import math
import os
import statistics
import subprocess
import tempfile

import prepare
from drivers import Driver, alternate, once, start

# name, network, size, threads, lines (0: the network alone), turns of each side, runs in a turn. "to classes": what is
# wanted is the best class of each step and its probability, which is what text is decoded from.
NETWORKS = [
    ("detector 640x640, 1 thread", "detector", "640x640", 1, 0, 8, 5),
    ("detector 640x640, 2 threads", "detector", "640x640", 2, 0, 10, 5),
    ("detector 960x960, 1 thread", "detector", "960x960", 1, 0, 5, 4),
    ("recognizer 48x320, 1 thread", "recognizer", "48x320", 1, 0, 8, 20),
    ("recognizer 48x320 to classes, 1 thread", "recognizer", "48x320", 1, 0, 8, 20),
    ("32 lines of 48x320, 2 threads", "recognizer", "48x320", 2, 32, 8, 3),
    ("32 lines of 48x320 to classes, 2 threads", "recognizer", "48x320", 2, 32, 8, 3),
]
REDUCED = ["--precision", "reduced"]
PAGE_TURNS, PAGE_RUNS = 5, 2
COLD_PICTURE = "turbo_03_book_page.jpg"                  # 1412x784: 1.1 million pixels.
LARGE_PAGE = "715873facf064583b44ef28295126fa7.jpg"      # 1920x2560, 80 lines.
# Each page is looked at once, as it lies, and each line read once.
SAME_WORK = '{"recognizer": {"second_look": 0}, "detector": {"dense_limit_side": 0}, "turn_pages": false}'


class Sides:
    """How each side is started."""

    def __init__(self, options, programs, library, models, bundle, has_reduced):
        self.options, self.programs, self.library = options, programs, library
        self.models, self.bundle, self.has_reduced = models, bundle, has_reduced
        self.munja = options.munja
        self.integers = {}  # Bundles by the name of what they compute with.
        self.both = None  # A bundle with the networks in both, for --precision mixed.
        self.environment = {}

    def processors(self, threads):
        return self.options.processors[-1:] if threads == 1 else self.options.processors[:threads]

    def munja_network(self, name, network, size, threads, lines, *more, bundle=None):
        return self.munja_model(name, (bundle or self.bundle) / f"{network}.tflite", f"1x{size}x3", threads, lines,
                                *more)

    def munja_model(self, name, model, shape, threads, lines, *more):
        work = (["lines", model, "--shape", shape, "--count", lines, "--at-a-time", threads] if lines else
                ["network", model, "--shape", shape, "--threads", threads])
        return Driver(name, [self.programs / "munja_driver", *work, *more],
                      self.processors(threads), self.environment)

    def onnx_network(self, name, network, size, threads, *more):
        return self.onnx_model(name, getattr(self.models, network), size, threads, *more)

    def onnx_model(self, name, model, size, threads, *more):
        return Driver(name, [self.programs / "onnx_driver", "lines", self.library, model, "--size", size, *more],
                      self.processors(threads))

    def munja_pages(self, name, *more, bundle=None):
        threads = len(self.options.processors)
        return Driver(name, [self.programs / "munja_driver", "pages", bundle or self.bundle, "--threads", threads,
                             *more], self.options.processors, self.environment)

    def onnx_pages_command(self):
        return [self.programs / "onnx_driver", "pages", self.library, self.models.detector, self.models.recognizer,
                self.models.dictionary, "--threads", len(self.options.processors)]

    def munja_read_command(self, picture):
        return [self.munja, "read", "--model", self.bundle, "--threads", len(self.options.processors), picture]


def manner(way):
    """", reduced" of "munja reduced"."""
    return way.replace("munja", "").replace(" ", ", ", 1) if way != "munja" else ""


def munja_networks(sides, row):
    """Munja's ways to run the network of a row of NETWORKS: what starts a driver, by its name."""
    name, network, size, threads, lines, _, _ = row
    wanted = ["--classes", 1] if "to classes" in name else []

    def start(way, *more, bundle=None):
        return lambda: sides.munja_network(way, network, size, threads, lines, *wanted, *more, bundle=bundle)
    ways = {"munja": start("munja")}
    if sides.has_reduced:
        ways["munja reduced"] = start("munja reduced", *REDUCED)
    for integers, bundle in sides.integers.items():
        if (bundle / f"{network}.tflite").exists():
            ways[f"munja {integers}"] = start(f"munja {integers}", bundle=bundle)
    return ways


def take_turns(drivers, row, cores, **fields):
    """A row, once the drivers took their turns. They end."""
    try:
        samples, near = alternate(drivers, row["turns"], row["runs"], cores if row["threads"] > 1 else None)
    finally:
        for driver in drivers:
            driver.close()
    return {"row": row["row"], "threads": row["threads"], "near": near, **fields,
            "sides": {side: values.as_json() for side, values in samples.items()}}


def network_row(sides, cores, row):
    name, network, size, threads, lines, turns, runs = row
    wanted = ["--classes", 1] if "to classes" in name else []
    drivers = [start() for start in munja_networks(sides, row).values()]
    if threads > 1 and not lines:
        drivers.append(sides.munja_network("munja 1 thread", network, size, 1, lines))
    if sides.library and lines:
        for way, arguments in (("2 lines at a time", ["--at-a-time", threads]),
                               ("2 threads inside", ["--threads", threads]),
                               ("batches of 8, 2 threads inside", ["--batch", 8, "--threads", threads])):
            drivers.append(sides.onnx_network("onnx: " + way, network, size, threads, "--count", lines, *arguments,
                                              *wanted))
    elif sides.library:
        drivers.append(sides.onnx_network("onnx", network, size, threads, "--threads", threads, *wanted))
    return take_turns(drivers, {"row": name, "threads": threads, "turns": turns, "runs": runs}, cores,
                      network=network, size=size, lines=lines,
                      multiply_accumulates=work_of(sides, network, size) * max(lines, 1))


@functools.cache
def multiply_accumulates(munja, model, shape):
    """The multiply-accumulates of the network as written, whatever a faster algorithm does with them."""
    # Into a folder: older programs put a file in the place of /dev/null.
    with tempfile.TemporaryDirectory() as folder:
        done = prepare.must([munja, "convert", model, "-o", f"{folder}/model.tflite", "--shape", shape, "--no-compare",
                             "--json"])
    return json.loads(done)["multiply_accumulates"]


def work_of(sides, network, size):
    return multiply_accumulates(sides.munja, sides.bundle / f"{network}.tflite", f"1x{size}x3")


def munja_readers(sides):
    """Munja's ways to read a page, in the same form."""
    def start(way, *more, bundle=None):
        return lambda: sides.munja_pages(way, *more, bundle=bundle)
    ways = {}
    for way, more in reading_options(sides).items():
        ways[way] = start(way, *more)
        ways[f"{way}, same work"] = start(f"{way}, same work", *more, "--overrides", SAME_WORK)
    if "int8" in sides.integers:
        ways["munja int8"] = start("munja int8", bundle=sides.integers["int8"])
    if sides.both:
        ways["munja auto"] = start("munja auto", "--precision", "auto", bundle=sides.both)
    return ways


def munja_memory(sides):
    """The large detector, in the same form."""
    ways = {"munja": lambda: sides.munja_network("munja", "detector", "960x960", 1, 0)}
    if sides.has_reduced:
        ways["munja reduced"] = lambda: sides.munja_network("munja reduced", "detector", "960x960", 1, 0, *REDUCED)
    return ways


def reading_options(sides):
    """The options of the command, in processes of their own, by the name of the way."""
    return {"munja": [], **({"munja reduced": REDUCED} if sides.has_reduced else {})}


def picture_named(pictures, name):
    return next((picture for picture in pictures if picture.name == name), None)


def page_rows(sides, cores, pictures, say):
    drivers = [start() for start in munja_readers(sides).values()]
    if sides.library and sides.options.has_opencv:
        drivers.append(Driver("onnx", sides.onnx_pages_command(), sides.options.processors))
    rows = []
    per_pixel = [work_of(sides, network, size) / math.prod(map(int, size.split("x")))
                 for network, size in (("detector", "640x640"), ("recognizer", "48x320"))]
    try:
        for picture in pictures:
            say(f"page {picture.name}")
            for driver in drivers:
                driver.ask(f"use {picture}")
            samples, near = alternate(drivers, PAGE_TURNS, PAGE_RUNS, cores)
            row = {"picture": picture.name, "near": near,
                   "sides": {side: values.as_json() for side, values in samples.items()}}
            for driver in drivers:
                lines, letters = map(int, driver.ask("lines").split())
                row["sides"][driver.name].update(lines=lines, letters=letters)
            if "onnx" in row["sides"]:
                works = [drivers[-1].ask("run 1") and drivers[-1].ask("work").split() for _ in range(3)]
                pixels = map(int, works[0][:2])
                row["work"] = {"multiply_accumulates": round(sum(n * count for n, count in zip(per_pixel, pixels))),
                               "decode_ms": min(float(work[2]) for work in works)}
            if sides.options.tesseract:
                times = [once(["tesseract", picture, "stdout", "-l", "eng", "quiet"], sides.processors(1),
                              {"OMP_THREAD_LIMIT": "1"})[0] for _ in range(3)]
                row["sides"]["tesseract"] = {"median_ms": round(statistics.median(times), 1),
                                             "min_ms": round(min(times), 1), "runs": 3}
            rows.append(row)
    finally:
        for driver in drivers:
            driver.close()
    return rows


def memory_rows(sides, pictures):
    """Peaks of processes of their own."""
    rows = []
    drivers = [start() for start in munja_memory(sides).values()]
    if sides.library:
        drivers.append(sides.onnx_network("onnx", "detector", "960x960", 1))
    row = {"row": "detector 960x960", "sides": {}}
    for driver in drivers:
        with driver:
            loaded = driver.memory()[0]
            driver.run(3)
            peak = driver.memory()[1]
        row["sides"][driver.name] = {"peak_bytes": peak, "above_model_bytes": peak - loaded}
    rows.append(row)
    page = picture_named(pictures, LARGE_PAGE)
    if page is None:
        return rows
    commands = {way: [*sides.munja_read_command(page), *more] for way, more in reading_options(sides).items()}
    if sides.library and sides.options.has_opencv:
        commands["onnx"] = [*sides.onnx_pages_command(), "--once", page]
    if sides.options.tesseract:
        commands["tesseract"] = ["tesseract", page, "stdout", "-l", "eng", "quiet"]
    rows.append({"row": "page of 1920x2560", "sides": {
        name: {"peak_bytes": once(command, sides.options.processors, {"OMP_THREAD_LIMIT": "1"})[1]}
        for name, command in commands.items()}})
    return rows


def cold_row(sides, cores, pictures, pages):
    """A process from its start to its end, which reads one picture, beside a warm reading of it."""
    page = picture_named(pictures, COLD_PICTURE)
    if page is None:
        return None
    commands = {"munja": sides.munja_read_command(page)}
    if sides.library and sides.options.has_opencv:
        commands["onnx"] = [*sides.onnx_pages_command(), "--once", page]
    times = {name: [] for name in commands}
    for _ in range(9):
        for name, command in commands.items():
            before = cores.are_near()
            milliseconds = once(command, sides.options.processors)[0]
            if before and cores.are_near():
                times[name].append(milliseconds)
    warm = next(row for row in pages if row["picture"] == COLD_PICTURE)["sides"]
    return {"picture": COLD_PICTURE, "sides": {
        name: {"cold_ms": round(statistics.median(values), 2), "warm_ms": warm[name]["median_ms"],
               "runs": len(values)} for name, values in times.items() if values}}


def machine(sides):
    """The processor, and what `munja bench` measures of it."""
    fields = {}
    with open("/proc/cpuinfo", encoding="utf-8") as info:
        for line in info:
            name, _, value = line.partition(":")
            fields.setdefault(name.strip(), value.strip())
    name = fields.get("model name", os.uname().machine)
    if "cpu family" in fields:
        name += f", family {fields['cpu family']} model {fields['model']}"
    result = {"processor": name, "processors": os.cpu_count(), "kernel": os.uname().release}
    for threads in (1, len(sides.options.processors)):
        command = [sides.munja, "bench", sides.bundle / "recognizer.tflite", "--shape", "1x48x320x3", "--runs", 1,
                   "--threads", threads, "--op-profile", "--json"]
        reports = []
        # Other load only lowers the peak of a CPU: the best of several counts.
        for _ in range(3):
            process = start(command, sides.processors(threads), stdout=subprocess.PIPE, text=True)
            reports.append(json.loads(process.communicate()[0]))
        result["simd"] = reports[0]["simd"]
        peaks = [report["machine"] for report in reports if report.get("machine")]
        result[f"peak_{threads}"] = max(peaks, key=lambda peak: peak["fp32_gflops"], default=None)
    return result
