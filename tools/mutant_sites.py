"""Places of a C++ file where a small fault can be put, found in what clang makes of it.

A site is replaced by a choice that the process makes when it gets there: `(MunjaAtMutant(7) ? (a <= b) : (a < b))`, so
that one build holds all mutants (mutant schemata). Only built-in types are touched: numbers, enumerations, pointers.
"""
import json
import os
import re
import shlex

from clang import cindex
from clang.cindex import CursorKind, TypeKind

COMPARED = {"<": ["<=", ">"], "<=": ["<", ">="], ">": [">=", "<"], ">=": [">", "<="]}
EQUAL = {"==": "!=", "!=": "=="}
SIGNS = {"+": "-", "-": "+"}
FACTORS = {"*": "/", "/": "*"}
ASSIGNED = {"+=": "-=", "-=": "+="}
ROUNDED = {"floor": "ceil", "ceil": "floor", "round": "floor", "lround": "floor", "lrint": "ceil", "lroundf": "floor",
           "lrintf": "ceil", "trunc": "ceil", "nearbyint": "ceil"}
BOUNDS = {"min": "max", "max": "min"}
KINDS = ["comparison", "bound", "constant", "sign", "rounding", "dropped condition", "swapped argument", "dropped call"]
NUMBERS = {TypeKind.BOOL, TypeKind.CHAR_S, TypeKind.CHAR_U, TypeKind.SCHAR, TypeKind.UCHAR, TypeKind.SHORT,
           TypeKind.USHORT, TypeKind.INT, TypeKind.UINT, TypeKind.LONG, TypeKind.ULONG, TypeKind.LONGLONG,
           TypeKind.ULONGLONG, TypeKind.FLOAT, TypeKind.DOUBLE}
BUILT_IN = NUMBERS | {TypeKind.ENUM, TypeKind.POINTER}
# Within these nothing is chosen while the program runs.
FIXED = {CursorKind.STATIC_ASSERT, CursorKind.ENUM_DECL, CursorKind.TEMPLATE_TYPE_PARAMETER, CursorKind.CXX_UNARY_EXPR,
         CursorKind.TEMPLATE_NON_TYPE_PARAMETER, CursorKind.TYPE_ALIAS_DECL, CursorKind.TYPEDEF_DECL,
         CursorKind.PARM_DECL, CursorKind.FIELD_DECL}


def commands(build):
    """The compiler's options of each source, by its name; the files of a unity build have those of their unit."""
    found = {}
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        entries = json.load(file)
    for entry in entries:
        words = shlex.split(entry["command"])
        options = []
        at = next(i for i, word in enumerate(words) if os.path.basename(word) in ("c++", "g++", "clang++", "cc", "gcc"))
        words = iter(words[at + 1:])
        for word in words:
            if word in ("-isystem", "-include"):
                options += [word, next(words)]
            elif word.startswith(("-I", "-D", "-std")):
                options.append(word)
        files = [entry["file"]]
        if "/Unity/" in entry["file"]:
            with open(entry["file"], encoding="utf-8") as file:
                files = re.findall(r'^#include "(.*)"', file.read(), re.M)
        for name in files:
            found.setdefault(os.path.realpath(name), (entry["directory"], options))
    return found


