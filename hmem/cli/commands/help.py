"""`hmem help`: what a command does, or a topic that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

from hmem.cli.console import write
from hmem.cli.topics import TOPICS
from hmem.errors import UnknownKeyError

EPILOG = "Example: hmem help filters"


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("help", short_help="Explain a command or a topic.", epilog=EPILOG)(help_)


def help_(
    context: typer.Context,
    topic: Annotated[str | None, typer.Argument(metavar="[TOPIC]", show_default=False)] = None,
) -> None:
    """Explain a command, or one of the topics filters, ranking, formats, eval and config."""
    parent = context.parent
    assert parent is not None
    group = parent.command
    if topic is None:
        write(parent.get_help())
        write("\nTopics, for `hmem help TOPIC`:")
        for name, text in TOPICS.items():
            write(f"  {name:<8} {text.splitlines()[0]}")
    elif topic in TOPICS:
        write(TOPICS[topic], end="")
    elif command := group.get_command(parent, topic):  # type: ignore[attr-defined]
        write(command.get_help(type(context)(command, info_name=topic, parent=parent)))
    else:
        raise UnknownKeyError("topic", topic, [*TOPICS, *group.list_commands(parent)])  # type: ignore[attr-defined]
