"""What a query asks for: weighted terms, pairs, and phrases that must occur."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from hmem.text.analysis import EXACT, Reading, terms
from hmem.text.scripts import MARKS, UNSPACED, normalise
from hmem.text.segment import words
from hmem.text.stems import STOP_WORDS, stem

# What they are worth on the sets of prose (mean of the fused ranking, against leaving the part out): exact forms
# .009, counting stop words a quarter instead of fully .011.
STEM_WEIGHT: Final = 1.0
"""Weight of a stem, and of a character or pair of characters of a script without blanks."""
EXACT_WEIGHT: Final = 0.4
"""Weight of an exact form, on top of its stem's: what is written alike ranks above what only shares the stem."""
STOP_WEIGHT: Final = 0.25
"""Factor on the terms of stop words. They are not dropped: some queries have nothing else."""

_STOP_TERMS: Final = frozenset(form for word in STOP_WORDS for form in (word, stem(word), EXACT + word))
_QUOTED: Final = re.compile(r'(?<!\w)"([^"]*)"(?!\w)')
_LETTER: Final = re.compile(rf"[^\W\d_{UNSPACED}]|[{MARKS}]")


@dataclass(frozen=True, slots=True)
class QueryTerm:
    """A term with its weight (> 0) and the word of the query that first asked for it."""

    term: str
    weight: float
    word: str


@dataclass(frozen=True, slots=True)
class QueryText:
    """A query without its quotes, and the phrases that stood in them."""

    text: str
    phrases: tuple[str, ...] = ()


def parse_query(query: str) -> QueryText:
    """Return the words of `query` and its quoted phrases; the words in quotes count as words too.

    Double quotes are the only syntax. A quote without a partner and one glued to a word (5" pipe) are literal.
    """
    phrases = tuple(found for phrase in _QUOTED.findall(query) if (found := phrase.strip()))
    return QueryText(_QUOTED.sub(r" \1 ", query) if phrases else query, phrases)


def _weight(term: str) -> float:
    weight = EXACT_WEIGHT if term.startswith(EXACT) else STEM_WEIGHT
    return weight * STOP_WEIGHT if term in _STOP_TERMS else weight


def query_terms(text: str) -> tuple[QueryTerm, ...]:
    """Return the terms to look up, in the order of the words; a repeated word weighs as often as it stands."""
    weights: dict[str, float] = {}
    origins: dict[str, str] = {}
    for word in words(text):
        for term in terms(word):
            weights[term] = weights.get(term, 0.0) + _weight(term)
            origins.setdefault(term, word)
    return tuple(QueryTerm(term, weight, origins[term]) for term, weight in weights.items())


def query_pairs(text: str) -> tuple[QueryTerm, ...]:
    """Return the pairs of neighbouring stems to look up, each with the weight 1."""
    return tuple(QueryTerm(pair, 1.0, pair) for pair in dict.fromkeys(Reading(text).stem_pairs()))


def plain_text(text: str) -> str:
    """Return `text` as phrases are compared: NFKC, case folded, every run of white space one blank."""
    return " ".join(normalise(normalise(text).casefold()).split())


def _glued(left: str, right: str) -> bool:
    """Tell whether two neighbouring characters belong to one word or number."""
    if left.isdigit() and right.isdigit():
        return True
    return bool(_LETTER.match(left) and _LETTER.match(right))


def contains_phrase(text: str, phrase: str) -> bool:
    """Tell whether `phrase` occurs in `text` as written, but for case and white space.

    It does not start or end within a word or number: `1.0.2` is not in `1.0.21`. An empty phrase is everywhere.
    """
    haystack, needle = plain_text(text), plain_text(phrase)
    if not needle:
        return True
    start = haystack.find(needle)
    while start >= 0:
        end = start + len(needle)
        before, after = haystack[start - 1 : start], haystack[end : end + 1]
        if not (before and _glued(before, needle[0])) and not (after and _glued(needle[-1], after)):
            return True
        start = haystack.find(needle, start + 1)
    return False
