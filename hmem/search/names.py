"""What names tell: the words of a file's name, whether a path is a test's, which symbols a query asks for. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from hmem.text import STOP_WORDS, identifier_parts, stem, words

if TYPE_CHECKING:
    from collections.abc import Iterator

_LONG_STEM: Final = 6
_AGENT: Final = re.compile(r"(?:er|or)$")
_DOUBLED: Final = re.compile(r"([^aeiousl])\1$")

_TEST_DIRECTORIES: Final = frozenset(
    """__tests__ bench benches benchmark benchmarks fixtures fuzz mock mocks spec specs suite test test_suite testdata
    testing tests""".split()  # noqa: SIM905
)
_TEST_STEM: Final = re.compile(
    r"(?:^|[_.-])(?:tests?|spec|bench|benchmark|mock)$|^(?:bench|test)_|(?<=[a-z0-9])(?:Tests?|Spec|Benchmark|Mock)$"
)
_TEST_SUFFIXES: Final = frozenset({"bats"})

_ASKS_FOR_TESTS: Final = re.compile(r"\b(?:tests?|testing|specs?|mock\w*|fakes?|bench\w*|fixtures?)\b", re.I)
_ASKS_ASIDE: Final = re.compile(
    r"\b(?:docs?|documentation|readme|changelog|licen[cs]e|config\w*|json|ya?ml|toml|templates?)\b", re.I
)

_JOINT: Final = re.compile(r"::|->|[.#/():]+")
_LOOKS_LIKE_CODE: Final = re.compile(r"[a-z0-9][A-Z]|_|::|->|\w[.#]\w|\(\)|^[A-Z]{2,}[a-z]")
_QUOTES: Final = ".,;!?()[]{}\"'`"


@lru_cache(maxsize=1 << 14)
def root(word: str) -> str:
    """Return what a lower-case `word` has in common with the name of who does it: `router` and `route` share `rout`."""
    found = stem(word)
    if len(found) >= _LONG_STEM:
        found = _AGENT.sub("", found)
    if len(found) >= _LONG_STEM - 1:
        found = found.removesuffix("e")
    return found[:-1] if _DOUBLED.search(found) else found


def name_words(name: str) -> tuple[str, ...]:
    """Return the distinct parts of the words of `name` in lower case, in order."""
    return tuple(dict.fromkeys(part.lower() for word in words(name) for part in identifier_parts(word)))


def asked_roots(query: str) -> frozenset[str]:
    """Return the roots of all parts of the words of `query`, without stop words."""
    kept = (word for word in words(query) if word.lower() not in STOP_WORDS)
    return frozenset(root(part.lower()) for word in kept for part in identifier_parts(word))


def is_test(path: str) -> bool:
    """Tell whether the file at a relative `path` is a test, a benchmark, or made for them."""
    *directories, name = path.split("/")
    if any(directory.lower() in _TEST_DIRECTORIES for directory in directories):
        return True
    base, dot, suffix = name.rpartition(".")
    return suffix in _TEST_SUFFIXES or bool(dot and _TEST_STEM.search(base))


def asks_for_tests(query: str) -> bool:
    """Tell whether a query is about tests, so that they are no worse an answer than other files."""
    return bool(_ASKS_FOR_TESTS.search(query))


def asks_aside(query: str) -> bool:
    """Tell whether a query is about documentation, configuration or data that lies among code."""
    return bool(_ASKS_ASIDE.search(query))


@dataclass(frozen=True, slots=True)
class Symbol:
    """A name that a query may want the definition of.

    `written` as it stands there, `name` its last part, `qualifiers` those before; `alone` if it is the whole query.
    """

    written: str
    name: str
    qualifiers: tuple[str, ...]
    alone: bool


def symbols(query: str) -> tuple[Symbol, ...]:
    """Return the symbols of `query`: a single word, or the words of a longer one that look like code."""
    tokens = query.split()
    if len(tokens) == 1:
        return tuple(_symbol(tokens[0], alone=True))
    return tuple(symbol for token in tokens for symbol in _symbol(token.strip(_QUOTES), alone=False))


def _symbol(token: str, *, alone: bool) -> Iterator[Symbol]:
    parts = [part for part in _JOINT.split(token) if part]
    if parts and (alone or _LOOKS_LIKE_CODE.search(token)):
        yield Symbol(token, parts[-1], tuple(parts[:-1]), alone)
