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
        path = directory / CATALOG
        with translated(path):
            self._connection = connect(path)
        self._catalog = Catalog(self._connection, path)

    @property
    def generation(self) -> int | None:
        """The current generation; None where SQLite has no room for what its readers share: nobody can commit there."""
        try:
            return self._catalog.generation
        except StoreAccessError:
            return None

    def close(self) -> None:
        """Let the catalog go; without effect the second time."""
        self._connection.close()
