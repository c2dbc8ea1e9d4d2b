"""The table of settings: each one's section, type, default, meaning and bounds. Pure data and value parsing.

A setting has the name of its command-line flag. In TOML it stands in its section, with `-` or `_`; as an environment
variable it is `HMEM_` and the name in capitals. The parts of `[ranking]` are no flags; their variables begin with
`HMEM_RANKING_`.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hmem.errors import ConfigError
from hmem.search.recipe import BOUNDS, DEFAULT_RECIPE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

FOLDER_SECTION = "index"
"""The only section, beside `[metadata]`, that a `.hmem.toml` inside a tree may set."""

RANKING_SECTION = "ranking"
"""The constants of the ranking, one by one."""

_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([kmg]?)(i?)b?\s*", re.IGNORECASE)


def _flag(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.lower() in {"1", "true", "yes", "on"}:
        return True
    if isinstance(value, str) and value.lower() in {"0", "false", "no", "off", ""}:
        return False
    raise ValueError("expected true or false")


def _count(value: Any) -> int:
    if isinstance(value, bool) or (isinstance(value, float) and not value.is_integer()):
        raise ValueError("expected a whole number")
    try:
        number = int(value)
    except (ValueError, TypeError):
        raise ValueError("expected a whole number") from None
    if number < 0:
        raise ValueError("expected a number of 0 or more")
    return number


def _positive(value: Any) -> int:
    if not (number := _count(value)):
        raise ValueError("expected a number of 1 or more")
    return number


def _number(value: Any) -> float:
    if isinstance(value, bool):
        raise ValueError("expected a number")
    try:
        number = float(value)
    except (ValueError, TypeError):
        raise ValueError("expected a number") from None
    if not math.isfinite(number) or number < 0:
        raise ValueError("expected a finite number of 0 or more")
    return number


def _share(value: Any) -> float:
    if (number := _number(value)) > 1:
        raise ValueError("expected a number from 0 to 1")
    return number


def _between(least: float, most: float) -> Callable[[Any], float]:
    def parse(value: Any) -> float:
        if not least <= (number := _number(value)) <= most:
            raise ValueError(f"expected a number from {least:g} to {most:g}")
        return number

    return parse


def _whole_between(least: float, most: float) -> Callable[[Any], int]:
    def parse(value: Any) -> int:
        if not least <= (number := _count(value)) <= most:
            raise ValueError(f"expected a whole number from {least:g} to {most:g}")
        return number

    return parse


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError("expected text")
    return value


def _directory(value: Any) -> str:
    text = _text(value)
    if not text.startswith(("/", "~")) or "\0" in text:
        raise ValueError("expected an absolute path")
    return text


def _texts(value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        return tuple(part for part in value.split(",") if part.strip()) if value else ()
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        return tuple(value)
    raise ValueError("expected a list of texts")


def _one_text(value: Any) -> tuple[str, ...]:
    """Like `_texts`, but one text is one element: its commas belong to it."""
    return (value,) if isinstance(value, str) and value else _texts(value)


def parse_size(value: Any) -> int:
    """Return bytes from a number or a text such as `512k`, `1.5 MiB`, `2G` (powers of 1,024)."""
    if isinstance(value, int) and not isinstance(value, bool):
        return _count(value)
    match = _SIZE.fullmatch(value) if isinstance(value, str) else None
    if not match:
        raise ValueError("expected a size such as `512k`, `1.5M` or `2G`")
    return int(float(match[1]) * 1024 ** " kmg".index(match[2].lower() or " "))


def _choice(*allowed: str) -> Callable[[Any], str]:
    def parse(value: Any) -> str:
        if value not in allowed:
            raise ValueError(f"expected one of {', '.join(f'`{name}`' for name in allowed)}")
        return str(value)

    return parse


def _optional(parse: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: None if value in (None, "", "auto") else parse(value)


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting. `parse` turns a TOML value or the text of a variable into the value, or raises ValueError."""

    section: str
    name: str
    default: Any
    parse: Callable[[Any], Any]
    meaning: str

    @property
    def key(self) -> str:
        """The dotted name, `search.top_k`; settings outside a section have none."""
        return f"{self.section}.{self.name}" if self.section else self.name

    @property
    def variable(self) -> str:
        """The environment variable that sets it."""
        prefix = "HMEM_RANKING" if self.section == RANKING_SECTION else "HMEM"
        return f"{prefix}_{self.name.upper()}"

    def read(self, value: Any, origin: str) -> Any:
        """Return the parsed `value`, or raise ConfigError that names `origin`."""
        try:
            return self.parse(value)
        except (ValueError, TypeError, OverflowError) as error:
            raise ConfigError(f"bad value for `{self.key}` in {origin}, {error}: `{value}`") from None


