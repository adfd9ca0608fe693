#!/usr/bin/python3
"""tools/hunspell_words.py, tools/european_words.py and tools/language-table: forms of a dictionary's words, which of them
are taken, and which count as right."""
import importlib.machinery
import importlib.util
import pathlib
import random
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tools"))
import european_words  # noqa: E402
import hunspell_words  # noqa: E402


class Forms(unittest.TestCase):
    def words(self, affixes, dictionary, encoding="utf-8"):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "x.dic"
            path.write_bytes(dictionary.encode(encoding))
            path.with_suffix(".aff").write_bytes(affixes.encode(encoding))
            return sorted(hunspell_words.words_of(path, random.Random(1)))

    def test_affixes_are_added_where_their_conditions_fit(self):
        affixes = "SET UTF-8\nSFX A Y 2\nSFX A a e [^k]a\nSFX A ka ce ka\nPFX B Y 1\nPFX B 0 ne .\n"
        self.assertEqual(self.words(affixes, "3\nruka/A\nžena/A\nvidim/B\n"),
                         ["nevidim", "ruce", "ruka", "vidim", "žena", "žene"])

    def test_older_encodings(self):
        self.assertEqual(self.words("SET ISO8859-2\n", "1\nkuće\n", "iso8859-2"), ["kuće"])
        self.assertEqual(self.words("SET ISO8859-13\nSFX A Y 1\nSFX A as ų .\n", "1\nžodžias/A\n", "iso8859-13"),
                         ["žodžias", "žodžių"])

    def test_flags_of_two_letters_numbers_and_aliases(self):
        self.assertEqual(self.words("SET UTF-8\nFLAG long\nSFX Aa Y 1\nSFX Aa 0 s .\n", "1\ndom/BbAa\n"),
                         ["dom", "doms"])
        self.assertEqual(self.words("SET UTF-8\nFLAG num\nSFX 12 Y 1\nSFX 12 0 s .\n", "1\ndom/3,12\n"),
                         ["dom", "doms"])
        self.assertEqual(self.words("SET UTF-8\nAF 2\nAF B\nAF A\nSFX A Y 1\nSFX A 0 s .\n", "1\ndom/2\tpo:noun\n"),
                         ["dom", "doms"])

    def test_what_is_no_word_by_itself_gives_its_forms_only(self):
        self.assertEqual(self.words("SET UTF-8\nNEEDAFFIX Z\nSFX A Y 1\nSFX A 0 s .\n", "1\ndom/AZ\n"), ["doms"])


class Choice(unittest.TestCase):
    def test_each_letter_beyond_ascii_comes_about_as_often(self):
        words = [f"ē{i}" for i in range(5000)] + [f"ģ{i}" for i in range(100)] + [f"a{i}" for i in range(5000)]
        chosen = european_words.choose(words, 400, 0.5, random.Random(1))
        self.assertEqual(len(chosen), 400)
        self.assertEqual(len(set(chosen)), 400)
        # Half of the list is shared by two letters; without it one word in a hundred would have the second.
        self.assertGreaterEqual(sum("ģ" in word for word in chosen), 100)

    def test_short_lists_are_taken_whole(self):
        self.assertEqual(european_words.choose(["b", "a"], 5, 0.5, random.Random(1)), ["b", "a"])

    def test_one_word_in_twenty_is_kept_out_whatever_its_case(self):
        words = [f"word{i}" for i in range(4000)]
        out = [word for word in words if european_words.is_held_out(word)]
        self.assertAlmostEqual(len(out), 200, delta=70)  # Five standard deviations.
        self.assertTrue(all(european_words.is_held_out(word.upper()) for word in out))


class Score(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        try:
            import PIL  # noqa: F401
        except ImportError:
            raise unittest.SkipTest("python3-pil is not installed")
        loader = importlib.machinery.SourceFileLoader("language_table", str(ROOT / "tools" / "language-table"))
        cls.table = importlib.util.module_from_spec(importlib.util.spec_from_loader("language_table", loader))
        loader.exec_module(cls.table)

    def test_words_are_right_in_their_order_whatever_is_missing_beside_them(self):
        self.assertEqual(self.table.right_words("rijeka šuma kuća", "rijeka kuca x"),
                         [("rijeka", True), ("šuma", False), ("kuća", False)])
        self.assertEqual(self.table.right_words("rijeka šuma kuća", "šuma kuća"),
                         [("rijeka", False), ("šuma", True), ("kuća", True)])
        self.assertEqual(self.table.right_words("rijeka šuma", ""), [("rijeka", False), ("šuma", False)])


if __name__ == "__main__":
    unittest.main()
