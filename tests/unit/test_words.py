"""The short way to read a command line of a search reads what Typer reads."""

from __future__ import annotations

import typer
from hmem.cli import words
from hmem.cli.app import application
from hmem.cli.given import Given
from hypothesis import given
from hypothesis import strategies as st

COMMAND = typer.main.get_command(application(["search"])).commands["search"]
DEFAULTS = {name: field.default for name, field in Given.__dataclass_fields__.items()}
PLAIN = ("a", "b c", "", "7d", "k=v", "ü", "\udcff", "a-b", "--", "é=--x")
NUMBERS = ("0", "1", "10", "0.5", "1.", ".5", "007", "1e3", "-1", "x", "1_0", "٣", " 1", "")
TABLES = {
    **dict.fromkeys(words.WHOLE, NUMBERS),
    **dict.fromkeys(words.NUMBERS, NUMBERS),
    **dict.fromkeys([*words.TEXTS, *words.LISTS], PLAIN),
}


def by_typer(line: list[str]) -> dict[str, object]:
    with COMMAND.make_context("search", list(line)) as context:
        read = {
            name: list(found) or None if isinstance(found, tuple) else found for name, found in context.params.items()
        }
    return read | {"query": read["query"] or []}


@st.composite
def pieces(draw: st.DrawFn) -> list[str]:
    kind = draw(st.integers(0, 4))
    if kind == 0:
        return [draw(st.sampled_from(sorted(words.SWITCHES)))]
    if kind == 1:
        return [draw(st.sampled_from([*PLAIN, "-", "-l0", "-0k3", "-nk", "--nothing", "@name", "--json=1", "-x"]))]
    name = draw(st.sampled_from(sorted(TABLES)))
    value = draw(st.sampled_from(TABLES[name]))
    return [[name, value], [f"{name}={value}"], [f"{name}{value}"]][kind - 2]


@given(st.lists(pieces(), max_size=5))
def test_what_is_read_is_what_typer_reads(parts: list[list[str]]) -> None:
    line = [word for part in parts for word in part]
    values = words.read(line)
    if values is not None:
        assert DEFAULTS | {"store": None, "request": None, "batch": None} | values == by_typer(line)


def test_every_option_is_known() -> None:
    known = {*words.WHOLE, *words.NUMBERS, *words.TEXTS, *words.LISTS, *words.SWITCHES}
    options = [parameter for parameter in COMMAND.params if parameter.param_type_name == "option"]
    assert known == {name for option in options for name in (*option.opts, *option.secondary_opts)} - {"--help", "-h"}


def test_plain_lines_are_read() -> None:
    assert words.read(["pool", "-k5", "--in", "docs", "--json", "--", "-x"]) == {
        "query": ["pool", "-x"],
        "top_k": 5,
        "inside": ["docs"],
        "as_json": True,
    }


def test_the_unusual_is_left_to_typer() -> None:
    for line in (
        ["@name"],
        ["-w", "@name"],
        ["-k", "x"],
        ["-n0"],
        ["--help"],
        ["--alpha", "-1"],
        ["--json=1"],
        ["-k"],
        ["--top"],
        ["-"],
    ):
        assert words.read(line) is None
