"""How a command line of a search reads: saved searches are expanded, and its help groups the flags."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand

MARK = "@"


class SearchCommand(TyperCommand):
    """A command whose `@NAME` arguments stand for those that `[alias]` gives NAME; an unknown one stays a word."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Expand aliases, then parse as usual."""
        return super().parse_args(ctx, _expanded(args))

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the options under their headings."""
        groups: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None and parameter.param_type_name == "option":
                heading = getattr(parameter, "rich_help_panel", None) or "Options"
                groups.setdefault(heading, []).append(record)
        # What every command has goes last.
        for heading in sorted(groups, key=lambda name: name == "Options"):
            with formatter.section(heading):
                formatter.write_dl(groups[heading])


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
