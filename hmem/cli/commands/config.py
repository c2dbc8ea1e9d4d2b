"""`hmem config`: every setting with its value and the layer it comes from."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hmem.cli import options as shared
from hmem.cli.console import write
from hmem.render.json_text import to_text

if TYPE_CHECKING:
    from hmem.config import Settings, Value

EPILOG = "Example: hmem config search.alpha. The file is yours to edit; hmem never writes it."


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("config", short_help="Print settings and where each comes from.", epilog=EPILOG)(config)


def config(
    key: Annotated[str | None, typer.Argument(metavar="[KEY]", show_default=False, help="One setting.")] = None,
    as_json: shared.AsJson = False,
) -> None:
    """Print settings and where each value comes from; with KEY, its value alone."""
    from hmem.config import config_file, load
    from hmem.paths import data_dir, store_dir

    settings = _with_measured_alpha(load())
    if key is not None:
        value = settings.origin(key)
        write(to_text(_to_json(key, value)) if as_json else _text(value.value))
        return
    if as_json:
        rows = [_to_json(name, value) for name, value in settings.values.items()]
        write(to_text({"schema": 1, "settings": rows, "aliases": dict(settings.aliases)}))
        return
    write(f"# configuration file: {config_file()}")
    write(f"# data: {data_dir()}")
    write(f"# store: {store_dir()}")
    width = max(map(len, settings.values))
    for name, value in settings.values.items():
        write(f"{name:<{width}} = {_text(value.value):<12} # {value.origin}")
    for name, words in settings.aliases.items():
        write(f"alias.{name} = {json.dumps(list(words), ensure_ascii=False)}")


def _with_measured_alpha(settings: Settings) -> Settings:
    """Return `settings` with the share of the dense arm that holds where nobody set it, under `convex` for prose."""
    from hmem.config import Settings
    from hmem.search.query import DEFAULT_RRF_ALPHA, Fusion

    key = "search.alpha"
    found = settings.origin(key)
    if found.value is not None:
        return settings
    if settings["search.fusion"] == Fusion.RRF:
        effective = replace(found, value=DEFAULT_RRF_ALPHA)
    else:
        origin = f"{found.origin}, measured; {settings['ranking.code_alpha']:g} for code"
        effective = replace(found, value=settings["ranking.prose_alpha"], origin=origin)
    return Settings({**settings.values, key: effective}, settings.aliases)


def _text(value: Any) -> str:
    if value is None:
        return "auto"
    if isinstance(value, str):
        return value
    return json.dumps(list(value) if isinstance(value, tuple) else value, ensure_ascii=False)


def _to_json(key: str, value: Value) -> dict[str, Any]:
    return {"key": key, "value": value.value, "layer": value.layer, "origin": value.origin}
