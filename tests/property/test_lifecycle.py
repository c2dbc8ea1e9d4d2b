"""Nothing retired appears, in no arm, mode or relaxed path, and each arm spends its places on what is left."""

from __future__ import annotations

from datetime import datetime
from functools import cache

from hmem.search.engine import Searcher
from hmem.search.query import Arm, Fusion, SearchOptions
from hypothesis import given, settings
from hypothesis import strategies as st

from search_samples import encoder, store_of

NOW = datetime(2026, 6, 1)
RETIRED = ["status: superseded", "status: retracted", "expires: 2026-05-31", "superseded_by: x", "valid_until: 2025"]
WORDS = ["pool", "connection", "database", "limit", "retry"]


def _files() -> dict[str, str]:
    """Sixty notes, of which the best matches are retired, and thirty files of code."""
    files = {}
    for at in range(60):
        front = [RETIRED[at % len(RETIRED)]] if at % 2 else ["status: accepted"]
        if at % 10 == 0:
            front.append(f"supersedes: named-{at}")
            files[f"named-{at}.md"] = f"# Pool {at}\n\nThe connection pool limit, retry of the database.\n"
        body = " ".join(WORDS[: 1 + at % len(WORDS)] * (1 + at % 3))
        files[f"note-{at}.md"] = "---\n" + "\n".join(front) + f"\n---\n# Note {at}\n\n{body}\n"
    for at in range(30):
        files[f"pool_{at}.py"] = f"def pool_{at}(connection):\n    return connection.retry({at})\n"
    return files


def is_retired(path: str) -> bool:
    name, _, number = path.removesuffix(".md").partition("-")
    return name == "named" or (name == "note" and int(number) % 2 == 1)


@cache
def searcher() -> Searcher:
    import tempfile
    from pathlib import Path

    place = tempfile.TemporaryDirectory()
    store = store_of(Path(place.name), _files())
    snapshot = store.snapshot()
    found = Searcher(snapshot, encoder, clock=lambda: NOW)
    found.keep = place  # type: ignore[attr-defined]
    return found


@given(
    query=st.one_of(
        st.lists(st.sampled_from([*WORDS, '"connection pool"', "pool_3", "note", "zzz", "currently"]), max_size=4).map(
            " ".join
        ),
        st.text(max_size=10),
    ),
    arms=st.sampled_from([None, ("bm25",), ("document",), ("dense",), ("bm25", "dense"), ("bm25", "document", "time")]),
    fusion=st.sampled_from(Fusion),
    boosts=st.booleans(),
    top_k=st.sampled_from([1, 10, 200]),
    alpha=st.sampled_from([None, 0.5]),
)
@settings(max_examples=120, deadline=None)
def test_nothing_retired_appears(query, arms, fusion, boosts, top_k, alpha):
    mixed = arms is None or ("dense" in arms and len(arms) > 1)
    options = SearchOptions(query, arms=arms, fusion=fusion, boosts=boosts, top_k=top_k, alpha=alpha if mixed else None)
    gathered = searcher().gather(options)
    result = searcher().search(options)
    assert not [hit.source for hit in result.hits if is_retired(hit.source)]
    snapshot, paths = (
        searcher()._snapshot,
        {row.id: row.path for row in searcher()._snapshot.catalog.documents().values()},
    )
    for arm, ranked in gathered.lists.items():
        documents = snapshot.documents[ranked.ranked].tolist()
        assert not [paths[key] for key in documents if is_retired(paths[key])], arm
    retired = sum(is_retired(path) for path in paths.values())
    assert sum(result.hidden.values()) == retired
    assert Arm.BM25 in gathered.results
