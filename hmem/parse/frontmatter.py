"""The block of metadata at the top of a page: YAML between `---` lines, TOML between `+++` lines.

A page comes from anywhere, so nothing in its front matter is acted on: YAML is read as a stream of events into plain
JSON values (no tags, no objects), within fixed limits of size, depth, values and aliases.
"""

from __future__ import annotations

import datetime
import math
import re
from dataclasses import dataclass, field
from typing import Any

import tomli
import yaml

from hmem.types import Json

MAX_SIZE = 65_536
MAX_DEPTH = 32
MAX_VALUES = 10_000
# An alias stands for a whole subtree; nested, they double it each time. Real front matter has none or one.
MAX_ALIASES = 8

_OPEN = re.compile(r"(---|\+\+\+)[ \t]*\n")
_CLOSE = {"---": re.compile(r"^(?:---|\.\.\.)[ \t]*$", re.M), "+++": re.compile(r"^\+\+\+[ \t]*$", re.M)}
_KEY_LINE = {
    "---": re.compile(r"""["']?[^\W\d][\w .\-]*["']?[ \t]*:(?:\s|$)"""),
    "+++": re.compile(r"""\[|["'\w][\w ."'\-]*="""),
}
_COMMENTS = re.compile(r"(?:[ \t]*(?:#[^\n]*)?\n)*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+(?:[eE][-+]?[0-9]+)?)?")
_DATE = re.compile(
    r"(\d{4}-\d{1,2}-\d{1,2})(?:(?:[Tt]|[ \t]+)(\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?)[ \t]*(Z|[-+]\d{1,2}(?::?\d{2})?)?)?"
)
_WORDS: dict[str, Json] = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
}  # fmt: skip
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """What stands at the top of a page.

    `body_line` is the 1-based line after a valid block (1 without one); `scan_line` the line from which the text is
    read as prose: the same, but behind a broken block too. `warning` is the reason why a block was not understood.
    """

    metadata: dict[str, Json] = field(default_factory=dict)
    body_line: int = 1
    scan_line: int = 1
    warning: str | None = None


class _Refused(ValueError):
    """The block is not the mapping that front matter is; the text is the reason."""


def read_front_matter(text: str) -> FrontMatter:
    """Return the front matter of `text`; a block that is none (a letterhead, a rule) is no reason for a warning."""
    opening = _OPEN.match(text)
    if opening is None:
        return FrontMatter()
    fence = opening[1]
    closing = _CLOSE[fence].search(text, opening.end(), opening.end() + MAX_SIZE)
    if closing is None:
        reason = f"it is not closed within {MAX_SIZE // 1024} KiB"
        warning = _warning(reason) if _looks_meant(fence, text, opening.end()) else None
        return FrontMatter(warning=warning)
    block = text[opening.end() : closing.start()]
    after = block.count("\n") + 3
    try:
        metadata = _read_toml(block) if fence == "+++" else _read_yaml(block)
    except _Refused as error:
        if not _looks_meant(fence, text, opening.end()):
            return FrontMatter()
        return FrontMatter(scan_line=after, warning=_warning(str(error)))
    return FrontMatter(metadata=metadata, body_line=after, scan_line=after)


def _warning(reason: str) -> str:
    return f"front matter ignored: {reason}"


def _looks_meant(fence: str, text: str, start: int) -> bool:
    """Whether the first line of a block has the form of a key, so that somebody meant it as front matter."""
    comments = _COMMENTS.match(text, start)
    return _KEY_LINE[fence].match(text, comments.end() if comments else start) is not None


def _read_yaml(block: str) -> dict[str, Json]:
    try:
        value = _Builder().build(block)
    except yaml.YAMLError as error:
        raise _Refused(_yaml_reason(error)) from None
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise _Refused("it is not a mapping")
    return value


def _yaml_reason(error: yaml.YAMLError) -> str:
    problem = getattr(error, "problem", None) or getattr(error, "reason", None) or "it is not YAML"
    mark = getattr(error, "problem_mark", None)
    return f"{problem} (line {mark.line + 2})" if mark is not None else str(problem)


