"""The tables of docs/lab/performance.md, and those of two builds, from what was measured."""
import math
import statistics

ROWS = {"detector": "detector 640x640, 1 thread", "detector x2": "detector 640x640, 2 threads",
        "recognizer": "recognizer 48x320, 1 thread", "classes": "recognizer 48x320 to classes, 1 thread",
        "lines": "32 lines of 48x320, 2 threads", "lines to classes": "32 lines of 48x320 to classes, 2 threads"}
# Ways of Munja to read a page.
OURS = ("munja", "munja, same work", "munja reduced", "munja reduced, same work", "munja int8", "munja auto")
# Other networks, by a word of their rows, and how much faster than ONNX Runtime they should be.
OTHERS = (("PP-OCRv3 detector", 1.5), ("CRNN", 1.5), ("MobileNetV3", 1.5), ("PP-LCNet", 1.4))
# From which share of slowness on a row of --before is called worse.
WORSE = 1.03


def number(value):
    digits = 0 if value >= 100 else 1 if value >= 10 else 2 if value >= 1 else 3
    return f"{value:.{digits}f}"


def times(side):
    return f"{number(side['median_ms'])} ({number(side['min_ms'])})" if side else ""


def median(sides, name):
    return sides[name]["median_ms"] if name in sides else None


def ratio(numerator, denominator):
    return numerator / denominator if numerator and denominator else None


def faster(sides, name, than):
    """How often `name` fits into the time of `than`: by the medians and, in parentheses, by the least times."""
    if name not in sides or than not in sides:
        return ""
    return (f"{sides[than]['median_ms'] / sides[name]['median_ms']:.2f} "
            f"({sides[than]['min_ms'] / sides[name]['min_ms']:.2f})")


def shown(value):
    return "" if value is None else f"{value:.2f}"


def peer(sides):
    """The best of ONNX Runtime's ways."""
    ways = [name for name in sides if name.startswith("onnx")]
    return min(ways, key=lambda name: sides[name]["median_ms"]) if ways else None


def geometric_mean(values):
    values = [value for value in values if value]
    return math.exp(statistics.fmean(map(math.log, values))) if values else None


def table(header, rows):
    return "\n".join(["| " + " | ".join(header) + " |", "|" + "---|" * len(header)] +
                     ["| " + " | ".join(row) + " |" for row in rows])


def peak_gflops(results, threads):
    peak = results["machine"].get(f"peak_{threads}")
    return peak["fp32_gflops"] if peak else None


def peak_of(results, threads, arithmetic):
    """Operations of multiply-adds in 10^9/s; None where `munja bench` does not measure it."""
    if arithmetic == "float32":
        return peak_gflops(results, threads)
    return (results["machine"].get(f"peak_{threads}") or {}).get("int8_gops")


def speed(work, milliseconds, peak):
    """10^9 operations a second, and their share of the peak."""
    if not milliseconds:
        return ""
    rate = 2e-6 * work / milliseconds
    return number(rate) + (f", {100 * rate / peak:.0f} %" if peak else "")


def machine_table(results):
    m = results["machine"]
    rows = [["CPU", f"{m['processor']}, {m['processors']} CPUs, {m['simd']}, Linux {m['kernel']}"]]
    for threads in (1, 2):
        peak = m.get(f"peak_{threads}")
        if peak:
            speeds = ", ".join(f"{number(copy['gb_per_s'])} at {copy['bytes'] // 1024} KiB" for copy in peak["copy"])
            rows.append([f"{threads} thread{'s' * (threads > 1)}",
                         f"{peak['fp32_gflops']:.0f} GFLOP/s of fused multiply-adds; GB/s read and written by a copy: "
                         f"{speeds}"])
    if m["distance_ns"]:
        near = m["distance_ns"]
        rows.append(["distance of the CPUs",
                     f"{near[0]:.0f} to {near[-1]:.0f} ns, median {statistics.median(near):.0f}"])
    rows.append(["load", f"{min(m['load'])} to {max(m['load'])}; the host took {m['stolen_s']} s"])
    peers = [f"ONNX Runtime {m['onnxruntime']} (npm)" if "onnxruntime" in m else "",
             f"Tesseract {m['tesseract']}, OpenCV (Debian)" if "tesseract" in m else ""]
    rows.append(["peers", ", ".join(name for name in peers if name)])
    return table(["", ""], rows)


