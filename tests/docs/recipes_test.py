#!/usr/bin/python3
"""The recipes of packaging/ have the project's version and the archive's name and checksums, and name the libraries that
packaging/README.md and tools/packages.txt list. What can read a recipe here reads it."""
import ast
import hashlib
import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGING = ROOT / "packaging"
VERSION = re.search(r"^project\(munja VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(), re.M)[1]
NOT_LIBRARIES = {"build-essential", "ca-certificates"}
# Parts of vcpkg that every port names, and what Homebrew calls a system.
HELPERS = {"(vcpkg-cmake-config)"}
URL = "https://example.org/munja.tar.gz"


def table():
    """Returns the columns of the table of names: the column's title -> its names, those of a tool in parentheses."""
    rows = re.findall(r"^\| ([\w().+-]+) \|(.*)\|$", (PACKAGING / "README.md").read_text(), re.M)
    titles = [rows[0][0], *(cell.strip() for cell in rows[0][1].split("|"))]
    cells = [[row[0], *(cell.strip() for cell in row[1].split("|"))] for row in rows[1:]]
    return {title: {row[i] for row in cells} - {""} for i, title in enumerate(titles)}


class Recipes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, folder)
        cls.archive = folder / f"munja-{VERSION}.tar.gz"
        cls.archive.write_bytes(b"an archive")
        cls.out = folder / "out"
        subprocess.run([PACKAGING / "fill-in", cls.archive, cls.out, URL], check=True)
        cls.names = table()

    def text(self, name):
        return (self.out / name).read_text(encoding="utf-8")

    def test_every_recipe_is_filled_in(self):
        for path in filter(pathlib.Path.is_file, self.out.rglob("*")):
            if path.suffix != ".gz":
                self.assertIsNone(re.search(r"@[A-Z0-9]+@", path.read_text()), path)

    def test_version_address_and_checksum(self):
        sha256 = hashlib.sha256(b"an archive").hexdigest()
        for name in ("conan/conandata.yml", "homebrew/munja.rb", "nix/package.nix"):
            for words in (VERSION, URL, sha256):
                self.assertIn(f'"{words}"', self.text(name))
        self.assertIn(f'version = "{VERSION}"', self.text("conan/conanfile.py"))
        self.assertEqual(json.loads(self.text("vcpkg/vcpkg.json"))["version-semver"], VERSION)
        for words in (URL, f'"{self.archive.name}"', hashlib.sha512(b"an archive").hexdigest()):
            self.assertIn(words, self.text("vcpkg/portfile.cmake"))
        self.assertIn(f"ADD {self.archive.name} ", self.text("container/Containerfile"))
        self.assertTrue((self.out / "container" / self.archive.name).exists())
        for path, pattern in (("bindings/python/pyproject.toml", r'^version = "([\d.]+)"'),
                              ("bindings/java/pom.xml", r"<version>([\d.]+)</version>"),
                              ("bindings/java/munja-core/pom.xml", r"<version>([\d.]+)</version>"),
                              ("debian/changelog", r"^munja \(([\d.]+)\)")):
            self.assertEqual(re.search(pattern, (ROOT / path).read_text(), re.M)[1], VERSION, path)

    def test_table_has_what_a_build_needs(self):
        section = re.search(r"^\[build\]\n(.*?)\n\n", (ROOT / "tools/packages.txt").read_text(), re.M | re.S)[1]
        self.assertEqual(self.names["Debian"], set(section.split()) - NOT_LIBRARIES)

    def test_vcpkg(self):
        rows = json.loads(self.text("vcpkg/vcpkg.json"))["dependencies"]
        found = {row if isinstance(row, str) else f"({row['name']})" for row in rows}
        self.assertEqual(found - HELPERS, self.names["vcpkg"])

    def test_conan(self):
        text = self.text("conan/conanfile.py")
        ast.parse(text)
        found = set(re.findall(r'^ +"([\w-]+)/\[[^]]*\]",$', text, re.M))
        found |= {f"({name})" for name in re.findall(r'tool_requires\("([\w-]+)/', text)}
        self.assertEqual(found, self.names["Conan"])

    def test_homebrew(self):
        text = self.text("homebrew/munja.rb")
        rows = re.findall(r'^ +depends_on "([^"]+)"( => :build)?', text, re.M)
        found = {f"({name})" if build else name for name, build in rows}
        found |= {f"({name})" for name in re.findall(r'^ +resource "([^"]+)"', text, re.M)}
        self.assertEqual(found, self.names["Homebrew"])
        self.read_by("ruby", "-c", self.out / "homebrew/munja.rb")

    def test_nix(self):
        text = self.text("nix/package.nix")
        lists = {name: set(words.split()) for name, words in re.findall(r"(\w+Inputs) = \[([^]]*)\]", text)}
        found = lists["buildInputs"] | {f"({name})" for name in lists["nativeBuildInputs"]}
        self.assertEqual(found, self.names["Nix"])
        arguments = set(re.findall(r"[\w-]+", re.match(r"\{([^}]*)\}:", text)[1]))
        self.assertEqual(arguments - {"lib", "stdenv"}, lists["buildInputs"] | lists["nativeBuildInputs"])
        for name in ("nix/package.nix", "nix/flake.nix"):
            self.read_by("nix-instantiate", "--parse", self.out / name)

    def test_port_calls_what_vcpkg_has(self):
        """The port runs with substitutes for vcpkg's functions: its variables are set, its files are there."""
        folder = self.out / "vcpkg"
        functions = set(re.findall(r"^(vcpkg_\w+)\(", self.text("vcpkg/portfile.cmake"), re.M))
        self.assertEqual(functions, {
            "vcpkg_download_distfile", "vcpkg_extract_source_archive", "vcpkg_cmake_configure", "vcpkg_cmake_install",
            "vcpkg_cmake_config_fixup", "vcpkg_fixup_pkgconfig", "vcpkg_copy_tools", "vcpkg_install_copyright"})
        substitutes = "".join(f"function({name})\nendfunction()\n" for name in functions)
        (folder / "try.cmake").write_text(
            f"cmake_minimum_required(VERSION 3.25)\nset(CURRENT_PACKAGES_DIR {folder}/packages)\nset(PORT munja)\n"
            f"{substitutes}include({folder}/portfile.cmake)\n")
        self.read_by("cmake", "-P", folder / "try.cmake")
        self.assertTrue((folder / "packages/share/munja/usage").exists())

    def read_by(self, program, *arguments):
        if shutil.which(program):
            done = subprocess.run([program, *arguments], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