class Finder:
    def __init__(self, path, command):
        with open(path, "rb") as file:
            self.bytes = file.read()
        self.path = path
        directory, options = command
        options = ["-w", "-ferror-limit=0"] + [o if not o.startswith("-I") or os.path.isabs(o[2:])
                                               else "-I" + os.path.join(directory, o[2:]) for o in options]
        self.unit = cindex.Index.create().parse(path, options)
        self.sites = []

    def text(self, start, end):
        return self.bytes[start:end].decode("utf-8", "replace")

    def of(self, cursor):
        return self.text(cursor.extent.start.offset, cursor.extent.end.offset)

    def add(self, kind, cursor, mutant, original=None, what=None):
        start, end = cursor.extent.start, cursor.extent.end
        sound = self.text(start.offset, end.offset)
        self.sites.append({"kind": kind, "line": start.line, "start": start.offset, "end": end.offset, "old": sound,
                           "new": what or mutant, "choice": "(MunjaAtMutant(%%d) ? %s : %s)" %
                           (mutant.replace("%", "%%"), (original or "(%s)" % sound).replace("%", "%%"))})

    def find(self):
        errors = [d for d in self.unit.diagnostics if d.severity >= cindex.Diagnostic.Fatal]
        if errors:
            return []
        for cursor in self.unit.cursor.get_children():
            if cursor.location.file and cursor.location.file.name == self.path:
                self.walk(cursor, None, False)
        return self.sites

    def is_fixed(self, cursor):
        if cursor.kind in FIXED:
            return True
        if cursor.kind in (CursorKind.VAR_DECL, CursorKind.FUNCTION_DECL, CursorKind.CXX_METHOD,
                           CursorKind.FUNCTION_TEMPLATE, CursorKind.CONSTRUCTOR):
            head = self.of(cursor).split("{")[0].split("=")[0]
            return re.search(r"\b(constexpr|consteval)\b", head) is not None
        return False

    def walk(self, cursor, parent, is_listed):
        if self.is_fixed(cursor):
            return
        kind = cursor.kind
        children = list(cursor.get_children())
        if kind == CursorKind.IF_STMT:
            if re.match(r"if\s+constexpr", self.of(cursor)):
                return
            self.condition(children)
        elif kind == CursorKind.CASE_STMT:
            children = children[1:]
        elif kind in (CursorKind.BINARY_OPERATOR, CursorKind.COMPOUND_ASSIGNMENT_OPERATOR) and len(children) == 2:
            self.binary(cursor, children)
        elif kind == CursorKind.UNARY_OPERATOR and len(children) == 1:
            self.unary(cursor, children[0])
        elif kind in (CursorKind.INTEGER_LITERAL, CursorKind.FLOATING_LITERAL, CursorKind.CXX_BOOL_LITERAL_EXPR):
            # In braces, a number that is not constant would be narrowed.
            if not is_listed:
                self.constant(cursor)
        elif kind == CursorKind.CALL_EXPR:
            self.call(cursor)
        if kind == CursorKind.COMPOUND_STMT:
            for child in children:
                self.statement(child)
        listed = kind == CursorKind.INIT_LIST_EXPR or (is_listed and cursor.kind.is_expression() and
                                                       kind != CursorKind.CALL_EXPR and kind != CursorKind.LAMBDA_EXPR)
        for child in children:
            self.walk(child, cursor, listed)

    def condition(self, children):
        if not children or not children[0].kind.is_expression():
            return
        text = self.of(children[0])
        if text and "\n" not in text:
            self.add("dropped condition", children[0], "false", what="never: " + text)
            self.add("dropped condition", children[0], "true", what="always: " + text)

    def binary(self, cursor, sides):
        left, right = sides
        between = self.text(left.extent.end.offset, right.extent.start.offset).strip()
        types = {side.type.get_canonical().kind for side in sides}
        if not types <= BUILT_IN or left.extent.start.offset != cursor.extent.start.offset:
            return
        a, b = self.of(left), self.of(right)
        if not a or not b:
            return
        if between in COMPARED:
            other, opposite = COMPARED[between]
            self.add("bound", cursor, "((%s) %s (%s))" % (a, other, b), what="%s %s %s" % (a, other, b))
            self.add("comparison", cursor, "((%s) %s (%s))" % (a, opposite, b), what="%s %s %s" % (a, opposite, b))
        elif between in EQUAL:
            self.add("comparison", cursor, "((%s) %s (%s))" % (a, EQUAL[between], b),
                     what="%s %s %s" % (a, EQUAL[between], b))
        elif between in ("&&", "||"):
            for side in (a, b):
                self.add("dropped condition", cursor, "static_cast<bool>(%s)" % side, what=side)
        elif types <= NUMBERS and between in (SIGNS | FACTORS | ASSIGNED):
            if between in FACTORS and not types & {TypeKind.FLOAT, TypeKind.DOUBLE}:
                return  # A division by 0 is too easy to notice.
            other = (SIGNS | FACTORS | ASSIGNED)[between]
            if between in ASSIGNED:
                self.add("sign", cursor, "(%s %s %s)" % (a, other, b), what="%s %s %s" % (a, other, b))
            else:
                self.add("sign", cursor, "((%s) %s (%s))" % (a, other, b), what="%s %s %s" % (a, other, b))

    def unary(self, cursor, operand):
        text, inner = self.of(cursor), self.of(operand)
        if operand.type.get_canonical().kind not in NUMBERS or not inner or not text.endswith(inner):
            return
        if text.startswith("-") and not text.startswith("--"):
            self.add("sign", cursor, "(%s)" % inner, what=inner)
        elif text.startswith("!"):
            self.add("dropped condition", cursor, "static_cast<bool>(%s)" % inner, what=inner)

    def constant(self, cursor):
        text = self.of(cursor)
        if cursor.kind == CursorKind.CXX_BOOL_LITERAL_EXPR:
            if text in ("true", "false"):
                self.add("constant", cursor, "false" if text == "true" else "true")
        elif re.fullmatch(r"\d+[uUlL]*", text):
            digits = re.match(r"\d+", text).group()
            self.add("constant", cursor, "%d%s" % (int(digits) + 1, text[len(digits):]))
        elif re.fullmatch(r"[\d.]+(e-?\d+)?f?", text):
            suffix = "f" if text.endswith("f") else ""
            value = float(text.rstrip("f"))
            self.add("constant", cursor, repr(value * 1.5 if value else 1.0) + suffix)

    def call(self, cursor):
        text = self.of(cursor)
        name = cursor.spelling
        if not text.endswith(")") or "[" in text.split("(")[0] or len(text) > 300:
            return
        if cursor.type.get_canonical().kind in NUMBERS:
            if name in ROUNDED and re.match(r"(std::)?%s\(" % name, text):
                inner = text[text.index("("):]
                self.add("rounding", cursor, "static_cast<decltype(%s)>(std::%s%s)" % (text, ROUNDED[name], inner),
                         what=ROUNDED[name] + inner)
            if name in BOUNDS and re.match(r"(std::)?%s[(<]" % name, text):
                self.add("bound", cursor, "(%s)" % text.replace(name, BOUNDS[name], 1))
        if name in BOUNDS or name in ("hypot", "swap"):
            return
        arguments = list(cursor.get_arguments())
        for first, second in zip(arguments, arguments[1:]):
            if first is None or second is None:
                continue
            a, b = self.of(first), self.of(second)
            if (not a or not b or a == b or "[&" in a + b or "[=" in a + b or
                    first.type.get_canonical().spelling != second.type.get_canonical().spelling or
                    first.type.get_canonical().kind not in BUILT_IN):
                continue
            start = cursor.extent.start.offset
            begin, middle, after, end = (first.extent.start.offset - start, first.extent.end.offset - start,
                                         second.extent.start.offset - start, second.extent.end.offset - start)
            whole = self.bytes[start:cursor.extent.end.offset]
            swapped = (whole[:begin] + b.encode() + whole[middle:after] + a.encode() + whole[end:]).decode("utf-8", "replace")
            self.add("swapped argument", cursor, "(%s)" % swapped, what=swapped)
            return

    def statement(self, cursor):
        inner = cursor
        while inner.kind == CursorKind.UNEXPOSED_EXPR and len(list(inner.get_children())) == 1:
            inner = next(inner.get_children())
        if inner.kind != CursorKind.CALL_EXPR:
            return
        text = self.of(cursor)
        if text.endswith(")") and re.match(r"[\w:.>\[\]()*-]+\(", text) and "[&" not in text and "[=" not in text:
            self.add("dropped call", cursor, "(void)0", original="(void)(%s)" % text, what="(not called)")


def find_sites(path, command):
    sites, seen = [], set()
    for site in Finder(path, command).find():
        key = site["start"], site["end"], site["new"]
        # Texts of messages are not looked at, macros and comments are not taken apart.
        if key not in seen and not re.search(r'^$|["#]|//|^[A-Z_]{4,}\(', site["old"]):
            seen.add(key)
            sites.append(site)
    return sites
