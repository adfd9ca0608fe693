"""Exceptions: one class for each status of the library, which is also the built-in exception that Python code expects."""

from __future__ import annotations

import enum


class Status(enum.IntEnum):
    """Kinds of errors by the remedy of a caller; the numbers of the C interface."""

    INVALID_ARGUMENT = 1
    MALFORMED = 2
    UNSUPPORTED = 3
    OUT_OF_MEMORY = 4
    IO = 5
    NOT_FOUND = 6
    UNAVAILABLE = 7
    CANCELLED = 8
    INTERNAL = 9
    TIMED_OUT = 10
    NEEDS_VALUES = 11


class Error(Exception):
    """An error of the library. ``str(error)`` is its message, ``error.status`` its code."""

    status: Status = Status.INTERNAL


class InvalidArgumentError(Error, ValueError):
    """The call itself is wrong."""

    status = Status.INVALID_ARGUMENT


class MalformedError(Error, ValueError):
    """Bytes from outside (an image, a network, a model) are not what they claim."""

    status = Status.MALFORMED


class UnsupportedError(Error, NotImplementedError):
    """Well formed, but not implemented."""

    status = Status.UNSUPPORTED


class OutOfMemoryError(Error, MemoryError):
    """There is no memory, or a stated limit was passed."""

    status = Status.OUT_OF_MEMORY


class ReadWriteError(Error, OSError):
    """The system refused to read or write."""

    status = Status.IO


class MissingError(Error, FileNotFoundError):
    """A file, tensor or model does not exist."""

    status = Status.NOT_FOUND


class UnavailableError(Error, RuntimeError):
    """A server or an optional part is absent."""

    status = Status.UNAVAILABLE


class CancelledError(Error):
    """The call was cancelled, by a :class:`Control` or a callback."""

    status = Status.CANCELLED


class InternalError(Error, RuntimeError):
    """A bug in the library."""

    status = Status.INTERNAL


class TimedOutError(Error, TimeoutError):
    """A stated limit of time was passed."""

    status = Status.TIMED_OUT


class NeedsValuesError(Error):
    """Only a run, which has the values, can tell."""

    status = Status.NEEDS_VALUES


_CLASSES: dict[int, type[Error]] = {int(c.status): c for c in Error.__subclasses__()}


def class_of(code: int) -> type[Error]:
    """The exception for a status of the library; the extension calls it."""
    return _CLASSES.get(code, InternalError)
