"""The flags of a search as they were typed. Loaded before anything heavy: no part of Typer, no engine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

Texts: TypeAlias = "list[str] | None"


@dataclass(frozen=True, slots=True)
class Given:
    """The flags of `search` and `related`; None where one was not given.

    `hmem.cli.flags` has their spelling and help.
    """

    top_k: int | None = None
    alpha: float | None = None
    fusion: str | None = None
    rrf_k: int | None = None
    no_boosts: bool | None = None
    arms: Texts = None
    minimum: Texts = None
    recency: float | None = None
    half_life: float | None = None
    explain: bool | None = None
    where: Texts = None
    no_default_where: bool = False
    inside: Texts = None
    glob: Texts = None
    lang: Texts = None
    kind: Texts = None
    collection: Texts = None
    since: str | None = None
    until: str | None = None
    as_of: str | None = None
    all_states: bool = False
    output: str | None = None
    as_json: bool = False
    as_paths: bool = False
    null: bool = False
    absolute: bool | None = None
    full: bool | None = None
    max_lines: int | None = None
    max_tokens: int | None = None
    refresh: bool | None = None
