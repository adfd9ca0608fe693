"""Pages of ten odd kinds, which readers lose text on, and the text that stands on them."""
import random

from PIL import Image, ImageChops, ImageDraw, ImageFilter

from layout_kinds import BOLD, FACES, MONO, SANS, Page

DIGITS_AND_LETTERS = "0123456789ABCDEFHKMNPRTXY"


def line(page):
    """A line of words or of a kind of figures."""
    return page.rng.choice([lambda: page.words(2, 4).capitalize(), lambda: f"Total {page.amount()} EUR",
                            lambda: f"Order number {page.rng.randint(10, 99)}-{page.rng.randint(1000, 9999)}",
                            lambda: f"{page.rng.choice(('Invoice', 'Receipt'))} {page.rng.randint(1000, 9999)} of "
                                    f"{page.date()}"])()


def note(rng, size, lines, margin=1.5):
    """A page as large as its lines need."""
    page = Page(10, 10, rng)
    font = page.font(rng.choice(FACES), size)
    texts = [line(page) for _ in range(lines)]
    border = int(size * margin)
    width = int(max(map(font.getlength, texts))) + 2 * border
    page.__init__(width, int(lines * size * 1.7) + 2 * border, rng)
    for row, text in enumerate(texts):
        page.text((border, border + size * (1.2 + 1.7 * row)), text, font)
    return page


def sizes(rng, index):
    """Letters of 9 to 220 pixels."""
    size = (9, 11, 14, 40, 90, 150, 220)[index % 7]
    return note(rng, size, rng.randint(8, 16) if size < 20 else rng.randint(1, 3), 3 if size < 20 else 1)


def proportions(rng, index):
    """Pages up to fifteen times as long as they are wide, and bands as much wider than they are high."""
    size = rng.randint(20, 34)
    if index % 2:
        page = Page(size * rng.randint(80, 240), size * rng.randint(4, 7), rng)
        font, x = page.font(rng.choice(FACES), size), size
        while True:
            text = line(page)
            if x + font.getlength(text) > page.width - size:
                return page
            page.text((x, page.height / 2), text, font, "lm")
            x += font.getlength(text) + size * rng.uniform(4, 9)
    page = Page(size * rng.randint(22, 30), size * rng.randint(150, 330), rng)
    font, y = page.font(rng.choice(FACES), size), 2 * size
    while y < page.height - 2 * size:
        page.text((size, y), line(page), font)
        y += size * rng.uniform(2, 6)
    return page


def turns(rng, index):
    """Notes of one to five lines, turned by 90, 180 and 270 degrees and by others."""
    page = note(rng, rng.randint(22, 48), 1 + index % 5)
    page.image = page.image.rotate((90, 180, 270, 7, 45, 90, 180, 270, 200, 300)[index % 10], resample=Image.BICUBIC,
                                   expand=True, fillcolor=page.paper)
    return page


def spacing(rng, index):
    """Letters wide apart, as typewriters and headings have them."""
    size, advance = rng.randint(20, 70), (0.6, 0.7, 0.8, 0.95)[index % 4]
    page = Page(int(size * advance * 36) + 4 * size, size * 18, rng)
    font = page.font(MONO if index % 3 else BOLD, size)
    for row in range(8):
        text = line(page)[:34].strip()
        page.lines.append(text)
        for place, character in enumerate(text):
            at = (2 * size + (place + 0.5) * size * advance, size * (2.5 + 1.8 * row))
            page.draw.text(at, character, font=font, fill=page.ink, anchor="ms")
    return page


