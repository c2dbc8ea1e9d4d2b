"""Every error that hmem raises on purpose.

    HmemError                   message, hint (or None), exit_code = 2
    ├─ UsageError               contradictory or unknown options, a path that cannot be used
    │  ├─ QueryError            a query or filter that cannot be understood: position, excerpt
    │  └─ UnknownKeyError       a metadata or configuration key that does not exist: nearest known key
    ├─ ConfigError              file, key, origin of a bad setting
    ├─ NotIndexedError          no such store, collection, document or chunk
    ├─ StoreError               the store cannot be used as a whole
    │  ├─ StoreLockedError      another writer holds it: pid, since
    │  ├─ StoreFormatError      written by another format version
    │  ├─ StoreDamagedError     a file is missing, short or fails its checksum
    │  └─ StoreAccessError      owner or permissions, no space, input/output error
    ├─ ArmUnavailableError      one arm cannot answer; the others can. reason
    ├─ NoteError                a note cannot be written or must not be changed
    └─ ModelError               an embedding model is missing or unusable

Adapters translate the exceptions of the libraries they wrap into these. A single file that cannot be read or
parsed is not an exception: it is an entry in the index report.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


class HmemError(Exception):
    """A failure with a message for the user, what to do next, and an exit code."""

    exit_code = 2

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(HmemError):
    """The request contradicts itself or names something that cannot be used."""


class QueryError(UsageError):
    """A query, filter or date expression cannot be understood."""

    def __init__(self, message: str, *, text: str = "", position: int | None = None, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.text = text
        self.position = position


_FEW = 8
"""As many known keys are told where none is near."""


class UnknownKeyError(UsageError):
    """A key that no chunk (or no setting) has."""

    def __init__(self, what: str, key: str, known: Iterable[str]) -> None:
        names = list(known)
        self.key = key
        self.nearest = next(iter(get_close_matches(key, names, n=1, cutoff=0.5)), None)
        hint = f"did you mean `{self.nearest}`?" if self.nearest else None
        if hint is None and 0 < len(names) <= _FEW:
            hint = f"one of {', '.join(f'`{name}`' for name in sorted(names))}"
        super().__init__(f"unknown {what}: `{key}`", hint=hint)


class ConfigError(HmemError):
    """A configuration value is unknown or invalid."""


class NotIndexedError(HmemError):
    """The named store, collection, document or chunk does not exist."""


class StoreError(HmemError):
    """The store cannot be used."""


class StoreLockedError(StoreError):
    """Another process is writing."""

    def __init__(self, path: Path, *, pid: int | None, since: str | None, waited: float) -> None:
        holder = f"process {pid}" if pid else "another process"
        if since:
            holder += f" (since {since})"
        super().__init__(
            f"the store is being written by {holder}, waited {waited:.1f} s: `{path}`",
            hint="try again later, or wait longer with `--lock-timeout SECONDS`",
        )
        self.pid = pid


class StoreFormatError(StoreError):
    """The store was written in another format."""


class StoreDamagedError(StoreError):
    """A file of the store is missing, short or does not match its checksum."""


class StoreAccessError(StoreError):
    """The store belongs to somebody else, is open to others, or the disk refuses."""


class ArmUnavailableError(HmemError):
    """One arm cannot answer; `message` is the reason shown with the result."""


class NoteError(HmemError):
    """A note cannot be written, or must not be changed."""


class ModelError(HmemError):
    """An embedding model is missing or cannot be used."""
