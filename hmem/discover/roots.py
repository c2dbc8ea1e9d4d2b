"""Which directories are too much for one collection."""

from __future__ import annotations

from pathlib import Path

from hmem.errors import UsageError

_HOMES = ("/home", "/Users")


def check_root(path: Path, yes: bool) -> None:
    """Raise UsageError if `path` is a whole drive, all homes or the home directory, unless the user said `yes`."""
    what = None if yes else _too_much(path.resolve())
    if what:
        raise UsageError(
            f"{what} is too much to index: `{path}`",
            hint="name the directories that you want, or say `--yes` if you mean all of it",
        )


def _too_much(path: Path) -> str | None:
    if path == Path(path.anchor):
        return "a whole drive"
    try:
        home = Path.home().resolve()
    except RuntimeError:  # a user without an entry and without $HOME
        home = None
    if path == home:
        return "the home directory"
    return "the directory of all homes" if str(path) in _HOMES else None
