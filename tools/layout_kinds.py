"""Pages of twelve kinds of layout that no rule of reading was made for, and the text that stands on them."""
import math
import pathlib
import random

from PIL import Image, ImageDraw, ImageFont

FONTS = pathlib.Path("/usr/share/fonts/truetype")
SANS, SERIF, MONO = "liberation2/LiberationSans-Regular.ttf", "dejavu/DejaVuSerif.ttf", "dejavu/DejaVuSansMono.ttf"
BOLD = "liberation2/LiberationSans-Bold.ttf"
FACES = (SANS, SERIF, "liberation2/LiberationSerif-Regular.ttf", "dejavu/DejaVuSans.ttf")

WORDS = """able above after again agree allow alone along animal answer apple april arrive autumn bakery basket before
behind better between bridge bright bring brother building butter camera candle carry castle center change chapter
cheese choice circle clean clear clock cloud coffee color common copper corner cotton country course cover cross crowd
dance danger dark december deep desert dinner doctor door dream driver early earth east eight empty engine evening
every family farmer father field figure finger fire flower follow forest friend garden gather gentle glass golden grass
green ground growing happy harbor harvest heart heavy hidden history holiday home honest house hundred island january
journey kitchen ladder lake language large laughter leader leather letter library little lively lonely market master
meadow measure memory metal middle minute mirror modern moment monday morning mother mountain music narrow nature never
night north nothing number ocean office orange other palace paper pencil people picture pillow planet player pocket
postman present quarter quick quiet rabbit rain ready reason record river road room round sailor saturday school season
second seven shadow shelter shore silver simple singer sister sleep small smile soft south spring square station steady
stone storm story street strong summer sunday sunlight supper table teacher thunder ticket timber today together
tomorrow tower travel tree trouble under valley village violin voice walking warm water weather west whisper window
winter wonder wooden yellow yesterday""".split()
DAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
MONTHS = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
          "December"]


class Page:
    """A sheet that is written on; `lines` is the text that stands there."""

    def __init__(self, width, height, rng):
        self.paper = rng.choice([255, 250, 244, 236])
        self.ink = rng.choice([0, 20, 50])
        self.image = Image.new("L", (width, height), self.paper)
        self.draw = ImageDraw.Draw(self.image)
        self.width, self.height, self.rng, self.lines = width, height, rng, []

    @staticmethod
    def font(face, size):
        return ImageFont.truetype(str(FONTS / face), size)

    def text(self, at, text, font, anchor="ls", quarters=0):
        """`anchor` as Pillow has them; `quarters`: turns of the text, counterclockwise, about its middle."""
        self.lines.append(text)
        if quarters == 0:
            self.draw.text(at, text, font=font, fill=self.ink, anchor=anchor)
            return
        left, top, right, bottom = font.getbbox(text)
        stamp = Image.new("L", (right - left + 4, bottom - top + 4), 0)
        ImageDraw.Draw(stamp).text((2 - left, 2 - top), text, font=font, fill=255)
        stamp = stamp.rotate(90 * quarters, expand=True)
        self.image.paste(self.ink, (int(at[0] - stamp.width / 2), int(at[1] - stamp.height / 2)), stamp)

    def rule(self, *points, width=1):
        self.draw.line(points, fill=self.ink, width=width)

    def words(self, least, most):
        return " ".join(self.rng.choice(WORDS) for _ in range(self.rng.randint(least, most)))

    def amount(self):
        return f"{self.rng.randint(1, 999)}.{self.rng.randint(0, 99):02d}"

    def date(self):
        return f"{self.rng.randint(1, 28):02d}.{self.rng.randint(1, 12):02d}.{self.rng.randint(1990, 2030)}"

    def time(self):
        return f"{self.rng.randint(5, 23):02d}:{self.rng.choice([0, 5, 10, 15, 20, 30, 40, 45, 50]):02d}"


def sheet(rng, width=(700, 1500), height=(800, 1800)):
    return Page(rng.randint(*width), rng.randint(*height), rng)