def _ranking() -> Iterator[Setting]:
    for name, bounds in BOUNDS.items():
        default = getattr(DEFAULT_RECIPE, name)
        between = _whole_between if isinstance(default, int) else _between
        yield Setting(RANKING_SECTION, name, default, between(bounds.least, bounds.most), bounds.meaning)


FORMATS = ("table", "lines", "json", "jsonl", "paths", "csv", "md")

SETTINGS: tuple[Setting, ...] = (
    Setting("", "lock_timeout", 10.0, _number, "seconds to wait for another writer"),
    Setting("", "model", None, _optional(_text), "embedding model: a folder or a downloaded OWNER/NAME"),
    Setting("", "notes_directory", None, _optional(_directory), "where `hmem remember` writes notes"),
    Setting("index", "include", (), _texts, "only files that match one of these globs"),
    Setting("index", "exclude", (), _texts, "no file that matches one of these globs"),
    Setting("index", "no_ignore", False, _flag, "do not read ignore files"),
    Setting("index", "hidden", False, _flag, "index hidden files"),
    Setting("index", "secrets", False, _flag, "index keys, .env and credential files"),
    Setting(
        "index",
        "max_filesize",
        None,
        _optional(parse_size),
        "largest file (1 MiB code, 16 MiB text if unset)",
    ),
    Setting("index", "jobs", None, _optional(_positive), "worker processes (one per core, at most 4, if unset)"),
    Setting("index", "strict", False, _flag, "exit 2 if a file could not be read"),
    Setting("search", "top_k", 10, _positive, "how many hits"),
    Setting(
        "search",
        "alpha",
        None,
        _optional(_share),
        "share of the dense arm, 0 to 1 (measured default if unset)",
    ),
    Setting("search", "fusion", "convex", _choice("convex", "rrf"), "how arms are fused"),
    Setting("search", "rrf_k", 60, _count, "constant of reciprocal rank fusion"),
    Setting("search", "no_boosts", False, _flag, "fused score only"),
    Setting("search", "arms", (), _texts, "arms to run (all if empty)"),
    Setting("search", "min", (), _texts, "lowest raw score of an arm, `ARM=SCORE`"),
    Setting("search", "recency", 0.0, _share, "weight of newness, 0 to 1"),
    Setting("search", "half_life", 90.0, _number, "age in days at which newness counts half"),
    Setting("search", "where", (), _one_text, "filters on every search"),
    Setting("search", "format", None, _optional(_choice(*FORMATS)), "output (table on a terminal, else lines)"),
    Setting("search", "explain", False, _flag, "the reasons for each rank"),
    Setting("search", "absolute", False, _flag, "absolute paths"),
    Setting("search", "full", False, _flag, "whole chunks"),
    Setting("search", "max_lines", None, _optional(_positive), "longest snippet in lines"),
    Setting("search", "max_tokens", None, _optional(_positive), "budget of the whole answer in tokens"),
    Setting("search", "refresh", None, _optional(_flag), "bring the store up to date first (if cheap, if unset)"),
    Setting("watch", "debounce", 0.3, _number, "seconds of quiet before changes are indexed"),
    Setting("watch", "poll", False, _flag, "poll instead of file events"),
    Setting("watch", "serve", True, _flag, "answer searches from a warm process beside the watcher"),
    *_ranking(),
)

BY_KEY = {setting.key: setting for setting in SETTINGS}
BY_VARIABLE = {setting.variable: setting for setting in SETTINGS}
PLACES = frozenset({"HMEM_DATA_DIR", "HMEM_CONFIG_DIR", "HMEM_STORE", "HMEM_DEBUG", "HMEM_BENCH_DATA", "HMEM_RESIDENT"})
"""Variables that are read elsewhere: where things are, and for tests."""
