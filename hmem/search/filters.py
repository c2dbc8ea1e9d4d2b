"""Filters: from what the user asked to the one mask of eligible positions that every arm works under.

A condition is evaluated once per distinct value of its key. Conditions are joined by AND. A position without the key
fails every operator but `!=`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from hmem.errors import UnknownKeyError
from hmem.search.dates import FORMS
from hmem.search.globs import path_glob
from hmem.search.grammar import Condition, Op
from hmem.search.values import Literal, comparable, matches
from hmem.settings import parse_size
from hmem.types import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import datetime

    from numpy.typing import NDArray

    from hmem.search.columns import Column, Columns, Value

BUILT_IN = (
    "collection",
    "path",
    "name",
    "ext",
    "lang",
    "kind",
    "title",
    "heading",
    "symbol",
    "tags",
    "size",
    "mtime",
    "created",
    "updated",
)
"""Keys that every store has. `meta.KEY` is always the document's own metadata."""

META = "meta."
_TIMES = frozenset({"mtime", "created", "updated"})
_PATHS = frozenset({"path"})


@dataclass(frozen=True, slots=True)
class Scene:
    """What filters depend on beside the store: the time, and the directory that relative paths start from."""

    now: datetime
    directory: str = "/"


def mask(conditions: Iterable[Condition], columns: Columns, scene: Scene) -> NDArray[np.bool_]:
    """Return (P,) bool: which positions satisfy all conditions.

    Raises UnknownKeyError for a key that no chunk has, QueryError for a value that its key cannot have.
    """
    result = np.ones(columns.size, np.bool_)
    for condition in conditions:
        result &= evaluate(condition, columns, scene)
    return result


def evaluate(condition: Condition, columns: Columns, scene: Scene) -> NDArray[np.bool_]:
    """Return (P,) bool: which positions satisfy one condition. Raises as `mask`."""
    key = condition.key
    column = _column(condition, columns)
    if column is None:  # a lenient filter on a key that this store lacks
        return np.full(columns.size, condition.op is Op.NE)
    literals = tuple(_literal(condition, value, scene) for value in condition.values)
    if key in _PATHS:
        test = _path_test(condition.op, literals, scene)
        results = [test(value) for value in column.values]
    else:
        _check_order(condition, column, literals)
        results = [matches(value, condition.op, literals) for value in column.values]
    return column.spread(results, missing=condition.op is Op.NE)


def _column(condition: Condition, columns: Columns) -> Column | None:
    key = condition.key
    if key in BUILT_IN:
        return columns.column(key)
    name = key.removeprefix(META)
    column = columns.metadata_column(name)
    if column is None and name != key:  # front matter may really have a mapping called `meta`
        column = columns.metadata_column(key)
    if column is None and not condition.lenient:
        known = columns.metadata_keys()
        nearest = (f"{META}{name}" if name in BUILT_IN else name for name in sorted(known))
        raise UnknownKeyError("key", key, [*BUILT_IN, *nearest])
    return column


def _literal(condition: Condition, text: str, scene: Scene) -> Literal:
    """Return a value in the form that its built-in key stores; any other as it is written."""
    key = condition.key
    glob = condition.op is Op.GLOB
    if key in ("ext", "lang", "kind"):
        text = text.lower()
    if key == "ext":
        text = text.removeprefix(".")
    elif key == "tags":
        text = text.removeprefix("#")
    literal = Literal.read(text, scene.now)
    if glob:
        return literal
    if key == "kind" and text not in list(Kind):
        raise condition.error("unknown kind", f"a kind is one of {', '.join(f'`{kind}`' for kind in Kind)}")
    if key == "size":
        try:
            return replace(literal, number=parse_size(text))
        except ValueError as error:
            raise condition.error(str(error)) from None
    if key in _TIMES and literal.span is None:
        raise condition.error(f"`{key}` is a date, `{text}` is not", f"write {FORMS}")
    return literal


def _check_order(condition: Condition, column: Column, literals: Sequence[Literal]) -> None:
    """Refuse `<` and its like if no value of the column has an order with the literal: a slip, not an empty answer."""
    if not condition.op.orders or condition.lenient or not column.values:
        return
    if not any(comparable(value, literals[0]) for value in column.values):
        example = column.values[0]
        raise condition.error(
            f"`{condition.key}` cannot be compared with `{literals[0].text}`", f"one of its values is `{example}`"
        )


def _path_test(op: Op, literals: Sequence[Literal], scene: Scene) -> Callable[[Value], bool]:
    if op is Op.NE:
        equal = _path_test(Op.EQ, literals, scene)
        return lambda value: not equal(value)
    if op is Op.GLOB:
        globs = [(path_glob(literal.text), literal.text.startswith("/")) for literal in literals]
        return lambda value: any(any(map(glob, path_forms(value, scene, rooted))) for glob, rooted in globs)
    plain = tuple(replace(literal, text=literal.text.removeprefix("./")) for literal in literals)
    return lambda value: matches([*path_forms(value, scene, True)], op, plain)


def glob_mask(globs: Sequence[str], columns: Columns, scene: Scene) -> NDArray[np.bool_]:
    """Return (P,) bool for globs as ripgrep takes them: the last one that matches decides, `!` excludes.

    A path that none matches is in if all of them exclude. What excludes a directory excludes what lies below.
    """
    rules = [(glob.removeprefix("!"), not glob.startswith("!")) for glob in reversed(globs)]
    tests = [(path_glob(glob), glob.startswith("/"), includes) for glob, includes in rules]
    default = not any(includes for _, includes in rules)

    def chosen(value: Value) -> bool:
        for matching, rooted, includes in tests:
            forms = path_forms(value, scene, rooted)
            above = [] if includes else [directory for form in forms for directory in _directories(form)]
            if any(map(matching, (*forms, *above))):
                return includes
        return default

    column = columns.column("path")
    return column.spread([chosen(value) for value in column.values], missing=False)


def below_mask(directories: Sequence[str], columns: Columns) -> NDArray[np.bool_]:
    """Return (P,) bool: whether the absolute path is one of `directories` (absolute) or lies below one."""
    column = columns.column("path")
    prefixes = tuple(directory.rstrip("/") + "/" for directory in directories)
    results = [any(f"{form}/".startswith(prefixes) for form in _forms(value)) for value in column.values]
    return column.spread(results, missing=False)


def absolute_paths(columns: Columns) -> list[str]:
    """Return the absolute path of every document."""
    return [form for value in columns.column("path").values for form in _forms(value) if form.startswith("/")]


def path_forms(value: Value, scene: Scene, rooted: bool) -> list[str]:
    """Return the names of a document: inside its collection, from the directory of the scene if below, absolute.

    The absolute one only if `rooted`: a relative glob must not match what lies above the collection.
    """
    start = scene.directory.rstrip("/") + "/"
    forms = _forms(value)
    below = [form[len(start) :] for form in forms if form.startswith(start)]
    return [form for form in forms if rooted or not form.startswith("/")] + below


def _forms(value: Value) -> list[str]:
    return [str(form) for form in value] if isinstance(value, list) else [str(value)]


def _directories(path: str) -> list[str]:
    return [path[:index] for index, character in enumerate(path) if character == "/" and index]
