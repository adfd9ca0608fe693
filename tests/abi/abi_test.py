#!/usr/bin/python3
"""Tests what abi.py says of changes, each planted in a small description."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import abi

OLD = """struct grows 16
  0 8 struct_size : size_t
  8 4 threads : int32_t
struct fixed 8
  0 4 width : int32_t
  4 4 height : int32_t
enum status 4
  0 OK
  1 BAD
function munja_read void munja_read(int a)
library libmunja.so.0
symbol munja_read@@MUNJA_0
"""


class Compare(unittest.TestCase):
    def check(self, old, new, breaks, additions):
        self.assertIn(old, OLD)
        found = abi.compare(abi.read(OLD), abi.read(OLD.replace(old, new)))
        for lines, words in zip(found, (breaks, additions)):
            self.assertEqual(len(lines), len(words), found)
            for line, word in zip(lines, words):
                self.assertIn(word, line)

    def test_nothing(self):
        self.check("", "", [], [])

    def test_what_may_be_added(self):
        field = "  8 4 threads : int32_t\n"
        self.check(field, field + "  12 4 more : int32_t\n", [], ["new field at its end: 12 4 more"])
        self.check("library", "function munja_new int munja_new(void)\nlibrary", [], ["munja_new is new"])
        self.check("  1 BAD\n", "  1 BAD\n  2 WORSE\n", [], ["new value: 2 WORSE"])

    def test_what_may_not(self):
        self.check("  8 4 threads : int32_t\n", "  8 4 more : int32_t\n  12 4 threads : int32_t\n",
                   ["is now '12 4 threads", "'8 4 more : int32_t' is new"], [])
        self.check("  8 4 threads : int32_t", "  8 8 threads : int64_t", ["is now '8 8 threads : int64_t'"], [])
        self.check("  8 4 threads : int32_t\n", "", ["'8 4 threads : int32_t' is gone"], [])
        self.check("  4 4 height : int32_t\n", "  4 4 height : int32_t\n  8 4 depth : int32_t\n",
                   ["has no struct_size"], [])
        self.check("struct fixed 8", "struct fixed 16", ["16 bytes instead of 8"], [])
        self.check("  1 BAD", "  2 BAD", ["'1 BAD' is gone or has another number"], [])
        self.check("munja_read(int a)\n", "munja_read(long a)\n", ["was 'void munja_read(int a)'"], [])
        self.check("symbol munja_read@@MUNJA_0\n", "", ["symbol munja_read@@MUNJA_0 is gone"], [])
        self.check("libmunja.so.0", "libmunja.so.1", ["libmunja.so.0 is gone", "libmunja.so.1 is new"], [])

    def test_headers_are_parsed(self):
        structs, enums, functions, callbacks = abi.parse(
            "typedef struct a a; typedef struct b { double x, y; const char* const* t; int (*f)(void* u, int n); "
            "int32_t d[8]; } b; typedef enum e { E = 0, F = 1 } e; typedef int (*munja_f)(void* c); "
            + abi.MARK + " void munja_g(b* x);")
        self.assertEqual(structs, {"b": [("x", "double"), ("y", "double"), ("t", "const char* const*"),
                                         ("f", "int (*)(void*, int)"), ("d", "int32_t [8]")]})
        self.assertEqual(enums, {"e": ["E", "F"]})
        self.assertEqual(functions, {"munja_g": "void munja_g(b*)"})
        self.assertEqual(callbacks, {"munja_f": "int (*)(void*)"})


unittest.main()
