"""Collections as the store knows them: registering a directory, forgetting some by name, listing their documents."""

from __future__ import annotations

from dataclasses import replace
from difflib import get_close_matches
from typing import TYPE_CHECKING

from hmem.errors import NotIndexedError
from hmem.store.rows import Collection
from hmem.targets import free_name

if TYPE_CHECKING:
    from collections.abc import Collection as Names
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from hmem.store import Store
    from hmem.store.catalog import Catalog
    from hmem.store.rows import DocumentRow
    from hmem.types import Json


def register(store: Store, root: Path, options: Mapping[str, Json], lock_timeout: float) -> Collection:
    """Return the collection of the directory `root`, which is made one if it is none, also inside another one.

    It has `options` then, and is not indexed yet. Raises StoreLockedError.
    """
    with store.snapshot() as snapshot:
        found = _rooted_at(root, snapshot.catalog.collections())
    if found is not None:
        return found
    with store.writer(lock_timeout) as writer:
        known = writer.catalog.collections()
        found = _rooted_at(root, known)  # somebody else was quicker
        if found is None:
            found = Collection(free_name(root, [item.name for item in known]), root, options=dict(options))
            found = replace(found, id=writer.put_collection(found))
            writer.commit()
    return found


def _rooted_at(root: Path, collections: Sequence[Collection]) -> Collection | None:
    return next((item for item in collections if item.root == root), None)


def remove_collections(store: Store, names: Sequence[str], lock_timeout: float) -> dict[str, int]:
    """Forget collections; return how many documents each had. Raises NotIndexedError before anything changes."""
    with store.writer(lock_timeout) as writer:
        known = {collection.name: collection for collection in writer.catalog.collections()}
        _check(names, known)
        counts = writer.catalog.counts()
        removed = {name: counts.get(known[name].id, (0, 0, 0))[0] for name in names}
        for name in removed:
            writer.remove_collection(known[name].id)
        writer.commit()
    return removed


def documents_of(catalog: Catalog, names: Sequence[str]) -> list[tuple[Collection, DocumentRow]]:
    """Return the documents of the named collections (of all without names), by collection and path."""
    collections = {collection.id: collection for collection in catalog.collections()}
    _check(names, {collection.name for collection in collections.values()})
    rows = [(collections[row.collection], row) for row in catalog.documents().values()]
    chosen = [(owner, row) for owner, row in rows if not names or owner.name in names]
    return sorted(chosen, key=lambda pair: (pair[0].name, pair[1].path))


def _check(names: Sequence[str], known: Names[str]) -> None:
    for name in names:
        if name not in known:
            near = next(iter(get_close_matches(name, list(known), n=1)), None)
            hint = f"did you mean `{near}`?" if near else "`hmem ls` shows the collections"
            raise NotIndexedError(f"no collection is named `{name}`", hint=hint)
