#!/usr/bin/env python3
"""Units for clang-tidy: the sources of all modules that may be compiled as one, in as few as can be.

Looking at headers is most of the work, whatever includes them. Units of a unity build have a dozen files, to
keep some cores busy; here they are put together, those of several modules too, until two have the same private
name. Sources that read files which others wrote (ANALYZED) are put together as well, apart from the rest: clang's
analyzer follows the functions of a unit's own file only, and, in a unit whose name has UnifiedSource in it, those of
the sources that it includes. The rest has no such name, since analyzing all takes many times as long.

    lint_units.py BUILD FOLDER    reads BUILD/compile_commands.json; writes FOLDER/*.cc and
                                  FOLDER/compile_commands.json; prints the units, those that take longest first
"""
import json
import os
import re
import shlex
import sys

NAMES = [
    r"(?:template.*>\s*)?(?:struct|class|enum class|enum|union) (?!alignas)(\w+)",
    r"using (\w+) =",
    r"(?! )[\w:<>&*, \[\]]*?[ &*>](?!operator|alignas)(\w+)\(([^)]*)",  # With the types that it takes.
    r"(?:constexpr|const|static|thread_local|std)[\w:<>&*, ]* (\w+)(?:\[|\{| =|;)",
]


LARGEST = 1000000  # Bytes of a unit's files.
ANALYZED = re.compile(r"/(tflite|bundle|image/codecs)/")


def private_names(text):
    """The names that a file declares at the start of a line in an unnamed namespace, and its macros."""
    names = set(re.findall(r"^#define (\w+)", text, re.M)) - set(re.findall(r"^#undef (\w+)", text, re.M))
    names |= set(re.findall(r"^int (main)\(", text, re.M))
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


def public_types(root):
    """The types that headers name at the start of a line, with the namespace that the header begins with."""
    names = set()
    for folder, _, files in (*os.walk(os.path.join(root, "src")), *os.walk(os.path.join(root, "training"))):
        for file in files:
            if file.endswith(".h"):
                text = open(os.path.join(folder, file)).read()
                around = re.search(r"^namespace ([\w:]+) \{", text, re.M)
                for name in re.findall(r"^(?:struct|class|enum class|enum|union|using) (\w+)", text, re.M):
                    names.add((around[1] if around else "", name))
    return names


def options_of(words):
    """A command in parts: where headers are found, macros by their names, and what else matters to a reader."""
    options = {"words": [], "found": [], "defined": {}}
    words = iter(words)
    for word in words:
        if word == "-isystem":
            options["found"].append(f"-isystem{next(words)}")
        elif word.startswith("-I"):
            options["found"].append(word)
        elif word.startswith("-D"):
            options["defined"][word.split("=")[0]] = word
        elif not word.startswith(("-O", "-W", "-f", "-m", "-g")) and word not in ("-mllvm",) and "threshold" not in word:
            options["words"].append(word)
    return options


def may_join(pack, part):
    """Whether one unit may be made of both: no private name or macro of one means something else in the other."""
    return (pack["analyzed"] == part["analyzed"] and pack["words"] == part["words"]
            and pack["directory"] == part["directory"] and pack["apart"] == part["apart"]
            and pack["surface"] == part["surface"]
            and pack["size"] + part["size"] < LARGEST and not pack["names"] & part["names"]
            and all(pack["defined"].get(name, word) == word for name, word in part["defined"].items()))


def main(build, folder):
    parts = []  # The files that one command compiles.
    for command in json.load(open(os.path.join(build, "compile_commands.json"))):
        file = command["file"]
        unit = re.search(r"/CMakeFiles/([a-z_]+)\.dir/Unity/", file)
        target = re.search(r"CMakeFiles/([^/]+)\.dir/", command["command"]).group(1)
        if not unit and (not re.search(r"/(src|apps|server|training)/", file) or "/build/" in file):
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
        for analyzed in (True, False):
            some = [file for file in files if bool(ANALYZED.search(file)) == analyzed]
            if some:
                parts.append((target, command["directory"], words, some, analyzed))
    packed = []
    types = public_types(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    for target, directory, words, files, analyzed in parts:
        texts = [open(file).read() for file in files]
        part = {"target": target, "directory": directory, "files": files, "analyzed": analyzed,
                "names": set().union(*map(private_names, texts)), "size": sum(map(len, texts)), **options_of(words)}
        # munja.hpp, which programs include, has types of the names that modules have. Composition roots define the
        # same function, and plug-ins of tests their own types.
        alone = re.search(r"/(linked|tests)/", files[0])
        part["surface"] = target if alone else bool(re.search(r"/(apps|examples|server)/", files[0]))
        # A private name that is also a type of a header of this namespace is ambiguous where that is included.
        part["apart"] = target if types & {name[:2] for name in part["names"] if isinstance(name, tuple)} else ""
        pack = next((p for p in packed if may_join(p, part)), None)
        if pack is None:
            packed.append(part)
            continue
        pack["names"] |= part["names"]
        pack["files"] += part["files"]
        pack["size"] += part["size"]
        pack["found"] += [option for option in part["found"] if option not in pack["found"]]
        pack["defined"] |= part["defined"]
    units = []
    for pack in packed:
        kind = "UnifiedSource" if pack["analyzed"] else pack["target"]
        file = os.path.join(folder, f"{kind}_{len(units)}{os.path.splitext(pack['files'][0])[1]}")
        with open(file, "w") as out:
            out.writelines(f'#include "{f}"\n' for f in pack["files"])
        arguments = [*pack["words"], *pack["defined"].values(), *pack["found"], "-c", file]
        work = pack["size"] * (6 if pack["analyzed"] else 1)
        units.append((work, {"directory": pack["directory"], "file": file, "arguments": arguments}))
    json.dump([command for _, command in units], open(os.path.join(folder, "compile_commands.json"), "w"), indent=1)
    for _, command in sorted(units, key=lambda unit: -unit[0]):
        print(command["file"])


main(*sys.argv[1:])
