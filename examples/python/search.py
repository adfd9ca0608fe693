"""Reads images and PDF files, and finds words in them: an index in one file of SQLite, no other packages.

    python search.py index.db add scans/*.png contract.pdf
    python search.py index.db find invoice 4471

Every word that is searched for must stand in the same block of a page; parts of words are found, too, in any script.
Printed are file, page, place (left, top, right, bottom in pixels) and text of each block.
"""

import argparse
import pathlib
import sqlite3

import munja

TABLE = """CREATE VIRTUAL TABLE IF NOT EXISTS blocks USING fts5(
    text, file UNINDEXED, page UNINDEXED, box UNINDEXED, tokenize = 'trigram')"""


def add(index, files):
    with munja.Engine() as engine:
        for file in files:
            with index:  # All pages of a file or none.
                index.execute("DELETE FROM blocks WHERE file = ?", (file,))
                for number, page in enumerate(engine.read_pdf(pathlib.Path(file)), 1):
                    for block in page.blocks:
                        box = " ".join(str(round(side)) for side in block.box)
                        index.execute("INSERT INTO blocks VALUES (?, ?, ?, ?)", (block.text, file, number, box))


def find(index, words):
    # The index has sequences of three letters, so shorter words are looked for in what the others find.
    long, short = ([word for word in words if (len(word) >= 3) == is_long] for is_long in (True, False))
    where = ["instr(lower(text), lower(?))"] * len(short)
    if long:
        # Quoted, so that signs in them are not operators.
        where.append("blocks MATCH ?")
        short.append(" ".join('"' + word.replace('"', '""') + '"' for word in long))
    return index.execute(f"SELECT file, page, box, text FROM blocks WHERE {' AND '.join(where)} ORDER BY rank", short)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("index", help="the file of the index")
    parser.add_argument("action", choices=["add", "find"])
    parser.add_argument("words", nargs="+", help="files to read, or words to find")
    options = parser.parse_args()
    index = sqlite3.connect(options.index)
    index.execute(TABLE)
    if options.action == "add":
        add(index, options.words)
        return
    for file, page, box, text in find(index, options.words):
        print(f"{file}, page {page}, {box}: {' / '.join(text.splitlines())}")


main()
