"""How the arms of one search are mixed: which of them run, what each weighs, and the fusion of their lists. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from hmem.search import fuse
from hmem.search.query import LEXICAL_ARMS, Arm, Fusion, runs

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from hmem.search.lists import ArmList
    from hmem.search.query import SearchOptions

DOCUMENT_SHARE: Final = 0.5
"""Of the lexical side for code: without the document arm nDCG@10 is .003 to .038 lower. For prose it gives nothing."""


def plan(options: SearchOptions, has_code: Callable[[], bool]) -> dict[Arm, str]:
    """Return the arms that do not run, with the reason; `has_code` tells whether an eligible chunk is code."""
    skipped = {
        Arm.ENTITY: "this version has no entities",
        Arm.TIME: "this version has no time arm",
    }
    for arm in Arm:
        if options.arms is not None and arm not in options.arms:
            skipped[arm] = "switched off"
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
    """The fusion of one search. `document_share`: how much of the lexical side is the document arm's, one or (P,).

    `arms` are those that ran. With `documents_too` the document arm puts up candidates like the others; else it only
    weighs theirs.
    """

    method: Fusion
    k: float | None
    alpha: float
    arms: tuple[Arm, ...]
    given: Mapping[str, float] | None = None
    document_share: NDArray[np.float64] | float = 0.0
    documents_too: bool = False

    @classmethod
    def of(cls, options: SearchOptions, ran: Mapping[Arm, ArmList], is_code: Callable[[], NDArray[np.bool_]]) -> Mix:
        """Return the mix that `options` ask for, given the arms that `ran`; `is_code` (P,) is asked when it matters."""
        weights = options.weights
        return cls(
            method=options.fusion,
            k=options.effective_k,
            alpha=options.effective_alpha,
            arms=tuple(ran),
            given=None if weights is None else {Arm.BM25: weights.sparse, Arm.DENSE: weights.dense},
            document_share=_document_share(options, ran, is_code),
            documents_too=options.arms is not None,
        )

    def weights(self, positions: NDArray[np.int64]) -> fuse.Weights:
        """Return the weight of each arm at `positions` (n,)."""
        if self.method is Fusion.RRF:
            return self.given or fuse.rrf_weights(self.alpha)
        share = self.document_share
        return fuse.convex_weights(self.alpha, share if isinstance(share, float) else share[positions])

    def most(self) -> dict[str, float]:
        """Return the most that each arm that ran weighs at any position."""
        everywhere = np.arange(0 if isinstance(self.document_share, float) else len(self.document_share))
        weights = self.weights(everywhere)
        return {str(arm): float(np.max(weights[arm], initial=0.0)) for arm in self.arms}

    def fuse(self, lists: Mapping[Arm, ArmList]) -> fuse.Fused:
        """Return the candidates of all lists with the contribution of each arm."""
        voters = [found.ranked for arm, found in lists.items() if arm is not Arm.DOCUMENT or self.documents_too]
        positions = fuse.pool(voters)
        weights = self.weights(positions)
        if self.method is Fusion.RRF:
            ranks = {str(arm): found.listed_ranks(positions) for arm, found in lists.items()}
            return fuse.rrf(positions, ranks, weights, self.k or 0)
        normalised = {str(arm): _normalised(arm, found, positions) for arm, found in lists.items()}
        return fuse.convex(positions, normalised, weights)


def _normalised(arm: Arm, found: ArmList, positions: NDArray[np.int64]) -> NDArray[np.float64]:
    scores = found.scores[positions]
    if arm is Arm.DENSE:
        return fuse.dense_norm(scores, found.ranked_scores)
    return fuse.lexical_norm(scores, found.best)


def _document_share(
    options: SearchOptions, ran: Mapping[Arm, ArmList], is_code: Callable[[], NDArray[np.bool_]]
) -> NDArray[np.float64] | float:
    """Return the share of the document arm: half for code, or half for all if `--arms` names both lexical arms."""
    if Arm.DOCUMENT not in ran:
        return 0.0
    if not all(arm in ran for arm in LEXICAL_ARMS):
        return 1.0
    return DOCUMENT_SHARE if options.arms is not None else np.where(is_code(), DOCUMENT_SHARE, 0.0)
