"""`hmem eval` as a process: streams, formats, exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hmem.evaluation.metrics import MEASURES

from runner import Ran, hmem, write_tree

FILES = {
    "notes/pool.md": "# Connection pool\n\nThe connection pool is exhausted.\n",
    "notes/deploy.md": "# Deployment guide\n\nCanary first, then everybody.\n",
    "notes/retry.md": "# Retries after a timeout\n\nRetries are spaced by backoff.\n",
    "src/backoff.py": 'def backoff(attempt):\n    """Return the seconds to wait before an attempt."""\n    return 2\n',
}
LABELS = [
    {"query": "connection pool exhausted", "relevant": "notes/pool.md", "tags": ["db"]},
    {"query": "canary", "relevant": ["notes/deploy.md"], "tags": ["ops"]},
    {"query": "spaced retries", "relevant": {"notes/retry.md": 2, "src/backoff.py": 1}},
    {"query": "who rolls out", "relevant": "notes/gone.md"},
    {"query": "nobody knows", "relevant": []},
]


def indexed(root: Path) -> Path:
    """Write the files, index them into a store beside them, and return where they are."""
    work = write_tree(root / "work", FILES)
    write_tree(work, {"labels.jsonl": "".join(json.dumps(row) + "\n" for row in LABELS)})
    ran = ask(work, "index", "notes", "src")
    assert ran.code == 0, ran.err
    return work


def ask(tree: Path, *args: str | Path, cwd: Path | None = None, stdin: str = "") -> Ran:
    own = tree.parent
    return hmem(
        *args, cwd=cwd or tree, stdin=stdin, HMEM_DATA_DIR=str(own / "data"), HMEM_CONFIG_DIR=str(own / "config")
    )


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return indexed(tmp_path_factory.mktemp("eval"))


def facts(out: str) -> dict[tuple[str, ...], str]:
    """The lines of the pipe format: the last field by those before it."""
    rows = [line.split("\t") for line in out.splitlines()]
    return {tuple(row[:-1]): row[-1] for row in rows}


def test_lines_and_json_say_the_same(tree):
    ran = ask(tree, "eval", "labels.jsonl")
    assert ran.code == 0
    assert "1 query without a label left out: `nobody knows`" in ran.err
    assert "1 of 5 labels not indexed, counted as missed: `notes/gone.md`" in ran.err
    found = json.loads(ask(tree, "eval", "labels.jsonl", "--json").out)
    assert (found["schema"], found["unit"], found["queries"], found["unlabelled"]) == (1, "document", 4, 1)
    lines = facts(ran.out)
    for run in found["runs"]:
        for measure in MEASURES:
            assert lines["run", run["name"], measure] == f"{run[measure]:.4f}"
        assert 0 <= run["latency_ms"]["p50"] <= run["latency_ms"]["p95"]
        assert run["answer_tokens"] > 0
    alphas = found["sweeps"]["alpha"]["points"]
    assert [point["value"] for point in alphas] == [step / 10 for step in range(11)]
    assert lines["sweep", "alpha=0.3", "held_back"] == f"{alphas[3]['held_back']:.4f}"
    assert found["sweeps"]["rrf_k"]["best"]["all"].keys() == {"value", "score", "before", "after"}
    fused = [row["scores"]["fused"]["mrr@10"] for row in found["results"]]
    assert fused == [1.0, 1.0, 1.0, 0.0]


def test_misses_name_the_rank_in_each_arm(tree):
    ran = ask(tree, "eval", "labels.jsonl", "--misses", "--no-sweep")
    last = ran.out.splitlines()[-1].split("\t")
    assert last[:2] == ["miss", "who rolls out"]
    assert last[2:] == ["bm25=-", "document=-", "dense=-", "fused=-", "notes/gone.md (not indexed)"]
    assert "sweep" not in ran.out


def test_a_result_is_compared_with_an_earlier_one(tmp_path):
    tree = indexed(tmp_path)
    before = ask(tree, "eval", "labels.jsonl", "--json", "--no-sweep")
    (tree / "before.json").write_text(before.out)
    (tree / "notes/pool.md").unlink()
    ran = ask(tree, "eval", "labels.jsonl", "--compare", "before.json", "--no-sweep")
    assert ran.code == 0
    changes = [line.split("\t") for line in ran.out.splitlines() if line.startswith("change\tfused\tmrr@10")]
    assert changes == [["change", "fused", "mrr@10", "0.7500", "0.5000", "-0.2500", "p=1.0000"]]


def test_tags_and_filters_narrow(tree):
    ran = ask(tree, "eval", "labels.jsonl", "--tag", "db", "--tag", "ops", "--no-sweep", "-c", "src")
    assert ran.code == 0
    lines = facts(ran.out)
    assert lines[("queries",)] == "2"
    assert lines["run", "fused", "recall@20"] == "0.0000"
    assert lines["tag", "db", "mrr@10"] == "0.0000"


def test_spans_make_chunks_the_unit_unless_told(tree):
    row = {"query": "canary", "relevant": "notes/deploy.md:3"}
    read = json.dumps(row)
    assert facts(ask(tree, "eval", "-", "--no-sweep", stdin=read).out)[("unit",)] == "chunk"
    ran = ask(tree, "eval", "-", "--no-sweep", "--unit", "document", stdin=read)
    assert facts(ran.out)[("unit",)] == "document"


def test_trec_files(tree):
    write_tree(tree, {"topics.tsv": "1\tcanary\n2\tpool\n", "qrels": "1 0 deploy 1\n3 0 pool 1\n"})
    ran = ask(tree, "eval", "topics.tsv", "--qrels", "qrels", "--no-sweep")
    assert ran.code == 0
    assert facts(ran.out)["run", "fused", "recall@1"] == "1.0000"
    assert "1 query without a label left out: `pool`" in ran.err
    assert "labels of 1 query that the file does not have" in ran.err


def test_a_starter_runs_as_it_is(tree):
    shown = ask(tree, "eval", "--init")
    assert shown.code == 0
    assert "your own words" in shown.err
    assert ask(tree, "eval", "--init", "new.jsonl").code == 0
    assert (tree / "new.jsonl").read_text() == shown.out
    assert len(shown.out.splitlines()) == 4
    ran = ask(tree, "eval", "new.jsonl", "--no-sweep", cwd=tree.parent)
    assert ran.code == 2
    ran = ask(tree, "eval", tree / "new.jsonl", "--no-sweep", cwd=tree.parent)
    assert ran.code == 0
    assert "not indexed" not in ran.err
    again = ask(tree, "eval", "--init", "new.jsonl")
    assert (again.code, again.out) == (2, "")
    assert "there already" in again.err


@pytest.mark.parametrize(
    "args",
    [
        (),
        ("gone.jsonl",),
        ("labels.jsonl", "--tag", "none"),
        ("labels.jsonl", "--unit", "page"),
        ("labels.jsonl", "--compare", "labels.jsonl"),
        ("labels.jsonl", "-c", "none"),
        ("labels.jsonl", "-w", "servise=x"),
        ("labels.jsonl", "--split", "x"),
        ("-", "--qrels", "-"),
        ("-",),
    ],
)
def test_errors_leave_stdout_empty(tree, args):
    ran = ask(tree, "eval", *args)
    assert (ran.code, ran.out) == (2, "")
    assert "error: " in ran.err
