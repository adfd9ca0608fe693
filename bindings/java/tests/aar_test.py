#!/usr/bin/env python3
"""Tests tools/check-android-library and tools/build-aar with small libraries that the compiler of this machine makes.

tools/test-java runs it, after the classes have been compiled.
"""
import pathlib
import platform
import struct
import subprocess
import tempfile
import unittest
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
SOURCE = "int JNI_OnLoad(void* vm, void* more) { (void)vm; (void)more; return 0x10006; }\n"
HERE, OTHER = "x86_64", "arm64-v8a"
if platform.machine() != "x86_64":
    HERE, OTHER = OTHER, HERE
PT_GNU_STACK = 0x6474E551
# As bindings/java/native/CMakeLists.txt links.
LINK = ["-Wl,-z,max-page-size=16384", "-Wl,-z,noexecstack"]


class AndroidTest(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        self.folder = pathlib.Path(self.scratch.name)

    def library(self, source=SOURCE, link=LINK, abi=HERE, shows="JNI_OnLoad"):
        """A library for Linux: the checks are of what both systems have in common."""
        target = self.folder / abi / "libmunja-jni.so"
        target.parent.mkdir(exist_ok=True)
        (self.folder / "exports.map").write_text(f"{{ global: {shows}; local: *; }};\n")
        (self.folder / "source.c").write_text(source)
        subprocess.run(["cc", "-shared", "-fPIC", "-nostdlib", f"-Wl,--version-script={self.folder}/exports.map",
                        "-o", target, self.folder / "source.c", *link], check=True)
        return target

    def check(self, library):
        """The exit code and what is said."""
        done = subprocess.run([ROOT / "tools/check-android-library", library], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def refused(self, library, because):
        code, text = self.check(library)
        self.assertEqual(code, 1, text)
        self.assertIn(because, text)

    def test_library_as_it_is_linked_is_accepted(self):
        code, text = self.check(self.library("#include <string.h>\nint JNI_OnLoad(char* a) { return (int)strlen(a); }\n"))
        self.assertEqual(code, 0, text)

    def test_stack_without_alignment_is_marked(self):
        """As lld writes it, which links for Android: the GNU linker gives 16."""
        library = self.library()
        image = bytearray(library.read_bytes())
        first, size, count = *struct.unpack_from("<Q", image, 0x20), *struct.unpack_from("<HH", image, 0x36)
        stack, = (at for at in range(first, first + size * count, size)
                  if struct.unpack_from("<I", image, at)[0] == PT_GNU_STACK)
        struct.pack_into("<Q", image, stack + 0x30, 0)
        library.write_bytes(image)
        code, text = self.check(library)
        self.assertEqual(code, 0, text)

    def test_pages_of_4_kilobytes_are_refused(self):
        self.refused(self.library(link=["-Wl,-z,max-page-size=4096"]), "aligned to 4096")

    def test_function_that_android_lacks_is_refused(self):
        source = "int backtrace_symbols_fd(void);\nint JNI_OnLoad(void) { return backtrace_symbols_fd(); }\n"
        self.refused(self.library(source), "it imports backtrace_symbols_fd")

    def test_library_of_others_is_refused(self):
        self.library("void other(void) {}\n", ["-Wl,-soname,libother.so"], "other", "other")
        other = self.folder / "other" / "libmunja-jni.so"
        self.refused(self.library(link=[*LINK, "-Wl,--no-as-needed", other]), "it needs libother.so")

    def test_relocations_in_code_are_refused(self):
        source = SOURCE + '__asm__(".text\\n.quad JNI_OnLoad\\n");\n'
        self.refused(self.library(source, [*LINK, "-Wl,-z,notext"]), "text relocations")

    def test_executable_stack_is_refused(self):
        self.refused(self.library(link=["-Wl,-z,max-page-size=16384", "-Wl,-z,execstack"]), "stack is executable")

    def test_other_symbols_are_refused(self):
        self.refused(self.library(SOURCE + "void munja_more(void) {}\n", shows="*"), "munja_more")

    def test_library_of_another_machine_is_refused(self):
        self.refused(self.library(abi=OTHER), f"its directory is {OTHER}")

    def test_aar_has_what_a_build_needs_and_nothing_of_the_desktop(self):
        self.library()
        aar = self.folder / "munja.aar"
        command = [ROOT / "tools/build-aar", "--libraries", self.folder, "--output", aar]
        subprocess.run(command, check=True)
        first = aar.read_bytes()
        subprocess.run(command, check=True)
        self.assertEqual(first, aar.read_bytes(), "the same files make another archive")
        with zipfile.ZipFile(aar) as archive:
            names = archive.namelist()
            with zipfile.ZipFile(archive.open("classes.jar")) as jar:
                classes = jar.namelist()
        for name in ["AndroidManifest.xml", "classes.jar", "R.txt", "proguard.txt", f"jni/{HERE}/libmunja-jni.so"]:
            self.assertIn(name, names)
        self.assertIn("io/munja/android/AndroidImages.class", classes)
        self.assertEqual([], [name for name in classes if "Awt" in name or name.endswith(".so")])

    def test_aar_without_a_library_is_refused(self):
        done = subprocess.run([ROOT / "tools/build-aar", "--libraries", self.folder, "--output", self.folder / "x.aar"],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("tools/build-android", done.stderr)


if __name__ == "__main__":
    unittest.main()