def polarity(rng, index):
    """White on black, and bars of white on black on a white page."""
    page = note(rng, rng.randint(18, 40), rng.randint(3, 9))
    if index % 2:
        page.image = ImageChops.invert(page.image)
    else:
        bar = (0, page.height // 3, page.width, 2 * page.height // 3)
        page.image.paste(ImageChops.invert(page.image.crop(bar)), bar)
    return page


def contrast(rng, index):
    """Print that is hardly darker than its paper, or differs from it in color alone."""
    page = note(rng, rng.randint(20, 40), rng.randint(3, 8))
    mask = page.image.point([255 - min(255, value * 255 // page.paper) for value in range(256)])
    ink, paper = [((205, 205, 205), (235, 235, 235)), ((0, 140, 0), (230, 30, 30)), ((20, 20, 110), (40, 60, 170)),
                  ((60, 60, 60), (90, 90, 90)), ((230, 210, 60), (250, 250, 250))][index % 5]
    sheet = Image.new("RGB", page.image.size, paper)
    sheet.paste(ink, (0, 0), mask)
    page.image, page.paper = sheet, paper
    return page


def single_characters(rng, index):
    """Columns of single digits beside words, answer sheets, and one character alone."""
    size = rng.randint(22, 48)
    page = Page(size * 20, size * (4 if index % 3 == 2 else 24), rng)
    font = page.font(rng.choice(FACES), size)
    if index % 3 == 0:
        for row in range(rng.randint(6, 11)):
            y = size * (2 + 1.9 * row)
            for x, text, anchor in ((1, page.words(1, 2).capitalize(), "ls"), (12, str(rng.randint(0, 9)), "rs"),
                                    (18, page.amount(), "rs")):
                page.text((size * x, y), text, font, anchor)
    elif index % 3 == 1:
        page.text((size, 2 * size), page.words(2, 3).capitalize(), font)
        for place, character in enumerate(rng.sample(DIGITS_AND_LETTERS, 16)):
            page.text((size * (2 + 4.5 * (place % 4)), size * (6 + 4 * (place // 4))), character, font)
    else:
        page.text((page.width / 2, page.height / 2), rng.choice(DIGITS_AND_LETTERS), font, "mm")
    return page


def leaders(rng, index):
    """Dots that lead from a title to its page number; they are no words."""
    size = rng.randint(18, 36)
    page = Page(size * 30, size * 24, rng)
    font, number = page.font(rng.choice(FACES), size), 0
    dot = ".", " .", "..", "·"
    for row in range(rng.randint(5, 11)):
        y, title = size * (2 + 2 * row), page.words(1, 3).capitalize()
        number += rng.randint(1, 40)
        page.text((2 * size, y), title, font)
        page.text((28 * size, y), str(number), font, "rs")
        begin, end = 2 * size + font.getlength(title + " "), 28 * size - font.getlength(f"{number} ")
        mark = dot[index % len(dot)]
        dots = mark * int((end - begin) / font.getlength(mark))
        page.draw.text((end, y), dots, font=font, fill=page.ink, anchor="rs")
    return page


def stamps(rng, index):
    """A seal, in red or blue, over the end of a line."""
    page = note(rng, rng.randint(26, 40), rng.randint(3, 6), 3)
    sheet = page.image.convert("RGB")
    seal = Image.new("RGB", sheet.size, "white")
    draw = ImageDraw.Draw(seal)
    color = ((205, 40, 40), (40, 60, 190))[index % 2]
    radius = rng.randint(45, 75)
    x, y = rng.uniform(0.4, 0.8) * page.width, rng.uniform(0.3, 0.7) * page.height
    for inset in (0, 8):
        draw.ellipse((x - radius + inset, y - radius + inset, x + radius - inset, y + radius - inset), outline=color,
                     width=4)
    draw.line((x - radius / 2, y - radius / 2, x + radius / 2, y + radius / 2), fill=color, width=4)
    draw.line((x - radius / 2, y + radius / 2, x + radius / 2, y - radius / 2), fill=color, width=4)
    page.image = ImageChops.multiply(sheet, seal.filter(ImageFilter.GaussianBlur(0.7)))
    return page


def comb_fields(rng, index):
    """Forms with a box, or a tick, for each character; those of one field are a word."""
    size = rng.randint(20, 34)
    page = Page(size * 32, size * 20, rng)
    label, font, pitch = page.font(SANS, size * 2 // 3), page.font(rng.choice(FACES), size), size * 1.4
    for row in range(6):
        y = size * (3 + 2.8 * row)
        page.text((size, y), rng.choice(("Name", "City", "Number", "Account", "Street")), label)
        word = rng.choice((page.words(1, 1).upper(), str(rng.randint(10 ** 5, 10 ** 8))))
        page.lines.append(word)
        for place in range(len(word) + rng.randint(0, 4)):
            x = size * 7 + place * pitch
            if index % 2:
                page.draw.rectangle((x, y - 1.2 * size, x + pitch, y + 0.4 * size), outline=120)
            else:
                page.rule((x, y + 0.3 * size), (x + pitch, y + 0.3 * size))
                page.rule((x, y), (x, y + 0.3 * size))
            if place < len(word):
                page.draw.text((x + pitch / 2, y), word[place], font=font, fill=page.ink, anchor="ms")
    return page


KINDS = {kind.__name__: kind for kind in (sizes, proportions, turns, spacing, polarity, contrast, single_characters,
                                          leaders, stamps, comb_fields)}


def draw(kind, index, seed):
    return KINDS[kind](random.Random(f"{seed} {kind} {index}"), index)
