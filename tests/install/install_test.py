#!/usr/bin/python3
"""Tries the tree that "cmake --install" makes: programs outside the tree are configured, built and run with it.

The expected texts are those that the sample image shows and that arithmetic gives (the network doubles its input)."""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

OPTIONS = None
# Bytes of libmunja-runtime.so without symbols. The goal is 2 MiB; this is today's size with a margin, so that growth is
# noticed.
MAX_RUNTIME = 4_800_000


def run(*words, code=0, **options):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, **options)
    if done.returncode != code:
        raise AssertionError(f"{words}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def libraries_of(program):
    """Names of the shared libraries that it is linked with."""
    return re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "-d", program))


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        # Staged as packages are made, for another place than where it lies then.
        cls.stage = cls.folder / "stage"
        for component in ("programs", "libraries", "development"):
            run(OPTIONS.cmake, "--install", OPTIONS.build, "--prefix", "/usr", "--component", component,
                env={"DESTDIR": str(cls.stage), "PATH": "/usr/bin:/bin"})
        cls.prefix = cls.folder / "moved here"
        (cls.stage / "usr").rename(cls.prefix)
        [cls.lib] = [path.parent for path in cls.prefix.rglob("libmunja.so")]
        cls.receipt = OPTIONS.sources / "testdata/pictures/receipt.jpg"
        cls.doubles = OPTIONS.sources / "testdata/models/double.tflite"
        cls.work = cls.folder / "work"
        cls.work.mkdir()

    def compile(self, compiler, package, source, *flags, prefix=None):
        """Compiles a program with what pkg-config says, and returns its path."""
        program = self.work / source.replace(".", "_")
        lib = (prefix or self.prefix) / self.lib.relative_to(self.prefix)
        environment = {"PKG_CONFIG_PATH": str(lib / "pkgconfig"), "PATH": "/usr/bin:/bin"}
        said = run("pkg-config", "--cflags", "--libs", package, env=environment)
        # A blank in the path comes with a backslash before it.
        words = [word.replace("\\ ", " ") for word in re.findall(r"(?:\\.|\S)+", said)]
        run(compiler, OPTIONS.sources / "tests/install/program" / source, *flags, *words, f"-Wl,-rpath,{lib}", "-o", program)
        return program

    def assert_doubled(self, text):
        self.assertEqual(text.split()[:3], ["2", "4", "6"])

    def test_stage_has_each_component(self):
        for path in ("bin/munja", "bin/munja-tools", "bin/munja-tesseract", "bin/munja-driver-host",
                     "include/munja/munja.hpp", "include/munja/tools/convert.h",
                     "include/munja/tflite/tensorflow/lite/c/c_api.h"):
            self.assertTrue((self.prefix / path).is_file(), path)
        for name in ("munja", "munja-runtime", "munja-tflite", "munja-tools"):
            self.assertEqual((self.lib / f"lib{name}.so").resolve(), (self.lib / f"lib{name}.so.0").resolve())
            self.assertIn(f"[lib{name}.so.0]", run("readelf", "-d", self.lib / f"lib{name}.so"))
            self.assertTrue((self.lib / "pkgconfig" / f"{name}.pc").is_file())
        for name in ("munja", "munja-runtime"):
            self.assertTrue((self.lib / f"lib{name}.a").is_file())
        # Nothing remembers the directory that it was built in.
        for path in (*self.prefix.glob("bin/*"), *self.lib.glob("*.so")):
            self.assertNotRegex(run("readelf", "-d", path), "RPATH|RUNPATH")

    def test_command_reads(self):
        text = run(self.prefix / "bin/munja", "read", self.receipt, env={})
        self.assertIn("BAKERY NORTHWIND", text)
        # Handed over to munja-tools, which lies beside it.
        self.assertIn("munja convert", run(self.prefix / "bin/munja", "convert", "--help", env={}))

    def test_cmake_package(self):
        build = self.work / "build"
        run(OPTIONS.cmake, "-S", OPTIONS.sources / "tests/install/program", "-B", build, "-DCMAKE_BUILD_TYPE=Release",
            f"-DCMAKE_PREFIX_PATH={self.prefix}", f"-DCMAKE_C_COMPILER={OPTIONS.cc}",
            f"-DCMAKE_CXX_COMPILER={OPTIONS.cxx}")
        run(OPTIONS.cmake, "--build", build, "--parallel", "2")
        for program in ("read", "read_tools", "read_static"):
            with self.subTest(program):
                self.assertIn("BAKERY NORTHWIND", run(build / program, self.receipt))
        for program in ("run", "run_static", "run_tflite"):
            with self.subTest(program):
                self.assert_doubled(run(build / program, self.doubles))
        for program in ("read_static", "run_static"):
            self.assertFalse([name for name in libraries_of(build / program) if "munja" in name])
        # The version of the package is that of the library.
        version = re.search(r'set\(PACKAGE_VERSION "(.*)"\)', next(self.lib.rglob("MunjaConfigVersion.cmake")).read_text())
        self.assertIn(f"version {version[1]}\n", run(build / "run", self.doubles))

    def test_pkg_config(self):
        program = self.compile(OPTIONS.cxx, "munja", "read.cc", "-std=c++20")
        self.assertIn("BAKERY NORTHWIND", run(program, self.receipt))
        self.assert_doubled(run(self.compile(OPTIONS.cc, "munja-tflite", "run_tflite.c"), self.doubles))

    def test_runtime_alone(self):
        """Nothing of Munja but the runtime's library and the headers."""
        alone = self.folder / "alone"
        lib = alone / self.lib.relative_to(self.prefix)
        (lib / "pkgconfig").mkdir(parents=True)
        for path in self.lib.glob("libmunja-runtime.so*"):
            shutil.copy2(path, lib, follow_symlinks=False)
        shutil.copy2(self.lib / "pkgconfig/munja-runtime.pc", lib / "pkgconfig")
        shutil.copytree(self.prefix / "include", alone / "include")
        self.assert_doubled(run(self.compile(OPTIONS.cc, "munja-runtime", "run.c", prefix=alone), self.doubles))
        # It needs the language's own libraries, and libzip for files that are packed with a network.
        library = lib / "libmunja-runtime.so.0"
        for name in libraries_of(library):
            self.assertRegex(name, r"^(lib(stdc\+\+|gcc_s|m|c|zip)\.so|ld-linux)")
        run(OPTIONS.strip, "-o", self.work / "stripped", library)
        size = (self.work / "stripped").stat().st_size
        print(f"libmunja-runtime.so without symbols: {size:,} bytes")
        self.assertLess(size, MAX_RUNTIME)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    for name in ("cmake", "build", "cc", "cxx", "strip"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--sources", type=pathlib.Path, required=True)
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)
