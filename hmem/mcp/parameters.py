"""The flags of `hmem search` as JSON Schema: each is defined once, for the command line and for agents. Pure.

A new flag is a new parameter; what only prints, or lifts what the user configured to protect, is none.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Final, get_args, get_origin, get_type_hints

from hmem.cli.flags import OPTIONS
from hmem.cli.given import Given
from hmem.search.query import MAX_TOP_K, Arm, Fusion
from hmem.types import Kind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hmem.types import Json

DEFAULT_TOKENS: Final = 2_000
"""Budget of an answer unless the caller or the configuration sets one: a page of context, not the whole window."""
MAX_TOKENS: Final = 100_000

LEFT_OUT: Final = frozenset(
    {"no_default_where", "format", "json", "files_with_matches", "null", "absolute", "full", "max_lines"}
)
"""Flags that are no parameters."""

_ONE_OF: Final[dict[str, Json]] = {
    "arms": {"items": {"type": "string", "enum": [*Arm]}, "description": "Only these retrieval arms."},
    "kind": {"items": {"type": "string", "enum": [*Kind]}, "description": "Only these kinds of documents."},
}

# What a schema can say better than the help of a flag, which is meant for one line.
_BETTER: Final[dict[str, Any]] = {
    "top_k": {"minimum": 1, "maximum": MAX_TOP_K, "description": "How many hits; 10 unless given."},
    "alpha": {
        "minimum": 0,
        "maximum": 1,
        "description": "Share of meaning against words; leave it out for the measured default.",
    },
    "fusion": {"enum": [*Fusion], "description": "How the arms are fused; `convex` unless given."},
    "where": {
        "description": "Filters `KEY OP VALUE` on metadata, all of which must hold, such as `service=billing`, "
        "`priority>=3`, `status!=draft`, `path~src/**`."
    },
    "recency": {"minimum": 0, "maximum": 1, "description": "Weight of newness in the score: 0 none, 1 newest first."},
    "half_life": {"exclusiveMinimum": 0, "description": "Age in days at which newness counts half; 90 unless given."},
    "min": {"description": "Lowest raw scores of arms, each as `ARM=SCORE`."},
    "in": {"description": "Only below one of these paths."},
    "glob": {"description": "Only paths that match."},
    "lang": {"description": "Only these languages, such as `python`."},
    "collection": {"description": "Only these collections."},
    "since": {"description": "Updated on or after: `2025-03-01`, `7d`, `2 weeks ago`."},
    "explain": {"description": "Answer with the reasons for each rank: the ranks, scores and shares of the arms."},
    "refresh": {"description": "Look for changed files first: true always, false never; else if that is quick."},
    "max_tokens": {
        "minimum": 1,
        "maximum": MAX_TOKENS,
        "default": DEFAULT_TOKENS,
        "description": "Budget of the answer in tokens, best hits first.",
    },
    **_ONE_OF,
}
_TYPES: Final = {bool: "boolean", int: "integer", float: "number", str: "string"}


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter, the field of `Given` that it is, and its JSON Schema."""

    name: str
    field: str
    schema: dict[str, Json]


def _parameters() -> dict[str, Parameter]:
    kinds = get_type_hints(Given)
    found = {}
    for field in fields(Given):
        option = OPTIONS[field.name]
        # In an annotation the first spelling stands where a default would.
        spellings = [text for text in (option.default, *option.param_decls) if str(text).startswith("--")]
        name = spellings[0].partition("/")[0].removeprefix("--").replace("-", "_")
        if name not in LEFT_OUT:
            schema = _type(kinds[field.name]) | ({} if option.min is None else {"minimum": option.min})
            schema |= {"description": option.help} | _BETTER.get(name, {})
            found[name] = Parameter(name, field.name, schema)
    return found


def _type(kind: Any) -> dict[str, Json]:
    """Return the schema of a type, or of the one that is not None."""
    if isinstance(kind, UnionType) or (get_origin(kind) is not None and NoneType in get_args(kind)):
        return _type(next(one for one in get_args(kind) if one is not NoneType))
    if get_origin(kind) is list:
        return {"type": "array", "items": _type(get_args(kind)[0])}
    return {"type": _TYPES[kind]}


PARAMETERS: Final = _parameters()


def flags(arguments: Mapping[str, Any]) -> Given:
    """Return the arguments of a call as the flags of the command line; those that are no flags are left out."""
    return Given(**{PARAMETERS[name].field: value for name, value in arguments.items() if name in PARAMETERS})
