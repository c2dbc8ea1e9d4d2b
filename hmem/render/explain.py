"""The reasons for a hit's rank: as sentences, one a line, and as an account whose last column adds up."""

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
        note = f" ({boost.note})" if boost.note else ""
        yield f"{boost.name:<{width}}  boost, adds {boost.value:+.4f}{note}"
    yield matched(hit)


def account(hit: Hit) -> Iterator[tuple[str, str, str, str, str]]:
    """Yield what the score is made of: name, rank, raw score, weight, what it adds; a head first and the sum last."""
    yield "arm", "rank", "score", "weight", "adds"
    for name, arm in hit.arms.items():
        if arm is None:
            yield name, "–", "", "", ""
        else:
            yield name, str(arm.rank), f"{arm.score:.4g}", f"{arm.weight:.2f}", f"{arm.contribution:.4f}"
    for boost in hit.boosts:
        yield boost.name, "", "", "", f"{boost.value:+.4f}"
    yield "score", "", "", "", f"{hit.score:.4f}"


def matched(hit: Hit) -> str:
    """Return which words of the query the hit has, and the state of one that is retired."""
    state = f"; state: {hit.state}" if hit.state else ""
    return f"matched: {', '.join(hit.matched) or 'no word of the query'}{state}"


def notes(hit: Hit) -> list[str]:
    """Return why boosts are there that depend on more than the hit."""
    return [f"{boost.name}: {boost.note}" for boost in hit.boosts if boost.note]


def _sum(hit: Hit) -> str:
    parts = [f"{name} {arm.contribution:.4f}" for name, arm in hit.arms.items() if arm and arm.contribution]
    text = " + ".join(parts)
    for boost in hit.boosts:
        text += f" {'-' if boost.value < 0 else '+'} {boost.name} {abs(boost.value):.4f}"
    return text
