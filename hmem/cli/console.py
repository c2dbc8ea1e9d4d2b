"""Who may write where: stdout carries data only; warnings, hints and errors go to stderr."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from hmem.render.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import TextIO

    from hmem.errors import HmemError


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
            stream.reconfigure(errors="surrogateescape" if escape else "replace")


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
