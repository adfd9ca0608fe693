"""Two builds of Munja against each other: every row of the tables, in turns, with the same files."""
import copy
import os
import pathlib
import statistics
import sys

import measure
import others
import prepare
import tables
from drivers import in_pairs, once

# Pairs of turns with the same two processes. Then both are started anew: where a process's memory happens to lie is
# worth a few percent.
TURNS, STARTS = 6, 3
COLD_PAIRS = 12


def sides_of(sides, library):
    """How the other build is started."""
    before = copy.copy(sides)
    before.munja = sides.options.before
    before.environment = {"LD_LIBRARY_PATH": str(library)}
    before.programs = sides.options.before_drivers or sides.programs
    return before


def check_libraries(before, now, library):
    """Whether each side runs the library that it should."""
    for side, folder in ((before, library), (now, prepare.library_of(now.munja))):
        used = prepare.must([side.programs / "munja_driver", "library"],
                            env=dict(os.environ, **side.environment)).strip()
        if pathlib.Path(used).resolve().parent != folder.resolve():
            sys.exit(f"{side.munja}: what is timed would be {used}, not the library in {folder}")


def compared(pairs, near=True):
    """The figures of pairs of (before, now), milliseconds or bytes: the median of each side, and that of the ratios of
    pairs, which were measured right after each other."""
    ratio = statistics.median(now / before for before, now in pairs)
    least = min(now for _, now in pairs) / min(before for before, _ in pairs)
    return {"before": round(statistics.median(before for before, _ in pairs), 4),
            "now": round(statistics.median(now for _, now in pairs), 4),
            "ratio": round(ratio, 4), "least_ratio": round(least, 4), "pairs": len(pairs), "near": near}


def looked_at_twice(measured):
    """`measured` gives pairs, and whether the processors were near. What looks worse is measured again, and then all
    pairs count: a neighbor on the host must not pass for a slow build, nor luck for a fast one."""
    pairs, near = measured()
    if tables.is_worse(compared(pairs)):
        for _ in range(2):
            more, more_near = measured()
            pairs, near = pairs + more, near and more_near
    return compared(pairs, near)


def pairs_of(make, runs, cores):
    """Pairs of turns of the two drivers that make() starts, anew each time."""
    pairs, near = [], True
    for _ in range(STARTS):
        before, now = make()
        with before, now:
            more, is_near = in_pairs(lambda: statistics.median(before.run(runs)),
                                     lambda: statistics.median(now.run(runs)), TURNS, cores)
        pairs, near = pairs + more, near and is_near
    return pairs, near


def driver_row(name, before, now, runs, cores):
    """`before` and `now` each start a driver."""
    return {"row": name, "unit": "ms", **looked_at_twice(lambda: pairs_of(lambda: (before(), now()), runs, cores))}


def network_rows(before, now, cores, say):
    rows = []
    for row in measure.NETWORKS:
        say(row[0])
        ways = [measure.munja_networks(side, row) for side in (before, now)]
        for way in ways[1]:
            rows.append(driver_row(f"{row[0]}{measure.manner(way)}", ways[0][way], ways[1][way], row[-1],
                                   cores if row[3] > 1 else None))
    return rows


def other_rows(before, now, cores, say, work):
    rows = []
    for name, _, model, size, _, runs in others.onnx_models(now, work):
        say(name)
        ways = [others.munja_models(side, model, size) for side in (before, now)]
        for way in ways[1]:
            rows.append(driver_row(f"{name}{measure.manner(way)}", ways[0][way], ways[1][way], runs, None))
    for name, model, shape, arithmetic, _, runs in others.tflite_models(now):
        say(f"{name}, {arithmetic}")
        ways = [others.munja_model(side, model, shape) for side in (before, now)]
        rows.append(driver_row(f"{name}, {arithmetic}", *ways, runs, None))
    return rows


def page_rows(before, now, cores, pictures, say):
    rows = []
    ways = [measure.munja_readers(side) for side in (before, now)]
    for picture in pictures:
        say(f"page {picture.name}")

        def using(start, picture=picture):
            def started():
                driver = start()
                driver.ask(f"use {picture}")
                return driver
            return started
        for way in ways[1]:
            # Reading each line once only is the same code.
            if not way.endswith("same work"):
                rows.append(driver_row(f"page {picture.name[:24]}{measure.manner(way)}", using(ways[0][way]),
                                       using(ways[1][way]), measure.PAGE_RUNS, cores))
    return rows


def memory_rows(before, now, pictures):
    rows = []

    def peak(start):
        with start() as driver:
            driver.run(3)
            return driver.memory()[1]
    ways = [measure.munja_memory(side) for side in (before, now)]
    for way in ways[1]:
        pairs = [(peak(ways[0][way]), peak(ways[1][way])) for _ in range(STARTS)]
        rows.append({"row": f"memory: detector 960x960{measure.manner(way)}", "unit": "bytes", **compared(pairs)})
    page = measure.picture_named(pictures, measure.LARGE_PAGE)
    for way, more in measure.reading_options(now).items() if page else ():
        pairs = [tuple(once([*side.munja_read_command(page), *more], side.options.processors)[1]
                       for side in (before, now)) for _ in range(STARTS)]
        rows.append({"row": f"memory: page of 1920x2560{measure.manner(way)}", "unit": "bytes", **compared(pairs)})
    return rows


def cold_rows(before, now, cores, pictures):
    page = measure.picture_named(pictures, measure.COLD_PICTURE)

    def reading(side, more):
        return lambda: once([*side.munja_read_command(page), *more], side.options.processors)[0]
    return [{"row": f"cold process: {measure.COLD_PICTURE}{measure.manner(way)}", "unit": "ms",
             **looked_at_twice(lambda: in_pairs(reading(before, more), reading(now, more), COLD_PAIRS, cores))}
            for way, more in (measure.reading_options(now).items() if page else ())]


def rows(now, cores, pictures, parts, work, keep):
    """All rows of the parts asked for; keep(rows) after each part."""
    library = prepare.library_of(now.options.before)
    before = sides_of(now, library)
    check_libraries(before, now, library)
    made = []
    for part, measured in (("networks", lambda: network_rows(before, now, cores, prepare.say)),
                           ("others", lambda: other_rows(before, now, cores, prepare.say, work)),
                           ("pages", lambda: page_rows(before, now, cores, pictures, prepare.say)),
                           ("memory", lambda: memory_rows(before, now, pictures)),
                           ("cold", lambda: cold_rows(before, now, cores, pictures))):
        if part in parts:
            made += measured()
            keep(made)
    return made
