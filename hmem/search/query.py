"""What a search is asked for: every option as data, checked once. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from hmem.errors import UnknownKeyError, UsageError
from hmem.search.grammar import Condition, Op, parse_condition
from hmem.search.recipe import DEFAULT_RECIPE
from hmem.types import Json, Kind

MAX_TOP_K = 1_000_000


class Fusion(StrEnum):
    """How the arms' lists become one."""

    CONVEX = "convex"
    RRF = "rrf"


def parse_fusion(name: str) -> Fusion:
    """Return the fusion called `name`. Raises UsageError."""
    try:
        return Fusion(name)
    except ValueError:
        raise UsageError(f"unknown fusion: `{name}`", hint="`convex` or `rrf`") from None


class Arm(StrEnum):
    """The retrieval channels, in the order in which they are shown."""

    BM25 = "bm25"
    DOCUMENT = "document"
    DENSE = "dense"
    ENTITY = "entity"
    TIME = "time"


LEXICAL_ARMS = (Arm.BM25, Arm.DOCUMENT)

DEFAULT_ALPHA = DEFAULT_RECIPE.prose_alpha
"""Of convex fusion, where the kind of the chunks does not say otherwise."""

DEFAULT_RRF_ALPHA = 0.5
DEFAULT_RRF_K = 60
DEFAULT_TOP_K = 10
DEFAULT_HALF_LIFE = 90.0
"""Days."""


@dataclass(frozen=True, slots=True)
class Weights:
    """Weights of reciprocal rank fusion, used as they are given (at least 0, not both 0)."""

    dense: float = 1.0
    sparse: float = 1.0


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """A search. UsageError (QueryError for a filter) if the options contradict each other.

    `alpha` None is the measured default; `rrf_k` and `weights` belong to `rrf` alone. `arms` None: all that have a say.
    `minimums` drop an arm's candidates below a raw score; `default_minimums`, those of the configuration, do so where
    that arm runs. `where` are filter expressions, `default_where` those of the
    configuration, whose keys a store may lack; `conditions` are filters already parsed. `within` are directories or
    files, absolute or from the working directory; `since` and `until` include what they name.
    `all_states` shows what is superseded, expired or retracted too; `as_of` answers as the memory stood at the end of
    that date. `recency` in [0, 1] is the weight of the newest date of a document, `half_life` > 0 in days.
    `request` marks the answer to a `--request` with `hybrid_params`. `without`: keys of chunks that are no candidates.
    """

    query: str
    top_k: int = DEFAULT_TOP_K
    alpha: float | None = None
    fusion: Fusion = Fusion.CONVEX
    rrf_k: float | None = None
    weights: Weights | None = None
    boosts: bool = True
    arms: tuple[str, ...] | None = None
    minimums: Mapping[str, float] | None = None
    default_minimums: Mapping[str, float] | None = None
    where: tuple[str, ...] = ()
    default_where: tuple[str, ...] = ()
    conditions: tuple[Condition, ...] = ()
    within: tuple[str, ...] = ()
    globs: tuple[str, ...] = ()
    langs: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    collections: tuple[str, ...] = ()
    since: str | None = None
    until: str | None = None
    all_states: bool = False
    as_of: str | None = None
    recency: float = 0.0
    half_life: float = DEFAULT_HALF_LIFE
    query_id: Json = None
    request: bool = False
    without: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        _check_counts(self)
        _check_fusion(self)
        _check_arms(self)
        for kind in self.kinds:
            if kind.lower() not in list(Kind):
                raise UnknownKeyError("kind", kind, list(Kind))
        for text in (*self.where, *self.default_where):
            parse_condition(text)

    @property
    def effective_alpha(self) -> float:
        """The share of the dense arm, 0 to 1, after defaults; an arm that is switched off leaves all to the others."""
        if self.weights is not None:
            return self.weights.dense / (self.weights.dense + self.weights.sparse)
        if self.alpha is not None:
            return self.alpha
        if self.arms is not None and Arm.DENSE not in self.arms:
            return 0.0
        if self.arms is not None and not any(arm in self.arms for arm in LEXICAL_ARMS):
            return 1.0
        return DEFAULT_RRF_ALPHA if self.fusion is Fusion.RRF else DEFAULT_ALPHA

    @property
    def alpha_is_measured(self) -> bool:
        """Whether nothing was said about the share of the dense arm: then it follows the kind of each chunk."""
        return self.alpha is None and self.weights is None and self.fusion is Fusion.CONVEX

    @property
    def boosted(self) -> bool:
        """Whether boosts may be added: not if they are switched off, nor to what one side alone says."""
        return self.boosts and 0 < self.effective_alpha < 1

    @property
    def effective_minimums(self) -> Mapping[str, float]:
        """The lowest raw score that counts, by arm."""
        defaults = self.default_minimums or {}
        return {arm: score for arm, score in defaults.items() if runs(self, Arm(arm))} | dict(self.minimums or {})

    @property
    def effective_k(self) -> float | None:
        """The constant of reciprocal rank fusion, None under `convex`."""
        if self.fusion is not Fusion.RRF:
            return None
        return DEFAULT_RRF_K if self.rrf_k is None else self.rrf_k

    @property
    def filters(self) -> tuple[Condition, ...]:
        """The filters of the expressions and of the flags that stand for one, in that order."""
        flags = [
            _flag("lang", self.langs),
            _flag("kind", self.kinds),
            _flag("collection", self.collections),
            _flag("updated", () if self.since is None else (self.since,), Op.GE),
            _flag("updated", () if self.until is None else (self.until,), Op.LE),
        ]
        return (
            *(parse_condition(text, lenient=True) for text in self.default_where),
            *(parse_condition(text) for text in self.where),
            *self.conditions,
            *(flag for flag in flags if flag is not None),
        )


