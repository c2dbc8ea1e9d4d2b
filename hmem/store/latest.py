"""Asking which generation is the current one, as often as before every search: some tens of microseconds each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hmem.errors import StoreAccessError
from hmem.store.catalog import Catalog
from hmem.store.schema import CATALOG, connect
from hmem.store.translate import translated

if TYPE_CHECKING:
    from pathlib import Path


class Latest:
    """A view of the store in `directory` that pins nothing. Raises `StoreError`."""

    def __init__(self, directory: Path) -> None:
        self._path = directory / CATALOG
        self._connect()

    def _connect(self) -> None:
        with translated(self._path):
            self._file = self._identity()
            self._connection = connect(self._path)
        self._catalog = Catalog(self._connection, self._path)

    def _identity(self) -> tuple[int, int]:
        status = self._path.stat()
        return status.st_dev, status.st_ino

    @property
    def generation(self) -> int | None:
        """The current generation; None where SQLite has no room for what its readers share: nobody can commit there.

        A catalog that was made anew meanwhile, by a rebuild or a repair, is followed.
        """
        with translated(self._path):
            is_same = self._identity() == self._file
        if not is_same:
            self.close()
            self._connect()
        try:
            return self._catalog.generation
        except StoreAccessError:
            return None

    def close(self) -> None:
        """Let the catalog go; without effect the second time."""
        self._connection.close()
