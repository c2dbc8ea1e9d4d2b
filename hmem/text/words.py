"""Cut text into words.

A word is an identifier (`getHTTPResponse2`, `snake_case`), several identifiers joined without blanks
(`kebab-case`, `dotted.name`, `path/to/x`, `scope/pkg`, `Class::method`, `1.0.21`, `DEC-0054`), a number sign with a
number (`#4471`), one of the names that consist of punctuation (`C++`, `C#`, `F#`, `.NET`), or a run of a script
without blanks (`連接池`). English contractions belong to their word (`don't`, `pool's`).

Every repetition is possessive and bounded, so the time is linear in the text whatever it holds, and a word is
never longer than a few thousand characters: a run without any break is cut every 64 characters.
"""

from __future__ import annotations

import re
from functools import cache

from hmem.text.scripts import MARKS, UNSPACED, normalise

_ASCII_RUN = "[A-Za-z0-9]{1,64}+"
_WIDE_RUN = rf"(?:[A-Za-z0-9]{{1,64}}+|[^\x00-\x7f\W{UNSPACED}][{MARKS}]*+){{1,64}}+"
# Names of languages in which the punctuation is the difference.
_SYMBOLIC = r"[cC]\+\+|[cfjqCFJQ]\#(?![A-Za-z_])|\.(?:NET|Net|net)(?![A-Za-z0-9_])"


def _pattern(run: str, *alternatives: str) -> re.Pattern[str]:
    identifier = rf"{run}(?:_{{1,3}}+{run}){{0,15}}+"
    compound = rf"{identifier}(?:(?:[-./@]|::){identifier}){{0,15}}+"
    contraction = r"(?:['\u2019](?:[sdmtSDMT]|[rR][eE]|[vV][eE]|[lL]{2})(?![\w'\u2019]))?+"
    return re.compile("|".join((_SYMBOLIC, rf"(?:\#(?=[0-9]))?{compound}{contraction}", *alternatives)))


_ASCII_WORD = _pattern(_ASCII_RUN)


@cache
def _wide_word() -> re.Pattern[str]:
    return _pattern(_WIDE_RUN, f"[{UNSPACED}]{{1,128}}+")


def words(text: str) -> list[str]:
    """Return the words of `text` in order, in NFKC, otherwise as written. Any string is accepted."""
    text = normalise(text)
    return (_ASCII_WORD if text.isascii() else _wide_word()).findall(text)
