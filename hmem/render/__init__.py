"""From a search's answer to text: one file per format. Nothing here reads the store or decides what ranks."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hmem.search.results import SearchResult

_MODULES = {
    "table": "hmem.render.table",
    "lines": "hmem.render.lines",
    "paths": "hmem.render.lines",
    "json": "hmem.render.records",
    "jsonl": "hmem.render.records",
    "csv": "hmem.render.records",
    "md": "hmem.render.markdown",
}


@dataclass(frozen=True, slots=True)
class RenderOptions:
    """How an answer is printed. `max_lines` bounds a snippet, None leaves it to the format."""

    format: str = "lines"
    explain: bool = False
    null: bool = False
    absolute: bool = False
    full: bool = False
    max_lines: int | None = None
    max_tokens: int | None = None


def render(result: SearchResult, options: RenderOptions) -> Iterator[str]:
    """Yield the pieces of text to write, each with its own line end."""
    renderer = getattr(import_module(_MODULES[options.format]), f"render_{options.format}")
    yield from renderer(result, options)