def network_table(results):
    rows = []
    for row in results["networks"]:
        sides, best = row["sides"], peer(row["sides"])
        cells = [row["row"] + ("" if row["near"] else " (far)")]
        cells += [times(sides.get(name)) for name in ("munja", "munja reduced", "munja int8", "munja int16x8", best)]
        cells.append(faster(sides, "munja", best))
        cells += [faster(sides, name, "munja") for name in ("munja reduced", "munja int8", "munja int16x8")]
        for name, arithmetic in (("munja", "float32"), ("munja int8", "int8"), (best, "float32")):
            cells.append(speed(row["multiply_accumulates"], median(sides, name),
                               peak_of(results, row["threads"], arithmetic)))
        rows.append(cells)
    return table(["", "Munja, ms", "reduced, ms", "int8, ms", "int16x8, ms", "ONNX Runtime, ms",
                  "faster than ONNX Runtime", "reduced to FP32", "int8 to FP32", "int16x8 to FP32",
                  "GFLOP/s, share of FP32 peak", "int8: Gop/s, share of int8 peak", "ONNX Runtime's GFLOP/s"], rows)


def other_table(results):
    rows = []
    for row in results["others"]:
        sides = row["sides"]
        peak = peak_of(results, 1, "float32")
        rows.append([row["row"], *(times(sides.get(name)) for name in ("munja", "munja reduced", "onnx")),
                     faster(sides, "munja", "onnx"), faster(sides, "munja reduced", "munja"),
                     *(speed(row["multiply_accumulates"], median(sides, name), peak) for name in ("munja", "onnx"))])
    return table(["", "Munja, ms", "reduced, ms", "ONNX Runtime, ms", "faster than ONNX Runtime", "reduced to FP32",
                  "GFLOP/s, share of FP32 peak", "ONNX Runtime's"], rows)


def tflite_table(results):
    rows = []
    for row in results["tflite"]:
        rows.append([row["row"], row["arithmetic"], row["shape"], number(row["multiply_accumulates"] / 1e6),
                     times(row["sides"]["munja"]),
                     speed(row["multiply_accumulates"], median(row["sides"], "munja"),
                           peak_of(results, 1, row["arithmetic"]))])
    return table(["", "computes with", "input", "million multiply-accumulates", "Munja, ms",
                  "Gop/s, share of the peak of its kind"], rows)


def before_table(compared):
    """Two builds, and which rows are worse now."""
    rows = []
    for row in compared["rows"]:
        if row["unit"] == "bytes":
            sides = [f"{row[side] / 1e6:.1f} MB" for side in ("before", "now")]
        else:
            sides = [f"{number(row[side])} ms" for side in ("before", "now")]
        rows.append([row["row"] + ("" if row["near"] else " (far)"), *sides, f"{row['ratio']:.3f}",
                     f"{row['least_ratio']:.3f}", "worse" if is_worse(row) else ""])
    worse = [row["row"] for row in compared["rows"] if is_worse(row)]
    verdict = (f"{len(worse)} of {len(rows)} rows are more than {100 * (WORSE - 1):.0f} % worse than {compared['program']}"
               + "".join(f"\n  {name}" for name in worse))
    return table(["", "before", "now", "now to before", "by the least", ""], rows) + "\n\n" + verdict


def is_worse(row):
    return row["ratio"] > WORSE


def int8_pages(results):
    """How often the time of a page in int8 fits into that of FP32."""
    return geometric_mean([ratio(median(row["sides"], "munja"), median(row["sides"], "munja int8"))
                           for row in results["pages"]])


