"""Quality of ranking on the development sets, by hmem's own index and search.

    python tests/bench/quality.py --data FOLDER [--trees FOLDER] [--model FOLDER] [--sets NAME,…] [--variants WORD,…]

`--data` (or HMEM_BENCH_DATA) holds the sets, `--trees` the working trees of the code repositories (`prepare.py` of the
sets lays them out). Stores are indexed once per versions and model and kept in `--cache`. Variants: `main` (default,
each arm alone, textbook fusion), `ablations`, `curves` (alpha in tenths, k), `halves` (constants fitted on one half of
the repositories, scored on the other), `joined` (several sets in one store). Prints tables; `--json FILE` keeps all.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from statistics import fmean

import halves
import variants
from corpora import TEXT_SETS, Corpus, code_corpora, data_folder, labelled_corpora, text_corpus
from runs import Run, load_joined, load_run
from stores import Stores


def code_mean(scores: Mapping[str, list[float]], corpora: Iterable[Corpus], category: str | None = None) -> float:
    """Return the mean over languages of the mean over repositories of the mean over the questions (of a category)."""
    languages: dict[str, list[float]] = defaultdict(list)
    for corpus in corpora:
        chosen = [
            score
            for question, score in zip(corpus.questions, scores[corpus.name], strict=True)
            if category in (None, question.category)
        ]
        if chosen:
            languages[corpus.language].append(fmean(chosen))
    return fmean(fmean(means) for means in languages.values()) if languages else float("nan")


def by_language(scores: Mapping[str, list[float]], corpora: Iterable[Corpus]) -> dict[str, float]:
    languages: dict[str, list[float]] = defaultdict(list)
    for corpus in corpora:
        languages[corpus.language].append(fmean(scores[corpus.name]))
    return {language: fmean(means) for language, means in sorted(languages.items())}


class Report:
    """Collects figures and prints them as they come."""

    def __init__(self) -> None:
        self.figures: dict[str, dict[str, dict[str, float]]] = {}

    def add(self, kind: str, variant: str, figures: dict[str, float]) -> None:
        table = self.figures.setdefault(kind, {})
        first = next(iter(table.values()), None)
        table[variant] = figures
        if first is None:
            print(f"\n{'':34s}" + " ".join(f"{name[:12]:>12s}" for name in figures))
        cells = (f"{value:.4f}" for value in figures.values())
        if first is not None and variant.startswith("without "):
            cells = (f"{value - first[name]:+.4f}" for name, value in figures.items())
        print(f"{variant:34s}" + " ".join(f"{cell:>12s}" for cell in cells), flush=True)


def evaluate(runs: list[Run], chosen: list[variants.Variant]) -> dict[str, dict[str, list[float]]]:
    """Return the score of every question, by variant and corpus."""
    return {variant.name: {run.corpus.name: run.scores(variant) for run in runs} for variant in chosen}


def report_code(report: Report, found: Mapping[str, Mapping[str, list[float]]], corpora: list[Corpus]) -> None:
    for name, scores in found.items():
        figures = {"all": code_mean(scores, corpora)}
        for category in ("semantic", "architecture", "symbol"):
            figures[category] = code_mean(scores, corpora, category)
        report.add("code", name, figures)
    default = next(iter(found.values()))
    for language, value in by_language(default, corpora).items():
        report.figures.setdefault("languages", {})[language] = {"default": value}


def report_text(report: Report, found: Mapping[str, Mapping[str, list[float]]]) -> None:
    for name, scores in found.items():
        figures = {corpus: fmean(values) for corpus, values in scores.items()}
        report.add("text", name, figures | {"mean": fmean(figures.values())})


JOINED = {
    "prose": ("scifact", "cacm", "cosqa-dev", "anthropic-codebase-chunks"),
    "code and prose": ("click", "serde", "scifact", "cranfield"),
    "much code, little prose": ("redis", "cacm"),
    "a repository and its handbook": ("lockers", "handbook"),
    "redis and a handbook": ("redis", "handbook"),
}
"""Sets that are put into one store each, to see how much they drown each other."""


def report_joined(report: Report, stores: Stores, corpora: Mapping[str, Corpus]) -> None:
    """Add the means of each set in a store of its own and in a joined one."""
    default = variants.choose(["default"], code=False)[0]
    for name, members in JOINED.items():
        if not all(member in corpora for member in members):
            continue
        joined = load_joined(stores, f"joined {name}", [corpora[member] for member in members])
        for run in joined:
            alone, together = fmean(load_run(stores, run.corpus).scores(default)), fmean(run.scores(default))
            figures = {"alone": alone, "joined": together, "loss": together - alone}
            report.add("joined", f"{run.corpus.name} in {name}", figures)


def load_all(stores: Stores, corpora: list[Corpus]) -> list[Run]:
    runs = []
    for corpus in corpora:
        start = time.perf_counter()
        runs.append(load_run(stores, corpus))
        print(f"ran {corpus.name} in {time.perf_counter() - start:.1f} s", file=sys.stderr, flush=True)
    return runs


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data")
    parser.add_argument("--trees", type=Path, help="working trees of the code repositories")
    parser.add_argument("--model", help="a model folder instead of the built-in model")
    parser.add_argument("--sets", default="code," + ",".join(TEXT_SETS), help="sets, or `code` for all repositories")
    parser.add_argument("--variants", default="main")
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "hmem-quality")
    parser.add_argument("--fresh", action="store_true", help="index again")
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


def main() -> None:
    given = parse()
    data = data_folder(given.data)
    stores = Stores(given.cache, given.model, fresh=given.fresh)
    names = given.sets.split(",")
    every_code = code_corpora(data, given.trees) if given.trees else []
    code = [corpus for corpus in every_code if "code" in names or corpus.name in names]
    text = [text_corpus(data, name) for name in TEXT_SETS if name in names]
    report = Report()
    kinds: list[tuple[list[Corpus], Callable[..., None]]] = [(code, report_code), (text, report_text)]
    for corpora, show in kinds:
        if not corpora:
            continue
        runs = load_all(stores, corpora)
        chosen = variants.choose(given.variants.split(","), code=corpora is code)
        found = evaluate(runs, chosen)
        show(report, found, corpora) if corpora is code else report_text(report, found)
        if corpora is code and "halves" in given.variants:
            for seed, figures in halves.generalise(runs, code_mean).items():
                report.add("halves", seed, figures)
    if "joined" in given.variants:
        report_joined(report, stores, {corpus.name: corpus for corpus in [*every_code, *text, *labelled_corpora()]})
    if given.json:
        given.json.write_text(json.dumps(report.figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
