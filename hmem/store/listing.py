"""`collections.json`: the collections with their options, readable, beside the catalog and for the case of its loss."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hmem.errors import StoreDamagedError
from hmem.store import files
from hmem.store.rows import Collection
from hmem.store.schema import FORMAT, LISTING, SEGMENTS
from hmem.store.translate import REPAIR

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hmem.store.catalog import Catalog


def publish(directory: Path, store_id: str, collections: Iterable[Collection]) -> None:
    """Bring the listing up to date, if it is not. Raises OSError."""
    data = render(store_id, collections)
    path = directory / LISTING
    with suppress(OSError):
        if path.read_bytes() == data:
            return
    files.write_aside(path, data)


def render(store_id: str, collections: Iterable[Collection]) -> bytes:
    """Return the listing's bytes; they depend on nothing else."""
    listed = [
        {"name": c.name, "root": str(c.root), "options": c.options, "metadata": c.metadata}
        for c in sorted(collections, key=lambda c: c.name)
    ]
    content = {"format": FORMAT, "store": store_id, "collections": listed}
    return json.dumps(content, indent=2).encode() + b"\n"


def listed(directory: Path) -> list[Collection]:
    """Return the listed collections, not scanned yet; none if there is no listing. Raises `StoreDamagedError`."""
    try:
        return [
            Collection(str(c["name"]), Path(c["root"]), options=dict(c["options"]), metadata=dict(c["metadata"]))
            for c in _content(directory)["collections"]
        ]
    except FileNotFoundError:
        return []
    except (OSError, ValueError, KeyError, TypeError) as error:
        path = directory / LISTING
        raise StoreDamagedError(f"the list of collections cannot be read ({error}): `{path}`", hint=REPAIR) from error


def is_foreign(directory: Path, catalog: Catalog) -> bool:
    """Return whether the catalog is another store's: the listing names another one, and none of its files is here."""
    try:
        store_id = _content(directory)["store"]
    except (OSError, ValueError, KeyError, TypeError):
        return False
    if store_id == catalog.meta("store_id"):
        return False
    used = [row[0] for row in catalog.rows("SELECT directory FROM parts")]
    return bool(used) and not any((directory / SEGMENTS / name).exists() for name in used)


def _content(directory: Path) -> Any:
    return json.loads((directory / LISTING).read_bytes())
