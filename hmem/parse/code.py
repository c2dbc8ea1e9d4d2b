"""Definitions in source code, found line by line with the patterns of its language.

Linear in the length of the text: one pass finds what comments and strings span, one pass matches each line once.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from hmem.parse.languages import LANGUAGES, Syntax
from hmem.parse.patterns import matcher_for
from hmem.types import Definition, DefinitionKind

LONGEST_LINE: Final = 400
"""Lines above this many characters define nothing: they are data, generated or minified."""
TAB_WIDTH: Final = 4

# Words that stand where a name would, in languages whose functions have no keyword of their own.
_NOT_NAMES: Final = frozenset(
    "if else elif elsif for foreach while until do switch case when match return break continue goto throw throws try catch "
    "except finally with in of is not and or new delete sizeof alignof typeof typeid decltype defined await yield assert "
    "import from using use require include package where then end begin unless let var val const lock fixed checked "
    "nameof stackalloc this self super base operator static_assert function func def fn class struct enum".split()
)
# In these a function cannot stand inside another, so what looks like one there is a call or a declaration.
_FLAT: Final = frozenset({"c", "cpp", "objective-c", "csharp", "java", "dart", "groovy", "d"})
# `const (` and its like: each line of the block, one level in, defines a name.
_BLOCK_OPENER: Final = re.compile(r"(const|var|type)\s*\($")
_BLOCK_MEMBER: Final = re.compile(r"(?:\t| {4})([^\W\d]\w*)\b(?!\s*[.(])")
_BLOCK_LANGUAGES: Final = frozenset({"go"})


def indent_of(line: str) -> int:
    """Columns before the first character that is neither blank nor tab."""
    columns = 0
    for character in line:
        if character == " ":
            columns += 1
        elif character == "\t":
            columns += TAB_WIDTH
        else:
            break
    return columns


def _span(opening: str, closing: str, *, escapes: bool) -> str:
    body = r"(?:\\[\s\S]|(?!{0})[^\\])*+" if escapes else r"(?:(?!{0})[\s\S])*+"
    end = re.escape(closing)
    return re.escape(opening) + body.format(end) + rf"(?:{end}|\Z)"


@lru_cache(maxsize=None)
def _scanner(syntax: Syntax) -> re.Pattern[str]:
    """One pattern for everything whose inside is not code, longest marks first."""
    spans = [(o, c, False) for o, c in syntax.comments] + [(o, c, True) for o, c in syntax.strings]
    parts = [syntax.escape] if syntax.escape else []
    parts += [_span(o, c, escapes=e) for o, c, e in sorted(spans, key=lambda span: -len(span[0]))]
    parts += [re.escape(mark) + r"[^\n]*+" for mark in syntax.line]
    parts += [rf"{quote}(?:[^{quote}\\\n]|\\[\s\S])*+{quote}?" for quote in syntax.quotes]
    return re.compile("|".join(parts))


def spanned_lines(text: str, lang: str) -> bytearray:
    """For each line of `text` (index 0 = line 1), 1 if it starts inside a comment or string opened above it."""
    flags = bytearray(text.count("\n") + 1)
    language = LANGUAGES.get(lang)
    if language is None or not (language.syntax.comments or language.syntax.strings):
        return flags
    line, counted = 0, 0
    for match in _scanner(language.syntax).finditer(text):
        start, end = match.span()
        inside = text.count("\n", start, end)
        if inside:
            line += text.count("\n", counted, start)
            flags[line + 1 : line + inside + 1] = b"\x01" * inside
            line, counted = line + inside, end
    return flags


class _Outline:
    """The definitions that are open, by indentation, while lines pass by."""

    def __init__(self, lang: str) -> None:
        self._flat = lang in _FLAT
        self._open: list[tuple[int, DefinitionKind]] = []

    def leave(self, indent: int, first: str) -> None:
        """Close what a line at `indent` that starts with `first` ends."""
        if first in "){#]" or not self._open:  # the rest of a signature, or a preprocessor line at any column
            return
        while self._open and self._open[-1][0] >= indent:
            self._open.pop()

    def admits(self, kind: DefinitionKind) -> bool:
        """Whether a definition of `kind` can stand here: values inside functions are local and left out."""
        if not self._open or self._open[-1][1] is not DefinitionKind.FUNCTION:
            return True
        return kind is DefinitionKind.TYPE or (kind is DefinitionKind.FUNCTION and not self._flat)

    def enter(self, indent: int, kind: DefinitionKind) -> None:
        if kind is not DefinitionKind.VALUE:
            while self._open and self._open[-1][0] >= indent:
                self._open.pop()
            self._open.append((indent, kind))


def definitions_in(text: str, lang: str) -> tuple[Definition, ...]:
    """Names that `text`, written in `lang`, introduces, in the order of their lines; () for an unknown language.

    Lines inside comments and strings, and lines over `LONGEST_LINE` characters, yield nothing. Never raises.
    """
    matcher = matcher_for(lang)
    if matcher is None:
        return ()
    spanned = spanned_lines(text, lang)
    outline = _Outline(lang)
    found: list[Definition] = []
    block: DefinitionKind | None = None
    for number, line in enumerate(text.split("\n"), 1):
        bare = line.lstrip(" \t")
        if not bare or len(line) > LONGEST_LINE or spanned[number - 1]:
            continue
        indent = indent_of(line)
        outline.leave(indent, bare[0])
        if block is not None:
            block = None if line.startswith(")") else block
            member = _BLOCK_MEMBER.match(line) if block else None
            if member and block:
                found.append(Definition(number, indent, member[1], block))
            continue
        if lang in _BLOCK_LANGUAGES and (opener := _BLOCK_OPENER.match(line)):
            block = DefinitionKind.TYPE if opener[1] == "type" else DefinitionKind.VALUE
            continue
        match = matcher.match(bare.rstrip())
        if match is None or match[1] in _NOT_NAMES or not outline.admits(match[0]):
            continue
        outline.enter(indent, match[0])
        found.append(Definition(number, indent, match[1], match[0]))
    return tuple(found)
