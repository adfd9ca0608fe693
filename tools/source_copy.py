"""A copy of the source tree to change and build, so that the tree that a tool is started in stays as it is."""
import functools
import glob
import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


@functools.lru_cache
def list_modules():
    found = []
    for path in glob.glob(os.path.join(ROOT, "src", "*", "CMakeLists.txt")) + [os.path.join(ROOT, "training", "CMakeLists.txt")]:
        found += re.findall(r"munja_module\((\S+)", read(path))
    return found


def module_of(file):
    """The innermost folder that is a module: src/core/ops/conv is of ops, src/accel/drivers/local of drivers/local."""
    folders = os.path.dirname(file).split("/")
    if folders[0] in ("apps", "server"):
        return "cli" if folders[0] == "apps" else "server"
    path = "/".join(folders[1:]) + "/"
    return max((module for module in list_modules() if module + "/" in path), key=len, default=folders[-1])


def copy_tree(tree, changed=None):
    """Brings the copy up to date; what is the same keeps its time, so that nothing is compiled for it.

    changed: texts of files that differ in the copy, by their names in the tree."""
    changed = changed or {}
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                            stdout=subprocess.PIPE, check=True).stdout.decode().split("\0")
    names = {name for name in listed if name and os.path.exists(os.path.join(ROOT, name))}
    for folder, folders, files in os.walk(tree):
        if folder == tree and "build" in folders:
            folders.remove("build")
        for name in files:
            path = os.path.join(folder, name)
            if os.path.relpath(path, tree) not in names:
                os.remove(path)
    for name in names:
        source, target = os.path.join(ROOT, name), os.path.join(tree, name)
        if name in changed:
            if not os.path.exists(target) or read(target) != changed[name]:
                os.makedirs(os.path.dirname(target), exist_ok=True)
                write(target, changed[name])
            continue
        if os.path.exists(target):
            with open(source, "rb") as a, open(target, "rb") as b:
                if a.read() == b.read():
                    continue
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copy(source, target)  # Not its time: a change must look new to the build.


def configure(tree, build, options):
    """Configures the copy as the tests are, with a compiler cache where there is one."""
    launcher = ["-DCMAKE_C_COMPILER_LAUNCHER=ccache", "-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"]
    done = subprocess.run(["cmake", "--preset", "tests", "-S", tree, "-B", build] + options +
                          (launcher if shutil.which("ccache") else []),
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=tree)
    if done.returncode != 0:
        sys.exit(done.stdout.decode(errors="replace"))
