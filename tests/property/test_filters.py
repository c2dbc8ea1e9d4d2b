"""Filters against oracles that look at one row at a time, and against any text at all."""

import fnmatch
import re
from contextlib import suppress
from datetime import datetime

import numpy as np
from hmem.errors import UsageError
from hmem.search.columns import encode
from hmem.search.dates import parse_moment, parse_span
from hmem.search.filters import Scene, evaluate, glob_mask, mask
from hmem.search.globs import path_glob, value_glob
from hmem.search.grammar import Condition, Op, parse_condition
from hypothesis import given, settings
from hypothesis import strategies as st

from filter_tables import Table

NOW = datetime(2025, 3, 31, 15, 30)
SCENE = Scene(NOW)

numbers = st.one_of(st.integers(-5, 5), st.sampled_from([0.5, 1.0, 2.5]))
scalars = st.one_of(numbers, st.booleans(), st.sampled_from(["a", "b", "", "2025-03-01", "2", "true"]))
stored = st.one_of(scalars, st.lists(scalars, min_size=1, max_size=3))
rows = st.lists(st.one_of(st.just({}), st.builds(lambda value: {"meta.x": value}, stored)), min_size=1, max_size=8)
words = st.sampled_from(["a", "b", "", "2", "1.0", "true", "2025-03", "*", "z"])


def one_by_one(condition: Condition, table: list[dict]) -> list[bool]:
    """The same filter, each row alone in its table."""
    return [bool(evaluate(condition, Table([row]), SCENE)[0]) for row in table]


@settings(deadline=None)
@given(rows, st.sampled_from(list(Op)), words)
def test_a_row_is_judged_by_itself(table, op, word):
    condition = Condition("x", op, (word,), "…", lenient=True)
    assert evaluate(condition, Table(table), SCENE).tolist() == one_by_one(condition, table)


@settings(deadline=None)
@given(rows, st.lists(words, min_size=1, max_size=3))
def test_alternatives_are_or_and_unequal_is_the_complement(table, alternatives):
    def found(op: Op, *values: str) -> np.ndarray:
        return evaluate(Condition("x", op, values, "…", lenient=True), Table(table), SCENE)

    each = np.any([found(Op.EQ, word) for word in alternatives], axis=0)
    assert (found(Op.EQ, *alternatives) == each).all()
    assert (found(Op.NE, *alternatives) == ~each).all()


@settings(deadline=None)
@given(st.lists(numbers, min_size=1, max_size=8), numbers)
def test_numbers_are_ordered_as_python_orders_them(values, limit):
    table = [{"meta.x": value} for value in values]
    for op, expected in (
        (Op.LT, [value < limit for value in values]),
        (Op.LE, [value <= limit for value in values]),
        (Op.GT, [value > limit for value in values]),
        (Op.GE, [value >= limit for value in values]),
        (Op.EQ, [value == limit for value in values]),
    ):
        assert evaluate(Condition("x", op, (str(limit),), "…"), Table(table), SCENE).tolist() == expected


@settings(deadline=None)
@given(st.lists(st.datetimes(datetime(2020, 1, 1), datetime(2030, 1, 1)), min_size=1, max_size=8), st.dates())
def test_days_are_ordered_as_python_orders_them(moments, day):
    for stored_as in (lambda moment: moment, lambda moment: moment.isoformat()):
        table = [{"meta.x": stored_as(moment)} for moment in moments]
        for op, expected in (
            (Op.LT, [moment.date() < day for moment in moments]),
            (Op.LE, [moment.date() <= day for moment in moments]),
            (Op.EQ, [moment.date() == day for moment in moments]),
            (Op.GT, [moment.date() > day for moment in moments]),
        ):
            assert evaluate(Condition("x", op, (day.isoformat(),), "…"), Table(table), SCENE).tolist() == expected


@settings(deadline=None)
@given(rows)
def test_conditions_are_joined_by_and(table):
    conditions = [parse_condition(text, lenient=True) for text in ("x!=a", "x!=2", "x!=true")]
    each = [evaluate(condition, Table(table), SCENE) for condition in conditions]
    assert (mask(conditions, Table(table), SCENE) == np.all(each, axis=0)).all()


@settings(deadline=None)
@given(st.lists(st.text(st.characters(codec="utf-8"), max_size=8), min_size=1, max_size=4))
def test_quoted_values_come_back(values):
    quoted = ",".join('"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"' for value in values)
    assert parse_condition(f"key={quoted}").values == tuple(dict.fromkeys(values))


@settings(deadline=None)
@given(st.text())
def test_any_text_is_a_filter_or_a_usage_error(text):
    table = Table([{"path": ["a.md", "/abs/a.md"], "meta.x": 1, "size": 1, "mtime": NOW}])
    with suppress(UsageError):
        assert evaluate(parse_condition(text), table, SCENE).shape == (1,)


@settings(deadline=None)
@given(st.sampled_from(["size", "mtime", "path", "tags", "x", "kind", "ext"]), st.sampled_from(list(Op)), st.text())
def test_any_value_is_accepted_or_a_usage_error(key, op, value):
    table = Table(
        [{"path": ["a.md", "/abs/a.md"], "meta.x": "a", "size": 1, "mtime": NOW, "kind": "note", "ext": "md"}]
    )
    with suppress(UsageError):
        assert evaluate(Condition(key, op, (value,), "…"), table, SCENE).shape == (1,)


@settings(deadline=None)
@given(st.text())
def test_any_text_is_a_date_or_none(text):
    parse_span(text, NOW)
    parse_moment(text)


@settings(deadline=None)
@given(st.text("ab*?[]!-{,}/.", max_size=12), st.text("ab/.", max_size=12))
def test_any_glob_can_be_tried(glob, path):
    table = Table([{"path": [path, f"/{path}"]}])
    value_glob(glob)(path)
    path_glob(glob)(path)
    assert glob_mask([glob], table, SCENE).shape == (1,)


@settings(deadline=None)
@given(st.text("ab*?", max_size=8), st.text("ab/", max_size=8))
def test_value_globs_are_those_of_the_shell(glob, text):
    assert value_glob(glob)(text) == fnmatch.fnmatchcase(text, glob)


def by_regex(glob: str) -> re.Pattern[str]:
    """Anchored path globs of whole components, the textbook translation."""
    parts = [part for part in glob.split("/") if part]
    if parts and parts[-1] == "**":
        parts.append("*")
    pattern = "".join("(?:[^/]+/)*" if part == "**" else f"{part.replace('*', '[^/]*')}/" for part in parts)
    return re.compile(pattern)


components = st.sampled_from(["a", "b", "ab", "*", "a*", "*b", "**"])


@settings(deadline=None)
@given(
    st.lists(components, min_size=2, max_size=5), st.lists(st.sampled_from(["a", "b", "ab"]), min_size=1, max_size=5)
)
def test_path_globs_are_their_regular_expression(parts, names):
    glob, path = "/".join(parts), "/".join(names)
    assert path_glob(glob)(path) == bool(by_regex(glob).fullmatch(f"{path}/"))


@settings(deadline=None)
@given(st.lists(st.one_of(st.none(), stored), max_size=10))
def test_columns_give_their_values_back(values):
    column = encode(values)
    back = [None if code < 0 else column.values[code] for code in column.codes.tolist()]
    assert list(map(repr, back)) == list(map(repr, values))
    assert len(set(map(repr, column.values))) == len(column.values)
