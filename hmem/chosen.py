"""The embedding model that the user chose with `hmem model use`, in a small file of hmem's own.

It lies in the data directory, because `config.toml` is the user's and hmem never writes it.
"""

from __future__ import annotations

import os
from pathlib import Path

from hmem.errors import ConfigError
from hmem.paths import data_dir

ORIGIN = "hmem model use"
"""What `hmem config` names as the layer."""


def chosen_file() -> Path:
    """Return where the choice is written down."""
    return data_dir() / "models" / "chosen"


def chosen_model() -> str | None:
    """Return the name of the chosen model, None if there is no choice. Raises ConfigError."""
    path = chosen_file()
    try:
        text = os.fsdecode(path.read_bytes())
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ConfigError(f"cannot read `{path}`: {error.strerror}") from None
    name = text.removesuffix("\n")
    if not name or "\n" in name or "\0" in name:
        raise ConfigError(f"not the name of a model in `{path}`", hint="`hmem model use NAME` writes it anew")
    return name


def choose_model(name: str | None) -> None:
    """Write the choice down, whole or not at all; None goes back to the built-in model. Raises OSError."""
    path = chosen_file()
    if name is None:
        path.unlink(missing_ok=True)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_name(f".{path.name}-{os.getpid()}")
    try:
        with aside.open("wb") as file:
            file.write(os.fsencode(name) + b"\n")
            file.flush()
            os.fsync(file.fileno())
        aside.replace(path)
    finally:
        aside.unlink(missing_ok=True)
