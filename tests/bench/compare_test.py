#!/usr/bin/python3
"""bench/compare: what it makes of times, and what it says when something is missing. Programs that make times up stand
in for those that measure."""
import json
import pathlib
import subprocess
import sys
import tempfile
import types
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMPARE = ROOT / "bench" / "compare"
sys.dont_write_bytecode = True
sys.path.insert(0, str(COMPARE))
import before  # noqa: E402
import drivers  # noqa: E402
import measure  # noqa: E402
import tables  # noqa: E402

# Obeys bench/compare/job.h. Run with the library of the build before, everything takes 10 ms; with the other one the
# large detector takes 11.
DRIVER = """#!/usr/bin/python3
import os, sys
folder = os.environ.get("LD_LIBRARY_PATH", "NOW/lib")
if sys.argv[1] == "library":
    sys.exit(print(folder + "/libmunja.so.0"))
time = "11.0" if "1x960x960x3" in sys.argv and folder == "NOW/lib" else "10.0"
print("ready", flush=True)
for line in sys.stdin:
    word = line.split()
    if word[0] == "run":
        print(*[time] * int(word[1]), flush=True)
    else:
        print("1000 2000", flush=True)
"""


class Folder(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name).resolve()

    def file(self, name, text="", mode=0o644):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        path.chmod(mode)
        return path

    def build(self, name, has_library=True):
        """A folder as a build of Munja leaves it; gives the command."""
        if has_library:
            self.file(f"{name}/lib/libmunja.so.0")
        return self.file(f"{name}/munja", "#!/bin/sh\nexit 0\n", 0o755)


class Command(Folder):
    def run_it(self, *arguments):
        return subprocess.run([COMPARE / "run", *arguments], capture_output=True, text=True)

    def refused(self, code, words, *arguments):
        done = self.run_it(*arguments)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertIn(words, done.stderr)
        self.assertNotIn("Traceback", done.stderr)

    def test_a_build_that_is_not_there(self):
        self.refused(2, "--before absent/munja is no program", "--before", "absent/munja")

    def test_the_documents_are_not_about_two_builds(self):
        self.refused(2, "one of them", "--before", self.build("old"), "--write")

    def test_a_build_without_its_library(self):
        for name in ("PP-OCRv6_tiny_det.onnx", "PP-OCRv6_tiny_rec.from_ncnn.onnx", "ppocrv6_tiny_keys.txt"):
            self.file("models/" + name)
        old = self.build("old", has_library=False)
        self.refused(1, f"{old} has no libmunja.so.0 of its own (looked in {self.folder}/old/lib", "--before", old,
                     "--munja-build", self.build("new").parent, "--models", self.folder / "models")

    def test_rows_that_are_worse_end_it_with_1(self):
        row = {"row": "detector", "unit": "ms", "before": 10.0, "now": 10.4, "ratio": 1.04, "least_ratio": 1.0,
               "pairs": 18, "near": True}
        other = {**row, "row": "memory", "unit": "bytes", "before": 2e6, "now": 2.05e6, "ratio": 1.025}
        results = self.file("r.json", json.dumps({"before": {"program": "old/munja", "rows": [row, other]}}))
        done = self.run_it("--from", results)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("| detector | 10.0 ms | 10.4 ms | 1.040 | 1.000 | worse |", done.stdout)
        self.assertIn("| memory | 2.0 MB | 2.0 MB | 1.025 | 1.000 |  |", done.stdout)
        self.assertIn("1 of 2 rows are more than 3 % worse than old/munja\n  detector\n", done.stdout)
        results.write_text(json.dumps({"before": {"program": "old/munja", "rows": [other]}}))
        self.assertEqual(self.run_it("--from", results).returncode, 0)


class Pairs(unittest.TestCase):
    def test_sides_take_turns_and_who_begins_changes(self):
        order = []
        pairs, near = drivers.in_pairs(lambda: order.append("before") or 2.0, lambda: order.append("now") or 3.0, 4)
        self.assertEqual(order, ["before", "now", "now", "before"] * 2)
        self.assertEqual((pairs, near), ([(2.0, 3.0)] * 4, True))

    def test_turns_of_far_processors_are_repeated(self):
        cores = types.SimpleNamespace(are_near=iter([True, False, True] + [True] * 100).__next__)
        pairs, near = drivers.in_pairs(iter([50.0] + [2.0] * 9).__next__, iter([50.0] + [3.0] * 9).__next__, 3, cores)
        self.assertEqual((pairs, near), ([(2.0, 3.0)] * 3, True))

    def test_processors_that_stay_far_are_said_to_be(self):
        cores = types.SimpleNamespace(are_near=lambda: False)
        pairs, near = drivers.in_pairs(lambda: 2.0, lambda: 3.0, 3, cores)
        self.assertFalse(near)
        self.assertEqual(len(pairs), 9)

    def test_the_ratio_is_that_of_neighbors_in_time(self):
        # The machine gets twice as slow halfway: both sides, so neither build is to blame.
        row = before.compared([(10.0, 10.1)] * 3 + [(20.0, 20.2)] * 3 + [(10.0, 40.0)])
        self.assertEqual(row["ratio"], 1.01)
        self.assertFalse(tables.is_worse(row))

    def test_what_looks_worse_is_measured_again(self):
        turns = iter([[(10.0, 11.0)] * 2, [(10.0, 10.0)] * 2, [(10.0, 10.0)] * 2])
        row = before.looked_at_twice(lambda: (next(turns), True))
        self.assertEqual((row["ratio"], row["pairs"]), (1.0, 6))
        slow = before.looked_at_twice(lambda: ([(10.0, 11.0)], True))
        self.assertEqual((slow["ratio"], slow["pairs"]), (1.1, 3))
        fine = before.looked_at_twice(lambda: ([(10.0, 10.2)], True))
        self.assertEqual(fine["pairs"], 1)


