#!/usr/bin/python3
"""Compares what munja live says of drawn videos with what was drawn: subtitles, frames of all formats, broken files.

usage: live_test.py MUNJA
Tests that need the program ffmpeg, NumPy, Pillow or a build with FFmpeg's libraries are skipped without them."""
import json
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
try:
    import live_camera
except ImportError:
    live_camera = None
try:
    import jsonschema
except ImportError:
    jsonschema = None
MUNJA = ""
FOLDER = None


def munja(command, *words, **options):
    return subprocess.run([MUNJA, command, "--threads", "1", "--model", str(ROOT / "models" / "default"),
                           *map(str, words)], capture_output=True, **options)


def live(*words, **options):
    return munja("live", *words, **options)


def events(*words, **options):
    done = live(*words, **options)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def ffmpeg(*words):
    subprocess.run(["ffmpeg", "-v", "error", "-y", *map(str, words)], check=True, stdin=subprocess.DEVNULL)


def clip(number=0):
    """A drawn video, made once."""
    file = FOLDER / f"clip-{number}.mp4"
    if not file.exists():
        live_camera.captions(number, file)
    return file


def seconds(text):
    hours, minutes, rest = text.replace(",", ".").split(":")
    return 3600 * int(hours) + 60 * int(minutes) + float(rest)


def captions_of(text):
    """Start, end and text of each caption of SRT or WebVTT."""
    found = re.findall(r"(\S+) --> (\S+)\n((?:.+\n)+)", text)
    return [(seconds(a), seconds(b), body.strip().split("\n")) for a, b, body in found]


