#!/usr/bin/python3
"""Lists that the reference repeats from tables of the sources are complete."""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def found(pattern, *paths):
    """Returns what the pattern's group matches in all of these files."""
    return [name for path in paths for name in re.findall(pattern, path.read_text(encoding="utf-8"), re.M)]


class Lists(unittest.TestCase):
    def test_formats(self):
        rows = found(r'^WRITER\(\w+, (\w+), "([^"]*)"', ROOT / "src/ocr/document/writers/writers.def")
        self.assertGreater(len(rows), 1)
        described = found(r"^\| `(\w+)` \| `\.([^`]*)` \|", ROOT / "docs/reference/cli.md")
        self.assertEqual(sorted(described), sorted(rows))

    def test_custom_operators_of_conversions(self):
        emitted = set(found(r'"(Munja\w+)"', *(p for p in (ROOT / "src/tools/import").rglob("*.cc")
                                               if not p.name.endswith("_test.cc"))))
        self.assertGreater(len(emitted), 1)
        self.assertLessEqual(emitted, set(found(r"^OP\((Munja\w+),", ROOT / "src/core/ops/ops.def")))
        self.assertEqual(emitted, set(found(r"`(Munja\w+)`", ROOT / "docs/reference/model-formats.md")))


if __name__ == "__main__":
    unittest.main()
