"""Sets of names, written in the source as the words of a text."""

from __future__ import annotations


def word_set(text: str) -> frozenset[str]:
    """Return the words of `text`."""
    return frozenset(text.split())