class _Builder:
    """JSON values out of YAML events, by the core rules of YAML 1.2: `no` and `12:30` stay text."""

    def __init__(self) -> None:
        self._anchors: dict[str, tuple[Json, int]] = {}
        self._values = 0
        self._aliases = 0

    def build(self, block: str) -> Json:
        """Return the value of the one document in `block`; raises `_Refused` past a limit, `yaml.YAMLError`."""
        root: list[Json] = []
        stack: list[_Open] = [_Open(root, None, 0)]
        for event in yaml.parse(block, Loader=_LOADER):
            if isinstance(event, yaml.ScalarEvent):
                self._add(stack[-1], self._scalar(event), 1, event.anchor)
            elif isinstance(event, yaml.AliasEvent):
                self._add(stack[-1], *self._alias(event), None)
            elif isinstance(event, (yaml.MappingStartEvent, yaml.SequenceStartEvent)):
                if len(stack) > MAX_DEPTH:
                    raise _Refused(f"it is nested more than {MAX_DEPTH} levels deep")
                into: dict[str, Json] | list[Json] = {} if isinstance(event, yaml.MappingStartEvent) else []
                stack.append(_Open(into, event.anchor, self._values))
            elif isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
                done = stack.pop()
                self._add(stack[-1], done.into, 1 + self._values - done.before, done.anchor, counted=True)
        return root[0] if root else None

    def _add(self, to: _Open, value: Json, size: int, anchor: str | None, *, counted: bool = False) -> None:
        self._values += 1 if counted else size
        if self._values > MAX_VALUES:
            raise _Refused(f"it holds more than {MAX_VALUES:,} values")
        if anchor is not None:
            self._anchors[anchor] = (value, size)
        to.add(value)

    def _scalar(self, event: Any) -> Json:
        plain = not event.style and event.implicit[0]
        return plain_value(event.value) if plain else str(event.value)

    def _alias(self, event: Any) -> tuple[Json, int]:
        self._aliases += 1
        if self._aliases > MAX_ALIASES:
            raise _Refused(f"it has more than {MAX_ALIASES} aliases")
        if event.anchor not in self._anchors:
            raise _Refused(f"the alias `*{event.anchor}` has no anchor before it")
        return self._anchors[event.anchor]


class _Open:
    """A collection being filled: its values in order, and for a mapping the key that waits for its value."""

    __slots__ = ("anchor", "before", "into", "key")

    def __init__(self, into: dict[str, Json] | list[Json], anchor: str | None, before: int) -> None:
        self.into = into
        self.anchor = anchor
        self.before = before
        self.key: str | None = None

    def add(self, value: Json) -> None:
        if isinstance(self.into, list):
            self.into.append(value)
        elif self.key is None:
            if isinstance(value, (dict, list)):
                raise _Refused("a key is not a plain word")
            self.key = _key(value)
        else:
            if self.key == "<<" and isinstance(value, dict):
                self.into.update({key: each for key, each in value.items() if key not in self.into})
            else:
                self.into[self.key] = value
            self.key = None


def _key(value: Json) -> str:
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return str(value)


def plain_value(word: str) -> Json:
    """Return the value that an unquoted word stands for: null, truth, number, date as ISO text, else itself.

    A number is what JSON calls one, so `007`, `+49` and `1_000` stay text, and so does `12e4`, which is a short hash.
    """
    if word in _WORDS:
        return _WORDS[word]
    if _NUMBER.fullmatch(word) and len(word) <= 40:
        number = float(word) if "." in word else int(word)
        return number if math.isfinite(number) else word
    match = _DATE.fullmatch(word)
    return _iso_date(match) or word if match else word


def _iso_date(match: re.Match[str]) -> str | None:
    """Return a YAML timestamp in ISO form, None if there is no such day or time."""
    day, time, zone = match.groups()
    year, month, number = (int(part) for part in day.split("-"))
    try:
        iso = datetime.date(year, month, number).isoformat()
        if time is None:
            return iso
        hour, _, rest = time.partition(":")
        moment = datetime.time.fromisoformat(f"{int(hour):02}:{rest}")
        return f"{iso}T{moment.isoformat()}{_iso_zone(zone)}"
    except ValueError:
        return None


def _iso_zone(zone: str | None) -> str:
    if zone is None:
        return ""
    if zone == "Z":
        return "+00:00"
    hours, _, minutes = zone[1:].partition(":")
    if len(hours) > 2:
        hours, minutes = hours[:-2], hours[-2:]
    return f"{zone[0]}{int(hours):02}:{minutes or '00'}"


def _read_toml(block: str) -> dict[str, Json]:
    try:
        table = tomli.loads(block)
    except (ValueError, RecursionError) as error:
        raise _Refused(str(error) or "it is nested too deep") from None
    return {key: _toml_value(value, 1) for key, value in table.items()}


def _toml_value(value: Any, depth: int) -> Json:
    if depth > MAX_DEPTH:
        raise _Refused(f"it is nested more than {MAX_DEPTH} levels deep")
    if isinstance(value, dict):
        return {str(key): _toml_value(each, depth + 1) for key, each in value.items()}
    if isinstance(value, list):
        return [_toml_value(each, depth + 1) for each in value]
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value if isinstance(value, (bool, int, float)) else str(value)
