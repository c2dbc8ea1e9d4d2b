"""How the arms of one search are mixed: which of them run, what each weighs, and the fusion of their lists. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from hmem.search import fuse
from hmem.search.query import LEXICAL_ARMS, Arm, Fusion, boosting, runs
from hmem.search.recipe import DEFAULT_RECIPE
from hmem.search.results import FusionReport, Shares

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from hmem.search.lists import ArmList
    from hmem.search.query import SearchOptions
    from hmem.search.recipe import Recipe

CODE: Final = "code"
OTHER: Final = "other"
"""The groups of kinds for which the default alpha differs."""

SWITCHED_OFF: Final = "switched off"
"""The reason why an arm did not run that `--arms` does not name."""


def plan(options: SearchOptions, has_code: Callable[[], bool]) -> dict[Arm, str]:
    """Return the arms that do not run, with the reason; `has_code` tells whether an eligible chunk is code."""
    skipped = {}
    if not boosting(options, Arm.ENTITY):
        skipped[Arm.ENTITY] = "boosts are switched off"
    for arm in Arm:
        if options.arms is not None and arm not in options.arms:
            skipped[arm] = SWITCHED_OFF
        elif not runs(options, arm):
            skipped[arm] = f"alpha is {options.effective_alpha:g}"
    if Arm.DOCUMENT not in skipped and options.arms is None:
        if options.fusion is Fusion.RRF:
            skipped[Arm.DOCUMENT] = "`rrf` fuses it only if `--arms` names it"
        elif not has_code():
            skipped[Arm.DOCUMENT] = "no eligible chunk is code"
    return skipped


@dataclass(frozen=True, slots=True)
class Mix:
    """The fusion of one search. `alpha` and `document_share`, one number or (P,): what the dense arm weighs, and how
    much of the lexical side is the document arm's.

    `arms` are those that ran. With `documents_too` the document arm puts up candidates like the others; else it only
    weighs theirs.
    """

    method: Fusion
    k: float | None
    alpha: NDArray[np.float64] | float
    arms: tuple[Arm, ...]
    recipe: Recipe
    given: Mapping[str, float] | None = None
    document_share: NDArray[np.float64] | float = 0.0
    documents_too: bool = False

    @classmethod
    def of(
        cls,
        options: SearchOptions,
        ran: Mapping[Arm, ArmList],
        is_code: Callable[[], NDArray[np.bool_]],
        recipe: Recipe = DEFAULT_RECIPE,
    ) -> Mix:
        """Return the mix that `options` ask for, given the arms that `ran`; `is_code` (P,) is asked when it matters."""
        weights = options.weights
        return cls(
            method=options.fusion,
            k=options.effective_k,
            alpha=_alpha(options, ran, is_code, recipe),
            arms=tuple(ran),
            recipe=recipe,
            given=None if weights is None else {Arm.BM25: weights.sparse, Arm.DENSE: weights.dense},
            document_share=_document_share(options, ran, is_code, recipe),
            documents_too=options.arms is not None,
        )

    def report(self, positions: NDArray[np.int64], is_code: Callable[[], NDArray[np.bool_]]) -> FusionReport:
        """Return how the candidates at `positions` (n,) were fused: most of them, and by kind if that may differ."""
        if isinstance(self.alpha, float) and isinstance(self.document_share, float):
            return FusionReport(self.method, self.k, self.alpha, self._weights_at(np.empty(0, np.int64)))
        code = is_code()[positions]
        # Alpha and weights are the same for all of a kind, so that one of each kind tells.
        samples = {kind: positions[mask][:1] for kind, mask in ((CODE, code), (OTHER, ~code)) if mask.any()}
        by_kind = {kind: self._shares_at(sample) for kind, sample in samples.items()}
        most = CODE if 2 * np.count_nonzero(code) > len(positions) else OTHER
        shares = by_kind.get(most) or Shares(self.recipe.prose_alpha, dict.fromkeys(map(str, self.arms), 0.0))
        return FusionReport(self.method, self.k, shares.alpha, shares.weights, by_kind if len(by_kind) > 1 else None)

    def _shares_at(self, sample: NDArray[np.int64]) -> Shares:
        return Shares(float(np.max(_at(self.alpha, sample))), self._weights_at(sample))

    def weights(self, positions: NDArray[np.int64]) -> fuse.Weights:
        """Return the weight of each arm at `positions` (n,)."""
        if self.method is Fusion.RRF:
            return self.given or fuse.rrf_weights(float(self.alpha))
        return fuse.convex_weights(_at(self.alpha, positions), _at(self.document_share, positions))

    def _weights_at(self, sample: NDArray[np.int64]) -> dict[str, float]:
        weights = self.weights(sample)
        return {str(arm): float(np.max(weights[arm], initial=0.0)) for arm in self.arms}

    @property
    def best(self) -> float:
        """The best score that fusion can give."""
        if self.method is Fusion.CONVEX:
            return 1.0
        return sum(self._weights_at(np.empty(0, np.int64)).values()) / ((self.k or 0) + 1)

    def fuse(
        self,
        lists: Mapping[Arm, ArmList],
        also: NDArray[np.int64] | None = None,
        named: NDArray[np.int64] | None = None,
    ) -> fuse.Fused:
        """Return the candidates of all lists with the contribution of each arm.

        Positions in `also` are candidates too, if any arm has a score for them, and those in `named` whatever they say.
        """
        voters = [found.ranked for arm, found in lists.items() if arm is not Arm.DOCUMENT or self.documents_too]
        if also is not None and len(also):
            scored = np.any([found.scores[also] > -np.inf for found in lists.values()], axis=0)
            voters.append(also[scored])
        if named is not None:
            voters.append(named)
        positions = fuse.pool(voters)
        weights = self.weights(positions)
        if self.method is Fusion.RRF:
            ranks = {str(arm): found.listed_ranks(positions) for arm, found in lists.items()}
            return fuse.rrf(positions, ranks, weights, self.k or 0)
        normalised = {str(arm): self._normalised(arm, found, positions) for arm, found in lists.items()}
        return fuse.convex(positions, normalised, weights)

    def _normalised(self, arm: Arm, found: ArmList, positions: NDArray[np.int64]) -> NDArray[np.float64]:
        scores = found.scores[positions]
        if arm is not Arm.DENSE:
            return fuse.lexical_norm(scores, found.best, self.recipe.coverage * found.most)
        if not len(found.ranked_scores):
            return np.zeros(len(positions), np.float64)
        recipe = self.recipe
        floor = fuse.floor_of(found.ranked_scores, found.size, recipe.floor_rank)
        spread = recipe.short_spread if found.size < 2 * recipe.floor_rank else recipe.spread
        return fuse.dense_norm(scores, found.best, floor, spread)


def _at(value: NDArray[np.float64] | float, positions: NDArray[np.int64]) -> NDArray[np.float64] | float:
    return value if isinstance(value, float) else value[positions]


def _alpha(
    options: SearchOptions,
    ran: Mapping[Arm, ArmList],
    is_code: Callable[[], NDArray[np.bool_]],
    recipe: Recipe,
) -> NDArray[np.float64] | float:
    """Return alpha: the measured default of each kind, or one number for all if it was given or one side is missing."""
    both = Arm.DENSE in ran and any(arm in ran for arm in LEXICAL_ARMS)
    if not options.alpha_is_measured or options.effective_alpha in (0.0, 1.0):
        return float(options.effective_alpha)
    if not both:
        return recipe.prose_alpha
    code = is_code()
    if not code.any():
        return recipe.prose_alpha
    return np.where(code, recipe.code_alpha, recipe.prose_alpha)


def _document_share(
    options: SearchOptions,
    ran: Mapping[Arm, ArmList],
    is_code: Callable[[], NDArray[np.bool_]],
    recipe: Recipe,
) -> NDArray[np.float64] | float:
    """Return the share of the document arm: that of code, or for all kinds if `--arms` names both lexical arms."""
    if Arm.DOCUMENT not in ran:
        return 0.0
    if not all(arm in ran for arm in LEXICAL_ARMS):
        return 1.0
    return recipe.document_share if options.arms is not None else np.where(is_code(), recipe.document_share, 0.0)
