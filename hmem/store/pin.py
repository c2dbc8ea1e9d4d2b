"""Holding one generation: a SQLite read transaction for its rows, a lease for its files."""

from __future__ import annotations

from pathlib import Path

from hmem.errors import StoreError
from hmem.store.catalog import Catalog
from hmem.store.lock import Lease
from hmem.store.schema import CATALOG, LEASES, connect
from hmem.store.translate import translated

_ATTEMPTS = 100


class Pin:
    """The current `generation` of a store with its `catalog`, unchanged until it is closed. Raises `StoreError`."""

    def __init__(self, directory: Path) -> None:
        path = directory / CATALOG
        self._lease: Lease | None = None
        self.generation = -1
        with translated(path):
            self._connection = connect(path)
            try:
                self.catalog = Catalog(self._connection, path)
                self._take(directory / LEASES)
            except BaseException:
                self.close()
                raise

    def _take(self, leases: Path) -> None:
        """Take a lease on the current generation; one seen to be current while the lease is held is safe."""
        for _ in range(_ATTEMPTS):
            self._connection.execute("BEGIN")
            generation = self.catalog.generation
            if self._lease is not None and generation == self.generation:
                return
            self._connection.execute("COMMIT")
            if self._lease is not None:
                self._lease.close()
            self.generation = generation
            self._lease = Lease(leases, generation)
        raise StoreError("the store changes faster than it can be opened", hint="try again")

    def close(self) -> None:
        """Let the generation go; without effect the second time."""
        self._connection.close()
        if self._lease is not None:
            self._lease.close()
