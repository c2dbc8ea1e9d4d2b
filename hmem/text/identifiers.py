"""Take words apart: compounds into identifiers, identifiers into their parts."""

from __future__ import annotations

import re
from typing import Final

from hmem.text.scripts import fold, is_unspaced

# Names that punctuation tells apart: `C++`, `C#`, `F#`, `.NET`.
_SIGNED = re.compile(r"[cCgG]\+\+|[cfjqCFJQ]\#|\.(?:NET|Net|net)")
_JOINT = re.compile(r"[-./@]|::")
_BOUNDARY = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])")
_CONTRACTION = re.compile(r"(?<=\w)(?:(?<!^ca)n)?['\u2019][a-z]{1,2}$", re.IGNORECASE)
_HEXADECIMAL = re.compile(r"0[xX][0-9A-Fa-f]{2,}")

# A run of at least this length whose letters and digits alternate in pieces shorter than this on average is a
# hash or encoded data: its pieces mean nothing.
_BLOB_LENGTH: Final = 8
_BLOB_PIECE: Final = 3


def without_contraction(word: str) -> str:
    """Return `word` without an English contraction: `pool's` is `pool`, `don't` is `do`, `can't` is `can`."""
    if "'" in word or "\u2019" in word:
        return _CONTRACTION.sub("", word)
    return word


def is_signed(word: str) -> bool:
    """Tell whether `word` is a name that only punctuation tells from another: `C++`, `C#`, `F#`, `.NET`."""
    return _SIGNED.fullmatch(word) is not None


def _humps(word: str) -> list[str]:
    """Split at changes of case and between letters and digits, whatever the accents."""
    plain = fold(word)
    if len(plain) != len(word):
        return [word]
    cuts = [found.start() for found in _BOUNDARY.finditer(plain)]
    pieces = [word[start:end] for start, end in zip([0, *cuts], [*cuts, len(word)], strict=True)]
    if len(word) >= _BLOB_LENGTH and len(word) < _BLOB_PIECE * len(pieces) and not word.isalpha():
        return [word]
    return pieces


def pieces(word: str) -> list[str]:
    """Return what `word` is joined from, one level down, or just the word itself.

    The levels: `-`, `.`, `/`, `@` and `::`; then `_`; then changes of case, and between letters and digits.
    """
    if (word.isalpha() and (word.islower() or word[1:].islower())) or is_signed(word):
        return [word]
    for joint in (_JOINT.split(word), word.split("_")):
        if len(joint) > 1:
            return [piece for piece in joint if piece]
    if _HEXADECIMAL.fullmatch(word):
        return [word]
    return _humps(word)


def identifier_parts(word: str) -> tuple[str, ...]:
    """Return the smallest parts of `word` as written: `getHTTPResponse2` gives `get`, `HTTP`, `Response`, `2`."""
    if is_unspaced(word):
        return (word,)
    found = pieces(without_contraction(word))
    if len(found) == 1:
        return tuple(found)
    return tuple(part for piece in found for part in identifier_parts(piece))
