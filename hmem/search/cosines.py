"""Exact vector search over arrays: all products in float32, those that may be among the best in float64. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

FEW: Final = 0.1
"""Share of rows up to which they are gathered before the product: above it the whole matrix is faster."""

NEAR: Final = 1e-5
"""More than float32 can be wrong by in a product of unit vectors of some hundred numbers."""


def fill_cosines(
    scores: NDArray[np.float32],
    vectors: NDArray[np.float32],
    positions: NDArray[np.int64],
    eligible: NDArray[np.bool_],
    query: NDArray[np.float32],
) -> None:
    """Set `scores` (P,) at the `eligible` ones (P,) of `positions` (n,), ascending, to row times `query`.

    The n rows of `vectors` (n, d) and `query` (d,) have unit length or are zero.
    """
    wanted = eligible[positions]
    count = int(np.count_nonzero(wanted))
    if count <= FEW * len(wanted):
        scores[positions[wanted]] = vectors[wanted] @ query
        return
    products = vectors @ query
    if count < len(wanted):
        products[~wanted] = -np.inf
    scores[positions] = products


def nearest(scores: NDArray[np.float32], depth: int) -> NDArray[np.bool_]:
    """Return which of `scores` (P,) may belong to the `depth` best, if each is wrong by less than NEAR / 2."""
    known = scores > -np.inf
    found = scores[known]
    if len(found) <= depth:
        return known
    cut: float = np.partition(found, len(found) - depth)[len(found) - depth]
    return scores >= cut - NEAR


def exact_cosines(vectors: NDArray[np.float32], query: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the products (n,) of rows with `query`, to nine decimals: equal rows get equal numbers.

    In float32 a product depends in its last bits on where the row lies in the matrix, so copies of one text would be
    ordered by chance and not by the rule for ties.
    """
    return np.round(vectors.astype(np.float64) @ query.astype(np.float64), 9)
