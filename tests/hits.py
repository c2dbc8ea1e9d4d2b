"""Answers made by hand, for tests of what is printed."""

from __future__ import annotations

from hmem.search.arms import Status
from hmem.search.query import Fusion
from hmem.search.results import ArmHit, ArmReport, Boost, FusionReport, Hit, SearchResult
from hmem.types import Kind


def hit(rank: int = 1, text: str = "one pool\n", **fields) -> Hit:
    """A hit of two arms and one boost, whose parts add up."""
    values = {
        "rank": rank,
        "score": 0.85 - rank / 100,
        "chunk_id": f"{rank:016x}",
        "collection": "notes",
        "source": f"a/{rank}.md",
        "path": f"/base/a/{rank}.md",
        "start_line": 10,
        "end_line": 9 + max(1, text.count("\n")),
        "kind": Kind.NOTE,
        "lang": "markdown",
        "title": "Title",
        "heading": ("Title", "Part"),
        "symbol": None,
        "text": text,
        "metadata": {},
        "arms": {"bm25": ArmHit(rank, 14.2, 0.75, 0.6), "dense": None if rank == 2 else ArmHit(3, 0.456, 0.25, 0.2)},
        "boosts": (Boost("definition", 0.05 - rank / 100),),
        "matched": ("pool",),
    }
    return Hit(**{**values, **fields})


def answer(*hits: Hit, query: str = "pool", **fields) -> SearchResult:
    values = {
        "query": query,
        "fusion": FusionReport(Fusion.CONVEX, None, 0.25, {"bm25": 0.75, "dense": 0.25}),
        "arms": {
            "bm25": ArmReport(Status.OK, candidates=9, ms=1.0),
            "dense": ArmReport(Status.OK, candidates=9, ms=1.0),
        },
        "filters": (),
        "eligible_chunks": 1234,
        "generation": 3,
        "hits": hits,
        "took_ms": 4.4,
    }
    return SearchResult(**{**values, **fields})