def page_table(results):
    rows = []
    for row in results["pages"]:
        sides = row["sides"]
        cells = [row["picture"][:24] + ("" if row["near"] else " (far)")]
        cells += [times(sides.get(name)) for name in (*OURS, "onnx")]
        cells.append(times(sides.get("tesseract")))
        for name in OURS:
            cells.append(faster(sides, name, "onnx"))
        cells.append(faster(sides, "munja int8", "munja"))
        cells.append("/".join(str(sides[name]["lines"]) for name in ("munja", "onnx") if name in sides))
        rows.append(cells)
    means = [geometric_mean([ratio(median(row["sides"], "onnx"), median(row["sides"], name))
                             for row in results["pages"]]) for name in OURS]
    means.append(int8_pages(results))
    rows.append(["geometric mean", *[""] * (len(OURS) + 2), *map(shown, means), ""])
    return table(["image", "Munja, ms", "same work, ms", "reduced, ms", "reduced, same work, ms",
                  "int8, ms", "auto, ms", "OpenCV + ONNX Runtime, ms", "Tesseract, ms", "faster", "same work", "reduced",
                  "reduced, same work", "int8", "auto", "int8 to FP32", "lines"], rows)


def memory_table(results):
    rows = []
    for row in results["memory"]:
        cells = [row["row"]]
        for name in ("munja", "munja reduced", "onnx", "tesseract"):
            side = row["sides"].get(name)
            above = f", {side['above_model_bytes'] / 1e6:.0f} above the model" if side and "above_model_bytes" in side \
                else ""
            cells.append(f"{side['peak_bytes'] / 1e6:.0f}{above}" if side else "")
        rows.append(cells)
    return table(["MB at the peak of the process", "Munja", "reduced", "ONNX Runtime", "Tesseract"], rows)


def limit_table(results):
    """The time of a page if the networks' multiply-adds ran at the full rate and only decoding were added."""
    peak, rows, ratios = peak_gflops(results, 2), [], []
    for row in results["pages"]:
        if "work" not in row or not peak:
            continue
        networks, decoding = 2e-6 * row["work"]["multiply_accumulates"] / peak, row["work"]["decode_ms"]
        theirs = median(row["sides"], "onnx")
        limits = [networks + decoding, networks / 2 + decoding]
        pairs = [(theirs / limit, ratio(theirs, median(row["sides"], name)))
                 for limit, name in zip(limits, ("munja, same work", "munja reduced, same work"))]
        ratios.append([value for pair in pairs for value in pair])
        rows.append([row["picture"][:24], number(networks), number(decoding), number(limits[0]),
                     *(shown(value) for value in ratios[-1])])
    if not rows:
        return None
    rows.append(["geometric mean", "", "", "", *(shown(geometric_mean(column)) for column in zip(*ratios))])
    return table(["image", "networks at the full rate, ms", "decoding, ms", "limit, ms", "faster: limit, FP32",
                  "measured", "limit, reduced", "measured"], rows)


def cold_table(results):
    rows = []
    for name, side in results["cold"]["sides"].items():
        label = {"munja": "Munja", "onnx": "OpenCV + ONNX Runtime"}[name]
        rows.append([label, number(side["cold_ms"]), number(side["warm_ms"]),
                     number(side["cold_ms"] - side["warm_ms"])])
    return table([f"{results['cold']['picture']}", "cold process, ms", "warm, ms", "difference, ms"], rows)


