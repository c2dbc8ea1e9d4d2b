"""One `hmem index`: from PATHs to targets, under one writer, to one commit."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from hmem.ahead import Ahead, look_ahead
from hmem.discover import check_root
from hmem.errors import UsageError
from hmem.indexer import Indexer, IndexOptions, ProgressCallback
from hmem.paths import real
from hmem.report import FileNote
from hmem.rules import effective, parse_metadata
from hmem.store.rows import Collection
from hmem.targets import Target, resolve
from hmem.workers import default_jobs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hmem.config import Settings
    from hmem.embed import Encoder
    from hmem.report import IndexReport
    from hmem.store import Store, Writer


def run_index(
    store: Store,
    settings: Settings,
    encoder: Encoder,
    paths: Sequence[Path],
    options: IndexOptions | None = None,
    *,
    progress: ProgressCallback | None = None,
) -> IndexReport:
    """Bring `paths` up to date (all collections without any) and commit; see `KnowledgeBase.index`."""
    options = options or IndexOptions()
    started = time.monotonic()
    timeout = settings["lock_timeout"] if options.lock_timeout is None else options.lock_timeout
    ahead = look_ahead(store, settings, options.only) if options.background and not paths else Ahead()
    if ahead.idle is not None:
        report = ahead.idle
    else:
        with store.writer(timeout, model=encoder.fingerprint) as writer:
            usable = _usable_encoder(store, encoder, options)
            jobs = options.jobs or settings["index.jobs"] or default_jobs()
            indexer = Indexer(writer, usable, options, jobs=jobs, progress=progress, known=ahead.outcomes)
            _run_targets(indexer, writer, settings, paths, options, real(store.path))
            report = indexer.report
            _finish(report, writer, usable, options)
    report.seconds = time.monotonic() - started
    return report


def _run_targets(
    indexer: Indexer, writer: Writer, settings: Settings, paths: Sequence[Path], options: IndexOptions, store: Path
) -> None:
    known = {collection.name: collection for collection in writer.catalog.collections()}
    roots = {name: collection.root for name, collection in known.items()}
    targets = resolve([real(path) for path in paths], roots, name=options.name)
    for target in targets:
        _check(target, store, options)
    places = [*roots.values(), *(target.root for target in targets), store]
    for target in targets:
        if options.only is None or target.name in options.only:
            collection = _collection(writer, known.get(target.name), target, options)
            indexer.run(collection, target.within, effective(collection, settings), places)


def _finish(report: IndexReport, writer: Writer, encoder: Encoder | None, options: IndexOptions) -> None:
    """Mend what no target covered, and commit."""
    if encoder is None:
        text = "the store's vectors come from another model; run `hmem index --rebuild`"
        report.warnings.append(FileNote("", "", text))
    if options.dry_run:
        report.generation = writer.catalog.generation
        return
    writer.reanalyse()  # what an update of hmem left behind
    if options.rebuild and encoder:
        report.embedded += writer.reembed(encoder)
    report.generation = writer.commit()


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


def _collection(writer: Writer, known: Collection | None, target: Target, options: IndexOptions) -> Collection:
    """Return the target's collection with the options given now, registered if it is new."""
    collection = known or Collection(target.name, target.root)
    flags = {key: list(value) if isinstance(value, tuple) else value for key, value in options.flags.items()}
    given = parse_metadata(options.metadata)
    changed = replace(
        collection,
        options={**collection.options, **flags},
        metadata={**collection.metadata, **given},
    )
    if options.dry_run or (known and changed == known):
        return changed
    return replace(changed, id=writer.put_collection(changed))


def _usable_encoder(store: Store, encoder: Encoder, options: IndexOptions) -> Encoder | None:
    """Return `encoder` unless the store holds the vectors of another one, which must not be mixed with its own."""
    with store.snapshot() as snapshot:
        stored = snapshot.model
    return None if stored not in (None, encoder.fingerprint) and not options.rebuild else encoder
