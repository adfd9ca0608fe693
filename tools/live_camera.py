"""Simulated cameras: videos of pages with the truth of every frame, and drawn videos with changing captions."""
import json
import math
import pathlib
import shutil
import subprocess

import numpy
from PIL import Image, ImageDraw, ImageFilter, ImageFont

WIDTH, HEIGHT, RATE = 960, 540, 30
# Each is one trouble of cameras, on top of a hand that is never quite still.
KINDS = ("pan", "zoom", "shake", "rolling", "blur", "focus", "light", "glare", "hand", "noise")
BITRATES = {"high": "4M", "medium": "1M", "low": "400k"}
FONTS = pathlib.Path("/usr/share/fonts/truetype/dejavu")


class Encoder:
    """The program ffmpeg, which gets frames as raw RGB."""

    def __init__(self, path, bitrate, size=(WIDTH, HEIGHT)):
        if shutil.which("ffmpeg") is None:
            raise SystemExit("the program ffmpeg is missing: tools/install-packages video")
        # One thread: the same bytes on any machine.
        self.process = subprocess.Popen(
            ["ffmpeg", "-v", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{size[0]}x{size[1]}", "-r",
             str(RATE), "-i", "-", "-c:v", "libx264", "-threads", "1", "-preset", "veryfast", "-b:v", bitrate,
             "-pix_fmt", "yuv420p", "-bf", "0", str(path)], stdin=subprocess.PIPE)

    def add(self, frame):
        self.process.stdin.write(frame.tobytes())

    def finish(self):
        self.process.stdin.close()
        if self.process.wait() != 0:
            raise SystemExit("ffmpeg failed")


class Path:
    """Where the camera is at any time: smooth curves with seeded phases."""

    def __init__(self, kind, page, draw, seconds):
        self.kind, self.seconds = kind, seconds
        self.center = numpy.array(page.size, float) / 2
        # The page's width fills most of the frame.
        self.scale = min(0.9 * WIDTH / page.size[0], 2.0)
        self.phase = draw.uniform(0, 2 * math.pi, 6)
        self.tilt = draw.uniform(-0.04, 0.04)
        self.reach = max(0.0, page.size[1] * self.scale - HEIGHT) / 2

    def pose(self, time):
        """The 2x2 matrix and the shift that bring a point of the page into the frame, at times of any shape."""
        p, t = self.phase, numpy.asarray(time, float)
        still = 1.5  # Pixels: a hand that holds.
        dx = still * numpy.sin(2.1 * t + p[0])
        dy = still * numpy.sin(1.7 * t + p[1])
        angle = self.tilt + 0.004 * numpy.sin(1.3 * t + p[2])
        scale = self.scale * numpy.ones_like(t)
        if self.kind in ("pan", "rolling", "blur"):
            speed = {"pan": 1.0, "rolling": 1.8, "blur": 1.8}[self.kind]
            dx = dx + 60 * numpy.sin(speed * t + p[3])
            dy = dy + min(self.reach, 120) * numpy.sin(0.8 * speed * t + p[4])
        if self.kind == "zoom":
            scale = scale * (1.15 + 0.25 * numpy.sin(1.1 * t + p[3]))
            angle = angle + 0.06 * numpy.sin(0.7 * t + p[4])
        if self.kind in ("shake", "blur"):
            dx = dx + 7 * numpy.sin(23 * t + p[3]) + 4 * numpy.sin(37 * t + p[5])
            dy = dy + 6 * numpy.sin(29 * t + p[4])
        cos, sin = scale * numpy.cos(angle), scale * numpy.sin(angle)
        return cos, sin, dx + WIDTH / 2, dy + HEIGHT / 2

    def to_frame(self, points, time):
        cos, sin, dx, dy = self.pose(time)
        x, y = points[:, 0] - self.center[0], points[:, 1] - self.center[1]
        return numpy.stack([cos * x - sin * y + dx, sin * x + cos * y + dy], 1)


def sample(pixels, path, row_times):
    """The page as the rows of a frame see it, each at its time; bilinear."""
    cos, sin, dx, dy = path.pose(row_times)
    x = numpy.arange(WIDTH)[None, :] - dx[:, None]
    y = (numpy.arange(HEIGHT) - dy)[:, None]
    square = (cos ** 2 + sin ** 2)[:, None]
    u = (cos[:, None] * x + sin[:, None] * y) / square + path.center[0]
    v = (-sin[:, None] * x + cos[:, None] * y) / square + path.center[1]
    height, width = pixels.shape[:2]
    u, v = numpy.clip(u, 0, width - 1.001), numpy.clip(v, 0, height - 1.001)
    left, top = u.astype(numpy.int32), v.astype(numpy.int32)
    a, b = (u - left)[..., None].astype(numpy.float32), (v - top)[..., None].astype(numpy.float32)
    upper = pixels[top, left] * (1 - a) + pixels[top, left + 1] * a
    lower = pixels[top + 1, left] * (1 - a) + pixels[top + 1, left + 1] * a
    return upper * (1 - b) + lower * b


