"""The reasons for a hit's rank, as lines of text."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hmem.search.results import Hit


def explanation(hit: Hit) -> Iterator[str]:
    """Yield the score as a sum, what each arm said of the hit, the boosts, and the words that matched."""
    yield f"score {hit.score:.4f} = {_sum(hit) or '0'}"
    width = max(map(len, (*hit.arms, *(boost.name for boost in hit.boosts))), default=0)
    for name, arm in hit.arms.items():
        if arm is None:
            yield f"{name:<{width}}  not returned"
        else:
            said = f"rank {arm.rank}, score {arm.score:.4g}, weight {arm.weight:.3g}"
            yield f"{name:<{width}}  {said}, adds {arm.contribution:.4f}"
    for boost in hit.boosts:
        yield f"{boost.name:<{width}}  boost, adds {boost.value:+.4f}"
    yield f"matched: {', '.join(hit.matched) or 'no word of the query'}"


def _sum(hit: Hit) -> str:
    parts = [f"{name} {arm.contribution:.4f}" for name, arm in hit.arms.items() if arm and arm.contribution]
    text = " + ".join(parts)
    for boost in hit.boosts:
        text += f" {'-' if boost.value < 0 else '+'} {boost.name} {abs(boost.value):.4f}"
    return text
