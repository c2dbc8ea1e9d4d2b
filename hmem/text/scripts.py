"""Characters: which make up words, which scripts run words together, and how accents fold.

The classes are bodies of regular-expression sets (without the brackets).
"""

from __future__ import annotations

import re
import unicodedata

# Scripts written without blanks between words (Thai, Lao, Burmese, Khmer, Han, kana, bopomofo) and Hangul, whose
# particles stick to the noun: a run of these is searched by characters and pairs of characters.
UNSPACED = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e50-\u0e59\u0e81-\u0edf\u1000-\u1049\u1050-\u109f\u1100-\u11ff"
    "\u1780-\u17d3\u17d7\u17dc\u17dd\u17e0-\u17e9\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa"
    "\u30fc-\u30ff\u3105-\u312f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3"
    "\uf900-\ufaff\U0001b000-\U0001b16f\U00020000-\U000323af"
)
_UNSPACED_RUN = re.compile(f"[{UNSPACED}]+")

# Vowel signs and accents that stay separate after NFKC are part of a word, though `\w` leaves them out.
MARKS = "".join(
    mark
    for mark in map(chr, range(0x300, 0x2000))
    if unicodedata.category(mark).startswith("M") and not _UNSPACED_RUN.match(mark)
)

# Joiners and soft hyphens that are invisible inside a word; U+200B is a word break in Khmer and stays.
_INVISIBLE = re.compile("[\u00ad\u200c\u200d\u2060\ufeff]+")

# Letters that Unicode does not decompose, but that people type without their stroke.
_STROKES = str.maketrans(
    {
        "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ð": "d", "Ð": "D", "ħ": "h", "Ħ": "H",
        "ı": "i", "æ": "ae", "Æ": "Ae", "œ": "oe", "Œ": "Oe", "ß": "ss", "ẞ": "SS", "þ": "th", "Þ": "Th",
        "ё": "е", "Ё": "Е", "ς": "σ", "ـ": "",
    }
)  # fmt: skip
# Below this canonical combining class a mark changes the letter itself (nukta, virama, kana voicing).
_FIRST_ACCENT_CLASS = 10
_CYRILLIC = re.compile("[\u0400-\u04ff]")


def normalise(text: str) -> str:
    """Return `text` in NFKC, without invisible joiners. Any string is accepted, lone surrogates too."""
    if text.isascii():
        return text
    return _INVISIBLE.sub("", unicodedata.normalize("NFKC", text))


def is_unspaced(word: str) -> bool:
    """Tell whether `word` consists of a script that runs its words together."""
    return _UNSPACED_RUN.fullmatch(word) is not None


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