def stream(page, lines, kind, bitrate, seed, path, seconds=3.0):
    """Writes PATH.mp4 and PATH.jsonl, a line for each frame: its lines as quadrilaterals with text and visibility."""
    draw = numpy.random.default_rng(seed)
    # A page that is larger than what the frame shows of it is made smaller at once, so that samples do not alias.
    camera = Path(kind, page, draw, seconds)
    if camera.scale < 1:
        factor = camera.scale * (1.4 if kind == "zoom" else 1)
        small = page.resize((round(page.size[0] * factor), round(page.size[1] * factor)), Image.LANCZOS)
        lines = [(numpy.array(p, float) * factor, text) for p, text in lines]
        camera = Path(kind, small, numpy.random.default_rng(seed), seconds)
        page = small
    pixels = numpy.asarray(page.convert("RGB"), numpy.float32)
    encoder = Encoder(f"{path}.mp4", BITRATES[bitrate])
    readout = 0.025 if kind == "rolling" else 0.004
    exposure, steps = (0.02, 5) if kind == "blur" else (0.006, 2)
    rows = numpy.arange(HEIGHT)
    grid_y, grid_x = numpy.mgrid[0:HEIGHT, 0:WIDTH].astype(numpy.float32)
    spot = draw.uniform(0.2, 0.8, 2)
    with open(f"{path}.jsonl", "w", encoding="utf-8") as truth:
        for index in range(round(seconds * RATE)):
            time = index / RATE
            frame = sum(sample(pixels, camera, time + readout * (rows / HEIGHT - 0.5) + exposure * (k / steps - 0.5))
                        for k in range(steps)) / steps
            if kind == "focus":
                radius = max(0.0, 3.0 * math.sin(2.2 * time + camera.phase[3]))
                blurred = Image.fromarray(frame.astype(numpy.uint8)).filter(ImageFilter.GaussianBlur(radius))
                frame = numpy.asarray(blurred, numpy.float32)
            if kind == "light":
                frame = frame * (0.6 + 0.4 * math.sin(2.5 * time + camera.phase[3])
                                 + 0.25 * (grid_x / WIDTH - 0.5))[..., None]
            if kind == "glare":
                x = WIDTH * (spot[0] + 0.25 * math.sin(1.2 * time))
                y = HEIGHT * (spot[1] + 0.2 * math.cos(0.9 * time))
                frame = frame + 200 * numpy.exp(-((grid_x - x) ** 2 + (grid_y - y) ** 2) / 9000.0)[..., None]
            hidden = numpy.zeros((HEIGHT, WIDTH), bool)
            if kind == "hand":
                x = WIDTH * (1.3 - 1.1 * math.sin(math.pi * time / seconds))
                hidden = ((grid_x - x) / 260) ** 2 + ((grid_y - HEIGHT * 0.7) / 190) ** 2 < 1
                frame = numpy.where(hidden[..., None], numpy.float32([196, 150, 124]), frame)
            sigma = 16 if kind == "noise" else 2
            frame = frame + draw.standard_normal(frame.shape, numpy.float32) * sigma
            encoder.add(numpy.clip(frame, 0, 255).astype(numpy.uint8))
            seen = []
            for number, (polygon, text) in enumerate(lines):
                points = camera.to_frame(numpy.asarray(polygon, float), time)
                # Each corner at the time at which its row is read.
                row_time = time + readout * (points[:, 1] / HEIGHT - 0.5)
                points = camera.to_frame(numpy.asarray(polygon, float), row_time)
                inside = bool(((points >= 0) & (points < (WIDTH, HEIGHT))).all())
                left, top = numpy.clip(points.min(0), 0, (WIDTH - 1, HEIGHT - 1)).astype(int)
                right, bottom = numpy.clip(points.max(0), 0, (WIDTH - 1, HEIGHT - 1)).astype(int)
                covered = bool(hidden[top:bottom + 1, left:right + 1].mean() > 0.02)
                seen.append({"id": number, "polygon": points.round(2).tolist(), "text": text,
                             "visible": inside and not covered})
            truth.write(json.dumps({"frame": index, "time": round(time, 6), "lines": seen}, ensure_ascii=False) + "\n")
    encoder.finish()


# Start and end in seconds, and the lines.
CAPTIONS = (
    ((0.5, 2.0, ["Good morning, Captain"]), (2.5, 4.0, ["The harbor is closed today"]),
     (4.0, 5.5, ["Then we wait", "until the storm is over"])),
    ((0.0, 1.5, ["Chapter one"]), (2.0, 3.5, ["A letter from the north"]), (3.5, 5.0, ["There was no answer"])),
    ((1.0, 3.0, ["Where is the station?"]), (3.2, 5.0, ["The second street on the left"]), (5.2, 6.5, ["Thank you very much"])),
)


def captions(number, path):
    """Writes the video PATH of CAPTIONS[number]: white text with a dark edge over a moving picture."""
    shown = CAPTIONS[number]
    font = ImageFont.truetype(str(FONTS / "DejaVuSans.ttf"), 34)
    encoder = Encoder(path, "4M")
    columns = numpy.arange(WIDTH, dtype=numpy.float32)[None]
    rows = numpy.arange(HEIGHT, dtype=numpy.float32)[:, None]
    for index in range(round((shown[-1][1] + 0.8) * RATE)):
        time = index / RATE
        wave = 90 + 40 * numpy.sin(columns / 170 + time + number) + 30 * numpy.cos(rows / 130 - 0.7 * time)
        # The wave is from 20 to 160.
        back = numpy.stack([(wave * part).astype(numpy.uint8) for part in (0.6, 0.8, 1.0)], 2)
        picture = Image.fromarray(back)
        pen = ImageDraw.Draw(picture)
        for start, end, lines in shown:
            if not round(start * RATE) <= index < round(end * RATE):
                continue
            for row, line in enumerate(lines):
                y = HEIGHT - 60 - 48 * (len(lines) - row)
                x = (WIDTH - pen.textlength(line, font=font)) / 2
                pen.text((x, y), line, font=font, fill="white", stroke_width=2, stroke_fill="black")
        encoder.add(numpy.asarray(picture))
    encoder.finish()
