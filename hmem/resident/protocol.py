"""What client and server say to each other. Imports next to nothing: the client lives for some milliseconds.

The client says what `kind` it is, and the child of the server `ACCEPTED` if it is the same. Only then does the request
follow in one record, with stdin, stdout and stderr as file descriptors: those that lie with a server that hangs would
keep the pipes of the caller open. The child says `WRITING` before the first byte that it writes, and at the end `ENDED`
and the exit code in one byte; if it must not answer, it hangs up.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Self

SOCKET_NAME = "resident.sock"
SWITCH = "HMEM_RESIDENT"
"""With `0` in this variable every command runs as a process of its own."""

MAX_REQUEST = 4 << 20
ACCEPTED = b"a"
WRITING = b"w"
ENDED = b"e"
_LENGTH = 8


def kind() -> bytes:
    """Return what must be equal on both sides: the interpreter and the copy of hmem."""
    text = f"{sys.executable}\n{sys.version}\n{os.path.dirname(os.path.dirname(os.path.abspath(__file__)))}"  # noqa: PTH100, PTH120
    return os.fsencode(text)


class Request:
    """A command as it was called: words, directory, environment, and (encoding, errors) of stdout and stderr."""

    __slots__ = ("directory", "environment", "streams", "words")

    def __init__(
        self,
        words: list[str],
        directory: str,
        environment: Mapping[str, str],
        streams: tuple[tuple[str, str], tuple[str, str]],
    ) -> None:
        self.words = words
        self.directory = directory
        self.environment = environment
        self.streams = streams

    def to_bytes(self) -> bytes:
        """Return the record: the length of the rest, then texts that end in NUL, which none of them can hold."""
        out, err = self.streams
        texts = [self.directory, *out, *err, str(len(self.words)), *self.words]
        texts += [f"{name}={value}" for name, value in self.environment.items()]
        return record_of(b"".join(os.fsencode(text) + b"\0" for text in texts))

    @classmethod
    def from_bytes(cls, body: bytes) -> Self:
        """Return the request of a record without its length. Raises ValueError."""
        directory, *rest = (os.fsdecode(text) for text in body.split(b"\0")[:-1])
        out_encoding, out_errors, err_encoding, err_errors, count, *more = rest
        words, pairs = more[: int(count)], more[int(count) :]
        environment = dict((name, value) for name, _, value in (pair.partition("=") for pair in pairs))
        return cls(words, directory, environment, ((out_encoding, out_errors), (err_encoding, err_errors)))


def record_of(body: bytes) -> bytes:
    """Return `body` with its length before it."""
    return len(body).to_bytes(_LENGTH, "big") + body


def length_of(record: bytes) -> int | None:
    """Return the length of the whole record that begins with these bytes, None if they are too few to tell."""
    if len(record) < _LENGTH:
        return None
    return _LENGTH + int.from_bytes(record[:_LENGTH], "big")


def body_of(record: bytes) -> bytes:
    """Return a whole record without its length."""
    return record[_LENGTH:]
