#!/usr/bin/python3
"""Relative links and anchors in the documents resolve, and the paths that documents and sources name exist."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCUMENTS = ["*.md", "docs/**/*.md", "src/**/README.md", "models/*/MODEL_CARD.md"]
SOURCES = ["CMakeLists.txt", "Makefile", *(f"{folder}/**/*" for folder in (
    "apps", "bench", "cmake", "examples", "fuzz", "include", "src", "tests", "tools", "training"))]
SUFFIXES = {"", ".c", ".cc", ".cmake", ".def", ".h", ".hpp", ".md", ".py", ".txt"}
LINK = re.compile(r"!?\[[^\]]*\]\(([^()\s]+)\)")
# A path of the repository in a document; names like <stem> and DIR stand for others.
CODE = re.compile(r"`((?:apps|bench|cmake|examples|fuzz|include|models|src|testdata|tests|tools|training)/[^`\s]*)`")
NAMED = re.compile(r"\bdocs/(?:[a-z0-9-]+/)*[A-Za-z0-9-]+\.md(?:#[\w-]+)?")


def prose_of(path):
    """The text with fenced code blanked, so that line numbers stay."""
    lines, is_code = [], False
    for line in path.read_text(encoding="utf-8").splitlines():
        is_fence = line.lstrip().startswith("```")
        lines.append("" if is_code or is_fence else line)
        is_code ^= is_fence
    return "\n".join(lines)


def anchors_of(path):
    """The anchors that GitHub makes of the headings, and explicit ones."""
    anchors, seen = set(), {}
    for line in prose_of(path).splitlines():
        anchors.update(re.findall(r'<a (?:id|name)="([^"]+)"', line))
        heading = re.match(r"#{1,6} +(.*?) *#*$", line)
        if not heading:
            continue
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading[1])
        slug = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
        count = seen.get(slug, 0)
        seen[slug] = count + 1
        anchors.add(f"{slug}-{count}" if count else slug)
    return anchors


class Checker:
    def __init__(self):
        self.anchors = {}
        self.count = 0
        self.failures = []

    def check(self, where, target, base):
        self.count += 1
        name, _, anchor = target.partition("#")
        path = (base / name).resolve() if name else where[0]
        if not path.exists():
            return self.fail(where, f"there is no {target}")
        if anchor and path.suffix == ".md":
            if path not in self.anchors:
                self.anchors[path] = anchors_of(path)
            if anchor not in self.anchors[path]:
                self.fail(where, f"{name or path.name} has no heading #{anchor}")
        return None

    def fail(self, where, what):
        self.failures.append(f"{where[0].relative_to(ROOT)}:{where[1]}: {what}")


def files(patterns):
    found = {path for pattern in patterns for path in ROOT.glob(pattern) if path.is_file()}
    return sorted(found)


def main():
    checker = Checker()
    for path in files(DOCUMENTS):
        prose = re.sub(r"`[^`\n]*`", "", prose_of(path))
        for link in LINK.finditer(prose):
            if not re.match(r"[a-z]+:", link[1]):
                checker.check((path, prose.count("\n", 0, link.start()) + 1), link[1], path.parent)
        for path_named in CODE.finditer(prose_of(path)):
            pattern = re.sub(r"\{[^}]*\}", "*", path_named[1]).rstrip("/")
            if not re.search(r"<|NAME|DIR", pattern) and not any(
                    any(base.glob(pattern)) for base in (ROOT, ROOT / "src/tflite_api/include/tensorflow/lite")):
                line = prose_of(path).count("\n", 0, path_named.start()) + 1
                checker.fail((path, line), f"there is no {path_named[1]}")
    links = checker.count
    for path in files(SOURCES):
        if path.suffix not in SUFFIXES:
            continue
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        for number, line in enumerate(text.splitlines(), 1):
            for target in NAMED.findall(line):
                checker.check((path, number), target, ROOT)
    for failure in checker.failures:
        print(failure)
    if links < 50 or checker.count - links < 20:
        checker.failures.append("")
        print(f"only {links} links and {checker.count - links} paths found: the search is broken")
    print(f"{links} links, {checker.count - links} paths in sources, {len(checker.failures)} broken")
    return 1 if checker.failures else 0


if __name__ == "__main__":
    sys.exit(main())
