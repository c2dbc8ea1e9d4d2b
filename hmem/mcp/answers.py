"""What a tool says: text for the model that reads it, and the JSON object of the same command, both within a budget."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from hmem.cli.searching import why_nothing
from hmem.render import RenderOptions, render
from hmem.render.budget import BYTES_PER_TOKEN, fit_budget
from hmem.render.json_text import to_text
from hmem.render.plain import hidden_texts
from hmem.render.status import status_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hmem.notes.files import Note
    from hmem.passages import Passage
    from hmem.search.results import SearchResult
    from hmem.status import Status
    from hmem.types import Json

_REASONS: Final = frozenset({"arms", "boosts", "matched"})
"""What of a hit only explains its rank. It would take most of the budget."""

_OF_THE_SEARCH: Final = frozenset({"query_id", "fusion", "arms", "hidden", "took_ms"})


@dataclass(frozen=True, slots=True)
class Answer:
    """What a tool says: `text` for people and models, `data` in the words of the command's `--json`."""

    text: str
    data: dict[str, Json]


def found(result: SearchResult, *, tokens: int, explain: bool, notes: Sequence[str] = ()) -> Answer:
    """Return as many of the best hits as `tokens` have room for, in each of the two forms.

    With `explain` the JSON object is that of `hmem search --json`, and the text has the reasons too.
    """
    shape = RenderOptions(format="md", absolute=True, max_tokens=tokens, explain=explain)
    fitting = fit_budget(result, shape)
    said = [*notes, *_notes(result, len(fitting.hits))]
    text = "".join(render(fitting, shape)) + "".join(f"({note})\n" for note in said)

    def printed(part: SearchResult) -> list[str]:
        return [to_text(_record(part, explain, said))]

    return Answer(text, _record(fit_budget(result, shape, printed), explain, said))


def _notes(result: SearchResult, shown: int) -> list[str]:
    notes = [*result.degraded, *hidden_texts(result)]
    if result.stale:
        notes.append("files changed since they were indexed")
    if not result.hits:
        notes.append(why_nothing(result))
    elif shown < len(result.hits):
        notes.append(f"{shown} of {len(result.hits)} hits fit the budget")
    return notes


def _record(result: SearchResult, explain: bool, notes: Sequence[str]) -> dict[str, Json]:
    record: dict[str, Any] = result.to_json()
    if not explain:
        record = {key: value for key, value in record.items() if key not in _OF_THE_SEARCH}
        record["results"] = [_hit(hit) for hit in record["results"]]
    return {**record, "notes": [*notes]}


def _hit(record: dict[str, Json]) -> dict[str, Json]:
    """Return what of a hit an agent works with."""
    return {key: value for key, value in record.items() if key not in _REASONS and value not in (None, [], {})}


def read(passage: Passage, *, tokens: int) -> Answer:
    """Return the whole lines of a passage that `tokens` have room for."""
    text, is_cut = _cut(passage.text, tokens)
    shown = replace(passage, text=text)
    note = ""
    if is_cut:
        last = passage.start_line + max(text.count("\n") - text.endswith("\n"), 0)
        shown = replace(shown, end_line=min(last, passage.end_line))
        note = f"\n(cut to {tokens} tokens at line {shown.end_line} of {passage.end_line}; `PATH:LINE` reads on)"
    where = f"{passage.path}:{shown.start_line}-{shown.end_line}"
    return Answer(f"{where}\n\n{text}{note}", shown.to_json() | {"truncated": is_cut})


def _cut(text: str, tokens: int) -> tuple[str, bool]:
    """Return the whole lines of `text` within `tokens`, at least a part of the first, and whether any is missing."""
    data = text.encode("utf-8", "replace")
    most = tokens * BYTES_PER_TOKEN
    if len(data) <= most:
        return text, False
    kept = data[:most].decode("utf-8", "ignore")
    whole, newline, _ = kept.rpartition("\n")
    return (whole + newline or kept), True


def remembered(note: Note) -> Answer:
    """Return the id of a note."""
    later = f"; not indexed yet: {note.unindexed}" if note.unindexed else ""
    return Answer(f"remembered as {note.id}{later}", note.to_json())


def indexed(status: Status) -> Answer:
    """Return the status without the lists of files that were left out: they may be endless."""
    record: dict[str, Any] = status.to_json()
    for collection in record["collections"]:
        collection["skipped"].pop("files", None)
        collection.pop("warnings", None)
    return Answer("\n".join(status_lines(status, verbose=False)), record)
