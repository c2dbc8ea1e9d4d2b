r"""The grammar of a filter: `KEY OP VALUE[,VALUE…]`. Pure; knows nothing of what is stored.

A value is bare (to the next comma, trimmed) or in quotes: in single quotes everything is literal, in double quotes
`\"` and `\\` are escapes. Commas inside the braces of a glob do not separate.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from hmem.errors import QueryError

EXAMPLE = "write KEY=VALUE, for example `service=billing`, `priority>=2` or `path~wiki/**`"


class Op(StrEnum):
    """How a key's value is compared; `~` is a glob."""

    NE = "!="
    LE = "<="
    GE = ">="
    EQ = "="
    LT = "<"
    GT = ">"
    GLOB = "~"

    @property
    def orders(self) -> bool:
        """Whether the operator asks for more or less, not for equality."""
        return self in (Op.LT, Op.LE, Op.GT, Op.GE)


@dataclass(frozen=True, slots=True)
class Condition:
    """One filter as written. `values` are alternatives; `text` is the whole expression, `position` where VALUE starts.

    `lenient`: a key that no chunk has is no error (filters of the configuration apply to stores that lack the key).
    """

    key: str
    op: Op
    values: tuple[str, ...]
    text: str
    position: int = 0
    lenient: bool = False

    def error(self, message: str, hint: str | None = None) -> QueryError:
        """Return an error that points at the value."""
        return QueryError(
            f"{message}: `{self.text}` (at character {self.position + 1})",
            text=self.text,
            position=self.position,
            hint=hint,
        )


def parse_condition(text: str, *, lenient: bool = False) -> Condition:
    """Return the parsed filter, or raise QueryError with the position of what is wrong."""
    position, op = _operator(text)
    key = text[:position].strip()
    if not key:
        raise _error("a filter needs a key before its operator", text, position)
    start = position + len(op)
    start += len(text[start:]) - len(text[start:].lstrip())
    if text[start : start + 1] and text[start] in "=~<>":
        raise _error(f"unknown operator `{op}{text[start]}`", text, position, "put a value that starts so in quotes")
    values = _Values(text, start, braces=op is Op.GLOB).read()
    if op.orders and len(values) > 1:
        raise _error(f"`{op}` takes one value", text, start)
    return Condition(key, op, values, text.strip(), start, lenient)


def _error(message: str, text: str, position: int, hint: str | None = EXAMPLE) -> QueryError:
    return QueryError(f"{message}: `{text}` (at character {position + 1})", text=text, position=position, hint=hint)


def _operator(text: str) -> tuple[int, Op]:
    for position, character in enumerate(text):
        if character in "!=<>~":
            for op in Op:  # two characters before one
                if text.startswith(op.value, position):
                    return position, op
            raise _error(f"unknown operator `{character}`", text, position)
    raise _error("not a filter, it has no operator", text, len(text))


class _Values:
    """A reader of the comma-separated values from one position to the end."""

    def __init__(self, text: str, position: int, *, braces: bool) -> None:
        self._text = text
        self._at = position
        self._braces = braces

    def read(self) -> tuple[str, ...]:
        values = [self._value()]
        while self._at < len(self._text):  # at a comma
            self._at += 1
            values.append(self._value())
        return tuple(dict.fromkeys(values))

    def _value(self) -> str:
        while self._text[self._at : self._at + 1].isspace():
            self._at += 1
        quote = self._text[self._at : self._at + 1]
        return self._quoted(quote) if quote and quote in "\"'" else self._bare()

    def _quoted(self, quote: str) -> str:
        opened = self._at
        characters: list[str] = []
        self._at += 1
        while self._at < len(self._text):
            character = self._text[self._at]
            following = self._text[self._at + 1 : self._at + 2]
            if character == quote:
                self._at += 1
                self._expect_comma()
                return "".join(characters)
            if quote == '"' and character == "\\" and following and following in '"\\':
                character = following
                self._at += 1
            characters.append(character)
            self._at += 1
        raise _error("the quote is not closed", self._text, opened, "a quote inside a value goes into other quotes")

    def _expect_comma(self) -> None:
        while self._text[self._at : self._at + 1].isspace():
            self._at += 1
        if self._at < len(self._text) and self._text[self._at] != ",":
            raise _error("expected a comma after the quoted value", self._text, self._at, None)

    def _bare(self) -> str:
        start = self._at
        depth = 0
        while self._at < len(self._text):
            character = self._text[self._at]
            if self._braces and character in "{}":
                depth = max(0, depth + (1 if character == "{" else -1))
            if character == "," and not depth:
                break
            self._at += 1
        return self._text[start : self._at].strip()
