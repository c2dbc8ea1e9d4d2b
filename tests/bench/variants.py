"""Variants of a search: other options, arms or constants, applied to what the arms said once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from hmem.search.query import Arm, Fusion
from hmem.search.recipe import DEFAULT_RECIPE, Recipe

LEXICAL = frozenset({Arm.BM25, Arm.DOCUMENT})
EVERY = frozenset({*LEXICAL, Arm.DENSE, Arm.ENTITY})
TEXTBOOK = frozenset({Arm.BM25, Arm.DENSE})


@dataclass(frozen=True, slots=True)
class Variant:
    """A named way to rank: `options` of the search, `arms` that take part, constants."""

    name: str
    options: Mapping[str, Any] = field(default_factory=dict)
    arms: frozenset[Arm] = EVERY
    recipe: Recipe = DEFAULT_RECIPE


def _main() -> list[Variant]:
    return [
        Variant("--alpha 0", {"alpha": 0.0}, LEXICAL),
        Variant("--alpha 1", {"alpha": 1.0}, frozenset({Arm.DENSE})),
        Variant("--no-boosts", {"boosts": False}),
        Variant("only bm25", {"boosts": False, "alpha": 0.0}, frozenset({Arm.BM25})),
        Variant("only dense", {"boosts": False, "alpha": 1.0}, frozenset({Arm.DENSE})),
        Variant("--fusion rrf --no-boosts", {"fusion": Fusion.RRF, "boosts": False}, TEXTBOOK),
    ]


_CODE_PARTS: Mapping[str, Mapping[str, float]] = {
    "the document arm": {"document_share": 0.0},
    "coherence": {"coherence": 0.0},
    "names of files": {"name": 0.0},
    "names of folders": {"folder": 0.0},
    "definitions": {"definition": 0.0},
    "definitions inside a sentence": {"mention": 0.0},
    "the multiplier of tests": {"test": 1.0},
    "the multiplier of what is aside": {"aside": 1.0},
    "the multiplier of repeats": {"repeat": 1.0},
}
_COMMON_PARTS: Mapping[str, Mapping[str, float]] = {
    "the coverage of the lexical list": {"coverage": 0.0},
    "the spread of the dense list": {"spread": 1e-6, "short_spread": 1e-6},
    "the entity arm": {"entity": 0.0},
}


def _ablations(*, code: bool) -> list[Variant]:
    parts = {**_CODE_PARTS, **_COMMON_PARTS} if code else _COMMON_PARTS
    found = [Variant(f"without {name}", recipe=replace(DEFAULT_RECIPE, **change)) for name, change in parts.items()]
    return [*found, Variant("without the dense arm", arms=LEXICAL)]


def _curves() -> list[Variant]:
    alphas = [Variant(f"alpha {tenth / 10:.1f}", {"alpha": tenth / 10}) for tenth in range(11)]
    textbook = {"fusion": Fusion.RRF, "boosts": False}
    ks = [Variant(f"k {k}", {**textbook, "rrf_k": k}, TEXTBOOK) for k in (1, 5, 10, 20, 40, 60, 100, 200)]
    return alphas + ks


def choose(names: Sequence[str], *, code: bool) -> list[Variant]:
    """Return the variants of the groups `names`, the default first."""
    found = [Variant("default")]
    if "main" in names:
        found += _main()
    if "ablations" in names:
        found += _ablations(code=code)
    if "curves" in names:
        found += _curves()
    return found
