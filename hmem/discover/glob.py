"""One gitignore pattern as a matcher that runs in linear time whatever the pattern. Pure.

A pattern becomes a plain comparison where it can, else a regular expression. Ignore files come with cloned trees, so
`*a*a*a*a*b` must not cost exponential time: every wildcard but the last of its kind is an atomic group that takes the
leftmost match. That loses nothing, because what follows such a group starts with a wildcard of the same kind again.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

Matcher: TypeAlias = Callable[[str], "re.Match[str] | None"]

# Tokens of a pattern: regular expressions for one character, or one of these four.
_SLASH, _STAR, _DEEP, _REST = "/", "*", "**/", "**"

_NEVER = "(?!)"
_PLAIN = re.compile(r"[^*?\[\\]*")
_POSIX = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "blank": " \\t",
    "cntrl": "\\x00-\\x1f\\x7f",
    "digit": "0-9",
    "graph": "\\x21-\\x7e",
    "lower": "a-z",
    "print": "\\x20-\\x7e",
    "punct": "\\x21-\\x2f\\x3a-\\x40\\x5b-\\x60\\x7b-\\x7e",
    "space": " \\t-\\r",
    "upper": "A-Z",
    "xdigit": "0-9A-Fa-f",
}


@dataclass(frozen=True, slots=True)
class Glob:
    """A compiled pattern: exactly one of `exact`, `prefix`, `suffix` and `regex` is set."""

    matches: Callable[[str], object]
    exact: str | None = None
    prefix: str | None = None
    suffix: str | None = None
    regex: str | None = None


def compile_glob(pattern: str, *, crosses_slash: bool) -> Glob | None:
    """Return the matcher of a pattern without `!` and outer slashes, None if it can match nothing.

    With `crosses_slash` the pattern is for whole paths and `**` spans directories; else it is for single names.
    """
    tokens = _Scanner(pattern, crosses_slash).tokens()
    if not tokens or _NEVER in tokens:
        return None
    literals = [_literal(token) for token in tokens]
    if None not in literals:
        text = "".join(part for part in literals if part is not None)
        return Glob(lambda name: name == text, exact=text)
    if not crosses_slash and tokens.count(_STAR) == 1:
        text = "".join(part for part in literals if part is not None)
        if tokens[0] == _STAR and None not in literals[1:]:
            return Glob(lambda name: name.endswith(text), suffix=text)
        if tokens[-1] == _STAR and None not in literals[:-1]:
            return Glob(lambda name: name.startswith(text), prefix=text)
    regex = _path_regex(tokens)
    return Glob(re.compile(regex, re.DOTALL).fullmatch, regex=regex)


def _literal(token: str) -> str | None:
    """Return the character that `token` stands for, None for a wildcard."""
    if token == _SLASH or (len(token) == 1 and token != _STAR):
        return token
    return token[1] if len(token) == 2 and token[0] == "\\" else None


class _Scanner:
    """Cuts a pattern into tokens, by git's rules for the backslash, `[…]` and runs of `*`."""

    def __init__(self, pattern: str, crosses_slash: bool) -> None:
        self._pattern = pattern
        self._crosses = crosses_slash
        self._at = 0
        # git compares the part before the first wildcard apart, so for it the pattern starts only after that.
        plain = _PLAIN.match(pattern)
        self._begin = plain.end() if plain else 0

    def tokens(self) -> list[str]:
        found: list[str] = []
        while self._at < len(self._pattern):
            found.append(self._token())
        return found

    def _token(self) -> str:
        character = self._pattern[self._at]
        if character == "*":
            return self._stars()
        self._at += 1
        if character == "?":
            return "[^/]"
        if character == "[":
            return self._set()
        if character == "\\":
            if self._at == len(self._pattern):
                return _NEVER
            character = self._pattern[self._at]
            self._at += 1
        return _SLASH if character == "/" else re.escape(character)

    def _stars(self) -> str:
        """Return the token of a run of stars; `**` counts only between slashes or ends, and takes the slash along.

        As in git the beginning may also be the first wildcard: `foo**/bar` is taken for `foo` and then `**/bar`.
        """
        start = self._at
        while self._pattern[self._at : self._at + 1] == "*":
            self._at += 1
        after = self._pattern[self._at : self._at + 1]
        alone = (start == self._begin or self._pattern[start - 1] == "/") and after in ("", "/")
        if not (self._crosses and alone and self._at - start > 1):
            return _STAR
        if not after:
            return _REST
        self._at += 1
        return _DEEP

    def _set(self) -> str:
        """Return the expression of a bracket; one that is not closed matches nothing."""
        negated = self._pattern[self._at : self._at + 1] in ("!", "^")
        self._at += negated
        members: list[str] = []
        previous = ""
        first = True
        while first or self._pattern[self._at : self._at + 1] != "]":
            first = False
            if self._at >= len(self._pattern):
                return _NEVER
            member, previous = self._member(previous)
            if member is None:
                return _NEVER
            members.append(member)
        self._at += 1
        inside = "".join(members)
        if negated:
            return f"[^/{inside}]"
        return f"(?!/)[{inside}]" if inside else _NEVER

    def _member(self, previous: str) -> tuple[str | None, str]:
        """Return the next member of a set as an expression and the character that may start a range after it."""
        rest = self._pattern[self._at :]
        if rest[0] == "-" and previous and rest[1:2] not in ("", "]"):
            self._at += 1
            last = self._character()
            if last is None:
                return None, ""
            return (f"{re.escape(previous)}-{re.escape(last)}" if previous <= last else ""), ""
        named = re.match(r"\[:([^\]]*):\]", rest)
        if named:
            self._at += named.end()
            return _POSIX.get(named[1]), ""
        if rest.startswith("[:") and "]" not in rest:
            return None, ""
        character = self._character()
        return (None, "") if character is None else (re.escape(character), character)

    def _character(self) -> str | None:
        """Return the next character of a set, escaped or not; None at the end of the pattern."""
        if self._pattern[self._at] == "\\":
            self._at += 1
        character = self._pattern[self._at : self._at + 1]
        self._at += 1
        return character or None


def _split(tokens: list[str], at: str) -> list[list[str]]:
    parts: list[list[str]] = [[]]
    for token in tokens:
        if token == at:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def _path_regex(tokens: list[str]) -> str:
    """Return the expression of a whole pattern: directories before the last `**/` are taken leftmost."""
    head, *groups = _split(tokens, _DEEP)
    found = _components_regex(head)
    groups = [group for group in groups[:-1] if group] + groups[-1:]
    for number, group in enumerate(groups, 1):
        if number < len(groups):
            found += f"(?>(?:.*?/)??{_components_regex(group)})"
        else:
            found += f"(?:.*/)?{_components_regex(group)}"
    return found


def _components_regex(tokens: list[str]) -> str:
    return "/".join(_component_regex(part) for part in _split(tokens, _SLASH))


def _component_regex(tokens: list[str]) -> str:
    """Return the expression of one path part: pieces between stars are taken leftmost, the last one at the end."""
    if tokens[-1:] == [_REST]:
        return "".join(tokens[:-1]) + ".*"
    head, *pieces = ["".join(piece) for piece in _split(tokens, _STAR)]
    if not pieces:
        return head
    middle = "".join(f"(?>[^/]*?{piece})" for piece in pieces[:-1] if piece)
    return f"{head}{middle}[^/]*{pieces[-1]}"
