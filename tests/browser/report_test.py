#!/usr/bin/python3
"""The pages that munja read --report and munja eval --report write, opened in Chromium: boxes where they should be,
text that is found and copied, no request but for the page itself.

usage: report_test.py MUNJA
Skipped where chromium is not installed. It is spoken to through a pair of pipes (--remote-debugging-pipe): messages of
the DevTools protocol, JSON with a zero byte behind each."""
import json
import os
import pathlib
import select
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PICTURE = ROOT / "testdata" / "pictures" / "receipt.jpg"
MODEL = ROOT / "models" / "default"
MUNJA = ""
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
SECONDS = 120  # Until a browser that says nothing is given up.


class Browser:
    def __init__(self, folder):
        to_read, self.to_write = os.pipe()
        self.to_listen, from_browser = os.pipe()

        def pipes():
            # It takes its orders from 3 and answers on 4.
            a, b = os.dup(to_read), os.dup(from_browser)
            os.dup2(a, 3)
            os.dup2(b, 4)

        self.process = subprocess.Popen(
            [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--window-size=1400,1000",
             f"--user-data-dir={folder}", "--remote-debugging-pipe", "about:blank"],
            close_fds=False, preexec_fn=pipes, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(from_browser)
        self.bytes, self.last, self.events, self.page = b"", 0, [], None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.page = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime"):
            self.call(f"{domain}.enable")

    def message(self):
        end = time.monotonic() + SECONDS
        while b"\0" not in self.bytes:
            ready, _, _ = select.select([self.to_listen], [], [], max(0, end - time.monotonic()))
            more = os.read(self.to_listen, 1 << 20) if ready else b""
            if not more:
                raise RuntimeError("chromium does not answer")
            self.bytes += more
        text, self.bytes = self.bytes.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **parameters):
        self.last += 1
        order = {"id": self.last, "method": method, "params": parameters}
        if self.page is not None:
            order["sessionId"] = self.page
        os.write(self.to_write, json.dumps(order).encode() + b"\0")
        while True:
            message = self.message()
            if message.get("id") == self.last:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]
            self.events.append(message)

    def open(self, file):
        self.events.clear()
        self.call("Page.navigate", url=file.as_uri())
        while not any(e.get("method") == "Page.loadEventFired" for e in self.events):
            self.events.append(self.message())

    def requests(self):
        return [e["params"]["request"]["url"] for e in self.events if e.get("method") == "Network.requestWillBeSent"]

    def value(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"])
        return result["result"].get("value")

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.to_write)
        os.close(self.to_listen)


# The corners of the boxes' rectangles as they are on the screen, in pixels of the picture under them.
BOXES = """[...document.querySelectorAll('.picture g polygon')].map(polygon => {
  const svg = polygon.ownerSVGElement, image = svg.querySelector('image').getBoundingClientRect();
  const scale = svg.viewBox.baseVal.width / image.width, box = polygon.getBoundingClientRect();
  return [box.left - image.left, box.top - image.top, box.right - image.left, box.bottom - image.top]
    .map(x => x * scale);
})"""
# Where the text is that window.find() selected, in the same pixels.
SELECTED = """(() => {
  const svg = document.querySelector('.picture'), image = svg.querySelector('image').getBoundingClientRect();
  const scale = svg.viewBox.baseVal.width / image.width;
  const box = getSelection().getRangeAt(0).getBoundingClientRect();
  return [box.left - image.left, box.top - image.top, box.right - image.left, box.bottom - image.top]
    .map(x => x * scale);
})()"""


