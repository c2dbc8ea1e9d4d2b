"""The store: a SQLite catalog as the truth, Whoosh postings and usearch vectors derived from it."""

from typing import TYPE_CHECKING

from hmem.store.snapshot import Snapshot as Snapshot
from hmem.store.store import Store as Store

if TYPE_CHECKING:
    from hmem.store.writer import Writer as Writer  # made by `Store.writer`; a search does not load it
