"""The checks and repairs of `hmem doctor`, on a store that may not open at all."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING

from hmem.errors import ModelError
from hmem.library import KnowledgeBase
from hmem.paths import store_dir
from hmem.store.verify import Problem, problems
from hmem.version import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from hmem.embed import Encoder
    from hmem.types import Json

ENGINES = ("whoosh3", "usearch", "model2vec", "tokenizers", "numpy")


@dataclass(frozen=True, slots=True)
class Checkup:
    """What was found: facts by name, the problems that there are, and those that were mended just now."""

    facts: Mapping[str, str]
    problems: tuple[Problem, ...]
    mended: tuple[Problem, ...] = ()

    def to_json(self) -> dict[str, Json]:
        """Return the checkup as one JSON object."""
        return {
            "schema": 1,
            "facts": dict(self.facts),
            "problems": [_problem_json(problem) for problem in self.problems],
            "mended": [_problem_json(problem) for problem in self.mended],
        }


def _problem_json(problem: Problem) -> dict[str, Json]:
    return {"code": problem.code, "message": problem.message, "mends": problem.mends}


def check(store: str | None = None) -> Checkup:
    """Return what is wrong with a store and its model. Raises NotIndexedError if there is no store."""
    directory = store_dir(store)
    found = problems(directory)
    model, trouble = _load_model()
    if trouble is None and not found:
        trouble = _model_mismatch(store, model)
    return Checkup(_facts(directory, model), (*found, *([trouble] if trouble else [])))


def mend(store: str | None = None, *, lock_timeout: float | None = None) -> Checkup:
    """Mend what can be mended from the catalog, or from the sources if the catalog is lost, and check again."""
    from hmem.store.repair import repair
    from hmem.store.store import LOCK_TIMEOUT

    directory = store_dir(store)
    model, _ = _load_model()
    done = repair(directory, model, lock_timeout=LOCK_TIMEOUT if lock_timeout is None else lock_timeout)
    if done.reindex:
        with KnowledgeBase.open(store) as memory:
            memory.index()
    after = check(store)
    return Checkup(after.facts, after.problems, tuple(p for p in done.found if p not in after.problems))


def _load_model() -> tuple[Encoder | None, Problem | None]:
    from hmem import config
    from hmem.embed import load_encoder

    try:
        return load_encoder(config.load()["model"]), None
    except ModelError as error:
        return None, Problem("model", error.message, "hmem config model")


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
