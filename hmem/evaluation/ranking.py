"""From hits and labels to the gains that measures look at. Pure.

What is ranked is a list of *documents*, each at its first chunk, where every label names a whole document, else the
list of *chunks* as it was answered. A target is found once, at the rank of the first result that it matches; of
several targets at one rank the highest grade counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from hmem.evaluation.judgments import Question
    from hmem.evaluation.locate import Place


class Unit(StrEnum):
    """What one rank stands for."""

    DOCUMENT = "document"
    CHUNK = "chunk"


class Found(Protocol):
    """What is looked at in a hit (`hmem.search.results.Hit`)."""

    @property
    def collection(self) -> str: ...  # noqa: D102
    @property
    def source(self) -> str: ...  # noqa: D102
    @property
    def start_line(self) -> int: ...  # noqa: D102
    @property
    def end_line(self) -> int: ...  # noqa: D102
    @property
    def chunk_id(self) -> str: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class Target:
    """Something to be found: a label with its place, None if nothing of the kind is indexed."""

    label: str
    grade: float
    place: Place | None

    def matches(self, hit: Found, unit: Unit) -> bool:
        """Tell whether `hit` is it: its document, the chunk, or a chunk that shares a line with it."""
        place = self.place
        if place is None or place.document != (hit.collection, hit.source):
            return False
        if unit is Unit.DOCUMENT or place.whole:
            return True
        if place.chunk_id is not None:
            return place.chunk_id == hit.chunk_id
        first, last = place.start_line or 0, place.end_line or 0
        return hit.start_line <= last and first <= hit.end_line


@dataclass(frozen=True, slots=True)
class Case:
    """A question with its targets in the index."""

    question: Question
    targets: tuple[Target, ...]

    @property
    def grades(self) -> list[float]:
        """The grades of all targets."""
        return [target.grade for target in self.targets]


def locate(questions: Iterable[Question], find: Callable[[str], Place | None]) -> list[Case]:
    """Return the cases of `questions`; `find` returns the place that a label names, or None."""
    cases = []
    for question in questions:
        targets = tuple(Target(label.text, label.grade, find(label.text)) for label in question.labels)
        cases.append(Case(question, targets))
    return cases


def unit_of(cases: Iterable[Case]) -> Unit:
    """Return documents if every target is a whole one, or is not indexed, else chunks."""
    places = (target.place for case in cases for target in case.targets)
    return Unit.DOCUMENT if all(place is None or place.whole for place in places) else Unit.CHUNK


def merged(case: Case, unit: Unit) -> Case:
    """Return the case with targets that name the same thing as one of the highest grade."""
    best: dict[object, Target] = {}
    for target in case.targets:
        place = target.place
        key = target.label if place is None else place.document if unit is Unit.DOCUMENT else place
        if key not in best or best[key].grade < target.grade:
            best[key] = target
    return Case(case.question, tuple(best.values()))


def ranked(hits: Iterable[Found], unit: Unit) -> list[Found]:
    """Return what stands at each rank: every hit, or the first hit of each document."""
    if unit is Unit.CHUNK:
        return list(hits)
    first: dict[tuple[str, str], Found] = {}
    for hit in hits:
        first.setdefault((hit.collection, hit.source), hit)
    return list(first.values())


def rank_of(target: Target, results: Sequence[Found], unit: Unit) -> int | None:
    """Return the rank (from 1) of the first result that `target` matches, None if there is none."""
    return next((rank for rank, hit in enumerate(results, 1) if target.matches(hit, unit)), None)


def gains(case: Case, results: Sequence[Found], unit: Unit) -> list[float]:
    """Return the gain of each of the `results`."""
    found = [0.0] * len(results)
    for target in case.targets:
        rank = rank_of(target, results, unit)
        if rank is not None:
            found[rank - 1] = max(found[rank - 1], target.grade)
    return found
