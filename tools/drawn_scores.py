"""Pages that tools draw once and keep, and the scores of what is read on them."""
import collections
import json
import sys
import unicodedata

import labeled_lines

Score = collections.namedtuple("Score", "right labeled read")


def draw_pages(folder, count, draw):
    """Labels of the first pages in a folder; `draw` makes those that are not there yet: they have `image`, `lines`."""
    (folder / "labels").mkdir(parents=True, exist_ok=True)
    labels = folder / "labels" / f"{count}.jsonl"
    entries = []
    for index in range(count):
        picture = folder / f"{index}.png"
        truth = picture.with_suffix(".json")
        if not truth.exists():
            page = draw(index)
            page.image.save(picture)
            truth.write_text(json.dumps(page.lines), encoding="utf-8")
        lines = json.loads(truth.read_text(encoding="utf-8"))
        entries.append({"image": picture.name, "lines": [{"poly": None, "text": text} for text in lines]})
    labels.write_text("".join(json.dumps(entry) + "\n" for entry in entries), encoding="utf-8")
    return labels


def labels_of(labels):
    """[(picture, [text])]"""
    with open(labels, encoding="utf-8") as file:
        return [(entry["image"], [line["text"] for line in entry["lines"]]) for entry in map(json.loads, file)]


def words(texts):
    """How often each word stands there, without case and the signs around it."""
    found = collections.Counter()
    for word in unicodedata.normalize("NFKC", " ".join(texts)).casefold().split():
        is_part = [unicodedata.category(c)[0] in "LNS" for c in word]
        if any(is_part):
            found[word[is_part.index(True):len(word) - is_part[::-1].index(True)]] += 1
    return found


def read(munja, bundle, labels, options):
    """The scores of the pages, in their order."""
    _, pages = labeled_lines.read(munja, bundle, labels, False, ["--quiet", "--threads", "1", *options])
    scores = []
    for (wanted, truth), (picture, texts) in zip(labels_of(labels), pages, strict=True):
        if picture != wanted:
            sys.exit(f"{picture} was read for {wanted}")
        want, got = words(truth), words(texts)
        scores.append(Score((want & got).total(), want.total(), got.total()))
    return scores


def f1(scores):
    right, labeled, read_ = map(sum, zip(*scores))
    return 200 * right / max(labeled + read_, 1)
