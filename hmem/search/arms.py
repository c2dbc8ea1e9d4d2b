"""The arms: each turns a query into one raw score per position, within a time budget, beside the others.

    bm25      BM25 of chunks, plus 0.3 x BM25 over neighbouring pairs of stems
    document  BM25 of the whole document that a chunk belongs to
    dense     cosine of the query's vector and the chunk's, exact

An arm that cannot answer says why; it never takes the others down.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from time import monotonic, perf_counter
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias

import numpy as np

from hmem.errors import ArmUnavailableError, HmemError, ModelError, StoreDamagedError
from hmem.search.bm25 import Bm25
from hmem.search.cosines import exact_cosines, fill_cosines, nearest
from hmem.search.query import Arm
from hmem.search.recipe import DEFAULT_RECIPE
from hmem.store.parts import CHUNKS, DOCUMENTS, PAIRS, TERMS
from hmem.text import QueryTerm, QueryText, model_words, parse_query, query_pairs, query_terms, stem
from hmem.types import Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from hmem.search.columns import Columns
    from hmem.search.entities import Activation
    from hmem.search.recipe import Recipe
    from hmem.store.snapshot import Snapshot

BUDGET: Final = 5.0
"""Seconds after which an arm counts as failed."""

PAIR_B: Final = 0.5
"""b of BM25 over pairs."""

HEAVIEST: Final = 8
"""How many terms of a query one text is expected to hold, the heaviest ones: a long question is never met whole."""


class Status(StrEnum):
    """What became of an arm."""

    OK = "ok"
    EMPTY = "empty"
    SKIPPED = "skipped"
    UNAVAILABLE = "unavailable"
    FAILED = "failed"

    @property
    def ran(self) -> bool:
        """Whether the arm answered, be it with nothing."""
        return self in (Status.OK, Status.EMPTY)


@dataclass(frozen=True, slots=True)
class ArmResult:
    """What an arm said. `scores` (P,) float64, -inf where it has none; None unless it ran. `ms` in milliseconds.

    `most`: what the heaviest terms of the query could score together (bm25); `unembedded`: eligible chunks
    without a vector of the model in use (dense); `activation`: of the chunks that the entity arm knows of.
    """

    status: Status
    reason: str | None = None
    scores: NDArray[np.float64] | None = None
    ms: float = 0.0
    most: float = 0.0
    unembedded: int | None = None
    activation: Activation | None = None

    @classmethod
    def skipped(cls, reason: str) -> ArmResult:
        """Return the result of an arm that did not run."""
        return cls(Status.SKIPPED, reason)


@dataclass(frozen=True, slots=True)
class Query:
    """A query as the arms see it: its words without quotes, weighted terms and pairs, phrases that must occur."""

    text: str
    phrases: tuple[str, ...]
    terms: tuple[QueryTerm, ...]
    pairs: tuple[QueryTerm, ...]

    @classmethod
    def read(cls, query: str) -> Query:
        """Return the analysed `query`; any text is accepted."""
        parsed: QueryText = parse_query(query)
        return cls(parsed.text, parsed.phrases, query_terms(parsed.text), query_pairs(parsed.text))


class QueryEncoder(Protocol):
    """What the dense arm needs of an encoder (`hmem.embed.Encoder`)."""

    fingerprint: str

    def encode_words(self, words: Sequence[str], weights: Sequence[float]) -> NDArray[np.float32]:
        """Return the vector of a text whose words count by their weights, unit length or zero."""


EncoderSource: TypeAlias = "QueryEncoder | Callable[[], QueryEncoder | None] | None"
"""An encoder, or what loads it when the dense arm runs."""


class Indexes:
    """The indexes of one snapshot, opened when an arm first needs them. Safe to share between threads."""

    def __init__(self, snapshot: Snapshot, columns: Columns, recipe: Recipe = DEFAULT_RECIPE) -> None:
        """`recipe` gives the parameters of BM25."""
        self.snapshot = snapshot
        self.recipe = recipe
        self._columns = columns
        self._lock = Lock()
        self._fields: dict[tuple[str, str], Bm25] = {}
        self._code: NDArray[np.bool_] | None = None
        self._parameters: tuple[NDArray[np.float32], NDArray[np.float32]] | None = None
        self._document_parameters: tuple[NDArray[np.float32], NDArray[np.float32]] | None = None

    def field(self, index: str, field: str) -> Bm25:
        """Return the scorer of a field of the `chunks` or `documents` index. Raises ArmUnavailableError."""
        with self._lock:
            if (index, field) not in self._fields:
                live = self.snapshot.live if index == CHUNKS else self.snapshot.document_live
                self._fields[index, field] = Bm25(self.snapshot.lexical(index), field, live)
            return self._fields[index, field]

    def is_code(self) -> NDArray[np.bool_]:
        """Return which positions are code, (P,)."""
        if self._code is None:
            column = self._columns.column("kind")
            self._code = column.spread([value == Kind.CODE for value in column.values], missing=False)
        return self._code

    def parameters(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return k1 and b of every position, (P,) each."""
        if self._parameters is None:
            code, recipe = self.is_code(), self.recipe
            k1 = np.where(code, np.float32(recipe.code_k1), np.float32(recipe.prose_k1))
            self._parameters = k1, np.where(code, np.float32(recipe.code_b), np.float32(recipe.prose_b))
        return self._parameters

    def document_parameters(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return k1 and b of every document, (D,) each."""
        if self._document_parameters is None:
            documents, recipe = len(self.snapshot.document_keys), self.recipe
            k1, b = np.full(documents, recipe.prose_k1, np.float32), np.full(documents, recipe.prose_b, np.float32)
            code = self.snapshot.document_positions[self.is_code()]
            k1[code], b[code] = recipe.code_k1, recipe.code_b
            self._document_parameters = k1, b
        return self._document_parameters


def run_bm25(indexes: Indexes, query: Query, eligible: NDArray[np.bool_]) -> ArmResult:
    """Return BM25 scores of chunks (0 and more); 1 for all if the query is nothing but signs in quotes."""
    if not query.terms:
        if query.phrases:
            return _answer(np.ones(len(eligible)), eligible)
        return ArmResult.skipped("the query has no words")
    field = indexes.field(CHUNKS, TERMS)
    scores = field.scores(_weighted(query.terms), *indexes.parameters()).astype(np.float64)
    recipe = indexes.recipe
    if query.pairs and recipe.pairs:
        pairs = indexes.field(CHUNKS, PAIRS).scores(_weighted(query.pairs), recipe.prose_k1, PAIR_B)
        scores += recipe.pairs * pairs
    return replace(_answer(scores, eligible & (scores > 0)), most=_most(field, query.terms))


def run_document(indexes: Indexes, query: Query, eligible: NDArray[np.bool_]) -> ArmResult:
    """Return for every chunk the BM25 score of its document (0 and more)."""
    if not query.terms:
        return ArmResult.skipped("the query has no words")
    field = indexes.field(DOCUMENTS, TERMS)
    documents = field.scores(_weighted(query.terms), *indexes.document_parameters()).astype(np.float64)
    scores = documents[indexes.snapshot.document_positions]
    return _answer(scores, eligible & (scores > 0))


def run_dense(
    indexes: Indexes, query: Query, eligible: NDArray[np.bool_], encoder: EncoderSource, depth: int
) -> ArmResult:
    """Return cosines (-1 to 1), those of the best `depth` to nine decimals; others are only as exact as float32.

    The store keeps no zero vector, so a chunk of which the model knows nothing has no score here.
    """
    words = model_words(query.text)
    if not words:
        return ArmResult.skipped("the query has no words")
    model = encoder() if callable(encoder) else encoder
    if model is None:
        raise ArmUnavailableError("there is no embedding model")
    try:
        segments = indexes.snapshot.dense(model.fingerprint)
    except ArmUnavailableError as error:
        return ArmResult(Status.UNAVAILABLE, _why(error), unembedded=int(np.count_nonzero(eligible)))
    vector = query_vector(indexes, model, words.split(" "))
    unembedded = int(np.count_nonzero(eligible & ~indexes.snapshot.embedded()))
    if not vector.any():
        return ArmResult(Status.SKIPPED, "the model knows no word of the query", unembedded=unembedded)
    rows = list(zip(segments, indexes.snapshot.dense_positions(), strict=True))
    scores = np.full(len(eligible), -np.inf, np.float32)
    for segment, positions in rows:
        fill_cosines(scores, segment.vectors, positions, eligible, vector)
    near = nearest(scores, depth)
    sharp = scores.astype(np.float64)
    for segment, positions in rows:
        exact = near[positions]
        sharp[positions[exact]] = exact_cosines(segment.vectors[exact], vector)
    status = Status.OK if near.any() else Status.EMPTY
    return ArmResult(status, scores=sharp, unembedded=unembedded)


def query_vector(indexes: Indexes, model: QueryEncoder, words: list[str]) -> NDArray[np.float32]:
    """Return the vector of the query's `words`, each weighed by the root of its idf among chunks.

    A question is short and half of it says nothing. Alone: +.02 on scifact, cacm and cranfield, +.01 on code.
    """
    try:
        field = indexes.field(CHUNKS, TERMS)
    except ArmUnavailableError:
        return model.encode_words(words, [1.0] * len(words))
    return model.encode_words(words, [math.sqrt(field.idf(stem(word))) for word in words])


def _why(error: HmemError) -> str:
    return f"{error.message} ({error.hint})" if error.hint else error.message


def _weighted(terms: Sequence[QueryTerm]) -> list[tuple[str, float]]:
    return [(term.term, term.weight) for term in terms]


def _most(field: Bm25, terms: Sequence[QueryTerm]) -> float:
    """Return the sum of what the heaviest terms score at most: weight x idf."""
    return sum(sorted((term.weight * field.idf(term.term) for term in terms), reverse=True)[:HEAVIEST])


def _answer(scores: NDArray[np.float64], returned: NDArray[np.bool_]) -> ArmResult:
    status = Status.OK if returned.any() else Status.EMPTY
    return ArmResult(status, scores=np.where(returned, scores, -np.inf))


def side_by_side(tasks: Mapping[Arm, Callable[[], ArmResult]], budget: float = BUDGET) -> dict[Arm, ArmResult]:
    """Run every task in a thread of its own and return what each said, within `budget` seconds after the start.

    A task that raises is `unavailable` if it could not answer, `failed` if it broke; one that is late is `failed` and
    left behind: its thread ends by itself and never keeps the process alive.
    """
    answers: SimpleQueue[tuple[Arm, ArmResult]] = SimpleQueue()
    for arm, task in tasks.items():
        Thread(target=lambda a, t: answers.put((a, _run(t))), args=(arm, task), name=f"arm-{arm}", daemon=True).start()
    late = ArmResult(Status.FAILED, f"took longer than {budget:g} s", ms=1000 * budget)
    results = dict.fromkeys(tasks, late)
    deadline = monotonic() + budget
    for _ in tasks:
        try:
            arm, result = answers.get(timeout=max(0.0, deadline - monotonic()))
        except Empty:
            break
        results[arm] = result
    return results


def _run(task: Callable[[], ArmResult]) -> ArmResult:
    start = perf_counter()
    try:
        result = task()
    except (ArmUnavailableError, ModelError, StoreDamagedError) as error:
        result = ArmResult(Status.UNAVAILABLE, _why(error))
    except Exception as error:  # one broken arm must not take the others down
        result = ArmResult(Status.FAILED, f"{type(error).__name__}: {error}")
    return replace(result, ms=1000 * (perf_counter() - start))
