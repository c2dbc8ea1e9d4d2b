"""What is done with registered collections by their names: forgetting them, listing their documents."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from hmem.errors import NotIndexedError

if TYPE_CHECKING:
    from collections.abc import Collection as Names
    from collections.abc import Sequence

    from hmem.store import Store
    from hmem.store.catalog import Catalog
    from hmem.store.rows import Collection, DocumentRow


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
