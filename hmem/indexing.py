"""One `hmem index`: from PATHs to parts of collections, under one writer, to the last commit."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from hmem.ahead import Ahead, look_ahead
from hmem.indexer import Indexer, IndexOptions, ProgressCallback
from hmem.paths import real
from hmem.plan import Part, make_plan
from hmem.report import FileNote
from hmem.rules import effective
from hmem.scan import scan
from hmem.survey import survey
from hmem.workers import default_jobs

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from hmem.config import Settings
    from hmem.embed import Encoder
    from hmem.report import IndexReport
    from hmem.store import Store, Writer
    from hmem.store.rows import Collection


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
    ahead = options.ahead or Ahead()
    if options.background and not paths and options.ahead is None:
        with store.snapshot() as snapshot:
            seen = survey(snapshot.catalog, store.path, settings, options.only)
        ahead = look_ahead(seen)
    if ahead.idle is not None:
        report = ahead.idle
    else:
        timeout = settings["lock_timeout"] if options.lock_timeout is None else options.lock_timeout
        with store.writer(timeout, model=encoder.fingerprint) as writer:
            usable = _usable_encoder(store, encoder, options)
            jobs = options.jobs or settings["index.jobs"] or default_jobs()
            indexer = Indexer(writer, usable, options, jobs=jobs, progress=progress)
            _run_parts(indexer, writer, settings, paths, options, ahead, real(store.path))
            _finish(indexer, writer, usable, options)
            report = indexer.report
    report.seconds = time.monotonic() - started
    return report


def _run_parts(
    indexer: Indexer,
    writer: Writer,
    settings: Settings,
    paths: Sequence[Path],
    options: IndexOptions,
    ahead: Ahead,
    store: Path,
) -> None:
    plan = make_plan(writer.catalog.collections(), paths, options, store)
    for part in plan.parts:
        collection = _stored(writer, part)
        look = ahead.seen.looks.get(collection.name)
        if look is not None and ahead.seen.generation == writer.catalog.generation:
            indexer.run(collection, look.rules, look.found, look.outcomes)
            continue
        rules = effective(collection, settings)
        prune = options.prune_missing
        found = scan(writer.catalog, collection, rules, plan.places, part.within, prune_missing=prune)
        indexer.run(collection, rules, found, None if look is None else look.outcomes)


def _stored(writer: Writer, part: Part) -> Collection:
    if not part.is_changed:
        return part.collection
    return replace(part.collection, id=writer.put_collection(part.collection))


def _finish(indexer: Indexer, writer: Writer, encoder: Encoder | None, options: IndexOptions) -> None:
    """Mend what no part covered, and commit."""
    report, slices = indexer.report, indexer.slices
    while writer.reanalyse():  # what an update of hmem left behind
        slices.commit_if_due()
    if encoder is None:
        text = "the store's vectors come from another model; run `hmem index --rebuild`"
        report.warnings.append(FileNote("", "", text))
    elif not options.background:
        while count := writer.reembed(encoder):
            report.embedded += count
            slices.commit_if_due()
    report.generation = slices.commit()


def _usable_encoder(store: Store, encoder: Encoder, options: IndexOptions) -> Encoder | None:
    """Return `encoder` unless the store holds the vectors of another one alone, which must not be mixed with its own.

    If it has both a rebuild was interrupted, and this run goes on with it.
    """
    with store.snapshot() as snapshot:
        stored = snapshot.models
    return None if stored and encoder.fingerprint not in stored and not options.rebuild else encoder
