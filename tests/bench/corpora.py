"""The development sets as hmem sees them: directories to index, queries with labels, how a ranking is scored.

A *text* set becomes one markdown file per document (`# title`, then the text); a document counts at its first chunk
and labels are binary. A *code* repository is indexed at its `benchmark_root`; a target counts at the first of the top
10 chunks of its file that overlaps its lines, and so does a passage of the labelled corpus beside this folder. Scores
are nDCG@10 with ideal = min(10, targets), for LIMIT recall@2.
"""

from __future__ import annotations

import gzip
import json
import math
import os
import shutil
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TEXT_SETS = (
    "scifact",
    "cacm",
    "cranfield",
    "chroma-chunking",
    "anthropic-codebase-chunks",
    "cosqa-dev",
    "limit-small",
    "limit-regen",
)
SHARE_OF_QUERIES = {"limit-regen": 4}  # every fourth query: 250 say as much as 1,000
TOP = 10
LIMIT_DEPTH = 2
_GAIN = [1 / math.log2(rank + 1) for rank in range(1, TOP + 1)]


@dataclass(frozen=True, slots=True)
class Found:
    """A hit as the scores see it: its path below what was indexed (text) or below the repository, and its lines."""

    source: str
    start_line: int
    end_line: int


@dataclass(frozen=True, slots=True)
class Target:
    """Something to be found. `path` matches by suffix; lines are None for a whole file."""

    path: str
    start_line: int | None = None
    end_line: int | None = None

    def matches(self, found: Found) -> bool:
        one, other = found.source, self.path
        if not (one == other or one.endswith("/" + other) or other.endswith("/" + one)):
            return False
        if self.start_line is None:
            return True
        return found.start_line <= (self.end_line or self.start_line) and found.end_line >= self.start_line


@dataclass(frozen=True, slots=True)
class Question:
    """A query with what it should find; `category` and `language` group it in reports."""

    id: str
    text: str
    targets: tuple[Target, ...]
    category: str = ""
    language: str = ""


@dataclass(frozen=True, slots=True)
class Corpus:
    """A directory to index and the questions about it.

    `prepare(place)` returns the directory, made at `place` if it does not exist yet; `base` is where the paths of
    targets start if not there; `depth` is how many hits a question is scored on.
    """

    name: str
    kind: str
    prepare: Callable[[Path], Path]
    base: Path | None
    questions: tuple[Question, ...]
    score: Callable[[Sequence[Found], Question], float]
    language: str = ""
    depth: int = TOP


def ndcg(hits: Sequence[Found], question: Question) -> float:
    """nDCG@10 over chunks; two targets at one rank count once."""
    ranks = set()
    for target in question.targets:
        rank = next((at for at, hit in enumerate(hits[:TOP]) if target.matches(hit)), None)
        if rank is not None:
            ranks.add(rank)
    return sum(_GAIN[rank] for rank in ranks) / sum(_GAIN[: len(question.targets)])


def _documents(hits: Sequence[Found]) -> list[str]:
    return list(dict.fromkeys(hit.source for hit in hits))


def document_ndcg(hits: Sequence[Found], question: Question) -> float:
    """nDCG@10 over documents, each at its first chunk."""
    wanted = {target.path for target in question.targets}
    gains = [_GAIN[rank] for rank, path in enumerate(_documents(hits)[:TOP]) if path in wanted]
    return sum(gains) / sum(_GAIN[: len(wanted)])


def recall_at_two(hits: Sequence[Found], question: Question) -> float:
    """Share of the wanted documents among the first two."""
    wanted = {target.path for target in question.targets}
    return len(wanted & set(_documents(hits)[:LIMIT_DEPTH])) / len(wanted)


def _lines(path: Path) -> list[dict[str, Any]]:
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return [json.loads(line) for line in data.splitlines()]


