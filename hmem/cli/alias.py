"""Saved searches: `hmem search @NAME …` stands for the arguments that `[alias]` gives NAME."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand

MARK = "@"


class AliasCommand(TyperCommand):
    """A command whose `@NAME` arguments are replaced by the alias's own; an unknown one stays a word of the query."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Expand aliases, then parse as usual."""
        return super().parse_args(ctx, _expanded(args))


def _expanded(args: list[str]) -> list[str]:
    if not any(arg.startswith(MARK) for arg in args):
        return args
    from hmem.config import load

    aliases = load().aliases
    expanded: list[str] = []
    for position, arg in enumerate(args):
        if arg == "--":
            return expanded + args[position:]
        expanded += aliases.get(arg[1:], (arg,)) if arg.startswith(MARK) else (arg,)
    return expanded
