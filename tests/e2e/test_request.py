"""The seed example: a `--request` with hybrid parameters and a metadata filter over five wiki pages."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from runner import hmem, write_tree

PAGES = {
    "wiki/pool-exhausted.md": (
        "production",
        "billing",
        "# Connection pool exhaustion\n\nWhen every connection of the pool is checked out, requests wait and then fail "
        "with ERR_POOL_EXHAUSTED. Raise max_connections or find the query that never gives its connection back.",
    ),
    "wiki/pool-staging.md": (
        "staging",
        "billing",
        "# Connection pool exhaustion in staging\n\nThe connection pool is exhausted whenever the load test runs: "
        "pool exhausted, pool exhausted. Ignore it.",
    ),
    "wiki/deploy.md": ("production", "billing", "# Deployment\n\nBilling is deployed from the release branch."),
    "wiki/pool-search.md": (
        "production",
        "search",
        "# Thread pool of the search service\n\nThe pool of worker threads is exhausted when indexing runs at noon.",
    ),
    "wiki/oncall.md": ("staging", "search", "# On call\n\nWho is paged when the staging cluster is down."),
}
REQUEST = {
    "query_id": "q-17",
    "search_text": "database connection pool exhausted",
    "top_k": 5,
    "hybrid_params": {"dense_weight": 1.0, "sparse_weight": 1.0, "rrf_k_constant": 60},
    "metadata_filter": {"environment": "production", "service": "billing"},
}


@pytest.fixture
def wiki(tmp_path: Path) -> Path:
    files = {
        name: f"---\nenvironment: {environment}\nservice: {service}\n---\n{text}\n"
        for name, (environment, service, text) in PAGES.items()
    }
    root = write_tree(tmp_path, files) / "wiki"
    assert hmem("index", root, "-q").code == 0
    return root


def test_request_finds_the_passage_and_never_staging(wiki):
    ran = hmem("search", "--request", "-", stdin=json.dumps(REQUEST))
    assert ran.code == 0, ran.err
    answer = json.loads(ran.out)
    assert answer["schema"] == 1
    assert answer["query_id"] == "q-17"
    assert answer["strategy"] == "hybrid"
    assert answer["fusion"]["method"] == "rrf"
    assert answer["fusion"]["k"] == 60
    assert answer["filters"] == ["environment=production", "service=billing"]
    assert {name for name, arm in answer["arms"].items() if arm["status"] == "ok"} == {"bm25", "dense"}
    first, *others = answer["results"]
    assert first["source"] == "pool-exhausted.md"
    assert first["path"] == str(wiki / "pool-exhausted.md")
    assert first["kind"] == "wiki"
    for hit in (first, *others):
        assert hit["metadata"]["environment"] == "production"
        assert hit["metadata"]["service"] == "billing"
        assert hit["rrf_score"] == hit["score"]
        parts = [arm["contribution"] for arm in hit["arms"].values() if arm]
        assert sum(parts) == pytest.approx(hit["score"])
        for arm in hit["arms"].values():
            if arm:
                assert arm["contribution"] == pytest.approx(1 / (60 + arm["rank"]))
        assert hit["boosts"] == []


def test_request_with_unknown_key_is_an_error(wiki):
    ran = hmem("search", "--request", "-", stdin=json.dumps({**REQUEST, "topk": 3}))
    assert ran.code == 2
    assert "topk" in ran.err
    assert "top_k" in ran.err
    assert ran.out == ""


def test_filter_on_unknown_metadata_key_is_an_error(wiki):
    ran = hmem("search", "pool", "-w", "enviroment=production")
    assert ran.code == 2
    assert "environment" in ran.err


def test_nothing_eligible_is_no_hit_and_says_why(wiki):
    ran = hmem("search", "pool", "-w", "service=payroll", "--json")
    assert ran.code == 1
    assert json.loads(ran.out)["results"] == []
    assert "service=payroll" in ran.err
