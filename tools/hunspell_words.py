"""Words of a Hunspell dictionary with the forms that its affix file makes of them."""
import pathlib
import re

# Forms of one word that are made at most: some languages have thousands.
MOST_FORMS = 12
# Rules of one flag that are tried on a word; Hungarian has flags with hundreds.
MOST_RULES = 30


def encoding_of(affix_lines):
    for line in affix_lines:
        if line.startswith(b"SET"):
            name = line.split()[1].decode("ascii")
            return re.sub(r"^ISO-?8859-", "iso8859-", name, flags=re.IGNORECASE)
    return "iso8859-1"


class Affixes:
    """Suffixes and prefixes of an .aff file by flag, one level deep. Compounds are not made."""

    def __init__(self, path):
        raw = pathlib.Path(path).read_bytes()
        self.encoding = encoding_of(raw.removeprefix(b"\xef\xbb\xbf").splitlines())
        self.kind = "char"
        self.aliases = []
        self.rules = {}
        self.dropped = set()  # Flags of what is no word by itself.
        for line in raw.decode(self.encoding, errors="replace").splitlines():
            fields = line.lstrip("\ufeff").split()
            if len(fields) < 2:
                continue
            if fields[0] == "FLAG":
                self.kind = fields[1]
            elif fields[0] == "AF":
                self.aliases.append(fields[1])
            elif fields[0] in ("NEEDAFFIX", "FORBIDDENWORD", "ONLYINCOMPOUND", "PSEUDOROOT", "NOSUGGEST"):
                self.dropped.add(fields[1])
            elif fields[0] in ("SFX", "PFX") and len(fields) >= 4 and not (len(fields) == 4 and fields[3].isdigit()):
                self.add_rule(fields)
        self.aliases = self.aliases[1:]  # The first one counts them.

    def add_rule(self, fields):
        kind, flag, strip, add = fields[:4]
        condition = fields[4] if len(fields) > 4 else "."
        add = add.split("/")[0]
        strip, add = ("" if part == "0" else part for part in (strip, add))
        # A condition is a row of letters and sets of letters; all else stands for itself.
        parts = re.findall(r"\[[^\]]*\]|.", condition)
        safe = "".join(part if part == "." or part.startswith("[") else re.escape(part) for part in parts)
        try:
            fits = re.compile(f"(?:{safe})$" if kind == "SFX" else f"^(?:{safe})")
        except re.error:
            return
        self.rules.setdefault(flag, []).append((kind, strip, add, fits))

    def flags(self, text):
        if self.aliases and text.isdigit():
            text = self.aliases[int(text) - 1] if 0 < int(text) <= len(self.aliases) else ""
        if self.kind == "num":
            return text.split(",")
        if self.kind == "long":
            return [text[i:i + 2] for i in range(0, len(text), 2)]
        return list(text)

    def forms(self, word, flags, random):
        made = []
        for flag in flags:
            rules = self.rules.get(flag, ())
            if len(rules) > MOST_RULES:
                rules = random.sample(rules, MOST_RULES)
            for kind, strip, add, fits in rules:
                if not (word.endswith(strip) if kind == "SFX" else word.startswith(strip)) or not fits.search(word):
                    continue
                if kind == "SFX":
                    made.append(word[:len(word) - len(strip)] + add)
                else:
                    made.append(add + word[len(strip):])
        return made if len(made) <= MOST_FORMS else random.sample(made, MOST_FORMS)


def words_of(dictionary, random):
    """All words of `dictionary`, a .dic file with its .aff beside it, each with some of its forms."""
    dictionary = pathlib.Path(dictionary)
    affixes = Affixes(dictionary.with_suffix(".aff"))
    words = []
    for line in dictionary.read_bytes().decode(affixes.encoding, errors="replace").splitlines()[1:]:
        entry = re.split(r"\t| (?=\w\w:)", line, maxsplit=1)[0].strip()
        word, _, flag_text = entry.partition("/")
        flags = affixes.flags(flag_text.strip()) if flag_text else []
        forms = affixes.forms(word, flags, random)
        if not affixes.dropped.intersection(flags):
            words.append(word)
        words.extend(forms)
    return words
