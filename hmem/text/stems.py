"""Stems (Snowball), and the words that carry little meaning."""

from __future__ import annotations

import threading
from typing import Final

import Stemmer

STOP_WORDS: Final = frozenset(
    """a about above after again against all also am an and any are as at be because been before being below
    between both but by can could did do does doing down during each few for from further had has have having he
    her here hers him his how i if in into is it its itself just may me might more most must my no nor not of off
    on once only or other our ours out over own same shall she should so some such than that the their theirs
    them then there these they this those through to too under until up upon very was we were what when where
    whether which while who whom whose why will with within without would you your yours""".split()  # noqa: SIM905
)
"""English function words. They are indexed like all others; queries count them less and pairs leave them out."""

# The first character of a word chooses the language of its stemmer: (first, last, language). Every other word is
# stemmed as English, whose rules do not touch letters beyond ASCII.
_LANGUAGES: Final = (
    ("\u0370", "\u03ff", "greek"),
    ("\u0400", "\u04ff", "russian"),
    ("\u0530", "\u058f", "armenian"),
    ("\u0600", "\u06ff", "arabic"),
    ("\u0900", "\u097f", "hindi"),
    ("\u0b80", "\u0bff", "tamil"),
)


class _Stemmers(threading.local):
    """The stemmers of one thread: they keep state while they work. Their own cache is off."""

    def __init__(self) -> None:
        self.english: Stemmer.Stemmer = Stemmer.Stemmer("english", 0)
        self.others: dict[str, Stemmer.Stemmer] = {}

    def of(self, word: str) -> Stemmer.Stemmer:
        for first, last, language in _LANGUAGES:
            if first <= word[0] <= last:
                if language not in self.others:
                    self.others[language] = Stemmer.Stemmer(language, 0)
                return self.others[language]
        return self.english


_stemmers: Final = _Stemmers()


def stem(word: str) -> str:
    """Return the Snowball stem of a lower-case `word` without accents, in the language of its script."""
    if not word or word.isdigit():
        return word
    stemmer = _stemmers.english if word.isascii() else _stemmers.of(word)
    try:
        return stemmer.stemWord(word) or word
    except UnicodeEncodeError:  # a lone surrogate: not from `words`, but any string is welcome
        return word
