"""Quoted phrases: which positions hold them as written. The postings narrow down whose text has to be read."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from hmem.text import contains_phrase, terms, words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

_PLAIN_WORD = re.compile(r"[a-z]{2,32}", re.ASCII)
_ENDINGS = ("s", "d", "m", "t", "re", "ve", "ll")

BATCH = 1000
"""Texts that are held at a time."""


def required_terms(phrase: str) -> list[tuple[str, ...]]:
    """Return what every text with `phrase` must have: one term of each tuple.

    Only lower-case English words are relied on. Another word may be written together in the text (`userID` holds
    `userid`), and the last one may carry a contraction.
    """
    found = words(phrase)
    required = []
    for place, word in enumerate(found):
        if not _PLAIN_WORD.fullmatch(word):
            continue
        forms = [word]
        if place == len(found) - 1:
            forms += [f"{word}{mark}{ending}" for mark in "'\u2019" for ending in _ENDINGS]
        required.append(tuple(dict.fromkeys(terms(form)[0] for form in forms)))
    return required


def phrase_mask(
    phrases: Sequence[str],
    eligible: NDArray[np.bool_],
    having: Callable[[Sequence[str]], NDArray[np.bool_]] | None,
    texts: Callable[[NDArray[np.int64]], Iterable[str]],
) -> NDArray[np.bool_]:
    """Return which `eligible` positions (P,) hold all `phrases`.

    `having(terms)` tells which positions have any of the terms (None: postings cannot be used), `texts(positions)`
    gives their texts in order.
    """
    candidates = eligible.copy()
    if having is not None:
        for phrase in phrases:
            for alternatives in required_terms(phrase):
                candidates &= having(alternatives)
    positions = np.flatnonzero(candidates)
    result = np.zeros(len(eligible), np.bool_)
    for start in range(0, len(positions), BATCH):
        batch = positions[start : start + BATCH]
        result[batch] = [all(contains_phrase(text, phrase) for phrase in phrases) for text in texts(batch)]
    return result
