#!/usr/bin/python3
"""The binary interface of libmunja: describes it, and compares it with the description in munja.abi.

usage: tests/abi/abi.py --library build/release/lib/libmunja.so [--update [--break]]

Without --update: exit code 1 and what changed, in words, when the library and the headers are not what
munja.abi says. --update writes munja.abi anew after changes that programs built earlier do not notice:
new functions, values of enumerations and structs, fields at the end of structs with a struct_size. All
others need --break, too, and a new major version (PROJECT_VERSION in CMakeLists.txt, MUNJA_VERSION_* in
munja/types.h, the node of cmake/MunjaLibrary.cmake).

The layouts are those that the C compiler ($CC, else cc) gives on this machine; they are the same on every
64-bit Linux that we build for. TensorFlow Lite's structs have a list of their own, layout.def.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
INCLUDE = HERE.parent.parent / "include"
MARK = '__attribute__((visibility("default")))'


def run(*words):
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"abi.py: {' '.join(map(str, words))}: {done.stderr}")
    return done.stdout


def headers_text(cc):
    """Our headers, preprocessed: what other headers declare is left out."""
    headers = sorted((INCLUDE / "munja").glob("*.h"))
    with tempfile.NamedTemporaryFile("w", suffix=".c") as file:
        file.write("".join(f'#include "munja/{h.name}"\n' for h in headers))
        file.flush()
        text = run(cc, "-E", f"-I{INCLUDE}", file.name)
    ours, kept = False, []
    for line in text.splitlines():
        mark = re.match(r'# \d+ "(.*?)"', line)
        if mark:
            ours = str(INCLUDE / "munja") in mark[1]
        elif ours:
            kept.append(line)
    return headers, re.sub(r"\s+", " ", "\n".join(kept))


def split(text, separator):
    """Parts of `text` between separators that no bracket encloses."""
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text):
        if c in "({[":
            depth += 1
        elif c in ")}]":
            depth -= 1
        elif c == separator and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
    return parts + [text[start:].strip()] if text[start:].strip() else parts


def tidy(declaration):
    declaration = re.sub(r"\s*\*\s*", "* ", declaration)
    return re.sub(r"\* (?=[*),])", "*", re.sub(r"\s+", " ", declaration)).strip()


def signature(declaration):
    """A function's declaration without the names of its parameters: programs do not see those."""
    begin = declaration.rindex("(") if declaration.count("(*)") or declaration.count("(") == 1 else -1
    if begin < 0:
        return tidy(declaration)
    parameters = []
    for parameter in split(declaration[begin + 1:declaration.rindex(")")], ","):
        named = re.match(r"(.*[\s*])(\w+)$", parameter)
        parameters.append(named[1].strip() if named else parameter)
    return tidy(f"{declaration[:begin]}({', '.join(parameters)})")


def fields(body):
    """[(name, type)] of a struct's body."""
    result = []
    for declaration in split(body, ";"):
        callback = re.match(r"(.*)\(\s*\*\s*(\w+)\s*\)\s*(\(.*\))$", declaration)
        if callback:
            result.append((callback[2], signature(f"{callback[1]}(*){callback[3]}")))
            continue
        first, *more = split(declaration, ",")
        of_all, name, array = re.match(r"(.*?[\s*])(\w+)\s*((?:\[\w+\]\s*)*)$", first).groups()
        result.append((name, tidy(of_all + array)))
        for declarator in more:
            name, array = re.match(r"(\w+)\s*((?:\[\w+\]\s*)*)$", declarator).groups()
            result.append((name, tidy(of_all + array)))
    return result


def parse(text):
    structs, enums, functions, callbacks = {}, {}, {}, {}
    text = re.sub(r'extern "C" \{', "", text)
    for declaration in split(text, ";"):
        struct = re.match(r"typedef struct (\w+) \{(.*)\} (\w+)$", declaration)
        enum = re.match(r"typedef enum (\w+) \{(.*)\} (\w+)$", declaration)
        callback = re.match(r"typedef (.*)\(\s*\*\s*(munja_\w+)\s*\)\s*(\(.*\))$", declaration)
        if struct:
            structs[struct[3]] = fields(struct[2])
        elif enum:
            enums[enum[3]] = [value.split("=")[0].strip() for value in split(enum[2], ",")]
        elif callback:
            callbacks[callback[2]] = signature(f"{callback[1]}(*){callback[3]}")
        elif MARK in declaration:
            declaration = tidy(declaration.replace(MARK, ""))
            name = re.search(r"(munja_\w+)\s*\(", declaration)[1]
            functions[name] = signature(declaration)
        elif "munja_" in declaration and not re.match(r"typedef struct \w+ \w+$", declaration):
            sys.exit(f"abi.py: what is this? {declaration}")
    return structs, enums, functions, callbacks


