"""The constants of ranking beside those of the representation (`hmem.represent`): what each is, its bounds, its worth.

Figures are nDCG@10 on the public code benchmark (40 repositories, 19 languages) and on seven sets of prose, measured
by `tests/bench/quality.py` as the loss when the part is left out; the README has the tables. "Share" means a share of
the best score that fusion can give: 1 under `convex`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Recipe:
    """Everything that weighs in the ranking. The parts from `coherence` on are boosts and touch code alone.

    A part at 0 (a multiplier at 1) is switched off.
    """

    code_alpha: float = 0.4
    """Share of the dense arm for chunks of code, 0 to 1."""
    prose_alpha: float = 0.2
    """Share of the dense arm for all other chunks, 0 to 1."""
    document_share: float = 0.3
    """Of the lexical side of code: what the document arm weighs against BM25 of chunks, 0 to 1. With 0.5 -.006 (one
    model) and -.002 (another)."""

    floor_rank: int = 100
    """The rank in the dense list whose cosine counts as nothing; in a list of less than twice as many it is the
    median that does."""
    spread: float = 0.5
    """The least distance of cosines between floor and best that a dense list is measured against."""
    short_spread: float = 0.4
    """The like for a list whose floor is the median: that lies nearer to the best."""
    coverage: float = 0.8
    """What the best chunk must score for BM25 to count in full, as a share of what the heaviest terms of the query
    could score; 0 to 1. Without it paraphrases do not find short notes: nDCG@10 .81 instead of .93 on fifty facts."""

    coherence: float = 0.5
    """What the further chunks of a file add to each of its chunks, as a factor of `0.5 second + 0.25 third` score."""
    name: float = 0.19
    """For a file name all of whose words the query holds, as a share. Higher values suit questions that were made from
    the files and hurt on real ones."""
    folder: float = 0.06
    """The like for the name of the directory."""
    definition: float = 0.5
    """For a type that a query of one word names, as a share; functions and values get less."""
    mention: float = 0.3
    """For a type that a word inside a longer query names, if that looks like code; as a share."""
    test: float = 0.5
    """Multiplier for tests, unless the query asks for them."""
    aside: float = 0.6
    """Multiplier for what lies among code without being code, unless the query asks for it."""
    repeat: float = 0.45
    """Multiplier for a further chunk of a file, once for each better one. Without it -.06, the largest loss of all."""


DEFAULT_RECIPE = Recipe()
