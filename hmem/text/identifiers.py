"""Take words apart: compounds into identifiers, identifiers into their parts."""

from __future__ import annotations

import re
from typing import Final

from hmem.text.scripts import fold, is_unspaced

# Names that only punctuation tells from another.
_SIGNED: Final = re.compile(r"[cCgG]\+\+|[cfjqCFJQ]\#|\.(?:NET|Net|net)")
_PIECE: Final = re.compile(r"(?:^|(?<=/))\.(?:NET|Net|net)(?![A-Za-z0-9_])|[^-./@:]+")
_CASE: Final = r"(?<=[a-z0-9])(?=[A-Z])"
# The last capital of several starts the next word (HTTP|Server), but not in plural acronyms (URLs) and IPv4.
_ACRONYM: Final = r"(?<=[A-Z])(?=[A-Z](?![sv](?![a-z]))[a-z])"
_NUMBER: Final = r"(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])"
_BOUNDARY: Final = re.compile("|".join((_CASE, _ACRONYM, _NUMBER)))
_CONTRACTION: Final = re.compile(r"(?<=\w)(?:(?<!^ca)n)?['\u2019][a-z]{1,2}$", re.IGNORECASE)

# A run of at least this length whose letters and digits alternate in pieces shorter than this on average is a
# hash or encoded data: its pieces mean nothing.
_BLOB_LENGTH: Final = 8
_BLOB_PIECE: Final = 3


def without_contraction(word: str) -> str:
    """Return `word` without an English contraction: `pool's` is `pool`, `don't` is `do`, `can't` is `can`."""
    if "'" in word or "\u2019" in word:
        return _CONTRACTION.sub("", word)
    return word


def is_plain(word: str) -> bool:
    """Tell whether `word` is a word without parts: letters, of one case or with a capital."""
    return word.isalpha() and (word.islower() or word[1:].islower() or word.isupper())


def _humps(word: str) -> list[str]:
    """Split at changes of case and between letters and digits, whatever the accents."""
    plain = fold(word)
    if len(plain) != len(word) or word[:2] in {"0x", "0X"}:
        return [word]
    cuts = [found.start() for found in _BOUNDARY.finditer(plain)]
    found = [word[start:end] for start, end in zip([0, *cuts], [*cuts, len(word)], strict=True)]
    if len(word) >= _BLOB_LENGTH and len(word) < _BLOB_PIECE * len(found) and not word.isalpha():
        return [word]
    return found


def pieces(word: str) -> list[str]:
    """Return what `word` is joined from, one level down; just the word itself if it has no parts.

    The levels: `-`, `.`, `/`, `@` and `::`; then `_`; then changes of case, and between letters and digits.
    """
    if is_plain(word) or _SIGNED.fullmatch(word):
        return [word]
    found = _PIECE.findall(word)
    if found == [word]:
        found = [piece for piece in word.split("_") if piece]
    return _humps(word) if found == [word] else found


def identifier_parts(word: str) -> tuple[str, ...]:
    """Return the smallest parts of `word` as written: `getHTTPResponse2` gives `get`, `HTTP`, `Response`, `2`."""
    if is_unspaced(word):
        return (word,)
    found = pieces(without_contraction(word).lstrip("#"))
    if len(found) == 1:
        return tuple(found)
    return tuple(part for piece in found for part in identifier_parts(piece))
