"""Write a note and index it at once; retract one again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from hmem.errors import HmemError, NotIndexedError, UsageError
from hmem.indexer import IndexOptions
from hmem.notes.files import Note, make_notes_dir, notes_dir, retract_note, write_note
from hmem.paths import real
from hmem.references import ID_KEY, resolve_reference
from hmem.registered import register

if TYPE_CHECKING:
    from hmem.library import KnowledgeBase
    from hmem.notes.files import Draft
    from hmem.store import Store
    from hmem.store.catalog import Catalog
    from hmem.types import Json

OPTIONS: dict[str, Json] = {"no_ignore": True, "hidden": False}
"""Of the collection of notes: ignore files further up must not hide them, and unfinished files stay hidden."""


def remember(memory: KnowledgeBase, store: Store, draft: Draft, *, lock_timeout: float | None = None) -> Note:
    """Write `draft` into the collection of notes, which registers itself, and index it.

    Raises NotIndexedError if something that it supersedes is unknown; then, and for any other error before the file is
    there, nothing is written. Once it is there, a failure to index it is the note's `unindexed`.
    """
    with memory.snapshot() as snapshot:
        superseded = [_lasting_name(snapshot.catalog, reference) for reference in draft.supersedes]
    directory = notes_dir(memory.settings["notes_directory"])
    if directory.is_relative_to(real(store.path)):
        raise UsageError(f"`{directory}` lies inside the store", hint="`notes-directory` says where notes go")
    make_notes_dir(directory)
    note = write_note(directory, replace(draft, supersedes=superseded))
    timeout = memory.settings["lock_timeout"] if lock_timeout is None else lock_timeout
    try:
        collection = register(store, directory, OPTIONS, timeout)
        options = IndexOptions(lock_timeout=timeout, jobs=1, background=True, only=frozenset({collection.name}))
        memory.index([note.path] if collection.is_whole else [], options)
    except HmemError as error:
        return replace(note, unindexed=error.message)
    if not _is_indexed(memory, note.path):
        return replace(note, unindexed=f"the rules of collection `{collection.name}` leave it out")
    return note


def forget(memory: KnowledgeBase, reference: str, *, lock_timeout: float | None = None) -> Note:
    """Mark the note that `reference` names as retracted, and index that.

    Raises NotIndexedError for an unknown reference, NoteError for a file that hmem did not create or that was changed.
    """
    with memory.snapshot() as snapshot:
        path = Path(resolve_reference(snapshot.catalog, reference).path)
    note = retract_note(path)
    try:
        memory.index([path], IndexOptions(lock_timeout=lock_timeout, jobs=1, background=True))
    except HmemError as error:
        return replace(note, unindexed=error.message)
    return note


def _lasting_name(catalog: Catalog, reference: str) -> str:
    """Return a name for the document of `reference` that stays when its text changes: its own id, else its path."""
    found = resolve_reference(catalog, reference)
    own = found.document.metadata.get(ID_KEY.partition(".")[2])
    if own is not None and catalog.documents_with(ID_KEY, str(own)) == [found.document.id]:
        return str(own)
    return f"{found.collection.name}/{found.document.path}"


def _is_indexed(memory: KnowledgeBase, path: Path) -> bool:
    try:
        return memory.get(str(path)).path == str(path)
    except NotIndexedError:
        return False
