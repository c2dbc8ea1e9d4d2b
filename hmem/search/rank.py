"""The arithmetic of boosts: from scores and facts about files to named differences. Pure.

Each function returns one number per candidate, 0 where it has nothing to say, to be added to the score. A multiplier
is the difference that it made.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np

from hmem.types import DefinitionKind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from hmem.search.names import Symbol

# Shares of the second and third score of a file.
_FURTHER: Final = (0.5, 0.25)

_DEFINES: Final = {
    DefinitionKind.TYPE: 1.0,
    DefinitionKind.FUNCTION: 0.6,
    DefinitionKind.VALUE: 0.35,
    DefinitionKind.SCOPE: 0.3,
}
"""How surely a definition of this kind is what somebody wants who asks for its name."""
OTHER_CASE: Final = 0.6
NESTED: Final = 0.8
QUALIFIED: Final = 1.3


def places(scores: NDArray[np.float64], files: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the place of each score among those of its file, (n,): 0 for the best; the first of equals is better."""
    order = np.lexsort((-scores, files))  # stable: candidates ascend with the lines of a file
    grouped = files[order]
    starts = np.flatnonzero(np.diff(grouped, prepend=grouped[:1] - 1))
    sizes = np.diff(np.append(starts, len(files)))
    found = np.empty(len(files), np.int64)
    found[order] = np.arange(len(files)) - np.repeat(starts, sizes)
    return found


def coherence(scores: NDArray[np.float64], files: NDArray[np.int64], factor: float) -> NDArray[np.float64]:
    """Return `factor` times (half of the second + a quarter of the third best score of the file) for each candidate.

    A file that answers in several places answers better. `scores` >= 0 (n,), `files` (n,).
    """
    at = places(scores, files)
    added = np.zeros(int(files.max(initial=-1)) + 1, np.float64)
    for place, share in enumerate(_FURTHER, 1):
        added[files[at == place]] += share * scores[at == place]
    return factor * added[files]


def repeats(scores: NDArray[np.float64], files: NDArray[np.int64], factor: float) -> NDArray[np.float64]:
    """Return what is taken from the n-th further chunk of each file: all but `factor` ** n of its score."""
    return scaled(scores, factor ** places(scores, files).astype(np.float64))


def scaled(scores: NDArray[np.float64], factors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the difference that multiplying `scores` (n,) by `factors` (n,) makes; exactly 0 where the factor is 1."""
    return scores * (factors - 1.0)


def levelled(
    scores: NDArray[np.float64],
    fused: NDArray[np.float64],
    raised: NDArray[np.float64],
    notes: NDArray[np.bool_],
    share: float,
) -> NDArray[np.float64]:
    """Return what is taken from `scores` so that boosts sort code among itself and do not lift it above notes.

    All but the `notes` (n,) lose alike: their best `fused` score over their best `raised` one (both >= 0, (n,)) is the
    multiplier, at a `share` of 1; nothing where all are notes, or none is.
    """
    if notes.all() or not notes.any():
        return np.zeros(len(scores), np.float64)
    before, after = float(fused[~notes].max()), float(raised[~notes].max())
    factor = 1.0 - share * (1.0 - before / after) if after > before else 1.0
    return scaled(scores, np.where(notes, 1.0, factor))


def named_share(name: Mapping[str, float], asked: frozenset[str]) -> float:
    """Return the share of a `name`, weights (> 0) of its words by their roots, whose roots are `asked`: 0 to 1."""
    if name.keys().isdisjoint(asked):
        return 0.0
    return sum(weight for root, weight in name.items() if root in asked) / sum(name.values())


def definition_strength(
    symbol: Symbol, name: str, kind: DefinitionKind, *, nested: bool, context: str, files: int
) -> float:
    """Return how surely a definition is the one that `symbol` asks for, 0 to 1.3.

    `name` as it is defined, `nested` inside another one, `context` the lower-case scopes and path around it; `files`
    (1 or more) is how many define that name: the more, the less each of them is meant.
    """
    strength = _DEFINES[kind]
    if name not in (symbol.name, symbol.written):
        strength *= OTHER_CASE
    if nested and kind is not DefinitionKind.TYPE:
        strength *= NESTED
    if any(qualifier.lower() in context for qualifier in symbol.qualifiers):
        strength *= QUALIFIED
    return strength / (1 + math.log(files))
