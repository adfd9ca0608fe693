#!/usr/bin/env python3
"""Units for clang-tidy: the sources of a module that may be compiled as one, in as few as can be.

Looking at headers is most of the work, whatever includes them. Units of a unity build have a dozen files, to
keep some cores busy; here they are put together until two have the same private name. A file that is compiled
alone stays so: clang's analyzer follows the functions of a unit's own file only, not of those that it includes.

    lint_units.py BUILD FOLDER    reads BUILD/compile_commands.json; writes FOLDER/*.cc and
                                  FOLDER/compile_commands.json; prints the units, largest first
"""
import collections
import json
import os
import re
import shlex
import sys

NAMES = [
    r"(?:template.*>\s*)?(?:struct|class|enum class|enum|union) (?!alignas)(\w+)",
    r"using (\w+) =",
    r"[\w:<>&*, \[\]]*?[ &*>](?!operator|alignas)(\w+)\(([^)]*)",  # With the types that it takes.
    r"(?:constexpr|const|static|thread_local|std)[\w:<>&*, ]* (\w+)(?:\[|\{| =|;)",
]


def private_names(text):
    """What a file names at the start of a line in an unnamed namespace, and its macros."""
    names = set(re.findall(r"^#define (\w+)", text, re.M)) - set(re.findall(r"^#undef (\w+)", text, re.M))
    for found in re.finditer(r"^namespace \{\n(.*?)^\}  // namespace\n", text, re.S | re.M):
        around = re.findall(r"^namespace ([\w:]+) \{", text[: found.start()], re.M)
        for line in found.group(1).split("\n"):
            for pattern in NAMES:
                name = re.match(pattern, line)
                if name:
                    takes = name.group(2) if name.re.groups > 1 else ""
                    types = tuple(re.sub(r"\w+$", "", one).strip() for one in takes.split(","))
                    names.add((around[-1] if around else "", name.group(1), types))
                    break
    return names


def main(build, folder):
    groups = collections.defaultdict(list)  # Files by the command that compiles them.
    for command in json.load(open(os.path.join(build, "compile_commands.json"))):
        file = command["file"]
        unit = re.search(r"/CMakeFiles/([a-z_]+)\.dir/Unity/", file)
        target = re.search(r"CMakeFiles/([^/]+)\.dir/", command["command"]).group(1)
        if not unit and (not re.search(r"/(src|cli)/", file) or "/build/" in file):
            continue
        if target.endswith(("_test", "_bench", "_replay")) or re.search(r"_(test|bench|fuzz)\.cc$", file):
            continue
        text = open(file).read()
        # Kernels for each set of vector instructions are left out: they are compiled once for each.
        if "foreach_target.h" in text:
            continue
        words = shlex.split(command["command"])
        words = words[[os.path.basename(w).startswith(("clang", "c++", "g++", "cc", "gcc")) and "cache" not in w
                       for w in words].index(True):]
        at = words.index("-o")
        del words[at : at + 2]
        words = words[: words.index("-c")]
        files = re.findall(r'^#include "(.*)"', text, re.M) if unit else [file]
        groups[(target, command["directory"], tuple(words))].append((files, bool(unit)))
    units = []
    for (target, directory, words), parts in groups.items():
        packed = []
        for files, may_grow in parts:
            texts = [open(file).read() for file in files]
            names = set().union(*map(private_names, texts))
            pack = next((p for p in packed if p["may_grow"] and may_grow and not p["names"] & names), None)
            if pack is None:
                pack = {"names": set(), "files": [], "size": 0, "may_grow": may_grow}
                packed.append(pack)
            pack["names"] |= names
            pack["files"] += files
            pack["size"] += sum(map(len, texts))
        for pack in packed:
            file = pack["files"][0]
            if pack["may_grow"]:
                file = os.path.join(folder, f"{target}_{len(units)}.cc")
                with open(file, "w") as out:
                    out.writelines(f'#include "{f}"\n' for f in pack["files"])
            units.append((pack["size"], {"directory": directory, "file": file,
                                         "arguments": [*words, "-c", file]}))
    json.dump([command for _, command in units], open(os.path.join(folder, "compile_commands.json"), "w"), indent=1)
    for _, command in sorted(units, key=lambda unit: -unit[0]):
        print(command["file"])


main(*sys.argv[1:])
