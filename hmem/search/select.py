"""From the options to the positions that may be found: one mask for all arms, made before any of them ranks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from hmem.errors import QueryError, UnknownKeyError, UsageError
from hmem.search.dates import FORMS, parse_span
from hmem.search.filters import Scene, glob_mask, mask
from hmem.search.grammar import Condition, Op
from hmem.search.within import within_mask

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from hmem.search.columns import Columns
    from hmem.search.query import SearchOptions


@dataclass(frozen=True, slots=True)
class Selection:
    """Which positions pass (P,), and the filters in words."""

    eligible: NDArray[np.bool_]
    filters: tuple[str, ...]


def select(
    options: SearchOptions, columns: Columns, live: NDArray[np.bool_], roots: Mapping[str, Path], scene: Scene
) -> Selection:
    """Return what the filters of `options` leave of the `live` positions (P,); `roots` are those of all collections.

    Raises UnknownKeyError for keys, languages and collections that do not exist, NotIndexedError for a
    `--in` that is nowhere, QueryError for values and dates that cannot be read, UsageError for an empty time.
    """
    for name in options.collections:
        if name not in roots:
            raise UnknownKeyError("collection", name, roots)
    _check_times(options, scene)
    conditions = [_resolved(condition, columns) for condition in options.filters]
    if options.langs:
        _check_languages(options, columns)
    eligible = live & mask(conditions, columns, scene)
    texts = [condition.text for condition in options.filters]
    if options.globs:
        eligible &= glob_mask(options.globs, columns, scene)
        texts += [f"glob={glob}" for glob in options.globs]
    if options.within:
        eligible &= within_mask(options.within, columns, roots.values(), scene)
        texts += [f"in={place}" for place in options.within]
    return Selection(eligible, tuple(texts))


def _check_times(options: SearchOptions, scene: Scene) -> None:
    spans = []
    for flag, text in (("--since", options.since), ("--until", options.until)):
        if text is None:
            continue
        span = parse_span(text, scene.now)
        if span is None:
            raise QueryError(f"`{flag}` needs a date: `{text}`", text=text, position=0, hint=f"write {FORMS}")
        spans.append(span)
    if len(spans) == 2 and spans[0].start >= spans[1].end:
        raise UsageError(f"`--since {options.since}` is after `--until {options.until}`")


def _resolved(condition: Condition, columns: Columns) -> Condition:
    """Return a condition on `lang` with the names that people use (`py`, `c++`) turned into those that are stored."""
    if condition.key != "lang" or condition.op not in (Op.EQ, Op.NE):
        return condition
    known = _languages(columns)
    return replace(condition, values=tuple(_language(value, known) or value for value in condition.values))


def _languages(columns: Columns) -> set[str]:
    return {str(value) for value in columns.column("lang").values}


_NICKNAMES = {"c++": "cpp", "c#": "csharp", "f#": "fsharp", "golang": "go", "objc": "objective-c", "shell": "bash"}


def _language(name: str, stored: set[str]) -> str | None:
    """Return the language called `name`, or whose files end so; None if there is none."""
    name = _NICKNAMES.get(name.lower(), name.lower())
    if name in stored:
        return name
    from hmem.parse.kinds import language_of
    from hmem.parse.languages import LANGUAGES

    if name in LANGUAGES:
        return name
    found = language_of(f"x.{name}", "")[0]
    return found if found != "text" or name in ("text", "txt") else None


def _check_languages(options: SearchOptions, columns: Columns) -> None:
    """Refuse a `--lang` that is neither stored nor known: it is a slip."""
    stored = _languages(columns)
    for name in options.langs:
        if _language(name, stored) is None:
            raise UnknownKeyError("language", name, stored)
