"""Pieces that the pattern tables share.

A rule is a kind and a pattern, matched where the indentation of a line ends. Its groups, joined with ".", are the
name (`Receiver.method` in Go). Repeated parts are possessive (`*+`, `++`), cannot meet what follows them, or are
bounded by a delimiter, so that no line takes more than quadratic time, and lines are short.
"""

from __future__ import annotations

from typing import Final, TypeAlias

from hmem.types import DefinitionKind

Rule: TypeAlias = tuple[DefinitionKind, str]
Rules: TypeAlias = tuple[Rule, ...]

TYPE: Final = DefinitionKind.TYPE
FUNCTION: Final = DefinitionKind.FUNCTION
VALUE: Final = DefinitionKind.VALUE
SCOPE: Final = DefinitionKind.SCOPE

NAME: Final = r"([^\W\d]\w*+)"
NOT_STATEMENT: Final = (
    r"(?!(?:if|else|elif|for|foreach|while|until|do|switch|case|match|return|break|continue|goto|throw|try|catch|finally|with|"
    r"new|delete|sizeof|alignof|typeof|typeid|decltype|defined|await|yield|assert|static_assert|using|lock|fixed|checked|"
    r"nameof|super|function|import|from|in|of|is|not|and|or)\b)"
)
"""Where functions have no keyword of their own, what must not be taken for their type or their name."""
FREE_NAME: Final = NOT_STATEMENT + NAME
LOWER_NAME: Final = r"([a-z_][\w']*+)"
UPPER_NAME: Final = r"([A-Z][\w']*+)"
TOP: Final = r"(?<![ \t])"
"""Only at the margin: the character before is neither blank nor tab."""
ANNOTATIONS: Final = r"(?:@(?!interface\b)[\w.:]++(?:\([^()]*+\))?\s++)*+"
"""`@Name` and `@Name(…)` on the same line."""


def modifiers(words: str) -> str:
    """Return a pattern for any number of `words`, each perhaps with an argument in brackets: `private[core]`."""
    return rf"(?:(?:{'|'.join(words.split())})\b(?:\([^()]*+\)|\[[^\[\]]*+\])?\s++)*+"


def some_modifiers(words: str) -> str:
    """Return a pattern for one or more of `words`."""
    return rf"(?:(?:{'|'.join(words.split())})\s++)++"