class TwoBuilds(Folder):
    def sides(self):
        self.file("programs/munja_driver", DRIVER.replace("NOW", str(self.folder / "new")), 0o755)
        options = types.SimpleNamespace(processors=[0], before=self.build("old"), munja=self.build("new"),
                                        before_drivers=None)
        return measure.Sides(options, self.folder / "programs", None, None, self.folder, True)

    def test_each_side_runs_its_own_library(self):
        kept = []
        rows = before.rows(self.sides(), None, [], ["networks", "memory", "pages", "cold"], None, kept.append)
        names = [row["row"] for row in rows]
        self.assertEqual([row["row"] for row in rows if tables.is_worse(row)],
                         [name for name in names if "960x960" in name and not name.startswith("memory")])
        for row in measure.NETWORKS:
            self.assertIn(row[0], names)
            self.assertIn(row[0] + ", reduced", names)
        self.assertIn("memory: detector 960x960, reduced", names)
        self.assertEqual(kept[-1], rows)

    def test_the_other_build_may_bring_its_drivers(self):
        sides = self.sides()
        sides.options.before_drivers = self.folder / "old drivers"
        self.assertEqual(before.sides_of(sides, self.folder).programs, self.folder / "old drivers")
        self.assertEqual(sides.programs, self.folder / "programs")

    def test_another_library_than_the_one_asked_for_is_seen(self):
        sides = self.sides()
        self.file("programs/munja_driver", DRIVER.replace("NOW", str(self.folder / "elsewhere")), 0o755)
        with self.assertRaisesRegex(SystemExit, "what is timed would be .*elsewhere/lib"):
            before.rows(sides, None, [], ["networks"], None, lambda rows: None)


class Tables(unittest.TestCase):
    def side(self, milliseconds):
        return {"median_ms": milliseconds, "min_ms": milliseconds, "runs": 1}

    def results(self):
        rates = {"fp32_gflops": 100.0, "int8_gops": 400.0, "copy": []}
        return {"machine": {"peak_1": rates, "peak_2": rates},
                "others": [{"row": "CRNN recognizer", "near": True, "threads": 1, "multiply_accumulates": 1000000,
                            "sides": {"munja": self.side(0.05), "onnx": self.side(0.1)}}],
                "tflite": [{"row": "net", "near": True, "threads": 1, "arithmetic": "int8", "shape": "1x8x8x3",
                            "multiply_accumulates": 1000000, "sides": {"munja": self.side(0.02)}}]}

    def test_work_is_two_operations_for_each_multiply_accumulate(self):
        # 2e6 operations in 0.05 ms are 40e9 a second, two fifths of the peak.
        self.assertIn("| CRNN recognizer | 0.050 (0.050) |  | 0.100 (0.100) | 2.00 (2.00) |  | 40.0, 40 % | 20.0, 20 % |",
                      tables.other_table(self.results()))
        self.assertIn("| net | int8 | 1x8x8x3 | 1.00 | 0.020 (0.020) | 100, 25 % |", tables.tflite_table(self.results()))

    def test_a_peak_that_is_not_measured_gives_no_share(self):
        results = self.results()
        del results["machine"]["peak_1"]["int8_gops"]
        self.assertIn("| 0.020 (0.020) | 100 |", tables.tflite_table(results))

    def test_rows_have_a_cell_for_each_column(self):
        results = self.results()
        ways = {name: {**self.side(1.0), "lines": 3} for name in (*tables.OURS, "munja int16x8", "onnx", "tesseract")}
        row = {"row": "detector 640x640, 1 thread", "picture": "page.jpg", "near": True, "threads": 1, "lines": 0,
               "multiply_accumulates": 1000000, "sides": ways, "work": {"multiply_accumulates": 10, "decode_ms": 1.0}}
        peaks = {"row": "page", "sides": {"munja": {"peak_bytes": 1e6}}}
        cold = {"picture": "page.jpg", "sides": {"munja": {"cold_ms": 2.0, "warm_ms": 1.0}}}
        results["machine"].update(processor="p", processors=1, simd="avx2", kernel="k", distance_ns=[], load=[0.1],
                                  stolen_s=0)
        fewer = {name: value for name, value in row.items() if name != "work"}
        fewer["sides"] = {"munja": ways["munja"]}
        results.update(networks=[row, fewer], pages=[row, fewer], memory=[peaks], cold=cold)
        made = tables.make(results)
        self.assertEqual(len(made), 9)
        for name, text in made.items():
            columns = {line.count("|") for line in text.splitlines()}
            self.assertEqual(len(columns), 1, name)

    def test_other_networks_are_among_the_targets(self):
        self.assertIn(["CRNN recognizer, FP32, 1 thread, over ONNX Runtime", "at least 1.5x", "2.00x", "yes"],
                      tables.targets(self.results()))

    def test_every_table_has_its_place_in_the_document(self):
        text = (ROOT / "docs" / "lab" / "performance.md").read_text(encoding="utf-8")
        for name in ("machine", "targets", "networks", "others", "tflite", "pages", "limits", "memory", "cold"):
            for mark in (f"<!-- {name}: bench/compare/run --write -->\n", f"<!-- /{name} -->"):
                self.assertTrue(mark in text, mark)


if __name__ == "__main__":
    unittest.main()
