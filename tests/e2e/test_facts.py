"""Two sets of about fifty facts, five classes of questions: the fused ranking is better than either arm alone."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from hmem.library import KnowledgeBase
from hmem.search.query import SearchOptions

DATA = Path(__file__).parent.parent / "data"
SETS = {"facts": ("facts.jsonl", "fact_queries.jsonl"), "notes": ("notes.jsonl", "note_queries.jsonl")}
ARMS = {"fused": None, "bm25": ("bm25",), "dense": ("dense",)}


def lines(name: str) -> list[dict]:
    return [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module", params=SETS)
def scores(request, tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, list[float]]]:
    """nDCG@10 of every query, by arm and class."""
    facts, queries = map(lines, SETS[request.param])
    root = tmp_path_factory.mktemp(request.param) / "files"
    root.mkdir()
    for fact in facts:
        (root / f"{fact['id']}.md").write_text(f"# {fact['title']}\n\n{fact['text']}\n")
    found: dict[str, dict[str, list[float]]] = {arm: {} for arm in ARMS}
    with KnowledgeBase.open(root.parent / "store", create=True) as memory:
        memory.index([root])
        with memory.session() as search:
            for query in queries:
                for arm, arms in ARMS.items():
                    hits = search(SearchOptions(query["query"], arms=arms)).hits
                    ranks = [hit.rank for hit in hits if hit.source.removesuffix(".md") in query["relevant"]]
                    gain = 1 / math.log2(1 + ranks[0]) if ranks else 0.0
                    found[arm].setdefault(query["class"], []).append(gain)
    return found


def mean(by_class: dict[str, list[float]]) -> float:
    values = [value for group in by_class.values() for value in group]
    return sum(values) / len(values)


@pytest.mark.parametrize("name", SETS)
def test_set_is_large_enough(name):
    facts, queries = map(lines, SETS[name])
    assert len(facts) + len(queries) >= 100
    for kind in ("invoice", "code", "name", "date", "paraphrase"):
        assert sum(query["class"] == kind for query in queries) >= 10


def test_fused_mean_beats_either_arm(scores):
    assert mean(scores["fused"]) > mean(scores["bm25"])
    assert mean(scores["fused"]) > mean(scores["dense"])


def test_exact_keys_are_found_first(scores):
    for name in ("invoice", "code", "date"):
        assert sum(scores["fused"][name]) / len(scores["fused"][name]) > 0.97
