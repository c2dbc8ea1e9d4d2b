"""What a search answers, as values and as the JSON object of schema 1. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from hmem.search.arms import Status
from hmem.search.query import Arm, Fusion
from hmem.types import Json, Kind

SCHEMA = 1

LATER: Final = "later"
"""The state under which an answer counts what was not there, or not valid, yet at the moment of `--as-of`."""


@dataclass(frozen=True, slots=True)
class ArmReport:
    """What became of an arm: `candidates` that it put up, milliseconds, eligible chunks without a vector (dense).

    `about`: what it made of the query, more keys of its object (time).
    """

    status: Status
    reason: str | None = None
    candidates: int = 0
    ms: float = 0.0
    unembedded: int | None = None
    about: Mapping[str, Json] = field(default_factory=dict)

    def to_json(self) -> dict[str, Json]:
        """Return the report as one JSON object; `reason` and `unembedded` only where there is one."""
        found: dict[str, Json] = {"status": str(self.status)}
        if self.reason is not None:
            found["reason"] = self.reason
        found |= {"candidates": self.candidates, "ms": round(self.ms, 3)}
        if self.unembedded is not None:
            found["unembedded"] = self.unembedded
        return found | {**self.about}


@dataclass(frozen=True, slots=True)
class Shares:
    """What weighs how much for chunks of one kind: the share of the dense arm, and every arm that ran."""

    alpha: float
    weights: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class FusionReport:
    """How the arms were fused; `k` is None under `convex`.

    `alpha` and `weights` are those of most candidates; `by_kind` (`code`, `other`) is there if they differ.
    """

    method: Fusion
    k: float | None
    alpha: float
    weights: Mapping[str, float]
    by_kind: Mapping[str, Shares] | None = None

    @property
    def alpha_by_kind(self) -> dict[str, float] | None:
        """The alpha of each kind, if it is not the same for all."""
        found = {kind: shares.alpha for kind, shares in (self.by_kind or {}).items()}
        return found if len(set(found.values())) > 1 else None

    def to_json(self) -> dict[str, Json]:
        """Return the report as one JSON object; `alpha_by_kind` and `weights_by_kind` only where they differ."""
        found: dict[str, Json] = {"method": str(self.method), "k": self.k, "alpha": self.alpha}
        found["weights"] = {**self.weights}
        if self.alpha_by_kind is not None:
            found["alpha_by_kind"] = {**self.alpha_by_kind}
        if self.by_kind is not None:
            found["weights_by_kind"] = {kind: {**shares.weights} for kind, shares in self.by_kind.items()}
        return found


@dataclass(frozen=True, slots=True)
class ArmHit:
    """What an arm said about a hit: 1-based rank, raw score, its weight, and what that adds to the hit's score."""

    rank: int
    score: float
    weight: float
    contribution: float

    def to_json(self) -> dict[str, Json]:
        """Return the hit as one JSON object."""
        return {"rank": self.rank, "score": self.score, "contribution": self.contribution}


@dataclass(frozen=True, slots=True)
class Boost:
    """A named effect on a hit's score beside fusion; a multiplier is the difference that it made. `note`: why."""

    name: str
    value: float
    note: str = ""

    def to_json(self) -> dict[str, Json]:
        """Return the boost as one JSON object."""
        return {"name": self.name, "value": self.value}


@dataclass(frozen=True, slots=True)
class Hit:
    """A ranked chunk, whose `score` is the sum of contributions and boosts. `path` is absolute, `source` inside the
    collection.

    `arms` has an entry for every arm that ran, None where it did not return the hit. `matched`: the words of the query
    that the chunk or its header holds. `state`: why it is retired (`superseded`), None if it is not. `truncated`: text
    and lines are only a part of the chunk.
    """

    rank: int
    score: float
    chunk_id: str
    collection: str
    source: str
    path: str
    start_line: int
    end_line: int
    kind: Kind
    lang: str
    title: str
    heading: tuple[str, ...]
    symbol: str | None
    text: str
    metadata: Mapping[str, Json]
    arms: Mapping[str, ArmHit | None]
    boosts: tuple[Boost, ...] = ()
    matched: tuple[str, ...] = ()
    state: str | None = None
    truncated: bool = False

    def to_json(self) -> dict[str, Json]:
        """Return the hit as one JSON object."""
        return {
            "rank": self.rank,
            "chunk_id": self.chunk_id,
            "score": self.score,
            "source": self.source,
            "path": self.path,
            "collection": self.collection,
            "start_line": self.start_line,
            "end_line": self.end_line,
            "kind": str(self.kind),
            "lang": self.lang,
            "title": self.title,
            "heading": [*self.heading],
            "symbol": self.symbol,
            "text": self.text,
            "metadata": {**self.metadata},
            "arms": {arm: hit.to_json() if hit else None for arm, hit in self.arms.items()},
            "boosts": [boost.to_json() for boost in self.boosts],
            "matched": [*self.matched],
            **({"state": self.state} if self.state else {}),
            **({"truncated": True} if self.truncated else {}),
        }


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The answer to a search. `stale`: False checked and current, True known to be behind, None not checked.

    `hidden`: how many chunks would have been eligible but are retired, by state. `truncated`: a budget left hits or
    parts of them out.
    """

    query: str
    fusion: FusionReport
    arms: Mapping[str, ArmReport]
    filters: tuple[str, ...]
    eligible_chunks: int
    generation: int
    hidden: Mapping[str, int] = field(default_factory=dict)
    hits: tuple[Hit, ...] = ()
    took_ms: float = 0.0
    query_id: Json = None
    stale: bool | None = None
    truncated: bool = False
    request: bool = field(default=False, repr=False)

    @property
    def strategy(self) -> str:
        """`hybrid` when two or more arms ran, else the name of the one that did, `none` without any.

        The time arm finds nothing by itself and does not count.
        """
        ran = self._finding
        return "hybrid" if len(ran) > 1 else (ran[0] if ran else "none")

    @property
    def degraded(self) -> tuple[str, ...]:
        """One message for each arm that was to run and could not: the user must be told."""
        return tuple(
            f"the {arm} arm {'failed' if report.status is Status.FAILED else 'is unavailable'}: {report.reason}"
            for arm, report in self.arms.items()
            if report.status in (Status.UNAVAILABLE, Status.FAILED)
        )

    @property
    def broken(self) -> bool:
        """Whether nothing could answer, though something was to: an error, not an empty answer."""
        return bool(self.degraded) and not self._finding

    @property
    def _finding(self) -> list[str]:
        return [arm for arm, report in self.arms.items() if report.status.ran and arm != Arm.TIME]

    def to_json(self) -> dict[str, Json]:
        """Return the answer as the one JSON object of the contract."""
        return {
            "schema": SCHEMA,
            "query_id": self.query_id,
            "query": self.query,
            "strategy": self.strategy,
            "fusion": self.fusion.to_json(),
            "arms": {arm: report.to_json() for arm, report in self.arms.items()},
            "filters": [*self.filters],
            "eligible_chunks": self.eligible_chunks,
            "hidden": {**self.hidden},
            "generation": self.generation,
            "stale": self.stale,
            "total_retrieved": len(self.hits),
            "truncated": self.truncated,
            "took_ms": round(self.took_ms, 3),
            "results": [self._hit_json(hit) for hit in self.hits],
        }

    def _hit_json(self, hit: Hit) -> dict[str, Json]:
        return hit.to_json() | ({"rrf_score": hit.score} if self.request else {})
