"""Options that several commands share, each defined once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hmem.errors import UsageError

Store = Annotated[
    str | None,
    typer.Option(
        "--store", metavar="NAME|DIR", help="Store to use (default: $HMEM_STORE, else `default`).", show_default=False
    ),
]
LockTimeout = Annotated[
    float | None,
    typer.Option(
        "--lock-timeout", min=0, metavar="SECONDS", help="How long to wait for another writer.", show_default="10"
    ),
]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Say more on stderr.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No summary, no progress.")]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")]
Paths = Annotated[list[str] | None, typer.Argument(metavar="[PATH]…", show_default=False)]
Reference = Annotated[str, typer.Argument(metavar="ID|PATH[:LINE]", show_default=False)]


def as_paths(given: list[str] | None) -> list[Path]:
    """Return the PATH arguments. An empty one, such as an unset shell variable, must not mean the working directory."""
    if "" in (given or ()):
        raise UsageError("an empty PATH", hint="write `.` for the working directory")
    return [Path(path) for path in given or ()]
