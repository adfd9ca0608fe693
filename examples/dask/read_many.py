#!/usr/bin/python3
"""Reads pictures on many machines with Dask: Debian's python3-distributed.

usage: read_many.py [--scheduler HOST:PORT | --workers N] [--munja FILE] [--format FORMAT]... --output-dir DIR PICTURE...

Each task runs the command for a few pictures, one thread each. munja writes a file whole or not at all and under the
same name, so a task that is done twice, because its worker was lost on the way, changes nothing; what is there already
is skipped. Prints the images that could not be read; the exit code is 1 then."""
import argparse
import pathlib
import subprocess
import sys

from distributed import Client, LocalCluster, as_completed

CHUNK = 8
EXTENSIONS = {"text": "txt", "json": "json", "tsv": "tsv", "hocr": "hocr", "pdf": "pdf"}


def outputs(picture, folder, formats):
    # Names that differ in their folders alone stay apart.
    stem = str(pathlib.Path(picture).with_suffix("")).strip("/").replace("/", "_")
    return [f"{folder}/{stem}.{EXTENSIONS[name]}" for name in formats]


def read(pictures, munja, folder, formats):
    """Runs on a worker. [(picture, message)] of those that failed."""
    failed = []
    for picture in pictures:
        for name, output in zip(formats, outputs(picture, folder, formats)):
            if pathlib.Path(output).exists():
                continue
            done = subprocess.run([munja, "read", "--threads", "1", "--format", name, "-o", output, picture],
                                  capture_output=True, text=True)
            if done.returncode != 0:
                failed.append((picture, done.stderr.strip()))
                break
    return failed


def read_all(client, pictures, munja, folder, formats, progress=None):
    pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
    chunks = [pictures[i:i + CHUNK] for i in range(0, len(pictures), CHUNK)]
    futures = client.map(read, chunks, munja=munja, folder=folder, formats=formats, retries=3, pure=False)
    failed = []
    for done, future in enumerate(as_completed(futures), 1):
        failed += future.result()
        if progress:
            progress(done, len(chunks))
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pictures", nargs="+")
    parser.add_argument("--scheduler", help="of a cluster that runs; the pictures and the folder are on a disk of all")
    parser.add_argument("--workers", type=int, default=2, help="processes on this machine, without --scheduler")
    parser.add_argument("--munja", default="munja")
    parser.add_argument("--format", action="append", choices=sorted(EXTENSIONS), dest="formats")
    parser.add_argument("--output-dir", required=True)
    options = parser.parse_args()
    formats = options.formats or ["text"]
    clashes = len({outputs(p, "", formats)[0] for p in options.pictures}) < len(options.pictures)
    if clashes:
        sys.exit("read_many.py: two pictures would be written to one file")
    cluster = None if options.scheduler else LocalCluster(n_workers=options.workers, threads_per_worker=1,
                                                          dashboard_address=None)
    with Client(options.scheduler or cluster) as client:
        failed = read_all(client, options.pictures, options.munja, options.output_dir, formats,
                          lambda done, all_: print(f"\r{done}/{all_}", end="", file=sys.stderr, flush=True))
    print(file=sys.stderr)
    for picture, message in failed:
        print(f"{picture}: {message}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
