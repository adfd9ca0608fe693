"""Word lists of the languages that the built-in models read, made from Debian's word lists and dictionaries.

    tools/european-words [--out DIR] [--count N]     (see there)
"""
import argparse
import collections
import hashlib
import pathlib
import random
import re
import sys

import hunspell_words

# Where the words of each language are: a Hunspell dictionary or a plain list.
LANGUAGES = {
    "ca": ("Catalan", "/usr/share/dict/catalan"),
    "cs": ("Czech", "/usr/share/hunspell/cs_CZ.dic"),
    "da": ("Danish", "/usr/share/dict/danish"),
    "de": ("German", "/usr/share/dict/ngerman"),
    "es": ("Spanish", "/usr/share/dict/spanish"),
    "et": ("Estonian", "/usr/share/hunspell/et_EE.dic"),
    "fr": ("French", "/usr/share/dict/french"),
    "hr": ("Croatian", "/usr/share/hunspell/hr_HR.dic"),
    "hu": ("Hungarian", "/usr/share/hunspell/hu_HU.dic"),
    "is": ("Icelandic", "/usr/share/hunspell/is_IS.dic"),
    "it": ("Italian", "/usr/share/dict/italian"),
    "lt": ("Lithuanian", "/usr/share/hunspell/lt_LT.dic"),
    "lv": ("Latvian", "/usr/share/hunspell/lv_LV.dic"),
    "nl": ("Dutch", "/usr/share/dict/dutch"),
    "no": ("Norwegian", "/usr/share/dict/bokmaal"),
    "pl": ("Polish", "/usr/share/dict/polish"),
    "pt": ("Portuguese", "/usr/share/dict/portuguese"),
    "ro": ("Romanian", "/usr/share/hunspell/ro_RO.dic"),
    "sk": ("Slovak", "/usr/share/hunspell/sk_SK.dic"),
    "sl": ("Slovenian", "/usr/share/hunspell/sl_SI.dic"),
    "sv": ("Swedish", "/usr/share/dict/swedish"),
    "tr": ("Turkish", "/usr/share/hunspell/tr_TR.dic"),
}
# The languages of the model "wide".
WIDE = {
    "be": ("Belarusian", "/usr/share/hunspell/be_BY.dic"),
    "bg": ("Bulgarian", "/usr/share/hunspell/bg_BG.dic"),
    "el": ("Greek", "/usr/share/hunspell/el_GR.dic"),
    "ru": ("Russian", "/usr/share/hunspell/ru_RU.dic"),
    "sr": ("Serbian", "/usr/share/hunspell/sr_RS.dic"),
    "uk": ("Ukrainian", "/usr/share/hunspell/uk_UA.dic"),
    "vi": ("Vietnamese", "/usr/share/hunspell/vi_VN.dic"),
}
ALL = LANGUAGES | WIDE
# Old code points and ligatures that no keyboard of today writes, as what stands for them.
SPELLINGS = {"ro": {"ş": "ș", "ţ": "ț", "Ş": "Ș", "Ţ": "Ț"}, "nl": {"ĳ": "ij", "Ĳ": "IJ"}, "ca": {"ŀ": "l·"}}
LONGEST = 24
# Part of a list whose words are chosen so that each letter beyond ASCII comes equally often.
BALANCED = 0.5
# The last of so many parts by hash of the word is for measuring and never among the words to train with.
HELD_OUT_PARTS = 20


def is_held_out(word):
    digest = hashlib.sha1(word.casefold().encode()).digest()
    return int.from_bytes(digest[:4], "big") % HELD_OUT_PARTS == 0


def read(code):
    """All distinct words of a language, in one order always; empty when its package is not installed."""
    path = pathlib.Path(ALL[code][1])
    if not path.exists():
        return []
    if path.suffix == ".dic":
        words = hunspell_words.words_of(path, random.Random(1))
    else:
        raw = path.read_bytes()
        try:
            words = raw.decode("utf-8").splitlines()
        except UnicodeDecodeError:  # Older lists.
            words = raw.decode("iso8859-1").splitlines()
    table = str.maketrans(SPELLINGS.get(code, {}))
    is_latin = code in LANGUAGES or code == "vi"
    plain = set()
    for word in words:
        word = word.strip().translate(table)
        if word.isascii() and not is_latin:  # Abbreviations and the like.
            continue
        if 1 < len(word) <= LONGEST and all(c.isalpha() or c in "'’-·" for c in word) and "\ufffd" not in word:
            plain.add(word)
    return sorted(plain)


def choose(words, count, balanced, generator):
    """`count` of the words; a part `balanced` of them has each letter beyond ASCII equally often."""
    if len(words) <= count:
        return list(words)
    by_letter = collections.defaultdict(list)
    for word in words:
        for letter in set(word.lower()):
            if ord(letter) > 127 and letter.isalpha():
                by_letter[letter].append(word)
    # Letters of a few borrowed words do not count.
    letters = [c for c, having in sorted(by_letter.items()) if len(having) >= len(words) // 5000 + 1]
    chosen = set()
    for letter in letters:
        having = by_letter[letter]
        share = int(count * balanced / len(letters))
        chosen.update(generator.sample(having, min(share, len(having))))
    rest = [word for word in words if word not in chosen]
    chosen.update(generator.sample(rest, min(count - len(chosen), len(rest))))
    return sorted(chosen)


def doubled(words):
    """Ukrainian words in which i, with a dot or two, stands beside another such letter, as in many endings."""
    beside = re.compile("ії|іі|її|їі|йї|їй|ій", re.IGNORECASE)
    endings = [word[:-1] + ending for word in words if word.endswith("ія") for ending in ("ї", "єю")]
    return [word for word in [*words, *endings] if beside.search(word) or word.endswith("ією")]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--count", type=int, required=True)
    parser.add_argument("--wide", action="store_true")
    parser.add_argument("--balanced", type=float, default=BALANCED)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    for code, (name, path) in sorted((WIDE if options.wide else LANGUAGES).items()):
        words = [word for word in read(code) if not is_held_out(word)]
        if not words:
            print(f"note: no {path}: {name} is left out", file=sys.stderr)
            continue
        chosen = choose(words, options.count, options.balanced, random.Random(1))
        (options.out / f"{code}.txt").write_text("\n".join(chosen) + "\n", encoding="utf-8")
        beyond = sum(not word.isascii() for word in chosen)
        if code == "uk":
            letters = [word for word in doubled(chosen) if not is_held_out(word)]
            (options.out / "uk-i.txt").write_text("\n".join(letters) + "\n", encoding="utf-8")
        print(f"{code} {name}: {len(chosen)} of {len(words)} words, {100 * beyond // len(chosen)} % beyond ASCII")


if __name__ == "__main__":
    main()
