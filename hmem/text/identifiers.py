"""Identifiers and their parts."""

from __future__ import annotations

import re
from functools import lru_cache

from hmem.text.scripts import is_unspaced
from hmem.text.segment import words

# Words longer than this are analysed anew each time instead of being remembered.
LONGEST_REMEMBERED = 128
# A run of at least this length whose letters and digits alternate in short pieces is a hash or a blob, not words.
_BLOB_LENGTH = 8
_BLOB_PART = 3

_JOINTS = re.compile(r"[-./@#]|::")
_CONTRACTION = re.compile(r"(?:(?<!^ca)n)?['\u2019](?:t|s|d|m|re|ve|ll)$", re.IGNORECASE)
_BOUNDARY = re.compile(r"_+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])")
_SWITCH = re.compile(r"(?<=\d)(?=[^\W\d_])|(?<=[^\W\d_])(?=\d)")
_HEX = re.compile(r"0[xX]([0-9A-Fa-f]{2,})")
_SYMBOLIC = re.compile(r"[cC]\+\+|[cfjqCFJQ]\#|\.(?:NET|Net|net)")


def is_symbolic(word: str) -> bool:
    """Tell whether `word` is one of the names that punctuation tells apart: `C++`, `C#`, `F#`, `.NET`."""
    return _SYMBOLIC.fullmatch(word) is not None


def identifiers(word: str) -> list[str]:
    """Return the identifiers that `word` joins: `path/to_x.py` gives `path`, `to_x`, `py`."""
    return [piece for piece in _JOINTS.split(_CONTRACTION.sub("", word)) if piece]


def _is_blob(run: str, parts: list[str]) -> bool:
    return len(run) >= _BLOB_LENGTH and len(run) < _BLOB_PART * len(parts) and len(_SWITCH.findall(run)) > 1


def _split(identifier: str) -> list[str]:
    if identifier.isalpha() and (identifier.islower() or identifier.isupper()):
        return [identifier]
    if found := _HEX.fullmatch(identifier):
        return [found[1]]
    parts: list[str] = []
    for run in identifier.split("_"):
        pieces = [piece for piece in _BOUNDARY.split(run) if piece]
        parts.extend([run] if _is_blob(run, pieces) else pieces)
    return parts


def identifier_parts(word: str) -> tuple[str, ...]:
    """Return the parts of `word` as written: `getHTTPResponse2` gives `get`, `HTTP`, `Response`, `2`."""
    if is_symbolic(word) or is_unspaced(word):
        return (word,)
    return tuple(part for identifier in identifiers(word) for part in _split(identifier))


def _model_form(word: str) -> str:
    return " ".join(identifier_parts(word)).lower()


_remembered_form = lru_cache(maxsize=1 << 15)(_model_form)


def model_words(text: str) -> str:
    """Return `text` as the embedding model reads it: the parts of its words, lower case, one blank between."""
    forms = [_remembered_form(word) if len(word) <= LONGEST_REMEMBERED else _model_form(word) for word in words(text)]
    return " ".join(filter(None, forms))
