"""What a user must know about an answer beside its hits: its age, and the arms that could not answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hmem.cli.console import hint, warn
from hmem.render.plain import hidden_texts
from hmem.search.results import LATER

if TYPE_CHECKING:
    from hmem.cli.given import Given
    from hmem.library import KnowledgeBase
    from hmem.notes.files import Note
    from hmem.search.results import SearchResult


def freshen(memory: KnowledgeBase, given: Given) -> bool | None:
    """Bring the store up to date if that is asked for or cheap; return what is known of its age."""
    age = memory.freshen(memory.settings["search.refresh"] if given.refresh is None else given.refresh)
    if age.message:
        (warn if age.stale else hint)(age.message)
    return age.stale


def tell_degraded(result: SearchResult) -> None:
    """Warn of arms that could not answer."""
    for text in result.degraded:
        warn(text)


def tell_hidden(result: SearchResult) -> None:
    """Say what the answer leaves out because it is retired, or came after the date of `--as-of`."""
    if result.hidden:
        how = "; `--all-states` shows them" if {*result.hidden} != {LATER} else ""
        hint(f"{', '.join(hidden_texts(result))}{how}")


def tell_unindexed(note: Note, done: str) -> None:
    """Warn that searches do not know a note yet as it is now, though it is `done` ("saved")."""
    if note.unindexed:
        warn(f"the note is {done} but not indexed yet: {note.unindexed}")
        hint("`hmem index` does it")
