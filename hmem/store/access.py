"""Whether there is a store, and who may use it: its Whoosh indexes hold pickles, which run code when they are read."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from hmem.errors import NotIndexedError, StoreAccessError, StoreDamagedError, StoreError
from hmem.store.schema import CATALOG, LISTING
from hmem.store.translate import REPAIR


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


def missing_catalog(directory: Path) -> StoreError | NotIndexedError:
    """Return what it means that `directory` has no catalog: damage if the list of its collections is there."""
    if (directory / LISTING).exists():
        return StoreDamagedError(f"the catalog is missing: `{directory / CATALOG}`", hint=REPAIR)
    return NotIndexedError(f"no store here: `{directory}`", hint="run `hmem index PATH` first")
