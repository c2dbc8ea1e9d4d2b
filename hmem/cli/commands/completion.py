"""`hmem completion`: the script that teaches a shell hmem's commands, flags and values."""

from __future__ import annotations

from typing import Annotated

import typer

from hmem.cli.console import write
from hmem.errors import UnknownKeyError

EPILOG = "Example: hmem completion bash > ~/.local/share/bash-completion/completions/hmem"


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("completion", short_help="Print the completion script for a shell.", epilog=EPILOG)(completion)


def completion(
    shell: Annotated[str, typer.Argument(metavar="bash|zsh|fish", show_default=False)],
) -> None:
    """Print the completion script for a shell; put it where the shell looks for such files."""
    from hmem.cli.completion.scripts import SHELLS, script

    if shell not in SHELLS:
        raise UnknownKeyError("shell", shell, SHELLS)
    write(script(shell), end="")
