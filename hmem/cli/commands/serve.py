"""`hmem serve`: a warm process that answers the searches of others."""

from __future__ import annotations

import signal
from contextlib import suppress
from typing import Annotated

import typer

from hmem.cli import options as shared

EPILOG = "Example: hmem serve --idle 30m &"
DEFAULT_IDLE = "1h"


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("serve", short_help="Answer searches from a warm process.", epilog=EPILOG)(serve)


def serve(
    store: shared.Store = None,
    idle: Annotated[
        str, typer.Option("--idle", metavar="TIME", help="End after so long without a search: 90s, 30m, 1h.")
    ] = DEFAULT_IDLE,
    quiet: shared.Quiet = False,
) -> None:
    """Keep everything loaded and let `search`, `related` and `get` of this user take it, until Ctrl-C or idleness.

    They find it by themselves and print the same, in a fraction of the time. A `hmem watch` brings its own.
    """
    from hmem.library import KnowledgeBase
    from hmem.resident.server import serve as serve_directory

    seconds = _seconds(idle)
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with suppress(KeyboardInterrupt), KnowledgeBase.open(store) as memory:
            if not quiet:
                typer.echo(f"answering for {memory.directory}", err=True)
            serve_directory(memory.directory, memory.settings, idle=seconds)
    finally:
        signal.signal(signal.SIGTERM, before)


_UNITS = {"s": 1, "m": 60, "h": 3600}


def _seconds(text: str) -> float:
    """Return the seconds of `90s`, `30m`, `1h`. Raises UsageError."""
    from hmem.errors import UsageError

    number, unit = text[:-1], text[-1:]
    if unit not in _UNITS or not number.isdecimal() or int(number) == 0:
        raise UsageError(f"not a time: `{text}`", hint="write `90s`, `30m` or `1h`")
    return int(number) * _UNITS[unit]
