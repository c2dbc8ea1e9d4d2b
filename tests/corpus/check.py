"""Check the labels of the corpus and count the queries; exit code 1 and one line per fault if any is wrong.

Run `python tests/corpus/check.py`. The rules are those of README.md in this folder.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import Stemmer

HERE = Path(__file__).parent
HALVES = ("dev", "final")
LABELS = ("relevant", "stale")
CLASSES = (
    "identifier",
    "code",
    "paraphrase",
    "question",
    "keyword",
    "typo",
    "negation",
    "date_now",
    "date_past",
    "cross",
    "entity_link",
)
FACT_CLASSES = ("now", "past")
SHORTEST_STEM = 5  # letters; shorter words are too common to give an answer away

HEADING = re.compile(r"^(?:#+|\*+|=+)\s+(.+?)(?:\s+=+)?$|^(?:#\+)?title:\s*(.+)$", re.IGNORECASE)
UNDERLINE = re.compile(r"^([=\-~^])\1{2,}$")
WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Label:
    """A passage: a path relative to the tree and a line in it, counted from 1. `grade` is 1 to 3, 0 for a stale one."""

    path: str
    line: int
    grade: int


@dataclass(frozen=True, slots=True)
class Query:
    """What somebody types, the passages which answer it, and those which answer it for another time."""

    text: str
    relevant: tuple[Label, ...]
    stale: tuple[Label, ...]
    kind: str
    half: str


@dataclass(frozen=True, slots=True)
class Judged:
    """A file of queries, the tree they are about, its classes and how many queries each must have at least."""

    queries: Path
    tree: Path
    classes: tuple[str, ...]
    at_least: int


SETS = (
    Judged(HERE / "queries.jsonl", HERE / "tree", CLASSES, 15),
    Judged(HERE / "facts.jsonl", HERE / "facts", FACT_CLASSES, 12),
)


def read_queries(path: Path) -> list[Query]:
    """Read one query a line."""
    return [_query(json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]


def problems(judged: Judged) -> Iterator[str]:
    """Yield one sentence for each fault."""
    queries = read_queries(judged.queries)
    titles = {title for path in judged.tree.rglob("*") if path.is_file() for title in _headings(_lines(path))}
    for text, times in Counter(query.text for query in queries).items():
        if times > 1:
            yield f"{text!r} is there {times} times"
    for query in queries:
        if query.text.casefold() in titles:
            yield f"{query.text!r} is a heading"
        for fault in _label_faults(query, judged.tree):
            yield f"{query.text!r}: {fault}"
    yield from _balance_faults(queries, judged)


def counts(queries: list[Query]) -> str:
    """Give a table of queries and labels per class and half."""
    rows = [f"{'class':<12} {'queries':>7} {'dev':>4} {'final':>5} {'labels':>6} {'stale':>5}"]
    for kind in dict.fromkeys(query.kind for query in queries):
        own = [query for query in queries if query.kind == kind]
        dev, final = (sum(query.half == half for query in own) for half in HALVES)
        labels, stale = sum(len(query.relevant) for query in own), sum(len(query.stale) for query in own)
        rows.append(f"{kind:<12} {len(own):>7} {dev:>4} {final:>5} {labels:>6} {stale:>5}")
    return "\n".join([*rows, f"{'all':<12} {len(queries):>7}"])


def _query(raw: dict[str, list[dict[str, str | int]] | str]) -> Query:
    relevant, stale = (tuple(_label(item) for item in raw.get(key, ()) if isinstance(item, dict)) for key in LABELS)
    return Query(str(raw["query"]), relevant, stale, str(raw["class"]), str(raw["half"]))


def _label(raw: dict[str, str | int]) -> Label:
    return Label(str(raw["path"]), int(raw["line"]), int(raw.get("grade", 0)))


@cache
def _lines(path: Path) -> tuple[str, ...]:
    return tuple(path.read_text(encoding="utf-8").splitlines())


def _headings(lines: tuple[str, ...]) -> Iterator[str]:
    for above, line in zip(("", *lines), lines, strict=False):
        if found := HEADING.match(line):
            yield (found[1] or found[2]).strip("\"' ").casefold()
        elif UNDERLINE.match(line) and above.strip():
            yield above.strip().casefold()


def _label_faults(query: Query, tree: Path) -> Iterator[str]:
    if not any(label.grade == 3 for label in query.relevant):
        yield "no label of grade 3"
    if len(set(query.relevant)) < len(query.relevant):
        yield "the same label twice"
    for label in query.relevant + query.stale:
        where = f"{label.path}:{label.line}"
        if not (tree / label.path).is_file():
            yield f"{where} does not exist"
            continue
        lines = _lines(tree / label.path)
        if not 1 <= label.line <= len(lines) or not lines[label.line - 1].strip():
            yield f"{where} is out of range or blank"
        elif query.kind == "paraphrase" and (shared := _stems(query.text) & _stems(_paragraph(lines, label.line))):
            yield f"{where} shares {', '.join(sorted(shared))}"
    for label in query.relevant:
        if label.grade not in (1, 2, 3):
            yield f"grade {label.grade}"
    if both := {label.path for label in query.relevant} & {label.path for label in query.stale}:
        yield f"both relevant and stale: {', '.join(sorted(both))}"


def _balance_faults(queries: list[Query], judged: Judged) -> Iterator[str]:
    for kind in sorted({query.kind for query in queries} - set(judged.classes)):
        yield f"unknown class {kind}"
    for kind in judged.classes:
        halves = Counter(query.half for query in queries if query.kind == kind)
        if set(halves) - set(HALVES):
            yield f"{kind} has halves {sorted(halves)}"
        if halves.total() < judged.at_least:
            yield f"{kind} has {halves.total()} queries, at least {judged.at_least} are needed"
        if abs(halves["dev"] - halves["final"]) > 1:
            yield f"{kind} is not balanced: {dict(halves)}"


def _paragraph(lines: tuple[str, ...], line: int) -> str:
    """Join the lines round `line` up to the next blank ones."""
    first = last = line - 1
    while first > 0 and lines[first - 1].strip():
        first -= 1
    while last + 1 < len(lines) and lines[last + 1].strip():
        last += 1
    return " ".join(lines[first : last + 1])


def _stems(text: str) -> set[str]:
    stems = Stemmer.Stemmer("english").stemWords(WORD.findall(text.lower()))
    return {stem for stem in stems if len(stem) >= SHORTEST_STEM}


def main() -> int:
    """Print the counts and the faults of both sets."""
    faults = []
    for judged in SETS:
        print(f"{judged.queries.name}\n{counts(read_queries(judged.queries))}\n")
        faults += [f"{judged.queries.name}: {fault}" for fault in problems(judged)]
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    raise SystemExit(main())
