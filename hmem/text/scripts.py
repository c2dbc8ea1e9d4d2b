"""Characters: what belongs to a word, which scripts run their words together, and how accents fold.

`UNSPACED` and `MARKS` are bodies of regular-expression sets (without the brackets).
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

# Scripts written without blanks between words (Thai, Lao, Burmese, Khmer, Han, kana, bopomofo), and Hangul, whose
# particles stick to the noun: a run of these is searched by its characters and pairs of characters.
UNSPACED: Final = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e50-\u0e59\u0e81-\u0edf\u1000-\u1049\u1050-\u109f\u1100-\u11ff"
    "\u1780-\u17d3\u17d7\u17dc\u17dd\u17e0-\u17e9\u3005-\u3007\u302a-\u302f\u3041-\u309a\u309d-\u309f\u30a1-\u30fa"
    "\u30fc-\u30ff\u3105-\u312f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7ff"
    "\uf900-\ufaff\U0001b000-\U0001b16f\U00020000-\U000323af"
)
_UNSPACED_RUN: Final = re.compile(f"[{UNSPACED}]+")

# Vowel signs and accents that stay separate after NFKC: part of a word, though `\w` leaves them out. The ranges
# run over letters and unassigned characters between the marks, never over punctuation.
MARKS: Final = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1-\u05c2\u05c4-\u05c5\u05c7\u0610-\u061a"
    "\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u0711-\u07f3\u07fd\u0816-\u082d"
    "\u0859-\u085b\u0898-\u08e1\u08e3-\u0963\u0981-\u09e3\u09fe-\u0a75\u0a81-\u0ae3\u0afa-\u0b63"
    "\u0b82-\u0bd7\u0c00-\u0c63\u0c81-\u0c83\u0cbc-\u0d4d\u0d57-\u0d63\u0d81-\u0df3\u0f18-\u0f19\u0f35"
    "\u0f37\u0f39\u0f3e-\u0f84\u0f86-\u0fbc\u0fc6\u135d-\u135f\u1712-\u1734\u1752-\u1773\u180b-\u180d"
    "\u180f-\u193b\u1a17-\u1a1b\u1a55-\u1a7f\u1ab0-\u1b44\u1b6b-\u1b73\u1b80-\u1bf3\u1c24-\u1c37"
    "\u1cd0-\u1cd2\u1cd4-\u1cf9\u1dc0-\u1dff\u20d0-\u20dc\u20e1\u20e5-\u20f0\u2cef-\u2cf1\u2d7f\u2de0-\u2dff\ua66f-\ua672"
    "\ua674-\ua67d\ua69e-\ua6f1\ua802-\ua827\ua82c\ua880-\ua8c5\ua8e0-\ua8f1\ua8ff-\ua92d\ua947-\ua953"
    "\ua980-\ua9c0\ua9e5-\uaa4d\uaa7b-\uaac1\uaaeb-\uaaef\uaaf5-\uaaf6\uabe3-\uabea\uabec-\uabed"
    "\ufb1e\ufe20-\ufe2f"
)

# Joiners, soft hyphens and variation selectors, invisible inside a word. U+200B is a word break in Khmer and stays.
_INVISIBLE: Final = re.compile("[\u00ad\u200c\u200d\u2060\ufe00-\ufe0f\ufeff]+")

# Letters that Unicode does not decompose, but that people type without their stroke.
_STROKES: Final = str.maketrans(
    {
        "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ð": "d", "Ð": "D", "ħ": "h", "Ħ": "H",
        "ı": "i", "æ": "ae", "Æ": "Ae", "œ": "oe", "Œ": "Oe", "ß": "ss", "ẞ": "SS", "þ": "th", "Þ": "Th",
        "ё": "е", "Ё": "Е", "ς": "σ", "ـ": "",
    }
)  # fmt: skip
# A mark of a lower canonical combining class changes the letter itself (nukta, virama, kana voicing).
_FIRST_ACCENT_CLASS: Final = 10
_CYRILLIC: Final = re.compile("[\u0400-\u04ff]")


def normalise(text: str) -> str:
    """Return `text` in NFKC, without invisible joiners. Any string is accepted, lone surrogates too."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFKC", _INVISIBLE.sub("", text))


def is_unspaced(word: str) -> bool:
    """Tell whether `word` is written in a script that runs its words together."""
    return not word.isascii() and _UNSPACED_RUN.fullmatch(word) is not None


def fold(word: str) -> str:
    """Return `word` without accents and with ASCII digits; the case stays.

    Cyrillic keeps its letters (й is not an accented и), except that ё becomes е.
    """
    if word.isascii():
        return word
    word = word.translate(_STROKES)
    if _CYRILLIC.search(word):
        return word
    kept = []
    for char in unicodedata.normalize("NFD", word):
        if unicodedata.combining(char) < _FIRST_ACCENT_CLASS:
            kept.append(str(unicodedata.decimal(char)) if char.isdecimal() else char)
    return unicodedata.normalize("NFC", "".join(kept))
