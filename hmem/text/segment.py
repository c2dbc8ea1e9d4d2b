"""Cut text into words.

A word is an identifier (`getHTTPResponse2`, `snake_case`), several identifiers joined without blanks
(`kebab-case`, `dotted.name`, `path/to/x`, `scope/pkg`, `Class::method`, `1.0.21`, `DEC-0054`), a number sign with a
number (`#4471`), one of the names that differ by punctuation (`C++`, `C#`, `F#`, `.NET`), or a run of a script
without blanks (`連接池`). English contractions belong to their word (`don't`, `pool's`).

Every repetition is possessive and bounded: the time is linear in the text whatever it holds, and a run without any
break is cut every 64 characters (128 in scripts without blanks).
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from hmem.text.scripts import MARKS, UNSPACED, normalise

# Signs count where a single letter stands before them: `C++`, but not `count++`.
_SIGNS: Final = r"(?:\+\+(?<=[cCgG]\+\+)(?<!\w[a-zA-Z]\+\+)|\#(?<=[cfjqCFJQ]\#)(?<!\w[a-zA-Z]\#)(?![A-Za-z_]))?+"
_CONTRACTION: Final = r"(?:['\u2019](?:[sdmtSDMT]|[rR][eE]|[vV][eE]|[lL]{2})(?![\w'\u2019]))?+"

# A word starts with `#` only before a number, with `.` only as `.NET`. In ASCII this is written as a look behind
# from the second character, so that the engine finds possible first characters by a table: a third faster.
_ASCII_RUN: Final = "[A-Za-z0-9]{1,64}+"
_ASCII_START: Final = r"[A-Za-z0-9.#](?<!\#(?![0-9]))(?<!\.(?!(?:NET|Net|net)(?![A-Za-z0-9_])))[A-Za-z0-9]{0,63}+"
_WIDE_RUN: Final = rf"(?:[A-Za-z0-9]{{1,64}}+|[^\x00-\x7f\W{UNSPACED}]|[{MARKS}]){{1,64}}+"
_WIDE_START: Final = rf"(?:\#(?=[0-9])|\.(?=(?:NET|Net|net)(?!\w)))?+{_WIDE_RUN}"


def _pattern(start: str, run: str, *alternatives: str) -> re.Pattern[str]:
    more = rf"(?:(?:[-./@]|::|_{{1,3}}+){run}{_SIGNS}){{0,15}}+"
    return re.compile("|".join((start + _SIGNS + more + _CONTRACTION, *alternatives)))


_ASCII_WORD: Final = _pattern(_ASCII_START, _ASCII_RUN)


@cache
def _wide_word() -> re.Pattern[str]:
    """Return the pattern for all scripts; made when first needed, for it takes ten times as long as the other."""
    return _pattern(_WIDE_START, _WIDE_RUN, f"[{UNSPACED}]{{1,128}}+")


def words(text: str) -> list[str]:
    """Return the words of `text` in order, in NFKC, otherwise as written. Any string is accepted."""
    text = normalise(text)
    return (_ASCII_WORD if text.isascii() else _wide_word()).findall(text)
