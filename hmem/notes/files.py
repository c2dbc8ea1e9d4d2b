"""Notes that hmem itself writes: one markdown file each, with front matter, in the directory for notes.

This is the only place where hmem writes outside its data directory, and it changes only files of its own, which
`hmem.notes.ledger` knows.
"""

from __future__ import annotations

import json
import math
import os
import re
import secrets
import time
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

import yaml

from hmem.discover import check_root
from hmem.errors import NoteError, UsageError
from hmem.notes.ledger import owned, record
from hmem.parse.frontmatter import MAX_SIZE, read_front_matter
from hmem.paths import data_dir, real
from hmem.store.files import finished, make_dir, publish, remove_file, replace

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hmem.types import Json

MAX_TEXT: Final = 1 << 20
"""Longest note in bytes; longer texts are files of the user's, to be indexed where they are."""
STATUS: Final = "status"
RETRACTED: Final = "retracted"
RESERVED: Final = frozenset({"id", "title", "created", "tags", "supersedes", "retracted"})
"""Keys of the front matter that have a meaning of their own and options of their own."""

ABANDONED_SECONDS: Final = 3600.0
"""An unfinished file of this age has no writer any more."""

_UNFINISHED: Final = re.compile(r"\.[0-9a-f]{16}\.new")
_TITLE_LENGTH: Final = 80
_SLUG_LENGTH: Final = 48
_PLAIN_WORDS: Final = re.compile(r"[A-Za-z][A-Za-z0-9_-]*(?: [A-Za-z0-9_-]+)*")
_NOT_TEXT: Final = frozenset({"null", "true", "false", "yes", "no", "on", "off", "y", "n"})
_LEADING_MARKS: Final = re.compile(r"^(?:#{1,6}\s+|[-*+>]\s+|\d+[.)]\s+)+")
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class Draft:
    """What is to be remembered. `supersedes` are ids of notes or paths of documents."""

    text: str
    title: str | None = None
    metadata: Mapping[str, Json] = field(default_factory=dict)
    tags: Sequence[str] = ()
    supersedes: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Note:
    """A note that was written: its id, which stays, the absolute path of its file, and its title.

    `unindexed` is the reason why searches do not know its present state yet, None if they do.
    """

    id: str
    path: Path
    title: str
    unindexed: str | None = None

    def to_json(self) -> dict[str, Json]:
        """Return the note as one JSON object."""
        return {"schema": 1, "id": self.id, "path": str(self.path), "title": self.title, "unindexed": self.unindexed}


def notes_dir(configured: str | None) -> Path:
    """Return the directory for notes, real and absolute: the `configured` one, else `notes` in the data directory."""
    return real(configured or data_dir() / "notes")


def make_notes_dir(directory: Path) -> None:
    """Make `directory` if it is missing, for the owner only, and clear it of what crashes left.

    Raises UsageError if it is too much for notes (a home, a drive), NoteError if the disk refuses.
    """
    where = "`notes-directory` in the configuration says where notes go"
    try:
        check_root(directory, yes=False)
    except UsageError as error:
        raise UsageError(error.message, hint=where) from None
    try:
        directory.parent.mkdir(parents=True, exist_ok=True)
        make_dir(directory)
        _sweep(directory)
    except OSError as error:
        raise NoteError(
            f"cannot make the directory `{directory}`: {(error.strerror or str(error)).lower()}",
            hint=where,
        ) from error


def _sweep(directory: Path) -> None:
    with os.scandir(directory) as entries:
        left = [Path(entry.path) for entry in entries if _UNFINISHED.fullmatch(entry.name)]
    for path in left:
        with suppress(OSError):
            if path.lstat().st_mtime < time.time() - ABANDONED_SECONDS:
                remove_file(path)


def write_note(directory: Path, draft: Draft, *, now: datetime | None = None) -> Note:
    """Write `draft` as a new file in `directory`, whole or not at all, and return what was written.

    Nothing is ever overwritten. Raises UsageError for a text or metadata that cannot be a note, NoteError if the disk
    refuses.
    """
    moment = (now or datetime.now(UTC)).astimezone(UTC)
    title = _title(draft)
    note_id = f"note-{secrets.token_hex(6)}"
    metadata = _front_matter(draft, note_id, title, moment)
    data = _rendered(metadata, draft.text.rstrip("\n") + "\n")
    path = directory / f"{moment:%Y-%m-%d}-{_slug(title)}-{note_id[-6:]}.md"
    try:
        record(note_id, path, data)
        with finished(aside := _aside(path), data):
            publish(aside, path)
    except OSError as error:
        raise NoteError(f"cannot write the note `{path}`: {error.strerror}", hint="nothing was remembered") from error
    return Note(note_id, path, title)


