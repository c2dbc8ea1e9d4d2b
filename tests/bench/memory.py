"""Means of the dated facts and of the labelled corpus, by class: each arm alone, plain fusion, and the default.

    python tests/bench/memory.py [--half dev]

nDCG@10 of the labels' grades, and how often a passage of another time (`stale`) stands above the first right one. The
clock stands at the time that the corpora were written for. `dev` is for choosing, `final` is looked at once.
"""

from __future__ import annotations

import argparse
import json
import math
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from hmem.library import KnowledgeBase
from hmem.search.engine import Searcher
from hmem.search.query import Fusion, SearchOptions
from hmem.search.recipe import DEFAULT_RECIPE, Recipe
from hmem.search.results import Hit

CORPUS = Path(__file__).parent.parent / "corpus"
NOW = datetime(2026, 6, 15, 12)
DEPTH = 10
SETS = {"facts": "facts", "queries": "tree"}

TIMELESS = replace(DEFAULT_RECIPE, time=0.0)


@dataclass(frozen=True, slots=True)
class Variant:
    """A way to search: options, and what weighs in the ranking."""

    options: Mapping[str, Any] = field(default_factory=dict)
    recipe: Recipe = DEFAULT_RECIPE


PLAIN = {"boosts": False, "all_states": True}
VARIANTS: Mapping[str, Variant] = {
    "BM25": Variant({"arms": ("bm25",), **PLAIN}),
    "dense": Variant({"arms": ("dense",), **PLAIN}),
    "plain fusion": Variant({"fusion": Fusion.RRF, **PLAIN}),
    "neither": Variant({"all_states": True}, TIMELESS),
    "time alone": Variant({"all_states": True}),
    "lifecycle alone": Variant({}, TIMELESS),
    "default": Variant(),
}
"""`BM25`, `dense` and `plain fusion` know neither time nor lifecycle; `lifecycle alone` still lets a question about the
past find what was retired since."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """A query with the grades of (path, line), and the passages that answer for another time."""

    text: str
    kind: str
    grades: Mapping[tuple[str, int], int]
    stale: frozenset[tuple[str, int]]


@dataclass(slots=True)
class Means:
    """Sums by class of a variant."""

    gains: defaultdict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    misled: defaultdict[str, list[bool]] = field(default_factory=lambda: defaultdict(list))


def read_labels(name: str, halves: Sequence[str]) -> Iterator[Labelled]:
    """Yield the labelled queries of `tests/corpus/NAME.jsonl` in the given halves."""
    for line in (CORPUS / f"{name}.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        if row["half"] in halves:
            grades = {(label["path"], label["line"]): label["grade"] for label in row["relevant"]}
            stale = frozenset((label["path"], label["line"]) for label in row.get("stale", ()))
            yield Labelled(row["query"], row["class"], grades, stale)


def gain(hits: Sequence[Hit], labelled: Labelled) -> float:
    """Return nDCG@10; every label counts once, at the first hit that holds its line."""
    left = dict(labelled.grades)
    found = 0.0
    for hit in hits[:DEPTH]:
        held = [label for label in left if _holds(hit, label)]
        found += sum(_worth(left[label]) for label in held[:1]) / math.log2(1 + hit.rank)
        for label in held:
            del left[label]
    best = sorted(labelled.grades.values(), reverse=True)[:DEPTH]
    return found / sum(_worth(grade) / math.log2(2 + place) for place, grade in enumerate(best))


def is_misled(hits: Sequence[Hit], labelled: Labelled) -> bool:
    """Tell whether a passage of another time stands above the first right one, or instead of it."""
    for hit in hits[:DEPTH]:
        if any(_holds(hit, label) for label in labelled.grades):
            return False
        if any(_holds(hit, label) for label in labelled.stale):
            return True
    return False


def _worth(grade: int) -> float:
    return 2.0**grade - 1


def _holds(hit: Hit, label: tuple[str, int]) -> bool:
    return hit.source == label[0] and hit.start_line <= label[1] <= hit.end_line


def measure(name: str, halves: Sequence[str]) -> dict[str, Means]:
    """Return the means of every variant on one set."""
    found = {variant: Means() for variant in VARIANTS}
    with tempfile.TemporaryDirectory() as place, KnowledgeBase.open(Path(place) / "store", create=True) as memory:
        memory.index([CORPUS / SETS[name]])
        with memory.snapshot() as snapshot:
            recipes = {variant.recipe for variant in VARIANTS.values()}
            searchers = {one: Searcher(snapshot, memory.encoder, clock=lambda: NOW, recipe=one) for one in recipes}
            for labelled in read_labels(name, halves):
                for name_of, variant in VARIANTS.items():
                    options = SearchOptions(labelled.text, **variant.options)
                    hits = searchers[variant.recipe].search(options).hits
                    found[name_of].gains[labelled.kind].append(gain(hits, labelled))
                    found[name_of].misled[labelled.kind].append(is_misled(hits, labelled))
    return found


def show(name: str, found: Mapping[str, Means]) -> None:
    """Print a table of Markdown: a row for each class, with the count of queries that were misled beside the mean."""
    kinds = list(found["default"].gains)
    print(f"\n| {name} | n | {' | '.join(found)} |\n|---|--:|{'--:|' * len(found)}")
    for kind in kinds:
        cells = [_cell(means.gains[kind], means.misled[kind]) for means in found.values()]
        print(f"| {kind} | {len(found['default'].gains[kind])} | {' | '.join(cells)} |")
    sums = [[each for gains in means.gains.values() for each in gains] for means in found.values()]
    print(f"| all | {len(sums[0])} | {' | '.join(f'{sum(gains) / len(gains):.3f}' for gains in sums)} |")


def _cell(gains: Sequence[float], misled: Sequence[bool]) -> str:
    return f"{sum(gains) / len(gains):.3f}" + (f" ({sum(misled)})" if any(misled) else "")


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--half", choices=["dev", "final", "both"], default="dev")
    half = parser.parse_args().half
    halves = ["dev", "final"] if half == "both" else [half]
    print(f"nDCG@{DEPTH}, half {half}; in brackets: queries with a passage of another time above the right one")
    for name in SETS:
        show(name, measure(name, halves))


if __name__ == "__main__":
    main()