@unittest.skipIf(CHROMIUM is None, "chromium is not here")
class Reports(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        done = subprocess.run([MUNJA, "read", "--model", MODEL, "--format", "json", "--report", cls.folder / "read.html",
                               PICTURE], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        cls.document = json.loads(done.stdout)
        cls.lines = cls.document["lines"]
        cls.browser = Browser(cls.folder / "profile")

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        shutil.rmtree(cls.folder, ignore_errors=True)

    def expect_no_requests(self, file):
        self.assertEqual([url for url in self.browser.requests() if not url.startswith("data:")], [file.as_uri()])
        # None is in the making either: what the page holds is shown.
        self.assertTrue(self.browser.value("[...document.querySelectorAll('image')].every(i => "
                                           "i.href.baseVal.startsWith('data:'))"))

    def expect_boxes(self, lines, tolerance=2):
        boxes = self.browser.value(BOXES)
        self.assertEqual(len(boxes), len(lines))
        for box, line in zip(boxes, lines):
            xs, ys = [p[0] for p in line["polygon"]], [p[1] for p in line["polygon"]]
            for a, b in zip(box, (min(xs), min(ys), max(xs), max(ys))):
                # The outline is drawn half outside.
                self.assertLess(abs(a - b), tolerance, (line["text"], box))

    def test_what_was_read(self):
        file = self.folder / "read.html"
        self.browser.open(file)
        self.expect_no_requests(file)
        self.expect_boxes(self.lines)
        # Search finds each line that is there once, selects it where it stands in the picture, and copies its text.
        texts = [line["text"] for line in self.lines]
        found = 0
        for line in self.lines:
            text = line["text"]
            if len(text) < 4 or sum(text.lower() in t.lower() for t in texts) > 1:
                continue
            self.browser.value("getSelection().removeAllRanges()")
            self.assertTrue(self.browser.value(f"window.find({json.dumps(text)}, true)"), text)
            self.assertEqual(self.browser.value("getSelection().toString()").strip(), text)
            left, top, right, bottom = self.browser.value(SELECTED)
            xs, ys = [p[0] for p in line["polygon"]], [p[1] for p in line["polygon"]]
            self.assertTrue(min(xs) <= (left + right) / 2 <= max(xs), (text, left, right))
            self.assertTrue(min(ys) <= (top + bottom) / 2 <= max(ys), (text, top, bottom))
            found += 1
        self.assertGreater(found, 5)
        # The box under the pointer is marked in the list, too.
        self.assertEqual(self.browser.value("document.querySelectorAll('.on').length"), 0)
        x, y = self.browser.value("(() => { const b = document.querySelector('.picture g polygon')"
                                  ".getBoundingClientRect(); return [(b.left + b.right) / 2, (b.top + b.bottom) / 2];"
                                  "})()")
        self.browser.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        self.assertEqual(self.browser.value("[...document.querySelectorAll('.on')].map(e => e.tagName).sort()"),
                         ["LI", "g"])
        self.expect_no_requests(file)

    def test_what_was_compared(self):
        (self.folder / "labels").mkdir()
        shutil.copy(PICTURE, self.folder / "receipt.jpg")
        labels = [{"text": line["text"], "poly": line["polygon"]} for line in self.lines]
        labels[0]["text"] += "x"  # A line that is not right.
        (self.folder / "labels" / "set.jsonl").write_text(
            json.dumps({"image": "receipt.jpg", "lines": labels}) + "\n", encoding="utf-8")
        file = self.folder / "eval.html"
        done = subprocess.run([MUNJA, "eval", "--model", MODEL, "--labels", self.folder / "labels" / "set.jsonl",
                               "--report", file], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.browser.open(file)
        self.expect_no_requests(file)
        self.expect_boxes(self.lines)
        # Its part of the picture, its label and what was read, with what differs marked.
        self.assertEqual(self.browser.value("document.querySelectorAll('tr[data-line]').length"), 1)
        self.assertEqual(self.browser.value("document.querySelector('tr[data-line]').cells[1].textContent"),
                         labels[0]["text"])
        self.assertEqual(self.browser.value("document.querySelector('tr[data-line] del, tr[data-line] ins').textContent"),
                         "x")
        self.assertGreater(self.browser.value("document.querySelector('tr[data-line] svg').getBoundingClientRect().width"),
                           10)


if __name__ == "__main__":
    MUNJA = sys.argv.pop(1)
    unittest.main()
