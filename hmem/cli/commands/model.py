"""`hmem model`: which embedding models there are, what is known of one, and which one hmem uses."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from hmem.cli import options as shared
from hmem.cli.console import hint, warn, write, write_lines
from hmem.render.json_text import to_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hmem.embed.sources import ModelInfo

EPILOG = "Example: hmem model use minishlab/potion-base-8M"
IN_USE, NOT_STATED = "in use", "not stated"

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None)


def register(parent: typer.Typer) -> None:
    """Add the command and its actions to the application."""
    parent.add_typer(
        app,
        name="model",
        short_help="List embedding models, or choose another one.",
        help="List embedding models, show what is known of one, or choose another one.",
        epilog=EPILOG,
    )


@app.command("list", short_help="The built-in model, downloaded ones, and the one in use.")
def list_(as_json: shared.AsJson = False) -> None:
    """List the built-in model, those that were downloaded, and the one in use."""
    from hmem.embed.sources import list_models

    current = _current()
    found = list(list_models())
    if current is not None and current not in found:
        found.append(current)
    if as_json:
        models = [{**info.to_json(), "in_use": info == current} for info in found]
        write(to_text({"schema": 1, "models": models}))
    else:
        _write_rows([_row(info, in_use=info == current) for info in found])


@app.command("info", short_help="What is known of a model.", epilog="Example: hmem model info --json | jq .licence")
def info(
    name: Annotated[
        str | None,
        typer.Argument(metavar="[NAME]", show_default=False, help="A model, or a folder that holds one."),
    ] = None,
    as_json: shared.AsJson = False,
) -> None:
    """Show what is known of a model: of the one in use without NAME."""
    from hmem.config import load
    from hmem.embed.sources import model_info

    found = model_info(load()["model"] if name is None else name)
    if as_json:
        write(to_text({"schema": 1, **found.to_json()}))
    else:
        _write_rows(_facts(found))


@app.command("use", short_help="Choose the model that hmem embeds with.", epilog=EPILOG)
def use(
    name: Annotated[
        str,
        typer.Argument(
            metavar="PATH|HUB-ID", show_default=False, help="A model2vec folder, OWNER/NAME, or `built-in`."
        ),
    ],
    quiet: shared.Quiet = False,
) -> None:
    """Embed with another model from now on: a model2vec folder, or OWNER/NAME from the Hugging Face hub.

    Only a hub model that is not on this machine yet is downloaded; nothing else of hmem uses the network.
    """
    from hmem.chosen import choose_model
    from hmem.embed.folder import BUILT_IN
    from hmem.embed.sources import acquire, needs_download

    before = _current()
    if needs_download(name) and not quiet:
        typer.echo(f"downloading {name} from the hub", err=True)
    chosen = acquire(name)
    choose_model(None if chosen.name == BUILT_IN else chosen.name)
    if not quiet:
        typer.echo(f"chose {chosen.name}: {chosen.dimensions} dimensions, {chosen.vocabulary_size:,} tokens", err=True)
    _tell_what_is_left(before, chosen)


def _tell_what_is_left(before: ModelInfo | None, chosen: ModelInfo) -> None:
    """Say why the choice has no effect, or what must be done before searches profit from it."""
    from hmem.config import Layer, load

    setting = load().origin("model")
    if setting.layer not in (Layer.CHOSEN, Layer.DEFAULT):
        warn(f"`model` is set elsewhere, and that comes first: `{setting.value}` in `{setting.origin}`")
    elif before is None or before.fingerprint != chosen.fingerprint:
        hint("`hmem index --rebuild` embeds a store anew; until then its searches have no dense arm")


def _current() -> ModelInfo | None:
    """Return the model in use; None after a warning if it cannot be used."""
    from hmem.config import load
    from hmem.embed.sources import model_info
    from hmem.errors import ConfigError, ModelError

    try:
        return model_info(load()["model"])
    except (ConfigError, ModelError) as error:
        warn(f"the model in use cannot be used: {error.message}")
        return None


def _row(info: ModelInfo, *, in_use: bool) -> tuple[str, ...]:
    from hmem.render.status import size_text

    size = f"{info.dimensions} dimensions, {info.vocabulary_size:,} tokens, {size_text(info.size)}"
    return (info.name, info.origin, size, f"licence {info.licence or NOT_STATED}", IN_USE if in_use else "")


def _facts(info: ModelInfo) -> list[tuple[str, str]]:
    from hmem.render.status import size_text

    shown = {**info.to_json(), "size": size_text(info.size), "licence": info.licence or NOT_STATED}
    return [(key.replace("_", " "), str(value)) for key, value in shown.items()]


def _write_rows(rows: Sequence[Sequence[str]]) -> None:
    from hmem.render.columns import aligned, tabbed

    write_lines(aligned(rows) if sys.stdout.isatty() else tabbed(rows))
