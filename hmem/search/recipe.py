"""The constants of ranking beside those of the representation (`hmem.represent`): what each is, its bounds, its worth.

Every part is a setting of `[ranking]` in the configuration, under the name that it has here; the name of a boost is
also the one that `--explain` shows. A part at 0, a multiplier at 1, is switched off.

Figures are nDCG@10 on the public code benchmark (40 repositories, 19 languages) and on seven sets of prose, measured
by `tests/bench/quality.py` as the loss when the part is left out; the README has the tables. "Share" means a share of
the best score that fusion can give: 1 under `convex`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, Final


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a constant may be, `least` to `most` inclusive, and what it means in a few words."""

    least: float
    most: float
    meaning: str


_BOUNDS: Final = "bounds"


def _part(default: float, most: float, meaning: str, *, least: float = 0.0) -> Any:
    return field(default=default, metadata={_BOUNDS: Bounds(least, most, meaning)})


@dataclass(frozen=True, slots=True)
class Recipe:
    """Everything that weighs in the ranking. The parts from `coherence` on are boosts and touch code alone."""

    code_alpha: float = _part(0.4, 1, "share of the dense arm for chunks of code")
    prose_alpha: float = _part(0.2, 1, "share of the dense arm for all other chunks")
    # Of the lexical side of code. With 0.5 -.006 (one model) and -.002 (another).
    document_share: float = _part(0.3, 1, "share of the document arm among the lexical ones, for code")

    # BM25 by kind of chunk, over shared statistics: separate statistics per kind are worse.
    code_k1: float = _part(2.0, 100, "k1 of BM25 for code: how much a further occurrence of a word counts")
    code_b: float = _part(0.5, 1, "b of BM25 for code: how much its length counts against a chunk")
    # With 1.2 and 0.75 -.002, the mean of eight sets of prose, and -.013 on the labelled corpus of `tests/corpus`.
    prose_k1: float = _part(1.0, 100, "k1 of BM25 for other chunks")
    prose_b: float = _part(0.9, 1, "b of BM25 for other chunks")
    # Over the whole store: -.010 without, the mean of seven sets of prose.
    pairs: float = _part(0.3, 10, "weight of neighbouring pairs of words beside the words")

    # In a list of less than twice as many it is the median that counts as nothing.
    floor_rank: int = _part(100, 10_000, "rank in the dense list whose cosine counts as nothing", least=1)
    spread: float = _part(0.5, 2, "least distance of cosines that a dense list is measured against", least=1e-6)
    # The median lies nearer to the best.
    short_spread: float = _part(0.4, 2, "the like for a list whose floor is its median", least=1e-6)
    # Without it paraphrases do not find short notes: nDCG@10 .81 instead of .93 on fifty facts.
    coverage: float = _part(
        0.9, 1, "share of the heaviest words that the best chunk must hold for BM25 to count in full"
    )

    time: float = _part(0.5, 1, "for what is nearest to the time that the query names, as a share of its score")

    # On the linked corpus of `tests/corpus` +.005, on its queries for identifiers +.06; on prose ±0, on code -.0004.
    entity: float = _part(0.3, 1, "for a chunk that alone holds a name which is the whole query, as a share")
    # At 1, along links -.0014 on the linked corpus, along shared names +.0015: one query each. `hmem related` has 1.
    neighbour: float = _part(0.0, 1, "what is linked with such a chunk, or shares rare names, gets of what spreads")

    coherence: float = _part(0.5, 10, "what the second and third best chunk of a file add to each of its chunks")
    # Higher values suit questions that were made from the files and hurt on real ones.
    name: float = _part(0.19, 1, "for a file name all of whose words the query holds, as a share")
    folder: float = _part(0.06, 1, "for such a name of the directory, as a share")
    # Functions and values get less.
    definition: float = _part(0.5, 1, "for the definition of a type that is the whole query, as a share")
    mention: float = _part(0.3, 1, "for that of a type that a longer query names, as a share")
    test: float = _part(0.5, 1, "multiplier for tests, unless the query asks for them")
    aside: float = _part(0.6, 1, "multiplier for what lies among code without being code")
    # Without it -.06, the largest loss of all.
    repeat: float = _part(0.45, 1, "multiplier for a further chunk of a file, once for each better one")
    # Code has boosts that prose has not: -.009 without on the labelled corpus, where notes and code lie in one store.
    level: float = _part(1, 1, "share of what coherence and names add to code that is taken back beside notes")


DEFAULT_RECIPE: Final = Recipe()

BOUNDS: Final[dict[str, Bounds]] = {part.name: part.metadata[_BOUNDS] for part in fields(Recipe)}
"""The bounds of every part by its name."""
