"""Who may use a store. Its Whoosh indexes hold pickles, so one that others can write to would run their code."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from hmem.errors import StoreAccessError


def check_access(directory: Path) -> None:
    """Raise `StoreAccessError` unless `directory` belongs to this user and nobody else may enter it."""
    status = directory.stat()
    if not stat.S_ISDIR(status.st_mode):
        raise StoreAccessError(f"not a directory: `{directory}`")
    if status.st_uid != os.geteuid():
        raise StoreAccessError(
            f"the store belongs to user {status.st_uid}, not to you: `{directory}`",
            hint="index the sources into a store of your own with `--store NAME`",
        )
    if mode := stat.S_IMODE(status.st_mode) & 0o077:
        raise StoreAccessError(
            f"the store is open to other users (mode {stat.S_IMODE(status.st_mode):03o}, {mode:03o} too much): "
            f"`{directory}`",
            hint=f"if nobody else changed it: `chmod 700 {directory}`",
        )