class Directory(unittest.TestCase):
    def test_frames_by_name_at_the_given_rate(self):
        folder = FOLDER / "frames"
        folder.mkdir(exist_ok=True)
        for name in ("b", "a"):
            shutil.copy(ROOT / "testdata" / "pictures" / "receipt.jpg", folder / f"{name}.jpg")
        (folder / "c.jpg").write_bytes(b"no picture")
        done = live("--rate", 2, folder)
        self.assertEqual(done.returncode, 1, "a frame was skipped")
        self.assertIn(b"c.jpg", done.stderr)
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual((lines[0]["event"], lines[0]["schema_version"]), ("start", 1))
        self.assertEqual((lines[-1]["event"], lines[-1]["frames"], lines[-1]["time"]), ("end", 2, 1.0))
        new = [e for e in lines if e["event"] == "new"]
        self.assertIn("BAKERY NORTHWIND", [e["text"] for e in new])
        self.assertEqual({e["first_time"] for e in new}, {0})

    def test_single_frames_are_read_like_pages(self):
        upside_down = FOLDER / "receipt-180.png"
        if live_camera is not None:
            live_camera.Image.open(ROOT / "testdata" / "pictures" / "receipt.jpg").rotate(180).save(upside_down)
        for file in (ROOT / "testdata" / "pictures" / "receipt.jpg", upside_down):
            if not file.exists():
                continue
            folder = FOLDER / ("page-" + file.stem)
            folder.mkdir()
            shutil.copy(file, folder)
            page = json.loads(munja("read", "--format", "json", file).stdout)
            read = {line["text"] for line in page["lines"]}
            found = {e["text"] for e in events(folder) if e["event"] == "new"}
            self.assertIn("BAKERY NORTHWIND", found)
            # Corrections that look at the whole page may differ.
            self.assertGreaterEqual(len(read & found), len(read) - 1, read ^ found)

    def test_text_that_is_written_word_by_word_is_one_caption(self):
        if live_camera is None:
            self.skipTest("NumPy or Pillow is missing")
        folder = FOLDER / "words"
        folder.mkdir()
        font = live_camera.ImageFont.truetype(str(live_camera.FONTS / "DejaVuSans.ttf"), 34)
        words = "The ship leaves at seven".split()
        for number in range(30):
            image = live_camera.Image.new("RGB", (640, 240), "white")
            said = " ".join(words[:max(0, number // 4)]) if number < 28 else ""
            live_camera.ImageDraw.Draw(image).text((60, 100), said, font=font, fill="black")
            image.save(folder / f"{number:02}.png")
        out = FOLDER / "words.srt"
        self.assertEqual(live("--rate", 10, "-o", out, folder).returncode, 0)
        (start, end, text), = captions_of(out.read_text(encoding="utf-8"))
        self.assertEqual(text, [" ".join(words)])
        self.assertAlmostEqual(start, 0.4, delta=0.11)
        self.assertAlmostEqual(end, 2.8, delta=0.11)

    def test_events_are_what_the_schema_says(self):
        if jsonschema is None:
            self.skipTest("python3-jsonschema is missing")
        schema = json.loads((ROOT / "docs/reference/schemas/live-event-1.schema.json").read_text(encoding="utf-8"))
        jsonschema.Draft7Validator.check_schema(schema)
        folder = FOLDER / "sizes"
        folder.mkdir(exist_ok=True)
        for k, name in enumerate(("receipt.jpg", "sign_ko.jpg")):
            shutil.copy(ROOT / "testdata" / "pictures" / name, folder / f"{k}.jpg")
        found = events("--boxes", folder)
        for event in found:
            jsonschema.validate(event, schema)
        self.assertLessEqual({"start", "new", "boxes", "restarted", "gone", "end"}, {e["event"] for e in found})
        with self.assertRaises(jsonschema.ValidationError):
            jsonschema.validate({"event": "new", "time": 1}, schema)

    def test_nothing_to_read_is_said(self):
        folder = FOLDER / "empty"
        folder.mkdir(exist_ok=True)
        for source, said in ((folder, b"no images"), (FOLDER / "absent.mp4", b"No such file"),
                             ("http://example.com/a.mp4", b"nothing is fetched")):
            done = live(source)
            self.assertIn(done.returncode, (3, 4), done.stderr)
            self.assertIn(said, done.stderr)
            self.assertEqual(done.stderr.count(b"\n"), 1)

    def test_wrong_arguments(self):
        for words in (["--region", "1,2,3", "x"], ["--start", "3", "--stop", "2", "x"], ["-o", "a.doc", "x"],
                      ["--size", "640", "x"], ["--boxes", "-f", "srt", "x"], []):
            self.assertEqual(live(*words).returncode, 2, words)


class Video(unittest.TestCase):
    def setUp(self):
        if live_camera is None or shutil.which("ffmpeg") is None:
            self.skipTest("ffmpeg, NumPy or Pillow is missing")
        if live(clip(), "--stop", "0.1").returncode == 8:
            self.skipTest("this build reads no videos")

    def test_subtitles_have_the_text_and_times_of_the_captions(self):
        # Both formats come from the same captions, so one is enough for a video.
        for number, suffix in enumerate(("srt", "vtt", "srt")):
            shown, out = live_camera.CAPTIONS[number], FOLDER / f"captions-{number}.{suffix}"
            self.assertEqual(live("-o", out, clip(number)).returncode, 0)
            found = captions_of(out.read_text(encoding="utf-8"))
            self.assertEqual([text for _, _, text in found], [lines for _, _, lines in shown])
            for (start, end, _), (true_start, true_end, lines) in zip(found, shown):
                self.assertAlmostEqual(start, true_start, delta=0.1, msg=lines)
                self.assertAlmostEqual(end, true_end, delta=0.1, msg=lines)

    def test_formats_of_pixels_are_read_alike(self):
        for pixels, codec, suffix in (("yuv420p", "libx264", "mp4"), ("yuv444p", "libx264", "mkv"),
                                      ("yuvj420p", "mjpeg", "avi"), ("yuv422p10le", "ffv1", "mkv"),
                                      ("bgr0", "ffv1", "mkv"), ("gray", "ffv1", "mkv"), ("rgb24", "png", "mov"),
                                      ("bgra", "png", "mov")):
            file = FOLDER / f"pixels.{suffix}"
            taken = "rgba" if pixels == "bgra" else pixels
            ffmpeg("-ss", 0.6, "-i", clip(), "-frames:v", 8, "-pix_fmt", taken, "-c:v", codec, file)
            texts = {e["text"] for e in events(file) if e["event"] == "gone"}
            self.assertEqual(texts, {"Good morning, Captain"}, pixels)

    def test_rotated_streams_are_upright(self):
        whole = next(e for e in events("--start", 0.5, "--stop", 0.7, clip()) if e["event"] == "new")
        for degrees in (90, 180, 270):
            turned, said = FOLDER / "turned.mp4", FOLDER / "said.mp4"
            filters = {90: "transpose=1", 180: "hflip,vflip", 270: "transpose=2"}[degrees]
            ffmpeg("-ss", 0.5, "-i", clip(), "-t", 0.2, "-vf", filters, turned)
            # As a camera on its side: the pixels are turned, the file says how they become upright.
            ffmpeg("-i", turned, "-c", "copy", "-metadata:s:v:0", f"rotate={degrees}", said)
            event = next(e for e in events(said) if e["event"] == "new")
            self.assertEqual(event["text"], whole["text"], degrees)
            for p, q in zip(event["polygon"], whole["polygon"]):
                self.assertAlmostEqual(p[0], q[0], delta=6, msg=degrees)
                self.assertAlmostEqual(p[1], q[1], delta=6, msg=degrees)

    def test_resolution_changes_in_the_middle(self):
        parts = b""
        for size in ("960x540", "640x360"):
            part = FOLDER / f"{size}.ts"
            ffmpeg("-ss", 0.6, "-i", clip(), "-t", 0.5, "-s", size, "-c:v", "libx264", "-bf", 0, part)
            parts += part.read_bytes()
        file = FOLDER / "two.ts"
        file.write_bytes(parts)
        found = [json.loads(line) for line in live(file).stdout.splitlines()]
        restarts = [e for e in found if e["event"] == "restarted"]
        self.assertEqual(len(restarts), 1)
        self.assertEqual({e["text"] for e in found if e["event"] == "new"}, {"Good morning, Captain"})
        self.assertGreater(found[-1]["time"], 0.9, "times go on")

    def test_standard_input_is_read_as_a_stream(self):
        file = FOLDER / "clip.mkv"
        ffmpeg("-i", clip(), "-t", 1, "-c", "copy", file)
        piped = events("-", input=file.read_bytes())
        self.assertEqual(piped[0]["source"], "standard input")
        self.assertEqual(piped[1:], events(file)[1:])

    def test_broken_files_get_one_message(self):
        whole = clip().read_bytes()
        for name, data in (("cut.mp4", whole[:len(whole) // 2]), ("text.mp4", b"no video"), ("none.mp4", b"")):
            file = FOLDER / name
            file.write_bytes(data)
            done = live(file)
            self.assertEqual(done.returncode, 3, name)
            self.assertEqual(done.stderr.count(b"\n"), 1, done.stderr)
            self.assertIn(name.encode(), done.stderr)
        ffmpeg("-i", clip(), "-c", "copy", FOLDER / "whole.mkv")
        data = (FOLDER / "whole.mkv").read_bytes()
        (FOLDER / "cut.mkv").write_bytes(data[:len(data) // 2])
        done = live(FOLDER / "cut.mkv")
        self.assertEqual(done.returncode, 1, "the beginning is read")
        self.assertIn(b"the file is cut short", done.stderr)
        self.assertIn(b"Good morning, Captain", done.stdout)

    def test_sound_alone_is_no_video(self):
        file = FOLDER / "sound.wav"
        ffmpeg("-f", "lavfi", "-i", "sine=duration=1", file)
        done = live(file)
        self.assertEqual(done.returncode, 4)
        self.assertIn(b"no video in it", done.stderr)

    def test_limit_of_pixels(self):
        done = live("--max-pixels", 1000, clip())
        self.assertEqual(done.returncode, 6)
        self.assertIn(b"--max-pixels", done.stderr)

    def test_start_and_stop_keep_the_times_of_the_video(self):
        found = events("--start", 2.7, "--stop", 3.0, clip())
        new = next(e for e in found if e["event"] == "new")
        self.assertAlmostEqual(new["time"], 2.7, delta=0.04)
        self.assertAlmostEqual(found[-1]["time"], 3.0, delta=0.04)
        self.assertEqual(live("--start", 100, clip()).returncode, 3)

    def test_annotated_video_has_every_frame(self):
        out = FOLDER / "seen.mp4"
        count = events("--stop", 1, "--annotate", out, clip())[-1]["frames"]
        seen = json.loads(subprocess.run(["ffprobe", "-v", "error", "-count_frames", "-show_streams", "-of", "json",
                                          out], capture_output=True, check=True).stdout)["streams"][0]
        self.assertEqual((int(seen["nb_read_frames"]), seen["width"], seen["height"]), (count, 960, 540))
        self.assertEqual(live("--annotate", FOLDER / "seen.doc", clip()).returncode, 2)

    def test_boxes_are_told_for_every_frame(self):
        found = events("--boxes", "--stop", 1, clip())
        boxes = [e for e in found if e["event"] == "boxes"]
        self.assertEqual(len(boxes), found[-1]["frames"])
        self.assertEqual([len(e["lines"]) for e in boxes], [0] * 15 + [1] * 15)

    def test_interrupted_run_leaves_no_file(self):
        out = FOLDER / "out.srt"
        process = subprocess.Popen([MUNJA, "live", "--real-time", "--threads", "1", "--annotate",
                                    str(FOLDER / "part.mp4"), "-o", str(out), str(clip())], stderr=subprocess.PIPE)
        time.sleep(1.5)
        process.send_signal(signal.SIGINT)
        self.assertIn(b"interrupted", process.communicate(timeout=60)[1])
        self.assertEqual(process.returncode, 130)
        self.assertFalse(out.exists() or (FOLDER / "part.mp4").exists())
        self.assertEqual([p.name for p in FOLDER.glob(".munja-*")], [])


if __name__ == "__main__":
    MUNJA = sys.argv.pop(1)
    with tempfile.TemporaryDirectory() as folder:
        FOLDER = pathlib.Path(folder)
        unittest.main()
