"""From words to the terms that are counted and looked up.

Kinds of terms
    `run`           a stem: what `running` and `runs` share
    `=running`      an exact form, lower case; beside it the form without accents (`=café`, `=cafe`)
    `pool exhaust`  a pair of neighbouring stems; no other term holds a blank

A word that is joined from others has their terms and, without its separators, its own: `getHTTPResponse2` and
`get_http_response_2` share `=gethttpresponse2`. Separators between digits stay (`=1.0.21`). Two economies, which
also rank better than all forms of everything (mean nDCG@10 over seven sets of prose and code +.002 and +.001):
pieces that only a change of case or a digit sets apart have no exact form, and names joined by `.`, `/`, `@` or
`::` have no stem of the whole. A run of a script without blanks has its characters and their overlapping pairs.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from itertools import chain, filterfalse, pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from hmem.text.identifiers import is_plain, pieces, without_contraction
from hmem.text.scripts import fold, is_unspaced
from hmem.text.segment import words
from hmem.text.stems import STOP_WORDS, stem

if TYPE_CHECKING:
    from collections.abc import Iterable

EXACT: Final = "="
"""The first character of an exact form. No stem has it."""

# What is remembered between calls: at most this many words, none longer than this, some 20 MB together. Twice as
# many would spare one analysis in fourteen on source code.
_REMEMBERED: Final = 1 << 15
_LONGEST_REMEMBERED: Final = 96
# The whole of a longer word is a path or a blob that nobody types again; its pieces remain.
_LONGEST_WHOLE: Final = 64

_JOINTS: Final = re.compile(r"[-_./@:]")
_DROPPED_JOINTS: Final = re.compile(r"[-_./@:]+(?!\d)|(?<!\d)[-_./@:]+")
_QUALIFIER: Final = re.compile(r"[./@:](?!\d)|(?<!\d)[./@:]")


class Analysis(NamedTuple):
    """What is known of a word: `terms` to count, `stems` to pair (no stop words), its `form` for the model."""

    terms: tuple[str, ...]
    stems: tuple[str, ...]
    form: str


def _forms(word: str) -> tuple[str, ...]:
    """Return the terms of a word as it is: its stem, and its exact form with and without accents."""
    lower = word.lower()
    plain = fold(lower) or lower
    if plain == lower:
        return (stem(plain), EXACT + plain)
    return (stem(plain), EXACT + lower, EXACT + plain)


def _is_exact(term: str) -> bool:
    return term[0] == EXACT


def _whole(word: str) -> Iterable[str]:
    """Return the terms of `word` without the separators between its pieces."""
    whole = _DROPPED_JOINTS.sub("", word)
    if not whole or len(word) > _LONGEST_WHOLE:
        return ()
    forms = _forms(whole)
    return filter(_is_exact, forms) if _QUALIFIER.search(word) else forms


def _leaf(word: str) -> Analysis:
    terms = _forms(word)
    form = word.lower()
    if form.startswith("0x") and len(form) > len("0x"):
        terms += _forms(form[len("0x") :])
    return Analysis(terms, () if form in STOP_WORDS else terms[:1], form)


def _joined(word: str, parts: list[str]) -> Analysis:
    found = [analyse(part) for part in parts]
    terms: Iterable[str] = chain.from_iterable(part.terms for part in found)
    if not _JOINTS.search(word):
        terms = filterfalse(_is_exact, terms)
    stems = chain.from_iterable(part.stems for part in found)
    return Analysis((*terms, *_whole(word)), tuple(stems), " ".join(part.form for part in found))


def _analyse(word: str) -> Analysis:
    if is_unspaced(word):
        return Analysis((*word, *map("".join, pairwise(word))), (), word)
    if is_plain(word):
        return _leaf(word)
    if word.startswith("#"):
        number = analyse(word.lstrip("#"))
        return number._replace(terms=(*number.terms, EXACT + word.lower()))
    word = without_contraction(word)
    parts = pieces(word)
    if not parts:
        return Analysis((), (), "")
    return _leaf(word) if parts == [word] else _joined(word, parts)


_remembered = lru_cache(maxsize=_REMEMBERED)(_analyse)


def analyse(word: str) -> Analysis:
    """Return what is known of `word`, one of the words of a text."""
    return _remembered(word) if len(word) <= _LONGEST_REMEMBERED else _analyse(word)


def exact_form(word: str) -> str | None:
    """Return the term that chunks with `word` as a whole hold, whatever its case and the separators in it.

    None for a word of a script without blanks, and for one too long to be kept as a whole.
    """
    found = analyse(word).terms
    return found[-1] if found and _is_exact(found[-1]) and len(word) <= _LONGEST_WHOLE else None


class Reading:
    """A text whose words have been looked up once, for all the uses of them."""

    __slots__ = ("_words",)

    def __init__(self, text: str) -> None:
        self._words = [analyse(word) for word in words(text)]

    def terms(self) -> Counter[str]:
        """Return how often each term occurs: the sum of `terms(word)` over the words."""
        return Counter(chain.from_iterable([word.terms for word in self._words]))

    def stem_pairs(self) -> list[str]:
        """Return the pairs of neighbouring stems in order; stop words between them do not count."""
        stems = chain.from_iterable([word.stems for word in self._words])
        return [f"{first} {second}" for first, second in pairwise(stems) if first != second]

    def pairs(self) -> Counter[str]:
        """Return how often each pair of neighbouring stems occurs."""
        return Counter(self.stem_pairs())

    def model_words(self) -> str:
        """Return the text as the model reads it: the parts of its words, lower case, one blank between."""
        return " ".join([word.form for word in self._words])


def terms(word: str) -> tuple[str, ...]:
    """Return the terms of one of the words of a text, its stem first; a term that stands twice counts twice."""
    return analyse(word).terms


def count_terms(text: str) -> Counter[str]:
    """Return how often each term occurs in `text`: the sum of `terms` over `words`."""
    return Reading(text).terms()


def pairs(text: str) -> Counter[str]:
    """Return how often each pair of neighbouring stems occurs in `text`."""
    return Reading(text).pairs()


def model_words(text: str) -> str:
    """Return `text` as the model reads it: the parts of its words, lower case, one blank between."""
    return Reading(text).model_words()
