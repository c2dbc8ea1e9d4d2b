"""The one place where exceptions become messages and exit codes.

0 found or done · 1 nothing found · 2 error · 130 interrupted. A closed pipe ends quietly with 0.
"""

from __future__ import annotations

import errno
import os
import re
import sys
import traceback
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperGroup

from hmem.cli.console import hint, message, report_error, silence_stdout
from hmem.errors import HmemError

if TYPE_CHECKING:
    from collections.abc import Sequence

EXIT_NO_HIT = 1
EXIT_ERROR = 2
EXIT_INTERRUPTED = 130
DEBUG = "HMEM_DEBUG"
"""With this variable (or `hmem --debug`) an exception is shown with its traceback."""


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
        sys.exit(_outcome(self, list(sys.argv[1:] if args is None else args), prog_name or "hmem", extra))


def _outcome(group: TyperGroup, args: list[str], name: str, extra: dict[str, Any]) -> int:
    """Run `args` and flush; return the exit code."""
    try:
        code = _run(group, args, name, extra)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except OSError as error:
        return _of_os_error(error)
    except HmemError as error:
        _show_origin(error)
        report_error(error)
        return _flushed(error.exit_code)
    except Exception as error:
        return _of_unexpected(error, _path_of(group, name, args))
    return code


def _run(group: TyperGroup, args: list[str], name: str, extra: dict[str, Any]) -> int:
    try:
        with group.make_context(name, args, **extra) as context:
            group.invoke(context)
    except typer.Exit as end:
        return end.exit_code
    except typer.Abort:
        return EXIT_INTERRUPTED
    return 0


def _flushed(code: int) -> int:
    """Write out what was printed before an error; return `code`."""
    try:
        sys.stdout.flush()
    except OSError:
        silence_stdout()
    return code


def _of_os_error(error: OSError) -> int:
    if error.errno == errno.EPIPE:
        silence_stdout()
        return 0
    _show_origin(error)
    where = f": `{os.fsdecode(error.filename)}`" if error.filename else ""
    message("error", f"{(error.strerror or str(error)).lower()}{where}")
    silence_stdout()
    return EXIT_ERROR


def _path_of(group: TyperGroup, name: str, args: list[str]) -> str:
    """Return which command `args` call, `hmem search`, as far as they do."""
    first = next((arg for arg in args if not arg.startswith("-")), "")
    return f"{name} {first}" if first in group.commands else name


def _of_unexpected(error: Exception, command: str) -> int:
    if hasattr(error, "format_message"):  # Typer's own: a bad option or argument
        return _of_usage(error, command)
    _show_origin(error)
    if isinstance(error, MemoryError):
        message("error", "out of memory")
        return _flushed(EXIT_ERROR)
    message("error", f"this is a bug in hmem: {type(error).__name__}: {error}")
    hint(f"run again with `{DEBUG}=1` and report what it prints")
    return _flushed(EXIT_ERROR)


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


def _show_origin(error: Exception) -> None:
    """Write the traceback if the user asked for it."""
    if os.environ.get(DEBUG):
        traceback.print_exception(error)
