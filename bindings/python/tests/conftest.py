"""Fixtures that the tests share. The command, an oracle of its own, is that of the build: $MUNJA, else
build/release/munja."""

from __future__ import annotations

import os
import pathlib
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

import munja

ROOT = pathlib.Path(__file__).resolve().parents[3]
COMMAND = pathlib.Path(os.environ.get("MUNJA", ROOT / "build/release/munja"))

# A job that a shell started in the background ignores SIGINT, and so would the programs that the tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def pictures() -> pathlib.Path:
    return ROOT / "testdata" / "pictures"


@pytest.fixture(scope="session")
def receipt(pictures: pathlib.Path) -> pathlib.Path:
    return pictures / "receipt.jpg"


@pytest.fixture(scope="session")
def doubles() -> pathlib.Path:
    """A network that doubles any number of floats."""
    return ROOT / "testdata" / "models" / "double.tflite"


@pytest.fixture(scope="session")
def engine() -> Iterator[munja.Engine]:
    with munja.Engine(threads=1) as engine:
        yield engine


def command(*words: object) -> str:
    if not COMMAND.exists():
        pytest.skip(f"{COMMAND} is not built")
    return subprocess.run([COMMAND, *map(str, words)], check=True, capture_output=True, text=True).stdout


def run_python(program: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Runs a program in an interpreter of its own; its working directory is the one of the sample images."""
    return subprocess.run(
        [sys.executable, "-c", program, *map(str, arguments)],
        cwd=ROOT / "testdata" / "pictures",
        capture_output=True,
        text=True,
        timeout=300,
    )
