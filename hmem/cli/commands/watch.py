"""`hmem watch`: index, then follow changes until interrupted."""

from __future__ import annotations

from typing import Annotated

import typer

from hmem.cli import options as shared

EPILOG = "Example: hmem watch ~/notes --json | jq -r .event"


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("watch", short_help="Follow changes until interrupted.", epilog=EPILOG)(watch)


def watch(
    paths: shared.Paths = None,
    store: shared.Store = None,
    debounce: Annotated[
        float | None, typer.Option(min=0, metavar="SECONDS", help="Quiet before indexing [0.3].")
    ] = None,
    poll: Annotated[bool | None, typer.Option("--poll/--no-poll", help="Poll, for network mounts.")] = None,
    serve: Annotated[
        bool | None, typer.Option("--serve/--no-serve", help="A warm process beside it answers searches [yes].")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Watch even `/` or the home directory.")] = False,
    quiet: shared.Quiet = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON event a line.")] = False,
) -> None:
    """Bring each PATH up to date (all collections without any), then follow changes until Ctrl-C or SIGTERM."""
    from hmem.cli.signals import stopped_by_signals

    with stopped_by_signals() as interruption:
        from hmem.cli.watching import run

        run(
            shared.as_paths(paths),
            store,
            debounce=debounce,
            poll=poll,
            serve=serve,
            yes=yes,
            quiet=quiet,
            as_json=as_json,
            interruption=interruption,
        )
