"""From the errors of SQLite and the operating system to the store's own."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hmem.errors import StoreAccessError, StoreDamagedError, StoreError, StoreLockedError

REPAIR = "run `hmem doctor --repair`"

_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT}
_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_REFUSED = {
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_NOMEM,
    sqlite3.SQLITE_NOLFS,
    sqlite3.SQLITE_PROTOCOL,
}


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Raise `StoreError`s that name `path` in place of what SQLite and the system raise inside."""
    try:
        yield
    except sqlite3.Error as error:
        found = _from_sqlite(error, path)
        if found is None:
            raise
        raise found from error
    except OSError as error:
        raise refused(error, Path(error.filename) if isinstance(error.filename, str) else path) from error


def refused(error: OSError, path: Path) -> StoreAccessError:
    """Return what `error` of the operating system on `path` means for the user."""
    hint = "free some space; nothing that was indexed before is lost" if _is_full(error.errno) else None
    if error.errno == errno.EACCES:
        hint = REPAIR
    return StoreAccessError(f"{(error.strerror or str(error)).lower()}: `{path}`", hint=hint)


def _is_full(code: int | None) -> bool:
    return code in (errno.ENOSPC, errno.EDQUOT)


def _from_sqlite(error: sqlite3.Error, path: Path) -> StoreError | None:
    """Return None for what only a mistake in hmem can cause (a closed connection, a broken constraint)."""
    code = getattr(error, "sqlite_errorcode", None)
    primary = code & 0xFF if isinstance(code, int) else None
    if primary in _BUSY:
        return StoreLockedError(path, pid=None, since=None, waited=0.0)
    if primary in _REFUSED:
        full = primary == sqlite3.SQLITE_FULL
        hint = "free some space; nothing that was indexed before is lost" if full else None
        return StoreAccessError(f"{error}: `{path}`", hint=hint)
    # Text that is not UTF-8 comes without a code, a lost table or column with the one of a mistake in the statement.
    undecodable = primary is None and isinstance(error, sqlite3.OperationalError)
    if primary in _DAMAGED or undecodable or str(error).startswith("no such "):
        return StoreDamagedError(f"the catalog is damaged ({error}): `{path}`", hint=REPAIR)
    return None
