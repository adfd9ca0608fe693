"""Lines that Munja reads on labeled sets, for the tools that compare them."""

import argparse
import difflib
import glob
import json
import os
import subprocess
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


# Runs programs for 64-bit Arm on another machine.
EMULATOR = ["qemu-aarch64"]


def number_from_one(text):
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError("'%s' is not an integer of 1 or more" % text)
    return int(text)


def parser(description):
    """Takes --bundle, --images, --munja, --arm, --every."""
    made = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--bundle", default=os.path.join(ROOT, "build/models/ppocrv6_tiny"))
    made.add_argument("--images", default=os.path.join(ROOT, "../shared/images"),
                      help="holds labels/*.jsonl; sets named crops_* are single lines")
    made.add_argument("--munja", default=os.path.join(ROOT, "build/release/munja"))
    made.add_argument("--arm", metavar="PROGRAM", help="a build for 64-bit Arm (tools/build-aarch64), run under emulation")
    made.add_argument("--every", metavar="N", type=number_from_one, default=1, help="of each set only every Nth image")
    return made


def sets(images, every=1):
    """[(name, labels, whether it holds single lines)]; with `every` of each set the first picture and every so many
    after it, whose labels are there while the next is not asked for."""
    for labels in sorted(glob.glob(os.path.join(images, "labels/*.jsonl"))):
        name = os.path.splitext(os.path.basename(labels))[0]
        if every == 1:
            yield name, labels, name.startswith("crops_")
            continue
        # Pictures are found relative to the folder above that of the labels.
        with tempfile.TemporaryDirectory() as folder:
            for entry in os.listdir(images):
                if entry != "labels":
                    os.symlink(os.path.abspath(os.path.join(images, entry)), os.path.join(folder, entry))
            os.mkdir(os.path.join(folder, "labels"))
            part = os.path.join(folder, "labels", name + ".jsonl")
            with open(labels, encoding="utf-8") as whole, open(part, "w", encoding="utf-8") as some:
                some.writelines(line for i, line in enumerate(whole) if i % every == 0)
            yield name, part, name.startswith("crops_")


def read(munja, bundle, labels, is_crops, options=(), environment=None, runner=()):
    """The figures, and the lines of each picture: [(picture, [text])]. The `runner` is what runs a program of another
    machine."""
    with tempfile.NamedTemporaryFile(suffix=".jsonl") as results:
        run = subprocess.run(
            [*runner, munja, "eval", "--labels", labels, "--task", "recognize" if is_crops else "e2e", "--model", bundle,
             *options, "--results", results.name, "--json"],
            check=True, capture_output=True, text=True, env=dict(os.environ, **(environment or {})))
        with open(results.name, encoding="utf-8") as lines:
            pages = [json.loads(line) for line in lines]
    return json.loads(run.stdout), [
        (os.path.basename(page["source"]), [line["text"] for line in page.get("lines", [])]) for page in pages]


def differences(full, other):
    """[(texts, texts)] where two lists of lines differ."""
    matcher = difflib.SequenceMatcher(None, full, other, autojunk=False)
    return [(full[a:b], other[c:d]) for kind, a, b, c, d in matcher.get_opcodes() if kind != "equal"]
