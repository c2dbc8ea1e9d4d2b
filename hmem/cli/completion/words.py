"""The words a shell offers for a value: `hmem __complete KIND [PREFIX]`.

Runs at every TAB, so it loads neither the command line nor an engine, reads the catalog through SQLite alone (about
40 ms for the whole process), and says nothing rather than an error.
"""

from __future__ import annotations

import json
import sqlite3
import sys
from contextlib import closing
from typing import TYPE_CHECKING
from urllib.parse import quote

from hmem.errors import HmemError
from hmem.paths import data_dir, store_dir

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

COMMAND = "__complete"
_BUSY_SECONDS = 0.05
_MAX_WORDS = 1000
_KINDS = ("note", "wiki", "code", "text")
_ARMS = ("bm25", "document", "dense", "entity", "time")
_TOPICS = ("filters", "ranking", "formats", "eval", "config")
_BUILT_IN_KEYS = (
    "collection", "path", "name", "ext", "lang", "kind", "title", "heading", "symbol", "tags", "size", "mtime",
    "created", "updated",
)  # fmt: skip
"""The same words stand where they mean something, behind imports that are too slow for here; a test compares them."""


def main(arguments: list[str]) -> None:
    """Print the words of the kind `arguments[0]` that start with `arguments[1]`, one a line."""
    kind, prefix = (*arguments, "", "")[:2]
    words = words_of(kind, prefix)
    sys.stdout.buffer.write("".join(f"{word}\n" for word in words).encode("utf-8", "surrogateescape"))


def words_of(kind: str, prefix: str = "") -> list[str]:
    """Return the words of a kind that start with `prefix`, in order; none for an unknown kind."""
    source = SOURCES.get(kind)
    if source is None:
        return []
    # In a list such as `--arms bm25,de` only what follows the last comma is completed.
    done, comma, rest = prefix.rpartition(",")
    try:
        found = [word for word in source() if word.startswith(rest) and word.isprintable()]
    except (HmemError, OSError, sqlite3.Error, ValueError, KeyError, TypeError):
        return []
    return [done + comma + word for word in list(dict.fromkeys(found))[:_MAX_WORDS]]


def _collections() -> Iterable[str]:
    listing = json.loads((store_dir() / "collections.json").read_bytes())
    return sorted(collection["name"] for collection in listing["collections"])


def _stores() -> Iterable[str]:
    places = (data_dir() / "stores").iterdir()
    return sorted(place.name for place in places if (place / "catalog.sqlite").exists())


def _keys() -> Iterable[str]:
    stored = _column("SELECT DISTINCT key FROM attributes ORDER BY key")
    names = (key.removeprefix("meta.") for key in stored)
    return [f"{key}=" for key in sorted({*_BUILT_IN_KEYS, *names})]


def _languages() -> Iterable[str]:
    return _column("SELECT DISTINCT lang FROM documents ORDER BY lang")


def _models() -> Iterable[str]:
    places = data_dir() / "models"
    names = (place.name.partition("--") for place in places.iterdir() if place.is_dir()) if places.is_dir() else ()
    return ["built-in", *sorted(f"{owner}/{name}" for owner, mark, name in names if mark)]


def _settings() -> Iterable[str]:
    from hmem.settings import BY_KEY

    return BY_KEY


def _formats() -> Iterable[str]:
    from hmem.settings import FORMATS

    return FORMATS


def _aliases() -> Iterable[str]:
    from hmem.config import load

    return (f"@{name}" for name in load().aliases)


def _column(sql: str) -> list[str]:
    path: Path = store_dir() / "catalog.sqlite"
    address = f"file:{quote(str(path))}?mode=ro"
    with closing(sqlite3.connect(address, uri=True, timeout=_BUSY_SECONDS)) as connection:
        return [str(row[0]) for row in connection.execute(sql)]


SOURCES: dict[str, Callable[[], Iterable[str]]] = {
    "aliases": _aliases,
    "arms": lambda: _ARMS,
    "collections": _collections,
    "formats": _formats,
    "fusions": lambda: ("convex", "rrf"),
    "keys": _keys,
    "kinds": lambda: _KINDS,
    "languages": _languages,
    "minimums": lambda: (f"{arm}=" for arm in _ARMS),
    "models": _models,
    "settings": _settings,
    "shells": lambda: ("bash", "zsh", "fish"),
    "stores": _stores,
    "topics": lambda: _TOPICS,
}
