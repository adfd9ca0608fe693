#!/usr/bin/python3
"""Compiles and runs what README.md and docs/*.md show: programs, commands, and lists of options.

usage: run_docs.py --munja FILE --library libmunja.so --delegate delegate.so --models FOLDER [--cc CC] [--cxx CXX]

Every line of a code block that begins with a command is looked up in commands.py, which says with what
it is run and how it must end, or why it is not run. A line that is not there is an error: a new
command of the documents needs an entry there. Lines like "munja read [--model BUNDLE] FILE..." are lists of
options: each option must be one that the command's --help knows.
"""
import argparse
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import textwrap

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import commands
import toy_models

ROOT = pathlib.Path(__file__).resolve().parents[2]
# The beginnings of commands; "make" and the like are known by their first word.
FIRST_WORD = re.compile(r"(munja|make|cmake|ctest|cc|g\+\+|qemu-\w+|hostile_\w+|(tools|bench|build|tests|\.ci)/\S+)(\s|$)")
failures = []


def fail(where, what):
    failures.append(f"{where}: {what}")
    print(f"FAILED  {where}: {what}")


def blocks(path):
    """[(line number, language, [lines])]: fenced blocks and those indented by four spaces."""
    found, block, fence, before = [], None, None, ""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if fence is not None:
            if line.strip() == "```":
                fence = block = None
            else:
                block[2].append(line)
        elif line.startswith("```"):
            fence = line[3:].strip()
            block = (number + 1, fence, [])
            found.append(block)
        elif line.startswith("    ") and (block or not before.strip()):
            if block is None:
                block = (number, "", [])
                found.append(block)
            block[2].append(line[4:])
        elif block and not line.strip():
            block[2].append("")
        else:
            block = None
        before = line
    return found


def commands_of(path):
    """(line number, command): continued lines joined, comments dropped."""
    for start, language, lines in blocks(path):
        if language in ("cpp", "c"):
            continue
        joined, number = "", start
        lines = textwrap.dedent("\n".join(lines)).splitlines()
        for offset, line in enumerate(lines):
            if not joined:
                number = start + offset
            text = re.sub(r"\s+#\s.*$", "", line).strip()
            joined += text.removesuffix("\\").rstrip() + " "
            # The next line of a list of options is indented.
            following = lines[offset + 1] if offset + 1 < len(lines) else ""
            if text.endswith("\\") or is_synopsis(joined) and following.startswith("  "):
                continue
            if FIRST_WORD.match(joined):
                yield number, joined.strip()
            joined = ""


def is_synopsis(command):
    """A list of options: something in brackets, or a word like MODEL or FILE.npy where something goes."""
    return command.startswith("munja ") and any(
        re.match(r"\[|[A-Z]{3,}(_INT8/?|/|\.\w+)?(\.\.\.)?$", word) for word in command.split())


