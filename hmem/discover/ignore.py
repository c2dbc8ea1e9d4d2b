"""The gitignore pattern language and how several ignore files combine. Pure: nothing here touches the disk.

Patterns follow git (checked against it by a property test): the last matching line of a file decides, `!` takes a
path back in, a trailing `/` limits a pattern to directories, a `/` elsewhere ties it to the directory of its file,
`**` spans directories. Two deliberate differences: `?` and `[…]` take one character where git takes one byte, and
names are compared in NFC, so that a pattern typed on one system finds a name written by another.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hmem.discover.glob import Glob, compile_glob

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from hmem.discover.glob import Matcher

_LONGEST_PATTERN = 4096  # characters; the longest path that a system takes at once


def normal_form(name: str) -> str:
    """Return `name` as patterns see it: NFC. ASCII names come back as they are, at no cost."""
    return name if name.isascii() else unicodedata.normalize("NFC", name)


@dataclass(frozen=True, slots=True)
class Rule:
    """One pattern line. `anchored` ones are matched with the path below the file's directory, others with the name."""

    pattern: str
    line: int
    negated: bool
    directory_only: bool
    anchored: bool
    glob: Glob

    @property
    def is_specific(self) -> bool:
        """Whether the pattern names something; `!*/` does not, it only lets an allow list reach into directories."""
        return any(character.isalnum() for character in self.pattern)


def parse_rule(text: str, line: int = 0) -> Rule | None:
    """Return the rule on one line of an ignore file, None for a blank line, a comment, or what cannot match."""
    pattern = _trim(text.removesuffix("\r"))
    if not pattern or pattern.startswith("#") or len(pattern) > _LONGEST_PATTERN:
        return None
    negated = pattern.startswith("!")
    body = pattern[1:] if negated else pattern
    directory_only = body.endswith("/")
    body = body.removesuffix("/")
    anchored = "/" in body
    glob = compile_glob(normal_form(body.removeprefix("/") if anchored else body), crosses_slash=anchored)
    return None if glob is None else Rule(pattern, line, negated, directory_only, anchored, glob)


def _trim(text: str) -> str:
    """Return `text` without trailing blanks, except the one after a backslash."""
    stripped = text.rstrip(" ")
    backslashes = len(stripped) - len(stripped.rstrip("\\"))
    return stripped + " " if len(stripped) < len(text) and backslashes % 2 else stripped


class Rules:
    """The rules of one ignore file, with a quick test for the usual case that none of them matches.

    `source` names the file in messages. A path given to `match` is relative to the collection; `cut` characters of
    it are dropped and `lead` is put in front to make it relative to the file's own directory (a file above the
    collection has a `lead`, one inside it has a `cut`).
    """

    __slots__ = ("_by_path", "_latest_first", "_name_filter", "_path_filter", "cut", "lead", "source")

    def __init__(self, rules: Iterable[Rule], *, source: str = "", cut: int = 0, lead: str = "") -> None:
        self.source = source
        self.cut = cut
        self.lead = lead
        self._latest_first = tuple(rules)[::-1]
        self._by_path = any(rule.anchored for rule in self._latest_first)
        self._name_filter = _Filter([rule.glob for rule in self._latest_first if not rule.anchored])
        self._path_filter = _Filter([rule.glob for rule in self._latest_first if rule.anchored])

    def __bool__(self) -> bool:
        return bool(self._latest_first)

    def match(self, name: str, path: str, is_dir: bool) -> Rule | None:
        """Return the rule that decides about `path`, whose last part is `name` (both in NFC), or None."""
        below = self.lead + path[self.cut :] if self._by_path else ""
        if not (self._name_filter.may_match(name) or (self._by_path and self._path_filter.may_match(below))):
            return None
        for rule in self._latest_first:
            if rule.directory_only and not is_dir:
                continue
            if rule.glob.matches(below if rule.anchored else name):
                return rule
        return None


class _Filter:
    """Says quickly that none of many globs matches: one dictionary, two tuples and one regular expression."""

    __slots__ = ("_exact", "_general", "_prefixes", "_suffixes")

    def __init__(self, globs: Sequence[Glob]) -> None:
        self._exact = frozenset(glob.exact for glob in globs if glob.exact is not None)
        self._prefixes = tuple(glob.prefix for glob in globs if glob.prefix is not None)
        self._suffixes = tuple(glob.suffix for glob in globs if glob.suffix is not None)
        general = [glob.regex for glob in globs if glob.regex is not None]
        self._general: Matcher | None = re.compile("|".join(general), re.DOTALL).fullmatch if general else None

    def may_match(self, text: str) -> bool:
        return (
            text in self._exact
            or text.endswith(self._suffixes)
            or text.startswith(self._prefixes)
            or (self._general is not None and self._general(text) is not None)
        )


def parse_rules(text: str, *, source: str = "", cut: int = 0, lead: str = "") -> Rules:
    """Return the rules of an ignore file. Any text is legal; see `Rules` for the keywords."""
    lines = text.removeprefix("\ufeff").split("\n")
    parsed = (parse_rule(line, number) for number, line in enumerate(lines, 1))
    return Rules((rule for rule in parsed if rule is not None), source=source, cut=cut, lead=lead)


def parse_globs(patterns: Iterable[str], *, source: str) -> Rules:
    """Return the rules of command-line globs: as lines of an ignore file at the root; `./x` means `/x`, `#` itself."""
    lines = (re.sub(r"\A(!?)(?:\./)+(?=.)", r"\1/", pattern) for pattern in patterns)
    parsed = (parse_rule("\\" + line if line.startswith("#") else line) for line in lines)
    return Rules((rule for rule in parsed if rule is not None), source=source)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the ignore files say about one path: left out or, by a `!` rule, taken back in; and which rule said so."""

    ignored: bool
    rules: Rules
    rule: Rule

    @property
    def detail(self) -> str:
        """The rule with its place, `docs/.gitignore:3: *.log`."""
        place = f"{self.rules.source}:{self.rule.line}" if self.rule.line else self.rules.source
        return f"{place}: {self.rule.pattern}"


@dataclass(frozen=True, slots=True)
class Layers:
    """The ignore files in force in one directory, outermost first in each layer.

    The kind of file outranks its depth (as in ripgrep): `.hmemignore` over `.ignore` over git's. Within a kind the
    deeper file wins. A directory that is itself a git repository starts without the rules of the one around it.
    """

    git: tuple[Rules, ...] = ()
    ignore: tuple[Rules, ...] = ()
    hmem: tuple[Rules, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.git or self.ignore or self.hmem)

    def verdict(self, name: str, path: str, is_dir: bool) -> Verdict | None:
        """Return what the files say about `path` (relative to the collection, NFC), None if they do not mention it."""
        for layer in (self.hmem, self.ignore, self.git):
            for rules in reversed(layer):
                rule = rules.match(name, path, is_dir)
                if rule is not None:
                    return Verdict(not rule.negated, rules, rule)
        return None
