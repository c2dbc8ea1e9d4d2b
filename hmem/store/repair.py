"""Mends what `verify` finds: either index from the catalog alone, the catalog from the list of collections."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hmem.errors import ArmUnavailableError, StoreAccessError, StoreDamagedError
from hmem.store.rebuild import rebuild_all, rebuild_lexical, rebuild_segment
from hmem.store.records import definition_rows, insert_definitions, insert_derived
from hmem.store.rows import definitions_from
from hmem.store.segments import DENSE, LEXICAL, load_segments
from hmem.store.store import LOCK_TIMEOUT, Store
from hmem.store.transaction import Transaction
from hmem.store.verify import Problem, problems

if TYPE_CHECKING:
    from hmem.embed import Encoder


@dataclass(frozen=True, slots=True)
class Repair:
    """What was wrong before and after; `reindex` says that documents are gone until the sources are indexed again."""

    found: tuple[Problem, ...]
    left: tuple[Problem, ...]
    reindex: bool


def repair(directory: Path, encoder: Encoder | None = None, *, lock_timeout: float = LOCK_TIMEOUT) -> Repair:
    """Mend the store in `directory`; without an `encoder` damaged vectors stay so, or go if postings are damaged too.

    Raises `StoreAccessError` where only the user can decide, `StoreLockedError`, `NotIndexedError`.
    """
    found = problems(directory)
    codes = {problem.code for problem in found}
    if "access" in codes:
        raise StoreAccessError(found[0].message, hint=found[0].mends)
    if codes & {"catalog", "format"}:
        Store.recreate(directory, lock_timeout=lock_timeout)
    elif found:
        with closing(Transaction(directory, lock_timeout, mending=True)) as transaction, transaction.working():
            _mend(transaction, found, encoder)
            transaction.commit(changed=bool(codes - {"listing"}))
    reindex = bool(codes & {"catalog", "format", "document"})
    return Repair(tuple(found), tuple(problems(directory)) if found else (), reindex)


def _mend(transaction: Transaction, found: Sequence[Problem], encoder: Encoder | None) -> None:
    codes = {problem.code for problem in found}
    gone = [problem.subject for problem in found if problem.code == "document"]
    transaction.connection.executemany("DELETE FROM documents WHERE id = ?", [(id_,) for id_ in gone])
    if gone or "derived" in codes:
        _derive(transaction)
    if "segment" in codes:
        rebuild_all(transaction, encoder)
        return
    try:
        transaction.segments = load_segments(transaction.catalog)
    except StoreDamagedError:
        rebuild_all(transaction, encoder)
        return
    for document in gone:
        transaction.bury(document)
    _mend_parts(transaction, found, encoder)


def _mend_parts(transaction: Transaction, found: Iterable[Problem], encoder: Encoder | None) -> None:
    damaged: dict[int, set[str]] = {}
    for problem in found:
        if problem.code in (LEXICAL, DENSE):
            damaged.setdefault(problem.subject, set()).add(problem.code)
    lost = any(DENSE in arms for arms in damaged.values())
    for segment in list(transaction.segments):
        arms = damaged.get(segment.id, set())
        foreign = DENSE in segment.parts and encoder and segment.parts[DENSE].versions["model"] != encoder.fingerprint
        if encoder and (DENSE in arms or (lost and foreign)):
            rebuild_segment(transaction, segment, encoder)
        elif LEXICAL in arms:
            try:
                rebuild_lexical(transaction, segment)
            except ArmUnavailableError:
                rebuild_segment(transaction, segment, None)


def _derive(transaction: Transaction) -> None:
    """Make attributes, links and definitions anew."""
    connection, catalog = transaction.connection, transaction.catalog
    for table in ("attributes", "links", "definitions"):
        connection.execute(f"DELETE FROM {table}")
    for row in catalog.documents().values():
        insert_derived(connection, row.id, row.metadata, row.tags, row.links)
    for chunk, text in catalog.rows("SELECT id, definitions FROM chunks WHERE definitions != '[]'"):
        insert_definitions(connection, definition_rows(chunk, definitions_from(text)))
