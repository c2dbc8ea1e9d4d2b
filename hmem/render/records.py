"""Answers for programs: one JSON object, one object per hit, or CSV."""

from __future__ import annotations

import csv
import io
import sys
from typing import TYPE_CHECKING

from hmem.render.json_text import to_text
from hmem.render.plain import printable
from hmem.search.snippet import Highlighter

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hmem.render import RenderOptions
    from hmem.search.results import SearchResult

CSV_FIELDS = (
    "rank", "score", "path", "line", "start_line", "end_line", "collection", "kind", "lang", "title", "heading",
    "symbol", "chunk_id", "bm25_rank", "bm25_score", "document_rank", "document_score", "dense_rank", "dense_score",
    "text", "state",
)  # fmt: skip


def render_json(result: SearchResult, options: RenderOptions) -> Iterator[str]:
    """Yield the answer as one object."""
    yield to_text(result.to_json()) + "\n"


def render_jsonl(result: SearchResult, options: RenderOptions) -> Iterator[str]:
    """Yield one object a hit."""
    records = result.to_json()["results"]
    assert isinstance(records, list)
    for record in records:
        yield to_text(record) + "\n"


def render_csv(result: SearchResult, options: RenderOptions) -> Iterator[str]:
    """Yield a header and one record a hit (RFC 4180 quoting, line feeds)."""
    highlighter = Highlighter(result.query, marks=False)
    on_terminal = sys.stdout.isatty()
    yield _csv_row(CSV_FIELDS)
    for hit in result.hits:
        best = highlighter.best(hit.text, hit.start_line)
        arms = {name: hit.arms.get(name) for name in ("bm25", "document", "dense")}
        numbers = [value for arm in arms.values() for value in ((arm.rank, arm.score) if arm else ("", ""))]
        path = printable(hit.path) if on_terminal else hit.path
        heading = " > ".join(hit.heading)
        texts = [hit.title, heading, hit.symbol or "", hit.text if options.full else best.text]
        title, heading, symbol, text = map(printable, texts)
        yield _csv_row(
            [
                hit.rank, hit.score, path, best.number, hit.start_line, hit.end_line, hit.collection, hit.kind,
                hit.lang, title, heading, symbol, hit.chunk_id, *numbers, text,
                hit.state or "",
            ]
        )  # fmt: skip


def _csv_row(values: object) -> str:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerow(values)  # type: ignore[arg-type]
    return buffer.getvalue()
