"""Reads a plain command line of `hmem search` without Typer, which takes as long to load as a whole search.

What it reads, Typer reads alike (a test compares them, option by option); whatever is unusual - a mistake, `--help`,
`@NAME`, a value of its own with a leading `-` - it leaves to Typer. Imports nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False  # `typing` takes longer to load than all of this
if TYPE_CHECKING:
    from collections.abc import Sequence

    Values = dict[str, object]

WHOLE = {
    **{"--top-k": "top_k", "-k": "top_k", "--rrf-k": "rrf_k", "--max-tokens": "max_tokens"},
    **{"--max-lines": "max_lines", "-n": "max_lines"},
}
NUMBERS = {"--alpha": "alpha", "--recency": "recency", "--half-life": "half_life"}
TEXTS = {
    **{"--fusion": "fusion", "--since": "since", "--until": "until", "--as-of": "as_of", "--format": "output"},
    **{"--store": "store", "--request": "request", "--batch": "batch"},
}
LISTS = {
    **{"--arms": "arms", "--min": "minimum", "--in": "inside", "--lang": "lang", "--kind": "kind"},
    **{"--where": "where", "-w": "where", "--glob": "glob", "-g": "glob", "--collection": "collection"},
    **{"-c": "collection"},
}
SWITCHES = {
    **{"--no-boosts": ("no_boosts", True), "--boosts": ("no_boosts", False)},
    **{"--explain": ("explain", True), "--no-explain": ("explain", False)},
    **{"--absolute": ("absolute", True), "--relative": ("absolute", False)},
    **{"--full": ("full", True), "--no-full": ("full", False)},
    **{"--refresh": ("refresh", True), "--no-refresh": ("refresh", False)},
    **{"--no-default-where": ("no_default_where", True), "--all-states": ("all_states", True)},
    **{"--json": ("as_json", True), "--files-with-matches": ("as_paths", True), "-l": ("as_paths", True)},
    **{"--null": ("null", True), "-0": ("null", True)},
}
_LEAST = {"max_lines": 1, "max_tokens": 1}


class _Unusual(Exception):
    """Typer has to look at it."""


def read(words: Sequence[str]) -> Values | None:
    """Return what the words after `hmem search` set: flags by their field in `Given`, `query`, `store` and so on.

    None if Typer has to read them.
    """
    values: Values = {}
    query: list[str] = []
    rest = list(reversed(words))
    try:
        while rest:
            word = rest.pop()
            if word == "--":
                query += reversed(rest)
                break
            if word.startswith("--"):
                name, has_value, value = word.partition("=")
                _set(values, name, value if has_value else None, rest)
            elif word.startswith("-"):
                _set_short(values, word, rest)
            elif word.startswith("@"):
                return None
            else:
                query.append(word)
    except _Unusual:
        return None
    values["query"] = query
    return values


def _set_short(values: Values, word: str, rest: list[str]) -> None:
    """Read `-k5`, `-k 5` or several switches in one, `-l0`."""
    letters = word[1:]
    if not letters:
        raise _Unusual
    for place, letter in enumerate(letters, 1):
        name = f"-{letter}"
        if name not in SWITCHES:
            _set(values, name, letters[place:] or None, rest)
            return
        _set(values, name, None, rest)


def _set(values: Values, name: str, value: str | None, rest: list[str]) -> None:
    if name in SWITCHES:
        if value is not None:
            raise _Unusual
        field, setting = SWITCHES[name]
        values[field] = setting
        return
    if value is None:
        if not rest or rest[-1].startswith(("-", "@")):
            raise _Unusual
        value = rest.pop()
    if name in LISTS:
        known = values.setdefault(LISTS[name], [])
        assert isinstance(known, list)
        known.append(value)
    elif name in TEXTS:
        values[TEXTS[name]] = value
    elif name in WHOLE:
        values[WHOLE[name]] = _whole(WHOLE[name], value)
    elif name in NUMBERS:
        values[NUMBERS[name]] = _number(value)
    else:
        raise _Unusual


def _whole(field: str, text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10) or int(text) < _LEAST.get(field, 0):
        raise _Unusual
    return int(text)


def _number(text: str) -> float:
    if not (text.isascii() and text.replace(".", "", 1).isdigit()):
        raise _Unusual
    return float(text)
