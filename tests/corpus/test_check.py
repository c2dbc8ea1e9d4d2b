"""The labels of the corpus hold, and the check finds the faults it is there for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from corpus.check import SETS, Judged, problems, read_queries


@pytest.mark.parametrize("judged", SETS, ids=lambda judged: judged.queries.stem)
def test_labels_hold(judged: Judged) -> None:
    assert list(problems(judged)) == []


LABEL = {"path": "a.md", "line": 3, "grade": 3}
GOOD = {"query": "how wide", "relevant": [LABEL], "class": "paraphrase", "half": "dev"}


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"relevant": [{"path": "b.md", "line": 3, "grade": 3}]}, "b.md:3 does not exist"),
        ({"relevant": [{"path": "a.md", "line": 2, "grade": 3}]}, "a.md:2 is out of range or blank"),
        ({"relevant": [{"path": "a.md", "line": 4, "grade": 3}]}, "a.md:4 is out of range or blank"),
        ({"relevant": [{"path": "a.md", "line": 3, "grade": 2}]}, "no label of grade 3"),
        ({"relevant": [LABEL, LABEL]}, "the same label twice"),
        ({"stale": [{"path": "a.md", "line": 1}]}, "both relevant and stale: a.md"),
        ({"query": "forty metres"}, "a.md:3 shares forti"),
        ({"query": "the Width"}, "'the Width' is a heading"),
        ({"class": "guess"}, "unknown class guess"),
        ({"half": "third"}, "paraphrase has halves ['third']"),
    ],
)
def test_each_fault_is_found(change: dict[str, object], fault: str, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "a.md").write_text("# The width\n\nForty metres.\n")
    queries = tmp_path / "queries.jsonl"
    judged = Judged(queries, tree, ("paraphrase",), 1)
    queries.write_text(json.dumps(GOOD) + "\n")
    assert list(problems(judged)) == []
    queries.write_text(json.dumps(GOOD | change) + "\n")
    assert any(fault in problem for problem in problems(judged))


def test_too_few_and_unbalanced_queries_are_found(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("x\n\nForty metres.\n")
    queries = tmp_path / "queries.jsonl"
    queries.write_text("".join(json.dumps(GOOD | {"query": f"q {n}"}) + "\n" for n in range(2)))
    found = list(problems(Judged(queries, tmp_path, ("paraphrase",), 3)))
    assert found == [
        "paraphrase has 2 queries, at least 3 are needed",
        "paraphrase is not balanced: {'dev': 2}",
    ]


def test_reading_keeps_the_order_and_the_stale_passages() -> None:
    queries = read_queries(SETS[1].queries)
    assert queries[0].text == "bisque temperature"
    assert [label.grade for label in queries[0].stale] == [0, 0]
