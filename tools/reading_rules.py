"""The rules of reading that can be switched off, for the tools that measure what they bring."""
import collections
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent

Rule = collections.namedtuple("Rule", "what options")
# Rules with a setting of their own; the others are in rules.def.
SETTINGS = {
    "spaces": Rule("settles spaces by picture, network and words", ["--set", "recognizer.part_words=false"]),
    "signs": Rule("settles signs and look-alikes", ["--set", "recognizer.settle_signs=false"]),
    "language": Rule("asks language models where characters are in doubt", ["--no-language"]),
    "second_look": Rule("re-reads low-confidence lines", ["--set", "recognizer.second_look=0"]),
    "tall_lines": Rule("turns lines that are higher than long", ["--set", "recognizer.tall_ratio=1000000"]),
    "unknown_writing": Rule("marks lines in an unknown writing", ["--set", "recognizer.unknown_writing=keep"]),
    "min_confidence": Rule("leaves out lines read with little confidence", ["--set", "min_confidence=0"]),
    "turn_pages": Rule("turns and straightens pages", ["--set", "turn_pages=false"]),
    "dense_pages": Rule("makes a high-resolution pass over pages of small print", ["--set", "detector.dense_limit_side=0"]),
    "faint_lines": Rule("reads low-score boxes, too", ["--set", "detector.faint_threshold=1"]),
    "cut_bent": Rule("cuts bent lines into straight pieces", ["--set", "detector.cut_bent=false"]),
    "align_short": Rule("lays short boxes as their neighbors lie", ["--set", "detector.align_short=false"]),
    "join_pieces": Rule("joins pieces of a line", ["--set", "detector.join_gap=0"]),
    "fit_boxes": Rule("fits boxes to the ink", ["--set", "detector.fit_boxes=false"]),
}

def all_rules():
    """By name."""
    definitions = next(ROOT.glob("src/**/rules.def")).read_text(encoding="utf-8")
    named = re.findall(r'^RULE\(\w+, (\w+), "(.*)"\)', definitions, re.M)
    return SETTINGS | {name: Rule(what, ["--set", "without=" + name]) for name, what in named}

def without(names):
    """Options that switch all of these rules off."""
    options = [option for name in names if name in SETTINGS for option in SETTINGS[name].options]
    named = [name for name in names if name not in SETTINGS]
    return options + (["--set", "without=" + ",".join(named)] if named else [])
