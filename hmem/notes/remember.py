"""Write a note and index it at once; retract one again."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from hmem.errors import HmemError
from hmem.indexer import IndexOptions
from hmem.notes.files import Note, make_notes_dir, retract_note, write_note
from hmem.references import ID_KEY, resolve_reference

if TYPE_CHECKING:
    from hmem.library import KnowledgeBase
    from hmem.notes.files import Draft
    from hmem.references import Reference
    from hmem.store.catalog import Catalog


def remember(memory: KnowledgeBase, draft: Draft, *, lock_timeout: float | None = None) -> Note:
    """Write `draft` into the collection of notes, which registers itself, and index it.

    Raises NotIndexedError if something that it supersedes is unknown; then, and for any other error before the file is
    there, nothing is written. Once it is there, a failure to index it is the note's `unindexed`.
    """
    with memory.snapshot() as snapshot:
        superseded = [_lasting_name(snapshot.catalog, reference) for reference in draft.supersedes]
    directory = make_notes_dir(memory.settings["notes_directory"])
    options = IndexOptions(lock_timeout=lock_timeout, jobs=1)
    with suppress(HmemError):  # a note is written all the same, and says that it is not indexed
        _register(memory, directory, options)
    return _indexed(memory, write_note(directory, replace(draft, supersedes=superseded)), options)


def forget(memory: KnowledgeBase, reference: str, *, lock_timeout: float | None = None) -> Note:
    """Mark the note that `reference` names as retracted, and index that.

    Raises NotIndexedError for an unknown reference, NoteError for a file that hmem did not create or that was changed.
    """
    with memory.snapshot() as snapshot:
        path = Path(resolve_reference(snapshot.catalog, reference).path)
    return _indexed(memory, retract_note(path), IndexOptions(lock_timeout=lock_timeout, jobs=1))


def _lasting_name(catalog: Catalog, reference: str) -> str:
    """Return a name for the document of `reference` that stays when its text changes: its own id, else its path."""
    found = resolve_reference(catalog, reference)
    own = found.document.metadata.get(ID_KEY.partition(".")[2])
    if own is not None and catalog.documents_with(ID_KEY, str(own)) == [found.document.id]:
        return str(own)
    return _path_of(found)


def _path_of(found: Reference) -> str:
    return f"{found.collection.name}/{found.document.path}"


def _register(memory: KnowledgeBase, directory: Path, options: IndexOptions) -> None:
    """Make `directory` a collection unless it lies in one: before the note, so that no kill leaves it unknown."""
    if not any(directory.is_relative_to(collection.root) for collection in memory.collections()):
        memory.index([directory], options)


def _indexed(memory: KnowledgeBase, note: Note, options: IndexOptions) -> Note:
    """Index the file of `note`; a failure becomes a part of the note."""
    try:
        memory.index([note.path], options)
        memory.get(note.id)
    except HmemError as error:
        return replace(note, unindexed=error.message)
    return note
