"""Stems (Snowball) and the words that carry little meaning."""

from __future__ import annotations

import threading
from typing import Final

import Stemmer

STOP_WORDS: Final = frozenset(
    """a about above after again against all also am an and any are as at be because been before being below
    between both but by can could did do does doing down during each few for from further had has have having he
    her here hers him his how i if in into is it its itself just may me might more most must my no nor not of off
    on once only or other our ours out over own same shall she should so some such than that the their theirs
    them then there these they this those through to too under until up upon us very was we were what when where
    whether which while who whom whose why will with within without would you your yours""".split()  # noqa: SIM905
)

# The first character of a word chooses the language of its stemmer; all that is not listed is English or has
# no suffix that the English rules know.
_LANGUAGES = (
    ("\u0370", "\u03ff", "greek"),
    ("\u0400", "\u04ff", "russian"),
    ("\u0530", "\u058f", "armenian"),
    ("\u0600", "\u06ff", "arabic"),
    ("\u0900", "\u097f", "hindi"),
    ("\u0b80", "\u0bff", "tamil"),
)
_local = threading.local()


def _stemmer(language: str) -> Stemmer.Stemmer:
    """Return this thread's stemmer: they keep state while they work."""
    found = _local.__dict__.get(language)
    if found is None:
        found = Stemmer.Stemmer(language, 0)
        _local.__dict__[language] = found
    return found


def _language(word: str) -> str:
    if not word.isascii():
        for first, last, language in _LANGUAGES:
            if first <= word[0] <= last:
                return language
    return "english"


def stem(word: str) -> str:
    """Return the Snowball stem of a lower-case `word` without accents, in the language of its script."""
    if not word or word.isdigit():
        return word
    return str(_stemmer(_language(word)).stemWord(word)) or word
