#!/usr/bin/python3
"""examples/dask with worker processes of this machine, one of which is killed in the middle: nothing is lost or doubled.

usage: dask_test.py MUNJA SOURCES
Skipped without python3-distributed."""
import os
import pathlib
import shutil
import signal
import sys
import tempfile
import unittest

try:
    from distributed import Client, LocalCluster
except ImportError:
    Client = None

MUNJA, SOURCES = sys.argv[1], pathlib.Path(sys.argv[2])
sys.dont_write_bytecode = True

# In munja's place: the text is the picture's name. Says in a log what it has written.
STAND_IN = """#!/bin/sh
while [ $# -gt 1 ]; do
  if [ "$1" = -o ]; then out=$2; fi
  shift
done
echo "$1" > "$out.$$" && mv "$out.$$" "$out" && echo "$out" >> "LOG"
"""


@unittest.skipIf(Client is None, "python3-distributed is not here")
class Dask(unittest.TestCase):
    def setUp(self):
        sys.path.insert(0, str(SOURCES / "examples" / "dask"))
        import read_many
        self.read_many = read_many
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        os.environ["PYTHONPATH"] = str(SOURCES / "examples" / "dask")
        os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
        self.cluster = LocalCluster(n_workers=3, threads_per_worker=1, dashboard_address=None,
                                    local_directory=str(self.folder))
        self.addCleanup(self.cluster.close)

    def test_a_worker_is_killed_in_the_middle(self):
        program, log = self.folder / "stand-in", self.folder / "log"
        program.write_text(STAND_IN.replace("LOG", str(log)))
        program.chmod(0o755)
        pictures = [f"/scans/{i}.jpg" for i in range(1000)]
        killed = []
        with Client(self.cluster) as client:
            def progress(done, all_):
                if done == all_ // 4:
                    worker = list(self.cluster.workers.values())[0]
                    killed.append(worker.pid)
                    os.kill(worker.pid, signal.SIGKILL)
            failed = self.read_many.read_all(client, pictures, str(program), str(self.folder / "out"), ["text"], progress)
        self.assertEqual(failed, [])
        self.assertEqual(len(killed), 1)
        written = {p.name: p.read_text() for p in (self.folder / "out").iterdir()}
        written = {name: text for name, text in written.items() if name.endswith(".txt")}
        self.assertEqual(written, {f"scans_{i}.txt": f"/scans/{i}.jpg\n" for i in range(1000)})
        # Files that were written before the worker was lost are not written again, except the one it worked on.
        lines = log.read_text().splitlines()
        self.assertLessEqual(len(lines) - len(set(lines)), 1)

    def test_the_command_reads_and_failures_are_told(self):
        picture = str(SOURCES / "testdata" / "pictures" / "receipt.jpg")
        os.environ["MUNJA_MODELS"] = str(SOURCES / "models" / "default")
        with Client(self.cluster) as client:
            failed = self.read_many.read_all(client, [picture, "/absent.png"], MUNJA, str(self.folder / "out"), ["tsv"])
        self.assertEqual([name for name, _ in failed], ["/absent.png"])
        output = self.read_many.outputs(picture, self.folder / "out", ["tsv"])[0]
        self.assertIn("\tBAKERY\n", pathlib.Path(output).read_text())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
