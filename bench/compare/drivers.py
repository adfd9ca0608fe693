"""Processes that do the work which is compared, and when a time that they tell may be believed."""
import os
import statistics
import subprocess
import sys
import time


def start(command, processors, **options):
    """A process that inherits where it may run."""
    here = os.sched_getaffinity(0)
    os.sched_setaffinity(0, processors)
    try:
        return subprocess.Popen([str(word) for word in command], **options)
    finally:
        os.sched_setaffinity(0, here)


class Driver:
    """A program of this folder that obeys lines on its standard input (job.h), on the processors given."""

    def __init__(self, name, command, processors, environment=None):
        self.name = name
        self.process = start(command, processors, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                             env=dict(os.environ, **(environment or {})))
        if self.process.stdout.readline().strip() != "ready":
            sys.exit(f"{name}: {' '.join(map(str, command))} did not start")

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().strip()
        if not answer:
            sys.exit(f"{self.name} ended at '{line}'")
        return answer

    def run(self, count):
        """Milliseconds of each of `count` runs, after one that does not count: the other side filled the caches."""
        return [float(word) for word in self.ask(f"run {count + 1}").split()[1:]]

    def memory(self):
        """Bytes that are resident, and those at the peak."""
        return tuple(int(word) for word in self.ask("memory").split())

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Cores:
    """How far the two processors are from each other. Virtual ones wander on their host, within seconds: a line of
    the cache takes 25 ns from one to the other at one time, 180 ns at another, and no two-thread time of the one
    state can be compared with one of the other."""

    def __init__(self, program, processors, far_ns):
        self.far_ns, self.seen = far_ns, []
        self.process = None
        if len(processors) > 1:
            self.process = subprocess.Popen([str(program), str(processors[0]), str(processors[1])],
                                            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def are_near(self):
        if self.process is None:
            return True
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        self.seen.append(float(self.process.stdout.readline()))
        return self.seen[-1] < self.far_ns


class Samples:
    """Milliseconds of one side of a row."""

    def __init__(self, times):
        self.times = sorted(times)
        self.median = statistics.median(self.times)
        self.minimum = self.times[0]

    def as_json(self):
        return {"median_ms": round(self.median, 4), "min_ms": round(self.minimum, 4), "runs": len(self.times)}


def alternate(drivers, turns, runs, cores=None):
    """Times of each driver by its name, and whether the processors were near each other all the time. Drivers take
    turns of `runs` runs, in an order that turns around each time. With `cores`, turns during which the processors were
    or came far apart are repeated, at most twice as often as asked for; what is left then has to do."""
    near = {driver.name: [] for driver in drivers}
    far = {driver.name: [] for driver in drivers}
    for turn in range(3 * turns):
        if all(len(times) >= turns * runs for times in near.values()):
            break
        for driver in drivers if turn % 2 == 0 else reversed(drivers):
            before = cores is None or cores.are_near()
            times = driver.run(runs)
            after = cores is None or cores.are_near()
            (near if before and after else far)[driver.name] += times
    if all(len(times) >= min(turns, 3) * runs for times in near.values()):
        return {name: Samples(times) for name, times in near.items()}, True
    return {name: Samples(near[name] + far[name]) for name in near}, False


def in_pairs(before, now, turns, cores=None):
    """Medians of turns of two drivers, side by side: [(before, now)], and whether the processors were near each other
    all the time. `before` and `now` give the milliseconds of a few runs each time they are called; who begins changes
    each time. With `cores` as alternate()."""
    near, far = [], []
    for turn in range(3 * turns):
        if len(near) >= turns:
            break
        is_near = cores is None or cores.are_near()
        times = {}
        for side in (before, now) if turn % 2 == 0 else (now, before):
            times[side] = side()
            is_near = (cores is None or cores.are_near()) and is_near
        (near if is_near else far).append((times[before], times[now]))
    if len(near) >= min(turns, 3):
        return near, True
    return near + far, False


def once(command, processors, environment=None):
    """Milliseconds from start to end of a process, and its peak of resident bytes (in which this interpreter's own
    few count as the least there can be)."""
    begin = time.perf_counter()
    process = start(command, processors, stdout=subprocess.DEVNULL,
                    env=dict(os.environ, **(environment or {})))
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: exit code {process.returncode}")
    return 1000 * (time.perf_counter() - begin), usage.ru_maxrss * 1024


def stolen_seconds():
    """Seconds that the host took from all processors since it started."""
    with open("/proc/stat", encoding="ascii") as stat:
        fields = stat.readline().split()
    return int(fields[8]) / os.sysconf("SC_CLK_TCK")