def retract_note(path: Path, *, now: datetime | None = None) -> Note:
    """Mark the note at `path` as retracted in its front matter; one that is retracted stays as it is.

    Raises NoteError if hmem did not create the file or it was changed since, or if the disk refuses.
    """
    moment = (now or datetime.now(UTC)).astimezone(UTC)
    try:
        if path.is_symlink():
            raise NoteError(f"`{path}` is a symbolic link, not a note", hint="hmem changes only files that it created")
        data = path.read_bytes()
    except OSError as error:
        raise NoteError(f"cannot read the note `{path}`: {error.strerror}") from error
    note_id = owned(path, data)
    text = data.decode("utf-8")
    metadata, body = _split(text)
    note = Note(note_id, path, str(metadata.get("title", path.stem)))
    if metadata.get(STATUS) == RETRACTED:
        return note
    changed = _rendered({**metadata, STATUS: RETRACTED, "retracted": _stamp(moment)}, body)
    try:
        record(note_id, path, changed)
        with finished(aside := _aside(path), changed):
            owned(path, path.read_bytes())  # as late as can be: an editor may have saved meanwhile
            replace(aside, path)
    except OSError as error:
        raise NoteError(f"cannot change the note `{path}`: {error.strerror}", hint="it stays as it was") from error
    return note


def _title(draft: Draft) -> str:
    """Return the given title, else the first line of the text without markdown's marks, cut at a word."""
    if _CONTROL.search(draft.text):
        raise UsageError("the text holds control characters", hint="remember plain text")
    if len(draft.text.encode("utf-8", "surrogatepass")) > MAX_TEXT:
        raise UsageError(
            f"the text is larger than {MAX_TEXT >> 20} MiB", hint="save it as a file and run `hmem index` on it"
        )
    lines = (_LEADING_MARKS.sub("", line.strip()).strip() for line in draft.text.splitlines())
    first = next((line for line in lines if line.strip("-=#*_`~ ")), "")
    if not first:
        raise UsageError("there is no text to remember", hint="give the TEXT, or `-` to read it from stdin")
    wanted = " ".join((first if draft.title is None else draft.title).split())
    if not wanted or _CONTROL.search(wanted):
        raise UsageError(f"not a title: `{draft.title!r}`", hint="a title is one line of text")
    if len(wanted) <= _TITLE_LENGTH or draft.title is not None:
        return wanted
    return wanted[:_TITLE_LENGTH].rsplit(" ", 1)[0].rstrip(" .,;:") + "…"


def _front_matter(draft: Draft, note_id: str, title: str, moment: datetime) -> dict[str, Json]:
    for key in draft.metadata:
        if key in RESERVED:
            raise UsageError(f"`{key}` is not metadata of your own", hint=_instead(key))
    metadata: dict[str, Json] = {"id": note_id, "title": title, "created": _stamp(moment)}
    if draft.tags:
        metadata["tags"] = list(dict.fromkeys(draft.tags))
    if draft.supersedes:
        metadata["supersedes"] = list(dict.fromkeys(draft.supersedes))
    return {**metadata, **draft.metadata}


def _instead(key: str) -> str:
    options = {"title": "--title", "tags": "--tag", "supersedes": "--supersedes"}
    return f"use `{options[key]}`" if key in options else "hmem sets it by itself"


def _rendered(metadata: Mapping[str, Json], body: str) -> bytes:
    """Return the bytes of a note. Raises UsageError if its front matter would not read back as it is."""
    text = f"---\n{_yaml(metadata)}---\n\n{body.lstrip(chr(10))}"
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError:
        raise UsageError("the note is not valid Unicode", hint="remember UTF-8 text") from None
    if _split(text)[0] != metadata:
        raise UsageError(
            "the metadata cannot be written as front matter", hint=f"use plain values, {MAX_SIZE >> 10} KiB in all"
        )
    return data


def _yaml(metadata: Mapping[str, Json]) -> str:
    """Return `metadata` as YAML, one key a line. Words that might be taken for something else are quoted."""
    return "".join(f"{_value(key)}: {_value(value)}\n" for key, value in metadata.items())


def _value(value: Json) -> str:
    if isinstance(value, list):
        return f"[{', '.join(_value(element) for element in value)}]"
    if not isinstance(value, str):
        return json.dumps(value)
    if _PLAIN_WORDS.fullmatch(value) and value.lower() not in _NOT_TEXT:
        return value
    quoted: str = yaml.safe_dump(value, default_style='"', allow_unicode=True, width=math.inf)
    return quoted.rstrip("\n")


def _split(text: str) -> tuple[dict[str, Json], str]:
    """Return the front matter of a note and the text below it."""
    found = read_front_matter(text)
    lines = text.split("\n", found.body_line - 1)
    return found.metadata, lines[-1].lstrip("\n")


def _stamp(moment: datetime) -> str:
    return f"{moment:%Y-%m-%dT%H:%M:%S}Z"


def _slug(title: str) -> str:
    """Return `title` as part of a file name: lower-case letters and digits of any script, `-` between words."""
    words = re.findall(r"[^\W_]+", title.lower())
    slug = ""
    for word in words:
        longer = f"{slug}-{word}" if slug else word[:_SLUG_LENGTH]
        if len(longer.encode()) > _SLUG_LENGTH:
            break
        slug = longer
    return slug or "note"


def _aside(path: Path) -> Path:
    """Return a name of its own beside `path`, hidden, so that no scan takes it for a note."""
    return path.with_name(f".{secrets.token_hex(8)}.new")