def a_size(rng, least=14, most=28):
    return rng.randint(least, most)


def table(rng, index):
    """Short cells in tight rows: numbers, prices, times, seats, dates, a stem with its leaves; every second one with
    rules."""
    page = sheet(rng)
    size = a_size(rng, 12, 24)
    font = page.font(rng.choice(FACES), size)
    cells = [lambda: str(rng.randint(0, 99)), page.amount, page.time, page.date,
             lambda: rng.choice("ABCDEFGH") + str(rng.randint(1, 40)), lambda: str(rng.randint(0, 9))]
    cell = cells[index % len(cells)]
    widest = max(font.getlength(cell()) for _ in range(20))
    pitch, row = widest + size * rng.uniform(0.7, 2.5), size * rng.uniform(1.15, 1.7)
    left, top = page.width * 0.07, page.height * 0.08
    columns = min(int((page.width * 0.86) / pitch), rng.randint(5, 14))
    rows = min(int((page.height * 0.84) / row), rng.randint(10, 45))
    for r in range(rows):
        for c in range(columns):
            if rng.random() < 0.93:
                page.text((left + (c + 0.9) * pitch, top + (r + 0.75) * row), cell(), font, "rs")
    if index % 2:
        for r in range(rows + 1):
            page.rule((left, top + r * row), (left + columns * pitch, top + r * row))
        for c in range(columns + 1):
            page.rule((left + c * pitch + size * 0.2, top), (left + c * pitch + size * 0.2, top + rows * row))
    return page


def form(rng, _):
    page = sheet(rng)
    size = a_size(rng, 15, 24)
    label, filled = page.font(SANS, size), page.font(rng.choice((MONO, SERIF)), size)
    page.text((page.width / 2, size * 3), page.words(2, 3).title(), page.font(BOLD, size * 2), "ms")
    y = size * 6
    while y < page.height - 3 * size:
        left = page.width * 0.06
        for _ in range(rng.choice((1, 2, 2, 3))):
            name = rng.choice(WORDS).title() + ":"
            right = left + label.getlength(name) + size
            end = right + size * rng.uniform(4, 9)
            if end > page.width * 0.95:
                break
            page.text((left, y), name, label)
            page.rule((right - size / 2, y + 3), (end, y + 3))
            if rng.random() < 0.7:
                page.text((right, y), rng.choice([page.date(), page.amount(), rng.choice(WORDS)]), filled)
            left = end + size
        y += size * rng.uniform(1.8, 2.8)
    return page


def number_columns(rng, _):
    page = sheet(rng, width=(500, 1100))
    size = a_size(rng)
    font = page.font(rng.choice(FACES), size)
    maker = rng.choice([page.amount, page.date, lambda: str(rng.randint(10, 99999)), lambda: str(rng.randint(1, 9))])
    row, columns = size * rng.uniform(1.15, 1.8), rng.choice((1, 2, 2, 2))
    y = size * 3
    for _ in range(min(int((page.height - 4 * size) / row), rng.randint(12, 50))):
        for c in range(columns):
            page.text((page.width * (0.35 + 0.4 * c), y), maker(), font, "rs")
        y += row
    return page


def vertical_labels(rng, _):
    page = sheet(rng)
    size = a_size(rng, 16, 26)
    font = page.font(rng.choice(FACES), size)
    for i in range(rng.randint(3, 9)):
        page.text((page.width * (0.04 + 0.02 * (i % 2)), page.height * (0.12 + 0.09 * i)), rng.choice(WORDS).title(), font,
                  "ms", rng.choice((1, 1, 3)))
    y = page.height * 0.08
    while y < page.height * 0.9:
        page.text((page.width * 0.15, y), page.words(2, 5), font)
        if rng.random() < 0.6:
            page.text((page.width * 0.9, y), page.amount(), font, "rs")
        y += size * rng.uniform(1.4, 2.4)
    return page


