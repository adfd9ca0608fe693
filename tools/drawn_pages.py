"""What tools that look at a bundle need: Munja's programs, and pages that they draw."""
import os
import pathlib
import shutil
import subprocess
import sys

MUNJA = os.environ.get("MUNJA_PROGRAM", "build/release/munja")
TRAIN = os.environ.get("MUNJA_TRAIN_PROGRAM", "build/train/munja-train")


def run(*command):
    """The output of a program; where it fails the tool ends, and says why."""
    tool = pathlib.Path(sys.argv[0]).name
    try:
        done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    except OSError as error:
        sys.exit(f"{tool}: {command[0]}: {error.strerror}; 'make' and 'make train' make the programs")
    if done.returncode != 0:
        sys.exit(f"{tool}: {' '.join(map(str, command))} ended with {done.returncode}:\n{done.stderr[-2000:]}")
    return done.stdout


def draw(name, count, seed):
    """The labels of pages in the default recipe's scripts, drawn unless they are in the folder of that name already."""
    folder = pathlib.Path(os.environ.get("MUNJA_WORK", "build/training")) / name
    labels = folder / "labels" / "synth.jsonl"
    if not labels.exists():
        shutil.rmtree(folder, ignore_errors=True)
        run(TRAIN, "synth", "--recipe", "training/recipes/default.json", "--pages", "--count", count, "--seed", seed,
            "--threads", 1, "--out", folder)
    return labels
