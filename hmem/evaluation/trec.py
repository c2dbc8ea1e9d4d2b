"""Queries and relevance judgments in the forms of TREC and of the collections that followed it.

Queries: `id<TAB>query` a line; TREC topics (`<top> <num> … <title> …`, the title is the query); or JSON Lines with
`_id` or `id` and `text` or `query`. Judgments (qrels): `query iteration document grade`, or `query document grade`
with or without a line of headings; apart by tabs, or by blanks.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from hmem.errors import UsageError
from hmem.evaluation.judgments import Gathered, Judgments, Label, grade_of, json_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

_TOPIC: Final = re.compile(r"<top>(.*?)(?=<top>|\Z)", re.DOTALL | re.IGNORECASE)
_NUMBER: Final = re.compile(r"<num>\s*(?:Number:\s*)?([^\s<]+)", re.IGNORECASE)
_TITLE: Final = re.compile(r"<title>\s*(?:Topic:\s*)?([^<]+)", re.IGNORECASE)


def read_trec(queries: str, qrels: str, *, queries_name: str, qrels_name: str) -> Judgments:
    """Return the judgments of a text of queries and one of qrels; the names are for messages. Raises UsageError."""
    gathered = Gathered()
    for identity, query in read_queries(queries, queries_name):
        gathered.ask(identity, query)
    for identity, label in read_qrels(qrels, qrels_name):
        gathered.label(identity, label)
    return gathered.judgments()


def read_queries(text: str, name: str) -> Iterator[tuple[str, str]]:
    """Yield the id and the text of each query. Raises UsageError with the line."""
    head = text.lstrip()[:1]
    if head == "<":
        return _topics(text, name)
    return _json_queries(text, name) if head == "{" else _tabbed_queries(text, name)


def _topics(text: str, name: str) -> Iterator[tuple[str, str]]:
    for match in _TOPIC.finditer(text):
        number, title = _NUMBER.search(match[1]), _TITLE.search(match[1])
        if not number or not title or not title[1].strip():
            line = text.count("\n", 0, match.start()) + 1
            raise UsageError(f"a topic needs `<num>` and `<title>`: `{name}:{line}`")
        yield number[1], " ".join(title[1].split())


def _json_queries(text: str, name: str) -> Iterator[tuple[str, str]]:
    for number, row in json_rows(text, name):
        identity, query = row.get("_id", row.get("id")), row.get("text", row.get("query"))
        if not isinstance(identity, str | int) or not isinstance(query, str) or not query.strip():
            raise UsageError(f"a query needs `id` and `text`: `{name}:{number}`")
        yield str(identity), query


def _tabbed_queries(text: str, name: str) -> Iterator[tuple[str, str]]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        identity, tab, query = line.partition("\t")
        if not tab or not identity.strip() or not query.strip():
            raise UsageError(f"expected `id<TAB>query`: `{name}:{number}`")
        yield identity.strip(), query.strip()


def read_qrels(text: str, name: str) -> Iterator[tuple[str, Label]]:
    """Yield the id of a query and a label of it. Raises UsageError with the line."""
    first = True
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        fields = line.rstrip("\r").split("\t") if "\t" in line else line.split()
        if len(fields) not in (3, 4):
            raise UsageError(f"expected `query iteration document grade`: `{name}:{number}`")
        grade = _number(fields[-1])
        if grade is None and not (first and len(fields) == 3):
            raise UsageError(f"a grade is a number: `{name}:{number}`")
        if grade is not None:
            yield fields[0].strip(), Label(fields[-2].strip(), grade_of(grade, f"{name}:{number}"))
        first = False


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
