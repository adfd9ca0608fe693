"""Prints the text of a video with its times: python live.py clip.mp4 (needs: pip install munja av numpy)."""

import sys

import munja

for event in munja.live(sys.argv[1]):
    if event.kind == "gone":
        print(f"{event.first_time:.2f} - {event.last_time:.2f}  {event.text}")
    elif event.kind == "restarted":
        print(f"{event.time:.2f}: {event.text}", file=sys.stderr)
