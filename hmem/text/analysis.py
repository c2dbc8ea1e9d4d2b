"""From words to the terms that are counted and looked up.

Kinds of terms
    `run`           a stem: what `running` and `runs` share
    `=running`      an exact form, lower case; beside it the form without accents (`=café`, `=cafe`)
    `pool exhaust`  a pair of adjacent stems, kept apart from the terms by its blank

A word of several parts has the terms of each part and of the whole without its separators: `getHTTPResponse2`
and `get_http_response_2` share `=gethttpresponse2`. Separators between digits stay (`=1.0.21`). A run of a script
without blanks has its characters and their overlapping pairs, as plain terms.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from itertools import chain, pairwise

from hmem.text.identifiers import LONGEST_REMEMBERED, identifier_parts, identifiers, is_symbolic
from hmem.text.scripts import fold, is_unspaced
from hmem.text.stems import STOP_WORDS, stem
from hmem.text.segment import words

# Changes whenever any text would get other terms or another form for the model.
TEXT_VERSION = 1

EXACT = "="
_SEPARATOR = re.compile(r"(?:[-_./@#:]+(?!\d)|(?<!\d)[-_./@#:]+)")
# The whole of a longer word is a path or a blob that nobody types again; its parts remain.
_LONGEST_WHOLE = 64


def _forms(word: str) -> list[str]:
    """Return the terms of a word without parts: its stem, and its exact form with and without accents."""
    lower = word.lower()
    plain = fold(lower)
    found = [stem(plain), EXACT + lower]
    if plain != lower:
        found.append(EXACT + plain)
    return found


def _whole(word: str) -> list[str]:
    """Return the terms of `word` without its separators; those between digits stay."""
    return _forms(_SEPARATOR.sub("", word)) if len(word) <= _LONGEST_WHOLE else []


def _identifier_terms(identifier: str) -> list[str]:
    parts = identifier_parts(fold(identifier))
    if len(parts) == 1 and len(parts[0]) == len(fold(identifier)):
        return _forms(identifier)
    return [*chain.from_iterable(map(_forms, parts)), *_whole(identifier)]


def _unspaced_terms(run: str) -> tuple[str, ...]:
    return (*run, *(first + second for first, second in pairwise(run)))


def _terms(word: str) -> tuple[str, ...]:
    if is_unspaced(word):
        return _unspaced_terms(word)
    if is_symbolic(word):
        return (word.lower(), EXACT + word.lower())
    found: list[str] = []
    pieces = identifiers(word)
    for piece in pieces:
        found.extend(_identifier_terms(piece))
    if len(pieces) > 1:
        found.extend(_whole(word))
    if word.startswith("#"):
        found.append(EXACT + word.lower())
    return tuple(found)


def _stems(word: str) -> tuple[str, ...]:
    """Return the stems of the parts of `word`, without stop words: what pairs are made of."""
    if is_unspaced(word):
        return ()
    plain = (fold(part.lower()) for part in identifier_parts(fold(word)))
    return tuple(stem(part) for part in plain if part not in STOP_WORDS)


_remembered_terms = lru_cache(maxsize=1 << 16)(_terms)
_remembered_stems = lru_cache(maxsize=1 << 16)(_stems)


def terms(word: str) -> tuple[str, ...]:
    """Return the terms of one of the words of a text; a term that stands twice counts twice."""
    return _remembered_terms(word) if len(word) <= LONGEST_REMEMBERED else _terms(word)


def count_terms(text: str) -> Counter[str]:
    """Return how often each term occurs in `text`: the sum of `terms` over `words`."""
    counts: dict[str, int] = {}
    count = counts.get
    remembered = _remembered_terms
    for word, times in Counter(words(text)).items():
        for term in remembered(word) if len(word) <= LONGEST_REMEMBERED else _terms(word):
            counts[term] = count(term, 0) + times
    return Counter(counts)


def stem_pairs(text: str) -> list[str]:
    """Return the pairs of neighbouring stems of `text` in order; stop words between them do not count."""
    remembered = _remembered_stems
    stems = chain.from_iterable(
        remembered(word) if len(word) <= LONGEST_REMEMBERED else _stems(word) for word in words(text)
    )
    return [f"{first} {second}" for first, second in pairwise(stems) if first != second]


def pairs(text: str) -> Counter[str]:
    """Return how often each pair of neighbouring stems occurs in `text`."""
    return Counter(stem_pairs(text))
