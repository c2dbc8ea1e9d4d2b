"""The Typer application: global options, and the commands, loaded as they are needed."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from hmem.cli.boundary import DEBUG
from hmem.cli.console import prepare_streams
from hmem.cli.group import Boundary

if TYPE_CHECKING:
    from collections.abc import Sequence

CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}

COMMANDS = (
    *("index", "search", "related", "get", "remember", "forget", "watch", "serve", "mcp", "status", "doctor", "eval"),
    *("ls", "remove", "model", "config", "completion", "help"),
)
"""In the order of `hmem --help`; each is a module of `hmem.cli.commands`."""


def _show_version(wanted: bool) -> None:
    if wanted:
        from hmem.version import __version__

        sys.stdout.write(f"hmem {__version__}\n")
        raise typer.Exit


def _options(
    version: Annotated[
        bool, typer.Option("--version", "-V", help="Print the version.", callback=_show_version, is_eager=True)
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show where an error comes from.")] = False,
) -> None:
    """Search notes, wikis and code."""
    if debug:
        os.environ[DEBUG] = "1"


def application(names: Sequence[str] = COMMANDS) -> typer.Typer:
    """Return the application with the commands `names`."""
    app = typer.Typer(
        name="hmem",
        cls=Boundary,
        help="A memory for the command line: index notes, wikis and code, ask in words or names, see why a hit ranks.",
        epilog="First: `hmem index ~/notes`, then `hmem search 'connection pool exhausted'`.",
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings=CONTEXT,
    )
    app.callback()(_options)
    for name in names:
        import_module(f"hmem.cli.commands.{name}").register(app)
    return app


def run() -> NoReturn:
    """Run the command line and exit."""
    prepare_streams()
    application(_needed(sys.argv[1:]))(prog_name="hmem")
    raise AssertionError("the boundary exits")


def _needed(words: Sequence[str]) -> Sequence[str]:
    """Return the commands that a command line can reach: loading all of them takes a tenth of a search."""
    named = words[:1]
    return named if named and named[0] in COMMANDS and named[0] != "help" else COMMANDS