def layout(cc, headers, structs, enums):
    """Rows of structs and enumerations, with the numbers that the compiler gives."""
    lines = ["#include <stdio.h>", "#include <stddef.h>"]
    lines += [f'#include "munja/{h.name}"' for h in headers] + ["int main(void) {"]
    for name, members in sorted(structs.items()):
        lines.append(f'printf("struct {name} %zu\\n", sizeof({name}));')
        for member, kind in members:
            lines.append(f'printf("  %zu %zu {member} : {kind}\\n", offsetof({name}, {member}), '
                         f"sizeof((({name}*)0)->{member}));")
    for name, values in sorted(enums.items()):
        lines.append(f'printf("enum {name} %zu\\n", sizeof({name}));')
        for value in values:
            lines.append(f'printf("  %d {value}\\n", (int){value});')
    lines += ["return 0;", "}"]
    with tempfile.TemporaryDirectory() as folder:
        source, program = f"{folder}/layout.c", f"{folder}/layout"
        pathlib.Path(source).write_text("\n".join(lines) + "\n")
        run(cc, f"-I{INCLUDE}", source, "-o", program)
        return run(program)


def describe(cc, library):
    headers, text = headers_text(cc)
    structs, enums, functions, callbacks = parse(text)
    if len(functions) < 80 or len(structs) < 15:
        sys.exit(f"abi.py: only {len(functions)} functions and {len(structs)} structs found: the search is broken")
    out = layout(cc, headers, structs, enums)
    for name in sorted(callbacks):
        out += f"callback {name} {callbacks[name]}\n"
    for name in sorted(functions):
        out += f"function {name} {functions[name]}\n"
    name = re.search(r"SONAME.*\[(.*)\]", run("readelf", "-d", library))
    out += f"library {name[1] if name else 'without a name'}\n"
    rows = [row.split() for row in run("nm", "-D", "--defined-only", "--with-symbol-versions", library).splitlines()]
    for row in sorted(rows, key=lambda r: r[-1]):
        if row[-2] != "A":  # The names of the versions themselves.
            out += f"symbol {row[-1]}\n"
    return out


def read(text):
    """{(kind, name): (rest of the row, [rows below])}"""
    entries, below = {}, None
    for line in text.splitlines():
        if line.startswith("#") or not line.strip():
            continue
        if line.startswith("  "):
            below.append(line.strip())
            continue
        kind, name, *rest = line.split(" ", 2)
        below = []
        entries[kind, name] = (rest[0] if rest else "", below)
    return entries


def compare(old, new):
    """The changes: (breaks, additions), in words."""
    breaks, additions = [], []
    for key in sorted(old.keys() | new.keys()):
        kind, name = key
        if key not in new:
            breaks.append(f"{kind} {name} is gone: programs that use it do not start or do not build")
        elif key not in old:
            (breaks if kind == "library" else additions).append(f"{kind} {name} is new")
        elif kind == "struct":
            (size, was), (new_size, now) = old[key], new[key]
            kept = was == now[:len(was)]
            has_size = bool(was) and " struct_size :" in was[0]
            if kept and len(now) == len(was):
                if size != new_size:
                    breaks.append(f"struct {name} has {new_size} bytes instead of {size}")
            elif kept and has_size:
                additions += [f"struct {name} has a new field at its end: {row}" for row in now[len(was):]]
            elif kept:
                breaks.append(f"struct {name} has no struct_size, so it cannot grow: {', '.join(now[len(was):])}")
            else:
                for row in was:
                    if row not in now:
                        field = row.split()[2]
                        there = [r for r in now if r.split()[2] == field]
                        breaks.append(f"struct {name}: the field '{row}' " +
                                      (f"is now '{there[0]}'" if there else "is gone"))
                for row in now:
                    if row.split()[2] not in [r.split()[2] for r in was]:
                        breaks.append(f"struct {name}: the field '{row}' is new, but does not stand behind all "
                                      "that were there")
        elif kind == "enum":
            (_, was), (_, now) = old[key], new[key]
            breaks += [f"enum {name}: '{row}' is gone or has another number" for row in was if row not in now]
            additions += [f"enum {name} has a new value: {row}" for row in now
                          if row not in was and row.split()[1] not in [r.split()[1] for r in was]]
        elif old[key] != new[key]:
            breaks.append(f"{kind} {name} was '{old[key][0]}' and is '{new[key][0]}'")
    return breaks, additions


HEAD = """# The binary interface of libmunja, written by tests/abi/abi.py --update. struct: name, bytes; each field's offset,
# bytes, name and type. enum: name, bytes; each value. symbol: what the shared library exports, with its version.
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--library", required=True)
    parser.add_argument("--description", default=HERE / "munja.abi", type=pathlib.Path)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--break", dest="may_break", action="store_true")
    options = parser.parse_args()
    now = describe(os.environ.get("CC", "cc"), options.library)
    was = options.description.read_text() if options.description.exists() else ""
    breaks, additions = compare(read(was), read(now)) if was else ([], [])
    for line in breaks:
        print("breaks programs:", line)
    for line in additions:
        print("compatible:", line)
    if options.update and (options.may_break or not breaks):
        options.description.write_text(HEAD + now)
    elif breaks:
        print("The binary interface is not what tests/abi/munja.abi says. Take the change back, or, for a new major\n"
              f"version only: tests/abi/abi.py --library {options.library} --update --break")
        return 1
    elif additions or not was:
        print("If this is meant, write it down and commit it with the change:\n"
              f"  tests/abi/abi.py --library {options.library} --update")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