def sparse(rng, _):
    page = sheet(rng)
    for _ in range(rng.randint(1, 5)):
        size = a_size(rng, 18, 40)
        font = page.font(rng.choice(FACES), size)
        text = rng.choice([page.words(1, 3), page.date(), str(rng.randint(1, 999)), page.words(1, 1).title()])
        x = rng.uniform(0.05, max(0.06, 0.9 - font.getlength(text) / page.width)) * page.width
        page.text((x, page.height * (0.1 + 0.16 * len(page.lines)) + rng.uniform(0, 40)), text, font)
    return page


def huge_word(rng, index):
    page = sheet(rng, height=(500, 1400))
    text = rng.choice(WORDS)
    text = text.upper() if index % 2 else text.title()
    size = int(page.width * rng.uniform(0.6, 0.9) / page.font(SANS, 100).getlength(text) * 100)
    page.text((page.width / 2, page.height * 0.5), text, page.font(rng.choice((BOLD, SANS, SERIF)), int(size * 0.9)), "mm")
    if index % 3 == 0:
        page.text((page.width / 2, page.height * 0.9), page.words(2, 4), page.font(SANS, 28), "ms")
    return page


def drawing_labels(rng, _):
    page = sheet(rng)
    size = a_size(rng, 15, 26)
    font = page.font(rng.choice(FACES), size)
    x, y, radius = page.width / 2, page.height / 2, min(page.width, page.height) * 0.25
    page.draw.ellipse((x - radius, y - radius, x + radius, y + radius), outline=page.ink, width=3)
    for _ in range(6):
        a, b = rng.uniform(0, 6.28), rng.uniform(0, 6.28)
        page.rule((x + radius * math.cos(a), y + radius * math.sin(a)), (x + radius * math.cos(b), y + radius * math.sin(b)))
    count = rng.randint(6, 14)
    for i in range(count):
        a = 6.283 * i / count + 0.2
        end = (x + 1.35 * radius * math.cos(a), y + 1.5 * radius * math.sin(a))
        page.rule((x + radius * math.cos(a), y + radius * math.sin(a)), end, width=2)
        text = rng.choice([rng.choice(WORDS), str(rng.randint(1, 40)), page.words(2, 2)])
        page.text((end[0] + math.copysign(6, math.cos(a)), end[1]), text, font, "lm" if math.cos(a) > 0 else "rm")
    page.text((x, size * 3), page.words(2, 4).capitalize(), page.font(BOLD, size + 6), "ms")
    return page


