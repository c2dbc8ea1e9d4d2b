"""Text that is safe to print: no control character of indexed text reaches a terminal raw."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hmem.search.results import SearchResult

# C0 but tab and line feed, DEL, C1, and the bidirectional overrides that can make a line read as another one.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_PICTURES = 0x2400


def _picture(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return chr(_PICTURES + code)
    return "\u2421" if code == 0x7F else "\ufffd"


def without_controls(text: str) -> str:
    """Return `text` with control characters shown as their pictures; bytes that are not UTF-8 stay as they are."""
    return _CONTROL.sub(_picture, text)


def printable(text: str) -> str:
    """Return `text` with control characters shown as their pictures (ESC as `␛`) and surrogates as `�`."""
    return _SURROGATE.sub("\ufffd", _CONTROL.sub(_picture, text))


def one_line(text: str) -> str:
    """Return `text` on one line: printable, tabs and line feeds as blanks."""
    return printable(text).replace("\t", " ").replace("\n", " ")


def display_path(path: str, *, absolute: bool = False, base: str | None = None) -> str:
    """Return an absolute `path` relative to the working directory (or `base`) when inside it."""
    if absolute:
        return path
    try:
        relative = Path(path).relative_to(base or os.getcwd())  # noqa: PTH109 - the name as the shell sees it
    except (ValueError, OSError):
        return path
    return str(relative)


def hidden_texts(result: SearchResult) -> list[str]:
    """Return what the answer hides because of its state or its date, as `3 superseded hidden` for each."""
    return [f"{count:,} {state} hidden" for state, count in result.hidden.items()]
