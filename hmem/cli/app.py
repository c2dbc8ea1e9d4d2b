"""The Typer application: global options and the list of commands."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from hmem.cli.boundary import DEBUG, Boundary
from hmem.cli.commands import (
    completion,
    config,
    doctor,
    eval,
    forget,
    get,
    help,
    index,
    ls,
    mcp,
    model,
    related,
    remember,
    remove,
    search,
    status,
    watch,
)
from hmem.cli.console import prepare_streams

CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}

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

COMMANDS = (
    *(index, search, related, get, remember, forget, watch, mcp, status, doctor, eval),
    *(ls, remove, model, config, completion, help),
)
for command in COMMANDS:
    command.register(app)


def _show_version(wanted: bool) -> None:
    if wanted:
        from hmem.version import __version__

        sys.stdout.write(f"hmem {__version__}\n")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", "-V", help="Print the version.", callback=_show_version, is_eager=True)
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show where an error comes from.")] = False,
) -> None:
    """Search notes, wikis and code."""
    if debug:
        os.environ[DEBUG] = "1"


def run() -> None:
    """Run the command line and exit."""
    prepare_streams()
    app(prog_name="hmem")
