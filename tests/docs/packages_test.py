#!/usr/bin/python3
"""tools/install-packages says what it is about to install, what for and how, before it does."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "tools" / "install-packages"
# A system without libpng-dev and clang, which writes down what it is asked to install.
STUBS = {
    "dpkg": "echo amd64",
    "dpkg-query": 'case "${@: -1}" in libpng-dev|clang) exit 1;; esac; echo "amd64 install ok installed"',
    "apt-get": 'echo "apt-get $*" >> "$CALLS"',
    "sudo": 'echo "sudo $*" >> "$CALLS"',
    "id": "echo 1000",
}


class InstallPackages(unittest.TestCase):
    def run_it(self, *arguments, **environment):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in STUBS.items():
                path = pathlib.Path(folder, name)
                path.write_text("#!/bin/bash\n" + text + "\n")
                path.chmod(0o755)
            calls = pathlib.Path(folder, "calls")
            done = subprocess.run([SCRIPT, *arguments], capture_output=True, text=True, env={
                **os.environ, "PATH": folder + ":" + os.environ["PATH"], "CALLS": str(calls), **environment})
            return done, calls.read_text() if calls.exists() else ""

    def test_names_purpose_and_command_come_first(self):
        done, calls = self.run_it("build", "test")
        self.assertEqual(done.returncode, 0, done.stderr)
        for words in ("compiling the library and the command; the tests and checks", "libpng-dev clang",
                      "as root: sudo apt-get install"):
            self.assertIn(words, done.stderr)
        self.assertIn("libpng-dev clang", calls)
        self.assertNotIn("cmake", calls)

    def test_asked_not_to_it_installs_nothing(self):
        for done, calls in (self.run_it("--dry-run"), self.run_it("build", MUNJA_INSTALL="no")):
            self.assertEqual(done.returncode, 1)
            self.assertIn("sudo apt-get install -y --no-install-recommends libpng-dev\n", done.stderr)
            self.assertNotIn("clang", done.stderr)
            self.assertEqual(calls, "")

    def test_with_everything_there_it_is_silent(self):
        done, calls = self.run_it("aarch64")
        self.assertEqual((done.returncode, done.stdout, done.stderr, calls), (0, "", "", ""))

    def test_debian_control_names_what_a_build_needs(self):
        root = SCRIPT.parents[1]
        section = re.search(r"^\[build\]\n(.*?)\n\n", (root / "tools/packages.txt").read_text(), re.M | re.S)[1]
        depends = re.search(r"^Build-Depends:\n((?: .*\n)+)", (root / "debian/control").read_text(), re.M)[1]
        missing = set(section.split()) - set(re.findall(r"[\w.+-]+", depends))
        self.assertEqual(missing, {"build-essential"})  # Every Debian build has it.


if __name__ == "__main__":
    unittest.main()
