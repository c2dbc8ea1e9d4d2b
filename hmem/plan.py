"""What an index run has to bring up to date: from PATHs and options to parts of collections. Changes nothing."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from hmem.discover import check_root
from hmem.errors import UsageError
from hmem.paths import real
from hmem.rules import parse_metadata
from hmem.store.rows import Collection
from hmem.targets import Target, resolve

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from hmem.indexer import IndexOptions


@dataclass(frozen=True, slots=True)
class Part:
    """The part `within` ("" for all) of a collection with the options given now; `is_changed`: not stored so yet."""

    collection: Collection
    within: str
    is_changed: bool


@dataclass(frozen=True, slots=True)
class Plan:
    """The parts to bring up to date; `places` are roots of collections and the store: none is part of another."""

    parts: tuple[Part, ...]
    places: tuple[Path, ...]


def make_plan(known: Iterable[Collection], paths: Sequence[Path], options: IndexOptions, store: Path) -> Plan:
    """Return what `paths` (all collections without any) mean in the `store`, a real path, with `known` collections.

    Raises UsageError.
    """
    by_name = {collection.name: collection for collection in known}
    roots = {name: collection.root for name, collection in by_name.items()}
    targets = resolve([real(path) for path in paths], roots, name=options.name)
    for target in targets:
        _check(target, store, options)
    places = (*roots.values(), *(target.root for target in targets), store)
    chosen = [target for target in targets if options.only is None or target.name in options.only]
    return Plan(tuple(_part(by_name.get(target.name), target, options) for target in chosen), places)


def _check(target: Target, store: Path, options: IndexOptions) -> None:
    if target.new:
        check_root(target.root, options.yes)
        if target.root == store or store in target.root.parents:
            raise UsageError(f"`{target.root}` lies inside the store")
    if target.within and (options.flags or options.metadata):
        raise UsageError(
            f"`{target.within}` is a part of collection `{target.name}`: options belong to the whole of it",
            hint=f"give them with `hmem index {target.root}`",
        )


def _part(known: Collection | None, target: Target, options: IndexOptions) -> Part:
    collection = known or Collection(target.name, target.root)
    flags = {key: list(value) if isinstance(value, tuple) else value for key, value in options.flags.items()}
    changed = replace(
        collection,
        options={**collection.options, **flags},
        metadata={**collection.metadata, **parse_metadata(options.metadata)},
    )
    return Part(changed, target.within, changed != known)
