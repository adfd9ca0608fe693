"""Munja's programs and synthetic pages, for tools that examine a bundle."""
import json
import os
import pathlib
import shutil
import subprocess
import sys

MUNJA = os.environ.get("MUNJA_PROGRAM", "build/release/munja")
TRAIN = os.environ.get("MUNJA_TRAIN_PROGRAM", "build/train/munja-train")
ROOT = pathlib.Path(__file__).resolve().parent.parent
WORK = pathlib.Path(os.environ.get("MUNJA_WORK", "build/training"))


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


def recipe_with(recipe, page):
    """A recipe's file; where its section "page" is to differ, another one in a folder with all that it names."""
    folder = ROOT / "training" / "recipes"
    if not page:
        return folder / f"{recipe}.json"
    copy = WORK / "recipes"
    shutil.copytree(folder, copy, dirs_exist_ok=True)
    changed = json.loads((folder / f"{recipe}.json").read_text(encoding="utf-8"))
    changed["page"].update(page)
    file = copy / f"{recipe}_changed.json"
    file.write_text(json.dumps(changed, ensure_ascii=False), encoding="utf-8")
    return file


def recipe_of(bundle):
    """The recipe in whose scripts a bundle's pages are drawn: that of its name, or the default one."""
    name = pathlib.Path(bundle).resolve().name
    return name if (ROOT / "training" / "recipes" / f"{name}.json").is_file() else "default"


def draw_for(bundle, name, count, seed):
    """draw() by the recipe of a bundle."""
    recipe = recipe_of(bundle)
    return draw(name if recipe == "default" else f"{name}_{recipe}", count, seed, recipe)


def draw(name, count, seed, recipe="default", page=None, is_pages=True):
    """The labels of pages, or lines, in a recipe's scripts, drawn unless they are in the folder of that name already.
    `page`: what differs from the recipe's section of that name."""
    folder = WORK / name
    labels = folder / "labels" / "synth.jsonl"
    if not labels.exists():
        shutil.rmtree(folder, ignore_errors=True)
        run(TRAIN, "synth", "--recipe", recipe_with(recipe, page), *(["--pages"] if is_pages else []), "--count", count,
            "--seed", seed, "--threads", 1, "--out", folder)
    return labels
