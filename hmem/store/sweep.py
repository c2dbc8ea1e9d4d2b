"""Removal of segment directories that nobody uses any more."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

from hmem.store import files
from hmem.store.lock import oldest_lease
from hmem.store.schema import LEASES, SEGMENTS


def sweep(directory: Path, connection: sqlite3.Connection, generation: int) -> None:
    """Remove the directories that the catalog does not name: left by a crash, or dropped and held by no reader.

    Only the writer may call this, with nothing uncommitted. Raises OSError.
    """
    root = directory / SEGMENTS
    used = {row[0] for row in connection.execute("SELECT directory FROM parts")}
    dropped: dict[str, int] = dict(connection.execute("SELECT directory, generation FROM dropped"))
    unused = [name for name in os.listdir(root) if name not in used]  # noqa: PTH208
    if not unused and not dropped:
        return
    oldest = oldest_lease(directory / LEASES, generation)
    gone = {name for name in unused if dropped.get(name, 0) <= oldest}
    files.remove_trees(root / name for name in sorted(gone))
    settled = [name for name in dropped if name in gone or name not in unused]
    if settled:
        connection.execute("BEGIN IMMEDIATE")
        connection.executemany("DELETE FROM dropped WHERE directory = ?", [(name,) for name in settled])
        connection.execute("COMMIT")
