"""Definitions in source code, found line by line with the patterns of its language.

Linear in the length of the text: one pass finds what comments and strings span, one pass matches each line once.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from hmem.parse.languages import LANGUAGES, Syntax
from hmem.parse.patterns import matcher_for
from hmem.types import Definition, DefinitionKind

LONGEST_LINE: Final = 400
"""Lines above this many characters define nothing: they are data, generated or minified."""
TAB_WIDTH: Final = 4

# In these a function cannot stand inside another, so what looks like one there is a call or a declaration.
_FLAT: Final = frozenset({"c", "cpp", "objective-c", "csharp", "java", "dart", "groovy", "d", "glsl"})
# `const (` and its like in Go: each line of the block, one level in, defines a name.
_BLOCK_LANGUAGES: Final = frozenset({"go"})
_BLOCK_OPENER: Final = re.compile(r"(const|var|type)\s*\($")
_BLOCK_MEMBER: Final = re.compile(r"(?:\t| {4})([^\W\d]\w*)\b(?!\s*[.(])")


def indent_of(line: str) -> int:
    """Return the columns before the first character of `line` that is neither blank nor tab."""
    blanks = len(line) - len(line.lstrip(" \t"))
    return blanks + (TAB_WIDTH - 1) * line.count("\t", 0, blanks)


def goes_on(bare: str, name: str) -> bool:
    """Return whether the unindented line `bare`, at the column of the definition of `name` above, repeats the name.

    So do the equations of Haskell and the clauses of Erlang: they belong to one definition.
    """
    following = bare[len(name) : len(name) + 1]
    return bare.startswith(name) and not (following.isalnum() or following in ("_", "'"))


def _span(opening: str, closing: str, *, escapes: bool) -> str:
    """Return a pattern for all from `opening` to `closing`, or to the end of the text where that is missing.

    A leading line end in `opening` stands for the beginning of a line.
    """
    begin, end = re.escape(opening.lstrip("\n")), re.escape(closing)
    begin += f"(?<=^{begin})" if opening.startswith("\n") else ""
    body = rf"(?:\\[\s\S]|(?!{end})[^\\])*+" if escapes else rf"(?:(?!{end})[\s\S])*+"
    return rf"{begin}{body}(?:{end}|\Z)"


@cache
def _scanner(syntax: Syntax) -> re.Pattern[str]:
    """Return one pattern for everything whose inside is not code, longest marks first."""
    spans = [(*marks, False) for marks in syntax.comments] + [(*marks, True) for marks in syntax.strings]
    parts = [syntax.escape] if syntax.escape else []
    parts += [_span(o, c, escapes=e) for o, c, e in sorted(spans, key=lambda span: -len(span[0]))]
    parts += [re.escape(mark) + r"[^\n]*+" for mark in syntax.line]
    parts += [rf"{quote}(?:[^{quote}\\\n]|\\[\s\S])*+{quote}?" for quote in syntax.quotes]
    return re.compile("|".join(parts), re.MULTILINE)


def spanned_lines(text: str, lang: str) -> bytearray:
    """Return for each line of `text` (index 0 = line 1) 1 if a comment or string opened above goes on there, else 0.

    A mark that is never closed is taken for a misunderstanding: nothing below it is flagged.
    """
    flags = bytearray(text.count("\n") + 1)
    language = LANGUAGES.get(lang)
    if language is None or not (language.syntax.comments or language.syntax.strings):
        return flags
    closing = tuple(close for _, close in language.syntax.comments + language.syntax.strings)
    line, counted = 0, 0
    for match in _scanner(language.syntax).finditer(text):
        start, end = match.span()
        inside = text.count("\n", start, end)
        if inside and (end < len(text) or text.endswith(closing)):
            line += text.count("\n", counted, start)
            flags[line + 1 : line + inside + 1] = b"\x01" * inside
            line, counted = line + inside, end
    return flags


class _Outline:
    """The definitions that are open, by indentation, while the lines of a text pass by."""

    def __init__(self, lang: str) -> None:
        self._flat = lang in _FLAT
        self._open: list[tuple[int, DefinitionKind, str]] = []

    def leave(self, indent: int, bare: str) -> None:
        """Close what the line `bare` at `indent` ends, unless it goes on with a signature or is a preprocessor's."""
        if bare[0] in "){#]>" or (bare[0] == "}" and bare[-1] in "{(="):
            return
        while self._open and self._open[-1][0] >= indent:
            if self._open[-1][0] == indent and goes_on(bare, self._open[-1][2]):
                return
            self._open.pop()

    def admits(self, kind: DefinitionKind) -> bool:
        """Return whether `kind` can be defined here: values in functions are local, those in values are entries."""
        if kind is DefinitionKind.VALUE:
            return not self._open or self._open[-1][1] not in (DefinitionKind.FUNCTION, DefinitionKind.VALUE)
        if kind is DefinitionKind.FUNCTION and self._flat:
            return all(each is not DefinitionKind.FUNCTION for _, each, _ in self._open)
        return True

    def enter(self, indent: int, kind: DefinitionKind, name: str) -> None:
        """Open a definition of `name` at `indent`."""
        while self._open and self._open[-1][0] >= indent:
            self._open.pop()
        self._open.append((indent, kind, name))


def definitions_in(text: str, lang: str) -> tuple[Definition, ...]:
    """Return the names that `text`, written in `lang`, introduces, by line; () for an unknown language.

    Names are as written, a qualifier included (`Box::open`, `M.open`); of a method in Go `Receiver.name`.
    Lines inside comments and strings, and lines over `LONGEST_LINE` characters, yield nothing. Never raises.
    """
    matcher = matcher_for(lang)
    if matcher is None:
        return ()
    spanned = spanned_lines(text, lang)
    outline = _Outline(lang)
    found: list[Definition] = []
    block: DefinitionKind | None = None
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw.rstrip()
        bare = line.lstrip(" \t")
        if not bare or len(line) > LONGEST_LINE or spanned[number - 1]:
            continue
        indent = indent_of(line)
        outline.leave(indent, bare)
        if block is not None:
            block = None if line.startswith(")") else block
            if block and (member := _BLOCK_MEMBER.match(line)) and member[1] != "_":
                found.append(Definition(number, indent, member[1], block))
        elif lang in _BLOCK_LANGUAGES and (opener := _BLOCK_OPENER.match(line)):
            block = DefinitionKind.TYPE if opener[1] == "type" else DefinitionKind.VALUE
        elif match := matcher.match(line, len(line) - len(bare)):
            kind, name = match
            if outline.admits(kind):
                outline.enter(indent, kind, name)
                found.append(Definition(number, indent, name, kind))
    return tuple(found)