def targets(results):
    """(what, target, ratio or megabytes or milliseconds, whether reached) for all that this run measured."""
    rows = []

    def at_least(what, wanted, value):
        if value is not None:
            rows.append([what, f"at least {wanted}x", f"{value:.2f}x", "yes" if value >= wanted else "no"])

    def at_most(what, wanted, value, unit):
        if value is not None:
            rows.append([what, f"at most {wanted:.0f} {unit}", f"{value:.0f} {unit}",
                         "yes" if value <= wanted else "no"])

    networks = {row["row"]: row["sides"] for row in results.get("networks", [])}

    def over_peer(key):
        sides = networks.get(ROWS[key], {})
        return ratio(median(sides, peer(sides)), median(sides, "munja"))

    at_least("detector 640x640, FP32, 1 thread, over ONNX Runtime", 1.6, over_peer("detector"))
    sides = networks.get(ROWS["detector x2"], {})
    at_least("detector 640x640, 2 threads, over 1 thread", 1.85,
             ratio(median(sides, "munja 1 thread"), median(sides, "munja")))
    at_least("recognizer 48x320, FP32, 1 thread, over ONNX Runtime", 1.2, over_peer("recognizer"))
    at_least("the same, to classes", 1.2, over_peer("classes"))
    at_least("32 lines of 48x320, 2 threads, over ONNX Runtime", 1.25, over_peer("lines"))
    at_least("the same, to classes", 1.25, over_peer("lines to classes"))
    for key in ROWS:
        sides = networks.get(ROWS[key], {})
        at_least(f"{ROWS[key]}: reduced precision over FP32", 1.7,
                 ratio(median(sides, "munja"), median(sides, "munja reduced")))
    for key, wanted in (("detector", 2.8), ("detector x2", 2.5), ("recognizer", 2.6)):
        sides = networks.get(ROWS[key], {})
        at_least(f"{ROWS[key]}: int8 over FP32", wanted, ratio(median(sides, "munja"), median(sides, "munja int8")))
    sides = networks.get(ROWS["detector"], {})
    at_least(f"{ROWS['detector']}: int16x8 over FP32", 1.3,
             ratio(median(sides, "munja"), median(sides, "munja int16x8")))
    for row in results.get("others", []):
        wanted = next((wanted for word, wanted in OTHERS if word in row["row"]), None)
        if wanted:
            at_least(f"{row['row']}, FP32, 1 thread, over ONNX Runtime", wanted,
                     ratio(median(row["sides"], "onnx"), median(row["sides"], "munja")))
    for name, wanted, what in (("munja", 1.8, "FP32, as shipped"), ("munja, same work", 1.8, "FP32, the same work"),
                               ("munja reduced", 2.8, "reduced precision, as shipped"),
                               ("munja reduced, same work", 2.8, "reduced precision, the same work"),
                               ("munja auto", 2.5, "integers, low-confidence lines in FP32")):
        pages = results.get("pages", [])
        at_least(f"image file to text, 2 threads, {what}, over OpenCV + ONNX Runtime (geometric mean)", wanted,
                 geometric_mean([ratio(median(row["sides"], "onnx"), median(row["sides"], name)) for row in pages]))
    if results.get("pages"):
        at_least("image file to text, 2 threads, int8 over FP32 (geometric mean)", 1.9, int8_pages(results))
    for row in results.get("memory", []):
        side = row["sides"]["munja"]
        if "above_model_bytes" in side:
            at_most("memory of the detector at 960x960, above the model", 60, side["above_model_bytes"] / 1e6, "MB")
        else:
            at_most("memory of a process that reads the 1920x2560 page", 120, side["peak_bytes"] / 1e6, "MB")
    if results.get("cold"):
        side = results["cold"]["sides"]["munja"]
        at_most("first result of a cold process, 1.1 million pixels (1.3 times warm + 20 ms)",
                1.3 * side["warm_ms"] + 20, side["cold_ms"], "ms")
    return rows


def make(results):
    """Tables by the name of their place in the document."""
    made = {"machine": machine_table(results)}
    if any(results.get(part) for part in ("networks", "others", "pages")):
        made["targets"] = table(["", "target", "measured", "reached"], targets(results))
    for name, part, maker in (("networks", "networks", network_table), ("others", "others", other_table),
                              ("tflite", "tflite", tflite_table), ("pages", "pages", page_table),
                              ("limits", "pages", limit_table), ("memory", "memory", memory_table),
                              ("cold", "cold", cold_table)):
        if results.get(part):
            made[name] = maker(results)
    return {name: rows for name, rows in made.items() if rows}


def write(path, made):
    """Puts each table between its two marks."""
    text = path.read_text(encoding="utf-8")
    for name, rows in made.items():
        begin, end = f"<!-- {name}: bench/compare/run --write -->\n", f"<!-- /{name} -->"
        before, mark, rest = text.partition(begin)
        _, other_mark, after = rest.partition(end)
        if not mark or not other_mark:
            raise SystemExit(f"{path} has no place for the table '{name}'")
        text = before + begin + "\n" + rows + "\n\n" + end + after
    path.write_text(text, encoding="utf-8")
