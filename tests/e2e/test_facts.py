"""Fifty-six facts, five classes of questions: the fused ranking is better than either arm alone."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from hmem.library import KnowledgeBase
from hmem.search.query import SearchOptions

DATA = Path(__file__).parent.parent / "data"
FACTS = [json.loads(line) for line in (DATA / "facts.jsonl").read_text().splitlines()]
QUERIES = [json.loads(line) for line in (DATA / "fact_queries.jsonl").read_text().splitlines()]
ARMS = {"fused": None, "bm25": ("bm25",), "dense": ("dense",)}


@pytest.fixture(scope="module")
def scores(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, list[float]]]:
    """nDCG@10 of every query, by arm and class."""
    root = tmp_path_factory.mktemp("facts")
    for fact in FACTS:
        (root / f"{fact['id']}.md").write_text(f"# {fact['title']}\n\n{fact['text']}\n")
    found: dict[str, dict[str, list[float]]] = {arm: {} for arm in ARMS}
    with KnowledgeBase.open(root.parent / "store", create=True) as memory:
        memory.index([root])
        with memory.session() as search:
            for query in QUERIES:
                for arm, arms in ARMS.items():
                    hits = search(SearchOptions(query["query"], arms=arms)).hits
                    ranks = [hit.rank for hit in hits if hit.source.removesuffix(".md") in query["relevant"]]
                    gain = 1 / math.log2(1 + ranks[0]) if ranks else 0.0
                    found[arm].setdefault(query["class"], []).append(gain)
    return found


def mean(by_class: dict[str, list[float]]) -> float:
    values = [value for group in by_class.values() for value in group]
    return sum(values) / len(values)


def test_set_is_large_enough():
    assert len(FACTS) >= 50
    for name in ("invoice", "code", "name", "date", "paraphrase"):
        assert sum(query["class"] == name for query in QUERIES) >= 10


def test_fused_mean_beats_either_arm(scores):
    assert mean(scores["fused"]) > mean(scores["bm25"])
    assert mean(scores["fused"]) > mean(scores["dense"])


def test_exact_keys_are_found_first(scores):
    for name in ("invoice", "code", "date"):
        assert sum(scores["fused"][name]) / len(scores["fused"][name]) > 0.97
