"""What hmem wrote outside its stores: a line for each state of each note, in the data directory.

A file that the ledger does not know, or whose bytes are none of those written down, is the user's and is left alone.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Final

from hmem.errors import NoteError
from hmem.paths import data_dir

LEDGER_NAME: Final = "notes.jsonl"


def record(note_id: str, path: Path, data: bytes) -> None:
    """Write down what the note at `path` will hold, before it does: then a kill between leaves both states known.

    Raises OSError.
    """
    data_dir().mkdir(parents=True, exist_ok=True)  # a store and the notes may both lie elsewhere
    entry = json.dumps({"id": note_id, "path": os.fspath(path), "sha256": _digest(data)}).encode()
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW
    descriptor = os.open(data_dir() / LEDGER_NAME, flags, 0o600)
    try:
        # One call appends whole among many processes; the first newline ends what a full disk once cut short.
        line = b"\n" + entry + b"\n"
        if os.write(descriptor, line) < len(line):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def owned(path: Path, data: bytes) -> str:
    """Return the id of the note at `path` if `data` is what hmem wrote there. Raises NoteError."""
    states = [(note_id, digest) for note_id, place, digest in _entries() if place == os.fspath(path)]
    wanted = _digest(data)
    for note_id, digest in states:
        if digest == wanted:
            return note_id
    if states:
        raise NoteError(
            f"the note `{path}` was changed since hmem wrote it", hint="set `status: retracted` in it yourself"
        )
    raise NoteError(f"hmem did not create `{path}`", hint="only what `hmem remember` wrote can be forgotten")


def place_of(note_id: str) -> str | None:
    """Return the absolute path where hmem wrote the note with this id, None for any other id. Raises NoteError."""
    return next((place for known, place, _ in _entries() if known == note_id), None)


def written_places() -> frozenset[str]:
    """Return the absolute paths of all notes that hmem ever wrote. Raises NoteError."""
    return frozenset(place for _, place, _ in _entries())


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _entries() -> list[tuple[str, str, str]]:
    """Return (id, path, digest) of every state, oldest first."""
    try:
        lines = (data_dir() / LEDGER_NAME).read_bytes().splitlines()
    except FileNotFoundError:
        return []
    except OSError as error:
        raise NoteError(f"cannot read `{data_dir() / LEDGER_NAME}`: {error.strerror}") from error
    found = []
    for line in lines:
        with suppress(ValueError, KeyError, TypeError):  # a line cut short
            entry = json.loads(line)
            found.append((str(entry["id"]), str(entry["path"]), str(entry["sha256"])))
    return found
