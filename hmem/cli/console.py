"""Who may write where: stdout carries data only; warnings, hints and errors go to stderr."""

from __future__ import annotations

import codecs
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from hmem.errors import UsageError
from hmem.render.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import BinaryIO, TextIO

    from hmem.errors import HmemError


_ESCAPING, _REPLACING = "hmem-escaping", "hmem-replacing"
_PLAIN = {"…": ".", "–": "-", "›": ">", "·": "-"}
"""What stands for our own signs where an encoding lacks them."""


def _replaced(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeEncodeError)
    return "".join(_PLAIN.get(sign, "?") for sign in error.object[error.start : error.end]), error.end


def _escaped(error: UnicodeError) -> tuple[bytes, int]:
    """Encode the surrogates that stand for bytes as these bytes, others as `?`."""
    assert isinstance(error, UnicodeEncodeError)
    codes = (ord(sign) for sign in error.object[error.start : error.end])
    return bytes(code - 0xDC00 if 0xDC80 <= code <= 0xDCFF else ord("?") for code in codes), error.end


codecs.register_error(_ESCAPING, _escaped)
codecs.register_error(_REPLACING, _replaced)


def prepare_streams() -> None:
    """Make both streams write anything: UTF-8 or the locale's encoding, with replacements where it has no sign.

    A stream that was closed before the start becomes the null device, so that a later write is not an error.
    """
    for name, number in (("stdout", 1), ("stderr", 2)):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - lives as long as the process
        elif hasattr(stream, "reconfigure"):
            # surrogateescape gives back the very bytes of a file name that is not UTF-8, so that `xargs` finds it;
            # on a terminal such bytes have been made printable before.
            escape = stream.encoding.lower().replace("-", "") == "utf8" and not stream.isatty() and number == 1
            stream.reconfigure(errors=_ESCAPING if escape else _REPLACING)


def write(text: str, *, end: str = "\n") -> None:
    """Write one record to stdout."""
    sys.stdout.write(text + end)


def write_lines(records: Iterable[str], *, end: str = "\n") -> None:
    """Write records to stdout, each in one piece."""
    for record in records:
        sys.stdout.write(record + end)


def message(prefix: str, text: str) -> None:
    """Write `prefix: text` to stderr with control characters made visible; a closed stderr is no error."""
    try:
        sys.stderr.write(f"{prefix}: {one_line(text)}\n")
        sys.stderr.flush()
    except (OSError, ValueError):
        silence(sys.stderr)


def warn(text: str) -> None:
    """Write a warning to stderr."""
    message("warning", text)


def hint(text: str) -> None:
    """Write what to do next to stderr."""
    message("hint", text)


def report_error(error: HmemError) -> None:
    """Write an error and its hint to stderr."""
    message("error", error.message)
    if error.hint:
        hint(error.hint)


def silence_stdout() -> None:
    """Point stdout to the null device, so that the flush at exit cannot fail after the reader went away."""
    silence(sys.stdout)


def silence(stream: TextIO) -> None:
    """Point `stream` to the null device; one without a descriptor is left alone."""
    try:
        number = stream.fileno()
    except (OSError, ValueError):
        return
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, number)
    os.close(null)


def read_text(source: str) -> str:
    """Return the UTF-8 text of a file, or of stdin for `-`, whatever the locale. Raises OSError, UsageError."""
    data = _stdin().read() if source == "-" else Path(source).read_bytes()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UsageError(f"not UTF-8 text: `{source}`") from None


def input_lines(source: str) -> Iterator[str]:
    """Yield the lines of a file, or of stdin for `-`, as they come; bytes that are not UTF-8 become surrogates."""
    if source == "-":
        yield from (line.decode("utf-8", "surrogateescape") for line in _stdin())
        return
    with Path(source).open("rb") as file:
        yield from (line.decode("utf-8", "surrogateescape") for line in file)


def _stdin() -> BinaryIO:
    if sys.stdin is None:
        raise UsageError("stdin is closed")
    return sys.stdin.buffer