def text_corpus(data: Path, name: str) -> Corpus:
    """Return a text set below `data`/text."""
    folder = data / "text" / name
    documents = _lines(folder / "corpus.jsonl.gz")
    files = {document["id"]: f"{number:06d}.md" for number, document in enumerate(documents)}
    relevant: dict[str, set[str]] = defaultdict(set)
    for line in (folder / "qrels.tsv").read_text(encoding="utf-8").splitlines():
        query, document, grade = line.split("\t")
        if float(grade) > 0 and document in files:
            relevant[query].add(files[document])
    queries = [query for query in _lines(folder / "queries.jsonl.gz") if query["id"] in relevant]
    queries = queries[:: SHARE_OF_QUERIES.get(name, 1)]

    def prepare(place: Path) -> Path:
        place.mkdir(parents=True)
        for document in documents:
            title = document.get("title") or ""
            head = f"# {title}\n\n" if title else ""
            (place / files[document["id"]]).write_text(head + (document["text"] or "") + "\n", encoding="utf-8")
        return place

    questions = tuple(
        Question(query["id"], _plain(query["text"]), tuple(map(Target, sorted(relevant[query["id"]]))))
        for query in queries
    )
    limit = name.startswith("limit")
    return Corpus(name, "text", prepare, None, questions, recall_at_two if limit else document_ndcg, depth=30)


def _plain(query: str) -> str:
    """Return a query without double quotes: nobody who wrote these meant that the words must occur as they stand."""
    return query.replace('"', " ")


def code_corpora(data: Path, trees: Path) -> list[Corpus]:
    """Return the code repositories whose trees lie below `trees`."""
    targets = {row["id"]: tuple(map(_target, row["targets"])) for row in _lines(data / "code" / "targets.jsonl")}
    questions: dict[str, list[Question]] = defaultdict(list)
    for row in _lines(data / "code" / "queries.jsonl"):
        found = Question(row["id"], row["text"], targets[row["id"]], row["category"], row["language"])
        questions[row["repo"]].append(found)
    corpora = []
    for repository in json.loads((data / "code" / "repos.json").read_text(encoding="utf-8")):
        name, root = repository["name"], trees / repository["name"] / (repository["benchmark_root"] or "")
        if root.is_dir():
            corpora.append(_code_corpus(name, trees / name, root, questions[name], repository["language"]))
    return corpora


def _target(row: dict[str, Any]) -> Target:
    return Target(row["path"], row["start_line"], row["end_line"])


def _code_corpus(name: str, base: Path, root: Path, questions: list[Question], language: str) -> Corpus:
    def prepare(_: Path) -> Path:
        return root

    return Corpus(name, "code", prepare, base, tuple(questions), ndcg, language)


LABELLED = Path(__file__).parents[1] / "corpus"
_PARTS = {"handbook": ("notes", "wiki"), "lockers": ("src",)}
_ANSWERS = 2  # the grade from which on a passage answers at least in part


def labelled_corpora() -> list[Corpus]:
    """Return prose and code of `tests/corpus`, each with the queries of the `dev` half that it alone answers."""
    rows = [row for row in _lines(LABELLED / "queries.jsonl") if row["half"] == "dev"]
    return [_labelled_corpus(name, folders, rows) for name, folders in _PARTS.items()]


def _labelled_corpus(name: str, folders: tuple[str, ...], rows: Sequence[dict[str, Any]]) -> Corpus:
    def prepare(place: Path) -> Path:
        for folder in folders:
            shutil.copytree(LABELLED / "tree" / folder, place / folder)
        return place

    questions = []
    for number, row in enumerate(rows):
        labels = [label for label in row["relevant"] if label["grade"] >= _ANSWERS]
        if all(label["path"].startswith(tuple(f"{folder}/" for folder in folders)) for label in labels):
            targets = tuple(Target(label["path"], label["line"], label["line"]) for label in labels)
            questions.append(Question(str(number), row["query"], targets, row["class"]))
    return Corpus(name, "labelled", prepare, None, tuple(questions), ndcg)


def data_folder(given: str | None) -> Path:
    """Return the folder of the development sets: as given, else `HMEM_BENCH_DATA`."""
    place = given or os.environ.get("HMEM_BENCH_DATA")
    if not place:
        raise SystemExit("name the folder of the development sets with --data or HMEM_BENCH_DATA")
    return Path(place)
