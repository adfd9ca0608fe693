"""Tells Schemathesis (tools/test-openapi) what the description of the server cannot: files that can be read, and which
values of parameters fit these files and the model. All files have one page of 100 x 100 pixels."""

import base64
import json
import pathlib
import struct
import zlib

import schemathesis
from hypothesis import strategies

MODEL = pathlib.Path(__file__).resolve().parent.parent.parent / "models/default"
SIDE = 100


def png():
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    # A black bar, which may be a letter, on white.
    rows = b"".join(b"\0" + bytes(0 if 40 < x < 46 and 30 < y < 60 else 255 for x in range(SIDE)) for y in range(SIDE))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", SIDE, SIDE, 8, 0, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


IMAGES = [png(), b"P1 100 100\n" + b"0" * SIDE * SIDE]
files = strategies.sampled_from(IMAGES)
# The type of a file is found from its bytes, so that these fit any type.
schemathesis.openapi.media_type("image/*", files, aliases=["image/png", "image/jpeg", "image/gif", "image/webp"])
schemathesis.openapi.media_type("application/octet-stream", files)
schemathesis.openapi.media_type("application/pdf", files)
schemathesis.openapi.format("binary", files)


CHARACTERS = (MODEL / "dictionary.txt").read_text(encoding="utf-8").split("\n")[:-1]
schemathesis.openapi.format("characters", strategies.text(strategies.sampled_from(CHARACTERS), min_size=1, max_size=50))


@schemathesis.hook
def before_load_schema(context, schema):
    languages = [name for entry in json.loads((MODEL / "bundle.json").read_text(encoding="utf-8"))["languages"]
                 for name in entry["codes"]]
    one = "(" + "|".join(languages) + ")"
    parameters = schema["components"]["parameters"]
    parameters["language"]["schema"]["pattern"] = f"^{one}(,{one})*$"
    parameters["pages"]["schema"]["pattern"] = "^1(-1?)?(,1(-1?)?)*$"
    parameters["allowed_characters"]["schema"]["format"] = "characters"
    # Rectangles that lie in the image are no regular language; other texts that the negative tests make are none.
    parameters["region"]["schema"] = {"enum": ["0,0,100,100", "10,20,60,70", "99,0,1,100"]}
    request = schema["components"]["schemas"]["PaddleXRequest"]["properties"]
    request["file"] = {"enum": [base64.b64encode(image).decode() for image in IMAGES]}
    request["fileType"] = {"enum": [1, None]}


@schemathesis.hook
def filter_case(context, case):
    """Leaves out several files where the format takes one page."""
    has_several = isinstance(case.body, dict) and isinstance(case.body.get("file"), list) and len(case.body["file"]) > 1
    return not (has_several and (case.query or {}).get("format") == "png")
