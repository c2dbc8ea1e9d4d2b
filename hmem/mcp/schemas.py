"""What the tools take and answer, as JSON Schema. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from hmem.mcp.parameters import PARAMETERS
from hmem.types import Json


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool: its name, what it is for, its parameters by name as JSON Schema, and what is always in its answer."""

    name: str
    description: str
    parameters: dict[str, Json]
    answer: dict[str, Json]
    required: tuple[str, ...] = ()
    writes: bool = False

    @property
    def schema(self) -> dict[str, Json]:
        """The JSON Schema of the arguments object."""
        return {
            "type": "object",
            "properties": self.parameters,
            "required": [*self.required],
            "additionalProperties": False,
        }

    @property
    def answer_schema(self) -> dict[str, Json]:
        """The JSON Schema of the structured answer, which may hold more."""
        return {"type": "object", "properties": self.answer, "required": [*self.answer]}


def _text(description: str, **more: Json) -> Json:
    return {"type": "string", "description": description, **more}


def _texts(description: str) -> Json:
    return {"type": "array", "items": {"type": "string"}, "description": description}


def _one(kind: str, description: str) -> Json:
    return {"type": kind, "description": description}


_FLAGS: Final[dict[str, Json]] = {name: parameter.schema for name, parameter in PARAMETERS.items()}
_REFERENCE: Final[Json] = _text("A chunk id or note id from an earlier answer, or `PATH` or `PATH:LINE`.", minLength=1)

_HIT: Final[dict[str, Json]] = {
    "rank": _one("integer", "From 1."),
    "chunk_id": _text("Names the passage for `get` and `related`."),
    "score": _one("number", "Comparable within one answer."),
    "path": _text("Absolute."),
    "collection": _text("The collection of its document."),
    "start_line": _one("integer", "First line, from 1."),
    "end_line": _one("integer", "Last line."),
    "title": _text("The document's title."),
    "text": _text("The passage; `truncated` if it is only a part."),
}
_FOUND: Final[dict[str, Json]] = {
    "query": _text("What was looked for."),
    "generation": _one("integer", "The state of the store that was searched."),
    "stale": {"type": ["boolean", "null"], "description": "Whether files changed since they were indexed, if known."},
    "truncated": _one("boolean", "Whether the budget left hits or parts of them out."),
    "notes": _texts("What to know beside: arms that failed, what was hidden, why nothing was found."),
    "results": {
        "type": "array",
        "items": {"type": "object", "properties": _HIT, "required": [*_HIT]},
        "description": "The hits, best first.",
    },
}
_PASSAGE: Final[dict[str, Json]] = {
    "path": _text("Absolute."),
    "start_line": _one("integer", "First line, from 1."),
    "end_line": _one("integer", "Last line of the text."),
    "text": _text("The text, as indexed."),
    "truncated": _one("boolean", "Whether the budget cut it."),
}
_NOTE: Final[dict[str, Json]] = {
    "id": _text("Names the note for `get`, `related` and `supersedes`; it stays."),
    "path": _text("Absolute."),
    "title": _text("Its title."),
}
_STATUS: Final[dict[str, Json]] = {
    "store": _text("Directory of the store."),
    "generation": _one("integer", "Counts the commits."),
    "documents": _one("integer", "How many."),
    "chunks": _one("integer", "How many."),
    "collections": {"type": "array", "items": {"type": "object"}, "description": "By name."},
}

TOOLS: Final = {
    tool.name: tool
    for tool in (
        Tool(
            "search",
            "Search the user's notes, wikis and source code by words and meaning. Ask a question, or give an error "
            "code, a function name or key words. Answers with passages, each with path, lines and chunk id.",
            {"query": _text("What to look for; what is in double quotes must occur as written."), **_FLAGS},
            _FOUND,
            ("query",),
        ),
        Tool(
            "get",
            "Read a passage, a note or a whole document as indexed.",
            {"reference": _REFERENCE, "max_tokens": _FLAGS["max_tokens"]},
            _PASSAGE,
            ("reference",),
        ),
        Tool(
            "related",
            "Find the passages nearest to one that is known.",
            {"reference": _REFERENCE, **_FLAGS},
            _FOUND,
            ("reference",),
        ),
        Tool(
            "remember",
            "Write a note that later searches find: a fact, a decision, a lesson. Answers with its id.",
            {
                "text": _text("The note, in markdown.", minLength=1),
                "title": _text("Its title; else its first line."),
                "tags": _texts("Tags."),
                "metadata": {
                    "type": "object",
                    "description": "More keys for filters, such as `service` or `valid_until`.",
                    "additionalProperties": {"type": ["string", "number", "boolean"]},
                },
                "supersedes": _texts("Ids or paths of what this replaces: searches leave that out from then on."),
            },
            _NOTE,
            ("text",),
            writes=True,
        ),
        Tool("status", "What is indexed and how fresh it is.", {}, _STATUS),
    )
}
