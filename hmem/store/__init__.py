"""The store: a SQLite catalog as the truth, Whoosh postings and usearch vectors derived from it.

What it must survive, and how:

* killed or powerless in a commit — index files are written once, forced to the disk and only then named, by one
  transaction that is the only moment of change; whatever else a commit does is done again by the next writer
* a reader overtaken by a writer — it holds a read transaction and a lease; files are removed when no lease is older
* two writers — one lock, freed by the kernel, that names its holder; forked workers do not inherit it
* a damaged file — stat, then checksum, before it is opened; every row and blob of the catalog carries a checksum
* a lost index — both are made anew from the catalog; a lost catalog from the list of collections and the sources
* a full disk — the old state stays, and can still be searched
* somebody else's files — the directory is the user's alone, a catalog must fit its list of collections
"""

from typing import TYPE_CHECKING

from hmem.store.snapshot import Snapshot as Snapshot
from hmem.store.store import Store as Store

if TYPE_CHECKING:
    from hmem.store.writer import Writer as Writer  # made by `Store.writer`; a search does not load it
