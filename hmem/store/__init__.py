"""The store: a SQLite catalog as the truth, Whoosh postings and usearch vectors derived from it."""

from hmem.store.snapshot import Snapshot
from hmem.store.store import Store
from hmem.store.writer import Writer

__all__ = ["Snapshot", "Store", "Writer"]
