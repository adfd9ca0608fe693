"""What is compared. Everything here gives plain dictionaries, which `run` keeps as JSON and tables.py prints."""
import functools
import json
import math
import os
import statistics
import subprocess

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
# Lines that were read with less confidence are not read again.
SAME_WORK = '{"recognizer": {"second_look": 0}, "detector": {"dense_limit_side": 0}}'


class Sides:
    """How each side is started."""

    def __init__(self, options, programs, library, models, bundle, has_reduced):
        self.options, self.programs, self.library = options, programs, library
        self.models, self.bundle, self.has_reduced = models, bundle, has_reduced
        self.munja = options.munja

    def processors(self, threads):
        return self.options.processors[-1:] if threads == 1 else self.options.processors[:threads]

    def munja_network(self, name, network, size, threads, lines, *more):
        model = self.bundle / f"{network}.tflite"
        work = (["lines", model, "--size", size, "--count", lines, "--at-a-time", threads] if lines else
                ["network", model, "--size", size, "--threads", threads])
        return Driver(name, [self.programs / "munja_driver", *work, *more],
                      self.processors(threads))

    def onnx_network(self, name, network, size, threads, *more):
        return Driver(name, [self.programs / "onnx_driver", "lines", self.library, getattr(self.models, network),
                             "--size", size, *more], self.processors(threads))

    def munja_pages(self, name, *more):
        threads = len(self.options.processors)
        return Driver(name, [self.programs / "munja_driver", "pages", self.bundle, "--threads", threads, *more],
                      self.options.processors)

    def onnx_pages_command(self):
        return [self.programs / "onnx_driver", "pages", self.library, self.models.detector, self.models.recognizer,
                self.models.dictionary, "--threads", len(self.options.processors)]

    def munja_read_command(self, picture):
        return [self.munja, "read", "--model", self.bundle, "--threads", len(self.options.processors), picture]


def network_row(sides, cores, row):
    name, network, size, threads, lines, turns, runs = row
    wanted = ["--classes", 1] if "to classes" in name else []
    drivers = [sides.munja_network("munja", network, size, threads, lines, *wanted)]
    if sides.has_reduced:
        drivers.append(sides.munja_network("munja reduced", network, size, threads, lines, *REDUCED, *wanted))
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
    try:
        samples, near = alternate(drivers, turns, runs, cores if threads > 1 else None)
    finally:
        for driver in drivers:
            driver.close()
    result = {"row": name, "network": network, "size": size, "threads": threads, "lines": lines, "near": near,
              "multiply_accumulates": multiply_accumulates(sides, network, size) * max(lines, 1)}
    result["sides"] = {side: values.as_json() for side, values in samples.items()}
    return result


@functools.cache
def multiply_accumulates(sides, network, size):
    """Those of the network as it is written down, whatever a faster algorithm does with them."""
    done = subprocess.run([sides.munja, "convert", sides.bundle / f"{network}.tflite", "-o", "/dev/null", "--shape",
                           f"1x{size}x3", "--no-compare", "--json"], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["multiply_accumulates"]


def page_rows(sides, cores, pictures, say):
    drivers = [sides.munja_pages("munja"), sides.munja_pages("munja, same work", "--overrides", SAME_WORK)]
    if sides.has_reduced:
        drivers.append(sides.munja_pages("munja reduced", *REDUCED))
        drivers.append(sides.munja_pages("munja reduced, same work", "--overrides", SAME_WORK, *REDUCED))
    if sides.library and sides.options.has_opencv:
        drivers.append(Driver("onnx", sides.onnx_pages_command(), sides.options.processors))
    rows = []
    per_pixel = [multiply_accumulates(sides, network, size) / math.prod(map(int, size.split("x")))
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
    drivers = [sides.munja_network("munja", "detector", "960x960", 1, 0)]
    if sides.has_reduced:
        drivers.append(sides.munja_network("munja reduced", "detector", "960x960", 1, 0, *REDUCED))
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
    page = next((p for p in pictures if p.name == LARGE_PAGE), None)
    if page is None:
        return rows
    commands = {"munja": sides.munja_read_command(page)}
    if sides.has_reduced:
        commands["munja reduced"] = [*sides.munja_read_command(page), *REDUCED]
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
    page = next((p for p in pictures if p.name == COLD_PICTURE), None)
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
        process = start([sides.munja, "bench", sides.bundle / "recognizer.tflite", "--shape", "1x48x320x3", "--runs", 1,
                         "--threads", threads, "--op-profile", "--json"], sides.processors(threads),
                        stdout=subprocess.PIPE, text=True)
        report = json.loads(process.communicate()[0])
        result["simd"] = report["simd"]
        result[f"peak_{threads}"] = report.get("machine")
    return result
