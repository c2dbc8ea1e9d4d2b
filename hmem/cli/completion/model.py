"""What the completion scripts must know of the command line, read from the application itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

FILES, DIRECTORIES = "files", "directories"
MODELS = "models"
"""Names of models; a directory is one too."""

_OPTION_SOURCES = {
    "--arms": "arms",
    "--batch": FILES,
    "--collection": "collections",
    "--compare": FILES,
    "--format": "formats",
    "--fusion": "fusions",
    "--in": FILES,
    "--kind": "kinds",
    "--lang": "languages",
    "--min": "minimums",
    "--request": FILES,
    "--store": "stores",
    "--where": "keys",
}
_ARGUMENT_SOURCES = {
    "completion": "shells",
    "config": "settings",
    "eval": FILES,
    "get": FILES,
    "help": "topics",
    "index": FILES,
    "ls": "collections",
    "model": MODELS,
    "related": FILES,
    "remove": "collections",
    "search": "aliases",
    "watch": DIRECTORIES,
}


@dataclass(frozen=True, slots=True)
class Flag:
    """An option: all its names, what it says, whether a value follows, and where the value's words come from."""

    names: tuple[str, ...]
    help: str
    takes_value: bool
    repeats: bool
    source: str | None


@dataclass(frozen=True, slots=True)
class Command:
    """A command with its flags, and where the words of its arguments come from.

    Of a command with `actions` the first argument is one of them, and `flags` are those of any.
    """

    name: str
    help: str
    flags: tuple[Flag, ...]
    source: str | None
    actions: tuple[str, ...] = ()


def read_commands() -> tuple[Command, ...]:
    """Return the commands in their order; the first, without a name, is `hmem` itself."""
    import typer

    from hmem.cli.app import application

    group: Any = typer.main.get_command(application())
    context = typer.Context(group, info_name="hmem")
    found = [Command("", "", _flags(group, context), None)]
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        own = typer.Context(command, info_name=name, parent=context)
        summary = command.get_short_help_str(limit=200).removesuffix(".")
        actions = tuple(command.list_commands(own)) if hasattr(command, "list_commands") else ()
        flags = dict.fromkeys(_flags(command, own))
        for action in actions:
            flags.update(dict.fromkeys(_flags(command.get_command(own, action), own)))
        found.append(Command(name, summary, tuple(flags), _ARGUMENT_SOURCES.get(name), actions))
    return tuple(found)


def _flags(command: Any, context: Any) -> tuple[Flag, ...]:
    return tuple(_flag(parameter) for parameter in command.get_params(context) if parameter.param_type_name == "option")


def _flag(option: Any) -> Flag:
    names = (*option.opts, *option.secondary_opts)
    source = next((_OPTION_SOURCES[name] for name in names if name in _OPTION_SOURCES), None)
    text = (option.help or "").removesuffix(".")
    return Flag(names, text, not (option.is_flag or option.count), bool(option.multiple), source)
