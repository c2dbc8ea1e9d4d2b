"""Labelled queries: what was asked, and what ought to be found. Reads JSON Lines; `trec` reads queries with qrels.

One object a line:

    {"query": "how are retries spaced", "relevant": ["src/retry.py:10-20", "notes/retry.md"], "tags": ["api"]}

`relevant`: a path, `path:line`, `path:first-last` or chunk id, a list of them, or an object of them with grades. One of
a list may also be an object of its own: `path`, and if wanted `line`, `end_line` and `grade`.
`grade`: a number for all of them, or a list as long as `relevant`; 1 if there is none, 0 and less is not relevant.
`tags`: a text or a list. `id`: a text or number; without one the query stands for itself. Lines with the same id are
one query.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from hmem.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

KEYS: Final = ("id", "query", "relevant", "grade", "tags")
EXAMPLE: Final = '{"query": "how are retries spaced", "relevant": ["src/retry.py"]}'


@dataclass(frozen=True, slots=True)
class Label:
    """Something relevant, as written: a path, a span of lines, a chunk id, a document's number. `grade` above 0."""

    text: str
    grade: float = 1.0


@dataclass(frozen=True, slots=True)
class Question:
    """A query with its labels, each text once."""

    id: str
    query: str
    labels: tuple[Label, ...]
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Judgments:
    """The labelled questions of a file, in its order.

    `unlabelled`: queries with nothing relevant. `orphans`: how many ids have labels but no query. `unknown`: keys that
    mean nothing here, with the number of lines that have them.
    """

    questions: tuple[Question, ...]
    unlabelled: tuple[str, ...] = ()
    orphans: int = 0
    unknown: Mapping[str, int] = field(default_factory=dict)

    def tagged(self, tags: Iterable[str]) -> Judgments:
        """Return the judgments with only those questions that have any of `tags`; all without tags.

        Raises UsageError for a tag that no question has.
        """
        wanted = set(tags)
        if not wanted:
            return self
        known = Counter(tag for question in self.questions for tag in question.tags)
        for tag in sorted(wanted):
            if tag not in known:
                names = ", ".join(f"`{name}`" for name in sorted(known)[:20]) or "there are no tags"
                raise UsageError(f"no labelled query has the tag `{tag}`", hint=f"tags: {names}")
        chosen = tuple(question for question in self.questions if wanted.intersection(question.tags))
        return Judgments(chosen, self.unlabelled, self.orphans, self.unknown)


def read_json_lines(text: str, name: str) -> Judgments:
    """Return the judgments of JSON Lines; `name` of the file is for messages. Raises UsageError with the line."""
    gathered = Gathered()
    unknown: Counter[str] = Counter()
    for number, row in json_rows(text, name):
        where = f"{name}:{number}"
        query = row.get("query")
        if not isinstance(query, str) or not query.strip():
            raise UsageError(f"`query` is a text: `{where}`", hint=f"for example `{EXAMPLE}`")
        unknown.update(key for key in row if key not in KEYS)
        identity = row.get("id")
        gathered.ask(query if identity is None else _identity(identity, where), query, _tags(row.get("tags"), where))
        for label in _labels(row, where):
            gathered.label(query if identity is None else str(identity), label)
    return gathered.judgments(unknown=unknown)


def json_rows(text: str, name: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield line numbers and objects of JSON Lines without the empty lines. Raises UsageError with the line."""
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise UsageError(f"not JSON: `{name}:{number}`: {error}", hint=f"one object a line: `{EXAMPLE}`") from None
        if not isinstance(row, dict):
            raise UsageError(f"not an object: `{name}:{number}`", hint=f"one object a line: `{EXAMPLE}`")
        yield number, row


class Gathered:
    """Questions while they are read: queries and labels come in any order and may come in parts."""

    def __init__(self) -> None:
        self._queries: dict[str, str] = {}
        self._tags: dict[str, dict[str, None]] = {}
        self._labels: dict[str, dict[str, float]] = {}

    def ask(self, identity: str, query: str, tags: Iterable[str] = ()) -> None:
        """Add a query; the second one under an id adds its tags. Raises UsageError if it is another one."""
        if self._queries.setdefault(identity, query) != query:
            raise UsageError(f"two queries have the id `{identity}`: `{self._queries[identity]}` and `{query}`")
        self._tags.setdefault(identity, {}).update(dict.fromkeys(tags))

    def label(self, identity: str, label: Label) -> None:
        """Add a label of the query with an id; the highest grade of the same text counts."""
        known = self._labels.setdefault(identity, {})
        known[label.text] = max(label.grade, known.get(label.text, label.grade))

    def judgments(self, unknown: Mapping[str, int] | None = None) -> Judgments:
        """Return what was gathered."""
        questions, unlabelled = [], []
        for identity, query in self._queries.items():
            graded = self._labels.get(identity, {})
            labels = tuple(Label(text, grade) for text, grade in graded.items() if grade > 0)
            if labels:
                questions.append(Question(identity, query, labels, tuple(self._tags[identity])))
            else:
                unlabelled.append(query)
        orphans = sum(identity not in self._queries for identity in self._labels)
        return Judgments(tuple(questions), tuple(unlabelled), orphans, dict(unknown or {}))


def grade_of(value: object, where: str) -> float:
    """Return a grade, a finite number. Raises UsageError."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise UsageError(f"a grade is a number: `{where}`")
    return float(value)


def _identity(value: object, where: str) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise UsageError(f"`id` is a text or a number: `{where}`")
    return str(value)


def _tags(value: object, where: str) -> tuple[str, ...]:
    tags = [] if value is None else [value] if isinstance(value, str) else value
    if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags):
        raise UsageError(f"`tags` is a text or a list of texts: `{where}`")
    return tuple(tags)


def _labels(row: Mapping[str, Any], where: str) -> Iterator[Label]:
    """Yield the labels of one line."""
    relevant, grade = row.get("relevant"), row.get("grade", 1)
    if isinstance(relevant, Mapping):
        if "grade" in row:
            raise UsageError(f"`relevant` has grades already, so `grade` says it twice: `{where}`")
        labels, grades = list(relevant), list(relevant.values())
    else:
        labels = [] if relevant is None else [relevant] if isinstance(relevant, str) else relevant
        if not isinstance(labels, list):
            raise _no_label(where)
        grades = grade if isinstance(grade, list) else [grade] * len(labels)
    if len(grades) != len(labels):
        raise UsageError(f"`grade` is a number, or a list as long as `relevant`: `{where}`")
    for label, value in zip(labels, grades, strict=True):
        if isinstance(label, Mapping):
            yield Label(_place(label, where), grade_of(label.get("grade", value), where))
        elif isinstance(label, str) and label.strip():
            yield Label(label, grade_of(value, where))
        else:
            raise _no_label(where)


def _place(label: Mapping[str, Any], where: str) -> str:
    """Return an object as the text that means the same, `path:first-last`."""
    path, first, last = label.get("path"), label.get("line"), label.get("end_line")
    numbers = [number for number in (first, last) if number is not None]
    is_whole = all(isinstance(number, int) and not isinstance(number, bool) and number > 0 for number in numbers)
    if not isinstance(path, str) or not path.strip() or not is_whole or (first is None and last is not None):
        raise _no_label(where)
    return ":".join([path, *(["-".join(map(str, numbers))] if numbers else [])])


def _no_label(where: str) -> UsageError:
    return UsageError(f"`relevant` is a path, `path:line`, chunk id, or a list of them: `{where}`")