def calendar(rng, index):
    page = sheet(rng, height=(700, 1300))
    size = a_size(rng, 16, 30)
    font = page.font(rng.choice(FACES), size)
    months = 1 if index % 3 else 4
    for m in range(months):
        width, height = page.width * (0.9 if months == 1 else 0.45), page.height * (0.85 if months == 1 else 0.42)
        left = page.width * 0.05 + (m % 2) * page.width * 0.48
        top = page.height * 0.05 + (m // 2) * page.height * 0.47
        step, row = width / 7, height / 8
        page.text((left + width / 2, top + row * 0.6), f"{rng.choice(MONTHS)} {rng.randint(1990, 2030)}", font, "ms")
        for d, day in enumerate(DAYS):
            page.text((left + (d + 0.5) * step, top + 1.5 * row), day if months == 1 else day[:2], font, "ms")
        start, days = rng.randint(0, 6), rng.choice((28, 30, 31))
        for day in range(days):
            at = start + day
            page.text((left + (at % 7 + 0.5) * step, top + (at // 7 + 2.5) * row), str(day + 1), font, "ms")
        if index % 2:
            for d in range(8):
                page.rule((left + d * step, top + 1.8 * row), (left + d * step, top + 7.8 * row))
    return page


def crossword(rng, _):
    page = sheet(rng, width=(900, 1500), height=(1100, 1800))
    cells, side = rng.randint(8, 13), page.width * 0.5 / 11
    left, top = page.width * 0.08, page.height * 0.06
    number, font = 0, page.font(SANS, max(11, int(side * 0.38)))
    for r in range(cells):
        for c in range(cells):
            box = (left + c * side, top + r * side, left + (c + 1) * side, top + (r + 1) * side)
            is_black = rng.random() < 0.25
            page.draw.rectangle(box, outline=page.ink, fill=page.ink if is_black else page.paper)
            if not is_black and rng.random() < 0.25:
                number += 1
                page.text((box[0] + 3, box[1] + 3), str(number), font, "lt")
    size = a_size(rng, 15, 22)
    clue = page.font(rng.choice(FACES), size)
    for half, name in enumerate(("Across", "Down")):
        y = top + cells * side + 3 * size
        page.text((left + half * page.width * 0.45, y), name, page.font(BOLD, size + 2))
        for n in sorted(rng.sample(range(1, 40), 12)):
            y += size * 1.5
            if y > page.height - size:
                break
            page.text((left + half * page.width * 0.45, y), f"{n}. {page.words(2, 3).capitalize()}", clue)
    return page


def lyrics(rng, _):
    """Syllables under staves of five lines."""
    page = sheet(rng, width=(900, 1500))
    size = a_size(rng, 16, 24)
    font = page.font(SERIF, size)
    page.text((page.width / 2, 3 * size), page.words(2, 4).title(), page.font(SERIF, size * 2), "ms")
    y = size * 6
    while y < page.height - size * 8:
        for line in range(5):
            page.rule((page.width * 0.05, y + line * size * 0.5), (page.width * 0.95, y + line * size * 0.5))
        x = page.width * 0.1
        while x < page.width * 0.85:
            word = rng.choice(WORDS)
            head = y + rng.uniform(0, 2) * size
            page.draw.ellipse((x, head, x + size * 0.6, head + size * 0.45), fill=page.ink)
            page.rule((x + size * 0.6, head + 2), (x + size * 0.6, head - size * 1.5), width=2)
            page.text((x, y + size * 4), word, font)
            x += font.getlength(word) + size * rng.uniform(0.8, 3)
        y += size * 6
    return page


def code(rng, _):
    page = sheet(rng)
    size = a_size(rng, 13, 22)
    font = page.font(MONO, size)
    depth, y = 0, size * 3
    name = lambda: rng.choice(WORDS) + rng.choice(["", "", str(rng.randint(0, 9))])
    while y < page.height - 2 * size:
        form = rng.choice(["{} = {}", "if {} > {}:", "for {} in {}:", "return {}", "{}({})", "while {}:", "# {} {} {}"])
        text = form.format(*(name() for _ in range(3)))
        page.text((size * 3 + depth * 2.4 * size, y), text, font)
        depth = depth + 1 if text.endswith(":") and depth < 4 else max(0, depth - rng.choice((0, 0, 1)))
        y += size * 1.35 * rng.choice((1, 1, 1, 2))
    return page


def mixed(rng, _):
    """Blocks of text, most upright, some turned."""
    page = sheet(rng, width=(900, 1500))
    size = a_size(rng, 16, 24)
    font = page.font(rng.choice(FACES), size)
    for row in range(3):
        for column in range(2):
            quarters = rng.choice((0, 0, 0, 1, 2, 3))
            x, y = page.width * (0.25 + 0.5 * column), page.height * (0.18 + 0.32 * row)
            for i in range(rng.randint(2, 5)):
                text, off = page.words(1, 3), (i - 2) * size * 1.6
                at = ((x, y + off), (x + off, y), (x, y - off), (x - off, y))[quarters]
                page.text(at, text, font, "mm", quarters)
    return page


KINDS = {kind.__name__: kind for kind in (table, form, number_columns, vertical_labels, sparse, huge_word, drawing_labels,
                                          calendar, crossword, lyrics, code, mixed)}


def draw(kind, index, seed):
    return KINDS[kind](random.Random(f"{seed} {kind} {index}"), index)