def _flag(key: str, values: tuple[str, ...], op: Op = Op.EQ) -> Condition | None:
    if not values:
        return None
    return Condition(key, op, values, f"{key}{op}{','.join(values)}", position=len(key) + len(op))


def _check_counts(options: SearchOptions) -> None:
    if isinstance(options.top_k, bool) or not 1 <= options.top_k <= MAX_TOP_K:
        raise UsageError(f"`--top-k` is a number from 1 to {MAX_TOP_K}: `{options.top_k}`")
    if options.rrf_k is not None and not (math.isfinite(options.rrf_k) and options.rrf_k >= 0):
        raise UsageError(f"`--rrf-k` is a number of 0 or more: `{options.rrf_k}`")
    if options.alpha is not None and not 0 <= options.alpha <= 1:  # NaN too
        raise UsageError(f"`--alpha` is a number from 0 to 1: `{options.alpha}`")
    if not 0 <= options.recency <= 1:
        raise UsageError(f"`--recency` is a number from 0 to 1: `{options.recency}`")
    if not (math.isfinite(options.half_life) and options.half_life > 0):
        raise UsageError(f"`--half-life` is a number of days above 0: `{options.half_life}`")
    for arm, score in (*(options.default_minimums or {}).items(), *(options.minimums or {}).items()):
        if not math.isfinite(score):
            raise UsageError(f"`--min {arm}=` needs a finite number: `{score}`")


def _check_fusion(options: SearchOptions) -> None:
    if options.fusion is not Fusion.RRF:
        if options.rrf_k is not None:
            raise UsageError("`--rrf-k` belongs to `--fusion rrf`", hint="add `--fusion rrf`, or leave it out")
        if options.weights is not None:
            raise UsageError("weights of the arms belong to `--fusion rrf`", hint="use `--alpha`")
    weights = options.weights
    if weights is None:
        return
    if options.alpha is not None:
        raise UsageError("weights and `--alpha` say the same thing twice", hint="give one of them")
    if not all(math.isfinite(weight) and weight >= 0 for weight in (weights.dense, weights.sparse)):
        raise UsageError("weights are finite numbers of 0 or more")
    if not weights.dense + weights.sparse > 0:
        raise UsageError("one of the two weights must be more than 0")


def _check_arms(options: SearchOptions) -> None:
    for arm in (*(options.arms or ()), *(options.minimums or {}), *(options.default_minimums or {})):
        if arm not in list(Arm):
            raise UnknownKeyError("arm", arm, list(Arm))
    if options.arms is not None and not options.arms:
        raise UsageError("`--arms` names no arm", hint=f"choose from {', '.join(f'`{arm}`' for arm in Arm)}")
    chosen = set(options.arms or Arm)
    if not any(runs(options, Arm(arm)) for arm in chosen):
        raise UsageError(f"nothing is left to search with: `--arms {','.join(options.arms or ())}` excludes it")
    if options.recency and Arm.TIME not in chosen:
        raise UsageError("`--recency` asks something of the arm `time`, which does not run", hint="add it to `--arms`")
    for arm in options.minimums or {}:
        if not runs(options, Arm(arm)):
            raise UsageError(f"`--min {arm}=…` asks something of an arm that does not run")


def boosting(options: SearchOptions, arm: Arm) -> bool:
    """Tell whether an `arm` that only adds boosts may: not where there are none, unless `--arms` names it."""
    if not options.boosts:
        return False
    return options.boosted if options.arms is None else arm in options.arms


def runs(options: SearchOptions, arm: Arm) -> bool:
    """Tell whether the options leave `arm` a say: not switched off, not weighed 0."""
    if options.arms is not None and arm not in options.arms:
        return False
    if arm is Arm.DENSE:
        return options.effective_alpha > 0
    if arm in LEXICAL_ARMS:
        return options.effective_alpha < 1
    return True


def parse_minimum(text: str) -> tuple[str, float]:
    """Return the arm and the score of `ARM=SCORE`. Raises UsageError."""
    arm, equals, score = text.partition("=")
    try:
        if equals:
            return arm.strip(), float(score)
    except ValueError:
        pass
    raise UsageError(f"expected ARM=SCORE: `{text}`", hint="for example `--min dense=0.4`")
