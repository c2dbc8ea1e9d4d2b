"""The checks and repairs of `hmem doctor`, on a store that may not open at all."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from hmem.errors import ModelError
from hmem.indexer import IndexOptions
from hmem.library import KnowledgeBase
from hmem.paths import store_dir
from hmem.store.verify import Problem, problems
from hmem.version import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hmem.config import Value
    from hmem.embed import Encoder
    from hmem.types import Json

ENGINES = ("whoosh3", "usearch", "model2vec", "tokenizers", "numpy")


@dataclass(frozen=True, slots=True)
class Checkup:
    """What was found: facts by name, the problems that there are, and those that were mended just now.

    `notes` say what could not be indexed again where the sources had to be.
    """

    facts: Mapping[str, str]
    problems: tuple[Problem, ...]
    mended: tuple[Problem, ...] = ()
    notes: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Json]:
        """Return the checkup as one JSON object."""
        return {
            "schema": 1,
            "facts": dict(self.facts),
            "problems": [_problem_json(problem) for problem in self.problems],
            "mended": [_problem_json(problem) for problem in self.mended],
            "notes": list(self.notes),
        }


def _problem_json(problem: Problem) -> dict[str, Json]:
    return {"code": problem.code, "message": problem.message, "mends": problem.mends}


def check(store: str | None = None, *, memory: bool = False) -> Checkup:
    """Return what is wrong with a store and its model, with `memory` also with what the documents say.

    A store that has problems is not read for that. Raises NotIndexedError if there is no store.
    """
    directory = store_dir(store)
    found = problems(directory)
    model, trouble = _load_model()
    if trouble is None and not found:
        trouble = _model_mismatch(store, model)
    said = _audit(store) if memory and not found else []
    return Checkup(_facts(directory, model), (*found, *([trouble] if trouble else []), *said))


def _audit(store: str | None) -> list[Problem]:
    from hmem.audit import audit

    with KnowledgeBase.open(store) as memory, memory.snapshot() as snapshot:
        return audit(snapshot, datetime.now())


def mend(store: str | None = None, *, memory: bool = False, lock_timeout: float | None = None) -> Checkup:
    """Mend what can be mended from the catalog, or from the sources if the catalog is lost, and check again.

    Raises StoreAccessError where only the user can decide, and StoreLockedError.
    """
    from hmem.store.repair import repair
    from hmem.store.store import LOCK_TIMEOUT

    directory = store_dir(store)
    before = problems(directory)
    if before:
        _regain(directory)
    model, _ = _load_model()
    done = repair(directory, model, lock_timeout=LOCK_TIMEOUT if lock_timeout is None else lock_timeout)
    notes = _reindex(store, lock_timeout) if done.reindex else ()
    after = check(store, memory=memory)
    found = dict.fromkeys((*before, *done.found))
    return Checkup(after.facts, after.problems, tuple(p for p in found if p not in after.problems), notes)


def _regain(directory: Path) -> None:
    """Give the owner of the store back the right to read and write what lies in it; nobody else gets any."""
    for folder, _, names in os.walk(directory):
        for path, wanted in ((Path(folder), 0o700), *((Path(folder, name), 0o600) for name in names)):
            with suppress(OSError):
                status = path.lstat()
                is_plain = stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)
                if is_plain and status.st_uid == os.geteuid() and status.st_mode & wanted != wanted:
                    path.chmod(stat.S_IMODE(status.st_mode) | wanted)


def _reindex(store: str | None, lock_timeout: float | None) -> tuple[str, ...]:
    """Read the sources again; return what could not be brought back."""
    with KnowledgeBase.open(store) as memory:
        report = memory.index((), IndexOptions(lock_timeout=lock_timeout))
    lost = [f"the root of {name} is missing; it is indexed again once it is back" for name in report.missing]
    return (*lost, *(f"`{note.path}` in {note.collection}: {note.reason}" for note in report.unreadable))


def _load_model() -> tuple[Encoder | None, Problem | None]:
    from hmem import config
    from hmem.embed import load_encoder

    chosen = config.load().origin("model")
    try:
        return load_encoder(chosen.value), None
    except ModelError as error:
        return None, _missing_model(chosen, error)


def _missing_model(chosen: Value, error: ModelError) -> Problem:
    """Return what is wrong with the configured model, and the command that gives hmem one that it can load."""
    from hmem.config import Layer
    from hmem.embed.sources import is_hub_id

    text = f"{error.message} (configured by {chosen.origin})"
    if chosen.value and is_hub_id(chosen.value):
        return Problem("model", text, f"hmem model use {chosen.value}")
    if chosen.layer is Layer.ENVIRONMENT:
        return Problem("model", text, f"unset {chosen.origin}")
    return Problem("model", text, "hmem model use built-in" if chosen.layer is Layer.CHOSEN else "")


def _model_mismatch(store: str | None, model: Encoder | None) -> Problem | None:
    with KnowledgeBase.open(store) as memory, memory.snapshot() as snapshot:
        stored = snapshot.model
    if stored is None or model is None or stored == model.fingerprint:
        return None
    return Problem(
        "model", f"the vectors come from model {stored}, configured is {model.fingerprint}", "hmem index --rebuild"
    )


def _facts(directory: Path, model: Encoder | None) -> dict[str, str]:
    facts = {"hmem": __version__, "store": str(directory)}
    facts |= {name: version(name) for name in ENGINES}
    if model is not None:
        facts["model"] = f"{model.name} ({model.fingerprint}, {model.dimensions} dimensions)"
    return facts
