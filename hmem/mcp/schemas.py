"""What the tools take, as JSON Schema: the parameters of the command line, with their bounds. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from hmem.search.query import MAX_TOP_K, Arm, Fusion
from hmem.types import Json, Kind

DEFAULT_TOKENS: Final = 2_000
"""Budget of an answer unless the caller sets one: a page of context, not the whole window."""
MAX_TOKENS: Final = 100_000


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool: its name, what it is for, and its parameters by name as JSON Schema."""

    name: str
    description: str
    parameters: dict[str, Json]
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


def _text(description: str, **more: Json) -> Json:
    return {"type": "string", "description": description, **more}


def _texts(description: str, *allowed: str) -> Json:
    items: Json = {"type": "string", "enum": [*allowed]} if allowed else {"type": "string"}
    return {"type": "array", "items": items, "description": description}


_TOKENS: Final[Json] = {
    "type": "integer",
    "minimum": 1,
    "maximum": MAX_TOKENS,
    "default": DEFAULT_TOKENS,
    "description": "Budget of the answer in tokens, best hits first.",
}

_RANKING: Final[dict[str, Json]] = {
    "top_k": {"type": "integer", "minimum": 1, "maximum": MAX_TOP_K, "description": "How many hits; 10 unless given."},
    "alpha": {
        "type": "number",
        "minimum": 0,
        "maximum": 1,
        "description": "Share of meaning against words; leave it out for the measured default.",
    },
    "fusion": _text("How the arms are fused.", enum=[*Fusion]),
    "rrf_k": {"type": "integer", "minimum": 0, "description": "Constant of `rrf`."},
    "arms": _texts("Only these retrieval arms.", *Arm),
    "no_boosts": {"type": "boolean", "description": "The fused score only."},
}

_FILTERS: Final[dict[str, Json]] = {
    "where": _texts("Filters `KEY OP VALUE` on metadata, such as `service=billing`, `priority>=3`, `path~src/**`."),
    "in": _texts("Only below one of these paths."),
    "glob": _texts("Only paths that match."),
    "lang": _texts("Only these languages, such as `python`."),
    "kind": _texts("Only these kinds.", *Kind),
    "collection": _texts("Only these collections."),
    "since": _text("Updated on or after: `2025-03-01`, `7d`, `2 weeks ago`."),
    "until": _text("Updated on or before."),
}

_REFERENCE: Final[Json] = _text("A chunk id or note id from an earlier answer, or `PATH` or `PATH:LINE`.", minLength=1)

TOOLS: Final = {
    tool.name: tool
    for tool in (
        Tool(
            "search",
            "Search the user's notes, wikis and source code by words and meaning. Ask a question, or give an error "
            "code, a function name or key words. Answers with passages, each with path, lines and chunk id.",
            {"query": _text("What to look for."), **_RANKING, **_FILTERS, "max_tokens": _TOKENS},
            ("query",),
        ),
        Tool(
            "get",
            "Read a passage, a note or a whole document as indexed.",
            {"reference": _REFERENCE, "max_tokens": _TOKENS},
            ("reference",),
        ),
        Tool(
            "related",
            "Find the passages nearest to one that is known.",
            {"reference": _REFERENCE, **_RANKING, **_FILTERS, "max_tokens": _TOKENS},
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
                    "description": "More keys for filters.",
                    "additionalProperties": {"type": ["string", "number", "boolean"]},
                },
                "supersedes": _texts("Ids or paths of what this replaces."),
            },
            ("text",),
            writes=True,
        ),
        Tool("status", "What is indexed and how fresh it is.", {}),
    )
}
