"""Flags over settings: what a search is asked for and how it is printed. A setting yields to a flag it contradicts."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from hmem.config import Layer
from hmem.errors import UsageError
from hmem.render import RenderOptions
from hmem.search.query import LEXICAL_ARMS, Arm, Fusion, SearchOptions, parse_fusion, parse_minimum
from hmem.settings import FORMATS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from hmem.cli.given import Given
    from hmem.config import Settings

_ARMS = ("arms", "alpha", "min")
"""Settings that decide together which arms run."""


def search_fields(given: Given, settings: Settings) -> dict[str, Any]:
    """Return the fields of SearchOptions but the query: flags where given, else settings."""

    def either(flag: Any, key: str) -> Any:
        return settings[f"search.{key}"] if flag is None else flag

    fusion = parse_fusion(either(given.fusion, "fusion"))
    alpha, arms = _alpha_and_arms(given, settings)
    is_rrf = fusion is Fusion.RRF
    return {
        "top_k": either(given.top_k, "top_k"),
        "alpha": alpha,
        "fusion": fusion,
        "rrf_k": settings["search.rrf_k"] if is_rrf and given.rrf_k is None else given.rrf_k,
        "boosts": not either(given.no_boosts, "no_boosts"),
        "arms": arms,
        "minimums": _minimums(given.minimum),
        "default_minimums": None if given.minimum else _minimums(settings["search.min"]),
        "where": tuple(given.where or ()),
        "default_where": () if given.no_default_where else tuple(settings["search.where"]),
        "within": tuple(given.inside or ()),
        "globs": tuple(given.glob or ()),
        "langs": tuple(given.lang or ()),
        "kinds": tuple(given.kind or ()),
        "collections": tuple(given.collection or ()),
        "since": given.since,
        "until": given.until,
        "all_states": given.all_states,
        "as_of": given.as_of,
        "recency": _recency(given, settings, arms),
        "half_life": either(given.half_life, "half_life"),
    }


def _recency(given: Given, settings: Settings, arms: Collection[str] | None) -> float:
    """Return the weight of newness; a configured one yields to arms without `time`."""
    if given.recency is not None:
        return given.recency
    configured: float = settings["search.recency"]
    return configured if arms is None or Arm.TIME in arms else 0.0


def _minimums(texts: Collection[str] | None) -> dict[str, float] | None:
    return dict(parse_minimum(text) for text in texts or ()) or None


def _alpha_and_arms(given: Given, settings: Settings) -> tuple[float | None, tuple[str, ...] | None]:
    """Return alpha and the arms; a configured one is left out if no arm that the flags ask for could then run."""
    alpha, arms = settings["search.alpha"], tuple(settings["search.arms"]) or None
    if given.arms is not None:
        arms = tuple(arm.strip() for text in given.arms for arm in text.split(","))
    if given.alpha is not None:
        alpha = given.alpha
    needed = [{arm} for arm in _minimums(given.minimum) or ()]
    weighed = [] if given.alpha is None else [_weighed(given.alpha)]
    if given.arms is None and arms is not None and not _all_met([*needed, *weighed], arms):
        arms = None
    if given.arms is not None:
        needed.append(set(arms or ()))
    if given.alpha is None and not _all_met(needed, _weighed(alpha)):
        alpha = None
    return alpha, arms


def _all_met(needed: Iterable[Collection[str]], arms: Collection[str]) -> bool:
    """Tell whether `arms` have one of each of the `needed` sets."""
    return all(any(arm in arms for arm in one) for one in needed)


def _weighed(alpha: float | None) -> set[str]:
    """Return the arms to which `alpha` leaves a say, all of them for None."""
    silenced = {0.0: {Arm.DENSE}, 1.0: {*LEXICAL_ARMS}}.get(-1.0 if alpha is None else alpha, set())
    return {*Arm} - silenced


def checked(query: str, fields: dict[str, Any], settings: Settings) -> SearchOptions:
    """Return the options of a search. Raises UsageError, which tells the layer of a setting that it is about."""
    try:
        return SearchOptions(query, **fields)
    except UsageError as error:
        if origins := _origins(error.message, settings):
            error.hint = "; ".join([error.hint, *origins] if error.hint else origins)
        raise


def _origins(message: str, settings: Settings) -> list[str]:
    """Return where those settings come from whose flag or value `message` names."""

    def is_named(key: str) -> bool:
        value = settings[f"search.{key}"]
        texts = value if isinstance(value, tuple) else (value,)
        return f"--{key.replace('_', '-')}" in message or any(f"`{text}`" in message for text in texts)

    about = {key for key in (*_ARMS, "top_k", "rrf_k", "where") if is_named(key)}
    if about & {*_ARMS}:
        about |= {*_ARMS}
    found = {key: settings.origin(f"search.{key}") for key in sorted(about)}
    return [f"`search.{key}` is set in `{at.origin}`" for key, at in found.items() if at.layer is not Layer.DEFAULT]


def render_options(given: Given, settings: Settings, forced: str | None = None) -> RenderOptions:
    """Return how to print, after checking that the flags do not contradict each other."""
    chosen = named_format(given) or forced or ("paths" if given.null else settings["search.format"])
    output = chosen or ("table" if sys.stdout.isatty() else "lines")
    if output not in FORMATS:
        raise UsageError(f"unknown format: `{output}`", hint=f"one of {', '.join(f'`{name}`' for name in FORMATS)}")
    if given.null and output != "paths":
        raise UsageError("`-0` belongs to `--format paths`", hint="use `-l -0`")
    if given.full and given.max_lines:
        raise UsageError("`--full` and `--max-lines` exclude each other")
    # `--max-lines` is more to the point than a configured `full`, and a configured `full` than configured lines.
    full = (settings["search.full"] and not given.max_lines) if given.full is None else given.full
    return RenderOptions(
        format=output,
        explain=settings["search.explain"] if given.explain is None else given.explain,
        null=given.null,
        absolute=settings["search.absolute"] if given.absolute is None else given.absolute,
        full=full,
        max_lines=None if full else given.max_lines or settings["search.max_lines"],
        max_tokens=given.max_tokens or settings["search.max_tokens"],
    )


def named_format(given: Given) -> str | None:
    """Return the format that the flags name. Raises UsageError if they name several."""
    named = {given.output, "json" if given.as_json else None, "paths" if given.as_paths else None} - {None}
    if len(named) > 1:
        raise UsageError(f"several formats at once: {', '.join(f'`{name}`' for name in sorted(map(str, named)))}")
    return next(iter(named), None)
