"""Do the constants hold on repositories that they were not chosen on? Fit on one half, score on the other."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace

from corpora import Corpus
from hmem.search.recipe import DEFAULT_RECIPE, Recipe
from runs import Run
from variants import Variant

SEEDS = (0, 1, 2)
ROUNDS = 2

# Where the search starts is far from where it ended before, so that it says something.
START = replace(
    DEFAULT_RECIPE, code_alpha=0.3, document_share=0.2, coherence=0.2, name=0.05, folder=0.0, definition=0.2,
    mention=0.0, test=0.8, aside=0.8, repeat=0.8,
)  # fmt: skip
GRID: dict[str, tuple[float, ...]] = {
    "repeat": (0.3, 0.4, 0.5, 0.6, 0.7, 0.8),
    "code_alpha": (0.2, 0.3, 0.4, 0.5, 0.6),
    "document_share": (0.0, 0.2, 0.35, 0.5, 0.65),
    "name": (0.0, 0.05, 0.1, 0.15, 0.19),
    "folder": (0.0, 0.03, 0.06, 0.1),
    "coherence": (0.0, 0.2, 0.35, 0.5, 0.65),
    "definition": (0.0, 0.2, 0.35, 0.5, 0.65),
    "mention": (0.0, 0.1, 0.19, 0.3),
    "test": (0.35, 0.5, 0.65, 0.8, 1.0),
    "aside": (0.4, 0.5, 0.6, 0.8, 1.0),
}

Mean = Callable[[dict[str, list[float]], Sequence[Corpus]], float]


def split(corpora: Sequence[Corpus], seed: int) -> set[str]:
    """Return the names of one half, with half of the repositories of each language."""
    chance = random.Random(seed)
    languages: dict[str, list[str]] = defaultdict(list)
    for corpus in corpora:
        languages[corpus.language].append(corpus.name)
    half: set[str] = set()
    more = 0
    for names in (languages[language] for language in sorted(languages)):
        chance.shuffle(names)
        size = len(names) // 2
        if len(names) % 2:
            size, more = size + more, 1 - more
        half |= set(names[:size])
    return half


def mean_of(runs: Sequence[Run], recipe: Recipe, mean: Mean) -> float:
    variant = Variant("", recipe=recipe)
    return mean({run.corpus.name: run.scores(variant) for run in runs}, [run.corpus for run in runs])


def fit(runs: Sequence[Run], mean: Mean) -> tuple[Recipe, float]:
    """Return the best constants found by changing one at a time, and their mean."""
    recipe, best = START, mean_of(runs, START, mean)
    for _ in range(ROUNDS):
        before = best
        for name, values in GRID.items():
            for value in values:
                changed = replace(recipe, **{name: value})
                if changed != recipe and (found := mean_of(runs, changed, mean)) > best:
                    recipe, best = changed, found
        if best == before:
            break
    return recipe, best


def generalise(runs: Sequence[Run], mean: Mean) -> dict[str, dict[str, float]]:
    """Return for every seed, both ways round, the means of the fitted constants on either half, and the constants."""
    found: dict[str, dict[str, float]] = {}
    for seed in SEEDS:
        half = split([run.corpus for run in runs], seed)
        parts = [run for run in runs if run.corpus.name in half], [run for run in runs if run.corpus.name not in half]
        for way, (chosen, other) in enumerate((parts, parts[::-1])):
            recipe, fitted = fit(chosen, mean)
            found[f"seed {seed}{'ab'[way]}"] = {
                "fitted": fitted,
                "unseen": mean_of(other, recipe, mean),
                "default": mean_of(other, DEFAULT_RECIPE, mean),
            } | {name: getattr(recipe, name) for name in GRID}
    return found
