"""`collections.json`: the collections with their options, readable, beside the catalog and for the case of its loss."""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from hmem.errors import StoreDamagedError
from hmem.store import files
from hmem.store.rows import Collection
from hmem.store.schema import FORMAT

NAME = "collections.json"


def publish(directory: Path, collections: Iterable[Collection]) -> None:
    """Bring the listing up to date, if it is not. Raises OSError."""
    listed = [{"name": c.name, "root": str(c.root), "options": c.options, "metadata": c.metadata} for c in collections]
    data = json.dumps({"format": FORMAT, "collections": listed}, indent=2).encode() + b"\n"
    path = directory / NAME
    with suppress(OSError):
        if path.read_bytes() == data:
            return
    files.write_aside(path, data)


def listed(directory: Path) -> list[Collection]:
    """Return the listed collections, not scanned yet; none if there is no listing. Raises `StoreDamagedError`."""
    path = directory / NAME
    try:
        found = json.loads(path.read_bytes())["collections"]
        return [
            Collection(name=c["name"], root=Path(c["root"]), options=c["options"], metadata=c["metadata"])
            for c in found
        ]
    except FileNotFoundError:
        return []
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise StoreDamagedError(f"the list of collections cannot be read ({error}): `{path}`") from error
