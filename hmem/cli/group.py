"""The Typer group of all commands: its errors go the way of all others, in hmem's words."""

from __future__ import annotations

import re
import sys
from difflib import get_close_matches
from functools import partial
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperGroup

from hmem.cli.boundary import EXIT_ERROR, EXIT_INTERRUPTED, guarded, of_bug
from hmem.cli.console import hint, message

if TYPE_CHECKING:
    from collections.abc import Sequence

_NUMBERS = (
    (r"is not a valid int(eger)?$", "is not a whole number"),
    (r"is not a valid float$", "is not a number"),
    (r"(\S+) is not in the range x>=(\S+)$", r"`\1` is less than \2"),
)
"""What Typer says of a bad number, in words that are not Python's."""


class Boundary(TyperGroup):
    """The command group that turns what parsing and commands raise into an exit code, for the shell and tests alike."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Run the command line and exit the process."""
        words, name = list(sys.argv[1:] if args is None else args), prog_name or "hmem"
        unexpected = partial(_of_unexpected, command=_path_of(self, name, words))
        sys.exit(guarded(lambda: _run(self, words, name, extra), unexpected))


def _run(group: TyperGroup, args: list[str], name: str, extra: dict[str, Any]) -> int:
    try:
        with group.make_context(name, args, **extra) as context:
            group.invoke(context)
    except typer.Exit as end:
        return end.exit_code
    except typer.Abort:
        return EXIT_INTERRUPTED
    return 0


def _path_of(group: TyperGroup, name: str, args: list[str]) -> str:
    """Return which command `args` call, `hmem search`, as far as they do."""
    first = next((arg for arg in args if not arg.startswith("-")), "")
    return f"{name} {first}" if first in group.commands else name


def _of_unexpected(error: Exception, command: str) -> int:
    """Report what Typer says of a bad option or argument; anything else is a bug."""
    return _of_usage(error, command) if hasattr(error, "format_message") else of_bug(error)


def _of_usage(error: Any, command: str) -> int:
    context = getattr(error, "ctx", None)
    command = context.command_path if context else command
    if type(error).__name__ == "NoArgsIsHelpError":
        sys.stderr.write(error.format_message() + "\n")
        return EXIT_ERROR
    option, known = getattr(error, "option_name", None), getattr(error, "possibilities", None)
    is_unknown = type(error).__name__ == "NoSuchOption"
    text = f"no such option: `{option}`" if is_unknown else _reworded(error.format_message())
    message("error", text)
    if near := _near_option(context, option, known) or _near_command(context, text):
        hint(f"did you mean `{near}`?")
    elif is_unknown and command.endswith(("search", "related", "remember")):
        what = "text" if command.endswith("remember") else "query"
        hint(f"write `--` before a {what} that starts with `-`")
    else:
        hint(f"`{command} --help` shows how it is used")
    return EXIT_ERROR


def _near_option(context: Any, option: str | None, known: Sequence[str] | None) -> str | None:
    """Return the option that was meant: `-k` for `--k`, else what Typer takes for the nearest."""
    short = option[1:] if option and re.fullmatch(r"--\w", option) else None
    names = {name for parameter in context.command.params for name in parameter.opts} if context and short else ()
    return short if short in names else next(iter(known or ()), None)


def _near_command(context: Any, text: str) -> str | None:
    match = re.fullmatch(r"no such command `(.*)`", text, re.DOTALL)
    if not match or not isinstance(context.command, TyperGroup):
        return None
    return next(iter(get_close_matches(match[1], context.command.list_commands(context), n=1)), None)


def _reworded(text: str) -> str:
    """Return Typer's sentence in the style of our messages: lower case, backticks, no full stop."""
    plain = text.strip().partition(". Did you mean")[0].removesuffix(".")
    quoted = re.sub(r"'([^']*)'", r"`\1`", plain)
    for pattern, words in _NUMBERS:
        quoted = re.sub(pattern, words, quoted)
    return quoted[:1].lower() + quoted[1:]
