"""Answers for programs: one JSON object, one object per hit, or CSV."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING

from hmem.search.snippet import Highlighter

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hmem.render import RenderOptions
    from hmem.search.results import SearchResult
    from hmem.types import Json

CSV_FIELDS = (
    "rank", "score", "path", "line", "start_line", "end_line", "collection", "kind", "lang", "title", "heading",
    "symbol", "chunk_id", "bm25_rank", "bm25_score", "document_rank", "document_score", "dense_rank", "dense_score",
    "text",
)  # fmt: skip


def to_text(value: Json) -> str:
    """Return JSON on one line; lone surrogates of file names are escaped, so that it is always valid UTF-8."""
    text = json.dumps(value, ensure_ascii=False)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return json.dumps(value)
    return text


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
    highlighter = Highlighter(result.query)
    yield _csv_row(CSV_FIELDS)
    for hit in result.hits:
        best = highlighter.best(hit.text, hit.start_line)
        arms = {name: hit.arms.get(name) for name in ("bm25", "document", "dense")}
        numbers = [value for arm in arms.values() for value in ((arm.rank, arm.score) if arm else ("", ""))]
        heading = " > ".join(hit.heading)
        text = hit.text if options.full else best.text
        yield _csv_row(
            [
                hit.rank, hit.score, hit.path, best.number, hit.start_line, hit.end_line, hit.collection, hit.kind,
                hit.lang, hit.title, heading, hit.symbol or "", hit.chunk_id, *numbers, text,
            ]
        )  # fmt: skip


def _csv_row(values: object) -> str:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerow(values)  # type: ignore[arg-type]
    return buffer.getvalue().replace("\0", "\u2400")
