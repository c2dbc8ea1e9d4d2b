"""The searches that are measured: the user's own, its arms alone and in pairs, and the sweeps. Pure.

Arms and pairs run without boosts, so that each shows what it gives by itself.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, Final

from hmem.errors import UsageError
from hmem.search.query import Arm, Fusion, runs

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hmem.search.query import SearchOptions

FUSED: Final = "fused"
UNBOOSTED: Final = "unboosted"
RETRIEVING: Final = (Arm.BM25, Arm.DOCUMENT, Arm.DENSE)
"""The arms that rank by themselves; any other is measured if the user's own search runs it."""

ALPHAS: Final = tuple(step / 10 for step in range(11))
KS: Final = (1.0, 2.0, 5.0, 10.0, 20.0, 40.0, 60.0, 80.0, 100.0, 200.0)


@dataclass(frozen=True, slots=True)
class Variant:
    """A named search; the query of `options` stands for none. `value` of what a sweep varies."""

    name: str
    options: SearchOptions
    value: float = 0.0


def ablation(base: SearchOptions, ran: Iterable[str] = ()) -> list[Variant]:
    """Return each arm alone, then each pair: of the retrieving arms that `base` allows, and of those that `ran`."""
    wanted = {*RETRIEVING, *map(Arm, ran)}
    arms = [arm for arm in Arm if arm in wanted and (base.arms is None or arm in base.arms)]
    found = []
    for group in (*((arm,) for arm in arms), *combinations(arms, 2)):
        alpha = base.alpha if len(group) > 1 else None
        options = _changed(base, arms=tuple(map(str, group)), alpha=alpha, boosts=False)
        if options and all(runs(options, arm) for arm in group):
            found.append(Variant("+".join(group), options))
    return found


def unboosted(base: SearchOptions) -> Variant:
    """Return the user's search without boosts."""
    return Variant(UNBOOSTED, replace(base, boosts=False))


def alpha_sweep(base: SearchOptions) -> list[Variant]:
    """Return the user's search at every tenth of alpha; none where its arms leave nothing to weigh."""
    points = [Variant("alpha", options, alpha) for alpha in ALPHAS if (options := _changed(base, alpha=alpha))]
    return points if len(points) == len(ALPHAS) else []


def k_sweep(base: SearchOptions) -> list[Variant]:
    """Return the user's search under reciprocal rank fusion for each constant; alpha is 0.5 unless given for `rrf`."""
    alpha = base.alpha if base.fusion is Fusion.RRF else None
    points = [(k, _changed(base, fusion=Fusion.RRF, alpha=alpha, rrf_k=k)) for k in KS]
    return [Variant("rrf_k", options, k) for k, options in points if options]


def _changed(base: SearchOptions, **changes: Any) -> SearchOptions | None:
    """Return `base` with `changes`, its lowest scores only for arms that still run; None if they contradict it."""
    try:
        options = replace(base, weights=None, minimums=None, **changes)
    except UsageError:
        return None
    kept = {arm: score for arm, score in (base.minimums or {}).items() if runs(options, Arm(arm))}
    return replace(options, minimums=kept or None)