class Runner:
    def __init__(self, options):
        self.options = options
        self.help = {}
        self.used = set()

    def options_of(self, words):
        """The long options that --help names for a command."""
        name = " ".join(words)
        if name not in self.help:
            done = subprocess.run([self.options.munja, *words, "--help"], capture_output=True, text=True)
            self.help[name] = set(re.findall(r"--[a-z][a-z0-9-]*", done.stdout)) if done.returncode == 0 else None
        return self.help[name]

    def check_synopsis(self, where, command):
        words = command.split()[1:3 if command.startswith("munja models ") else 2]
        known = self.options_of(words)
        if known is None:
            return fail(where, f"there is no 'munja {' '.join(words)}'")
        for option in re.findall(r"--[a-z][a-z0-9-]*", command):
            if option not in known:
                fail(where, f"'munja {' '.join(words)}' has no {option}")

    def folder(self):
        """The files that commands of the docs name."""
        folder = pathlib.Path(tempfile.mkdtemp(prefix="docs-"))
        data = ROOT / "testdata"
        for picture in ("photo.jpg", "receipt.jpg"):
            shutil.copy(data / "pictures" / "receipt.jpg", folder / picture)
        for name in ("scans", "pictures", "pages"):
            (folder / name).mkdir()
            shutil.copy(data / "pictures" / "sign_ko.jpg", folder / name)
        (folder / "set/labels").mkdir(parents=True)
        shutil.copytree(data / "pictures", folder / "set/pictures")
        shutil.copy(data / "labels" / "pictures.jsonl", folder / "set/labels/receipts.jsonl")
        (folder / "models").mkdir()
        for name in ("default", "mine"):
            shutil.copytree(ROOT / "models" / "default", folder / "models" / name)
        shutil.copytree(ROOT / "models" / "default", folder / "default-int8")
        for role in ("detector", "recognizer"):
            shutil.copy(ROOT / "models" / "default" / f"{role}.tflite", folder / f"{role}.tflite")
        for model in pathlib.Path(self.options.models).glob("*.tflite"):
            shutil.copy(model, folder)
        shutil.copy(data / "models" / "double.tflite", folder / "model.tflite")
        toy_models.write_array(folder / "x.npy", [3], [1, -2, 0.5])
        toy_models.write_onnx(folder)
        shutil.copy(self.options.delegate, folder / "delegate.so")
        shutil.copy(ROOT / "src" / "tflite_api" / "tests" / "sin_operator.cc", folder / "sin.cc")
        return folder

    def run(self, where, command, expected):
        folder = self.folder()
        try:
            if expected.before:
                expected.before(folder, self.options)
            environment = {**os.environ, "MUNJA_MODELS": str(folder / "models"), "XDG_DATA_HOME": str(folder / "data"),
                           "PATH": f"{pathlib.Path(self.options.munja).parent}:{os.environ['PATH']}"}
            text = command
            for name, value in expected.names.items():
                text = text.replace(name, value.format(**vars(self.options), root=ROOT))
            done = subprocess.run(["bash", "-euc", text], cwd=folder, capture_output=True, text=True, env=environment)
            if done.returncode != expected.code:
                fail(where, f"'{text}' ends with {done.returncode}, not {expected.code}\n{done.stdout}{done.stderr}")
            elif expected.says not in done.stdout + done.stderr:
                fail(where, f"'{text}' does not say '{expected.says}'\n{done.stdout}{done.stderr}")
            for name in expected.writes:
                if not (folder / name).exists():
                    fail(where, f"'{text}' does not write {name}")
        finally:
            shutil.rmtree(folder)

    def check_command(self, where, command):
        known = commands.COMMANDS.get(command)
        if is_synopsis(command):
            return self.check_synopsis(where, command)
        self.used.add(command)
        if known is None:
            return fail(where, f"'{command}' is not in tests/docs/commands.py")
        self.check_names(where, command)
        if isinstance(known, commands.Run):
            print(f"runs    {where}: {command}", flush=True)
            self.run(where, command, known)
        else:
            print(f"not run {where}: {command} ({known.why})")

    def check_names(self, where, command):
        """Checks that files of this repository that a command names exist, whether the command is run or not."""
        words = shlex.split(command)
        if re.match(r"(tools|bench|tests|\.ci)/", words[0]) and not (ROOT / words[0]).exists():
            fail(where, f"there is no {words[0]}")
        if words[0] == "make":
            targets = re.search(r"^\.PHONY:(.*)", (ROOT / "Makefile").read_text(), re.M)[1].split()
            for target in words[1:]:
                if target not in targets:
                    fail(where, f"the Makefile has no target {target}")
        presets = json.loads((ROOT / "CMakePresets.json").read_text())
        names = {p["name"] for kind in presets.values() if isinstance(kind, list) for p in kind}
        for preset in re.findall(r"--preset (\S+)", command):
            if preset not in names:
                fail(where, f"there is no preset {preset}")
        if words[0] == "munja" or words[0].endswith("/munja"):
            known = self.options_of(words[1:3 if words[1] == "models" else 2]) or set()
            for option in re.findall(r"\s(--[a-z][a-z0-9-]*)", command):
                if option not in known:
                    fail(where, f"'munja {words[1]}' has no {option}")

    def check_program(self, where, language, text):
        """A program is compiled as its reader would, and reads the sample picture."""
        before = commands.FRAGMENTS.get(text.strip().splitlines()[0])
        folder = pathlib.Path(tempfile.mkdtemp(prefix="docs-"))
        try:
            source = folder / ("program.cc" if language == "cpp" else "program.c")
            source.write_text((before or "") + text + "\n")
            library = pathlib.Path(self.options.library)
            words = [self.options.cxx, "-std=c++20"] if language == "cpp" else [self.options.cc, "-std=c99"]
            words += ["-Wall", "-Wextra", "-Werror", f"-I{ROOT}/include", f"-I{ROOT}/src/tflite_api/include", str(source)]
            words += ["-Wno-missing-field-initializers", "-c", "-o", str(folder / "program.o")] if before else [
                str(library), f"-Wl,-rpath,{library.parent}", "-o", str(folder / "program")]
            done = subprocess.run(words, capture_output=True, text=True)
            if done.returncode != 0:
                return fail(where, f"does not compile:\n{done.stderr}")
            print(f"compiles {where}")
            if before:
                return None
            environment = {**os.environ, "MUNJA_MODELS": str(ROOT / "models")}
            picture = ROOT / "testdata/pictures/receipt.jpg"
            done = subprocess.run([folder / "program", picture], capture_output=True, text=True, env=environment)
            if done.returncode != 0 or "BAKERY NORTHWIND" not in done.stdout:
                fail(where, f"ends with {done.returncode}:\n{done.stdout}{done.stderr}")
            # Without a picture it says what it wants.
            done = subprocess.run([folder / "program"], capture_output=True, text=True, env=environment)
            if done.returncode not in (1, 2) or not done.stderr:
                fail(where, f"without an argument: ends with {done.returncode}, says '{done.stderr}'")
        finally:
            shutil.rmtree(folder)
        return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    for name in ("munja", "library", "tflite-library", "delegate", "models"):
        parser.add_argument("--" + name, required=True, type=os.path.abspath)
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--cxx", default="c++")
    parser.add_argument("--only", default="", help="commands that contain this")
    options = parser.parse_args()
    runner = Runner(options)
    programs = 0
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        for start, language, lines in blocks(path):
            text = "\n".join(lines).rstrip()
            first = text.strip().splitlines()[0] if text.strip() else ""
            if language in ("cpp", "c") or first in commands.FRAGMENTS or first.startswith("#include"):
                programs += 1
                if options.only in text:
                    runner.check_program(f"{path.name}:{start}", language or "cpp", text)
        for number, command in commands_of(path):
            if options.only in command:
                runner.check_command(f"{path.name}:{number}", command)
    if not options.only:
        for command in commands.COMMANDS.keys() - runner.used:
            fail("commands.py", f"'{command}' is in no document")
        if programs < 2 or len(runner.used) < 40:
            fail("run_docs.py", f"only {programs} programs and {len(runner.used)} commands found: the search is broken")
    print(f"{len(runner.used)} commands, {programs} programs, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
