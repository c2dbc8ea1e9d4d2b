"""The JSON form of a search, `--request`: what it may hold, and the options that it stands for. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hmem.errors import UnknownKeyError, UsageError
from hmem.search.grammar import Condition, Op
from hmem.search.query import DEFAULT_RRF_K, Arm, Fusion, SearchOptions, Weights

_REQUEST_KEYS = ("query_id", "search_text", "top_k", "hybrid_params", "metadata_filter")
_HYBRID_KEYS = ("dense_weight", "sparse_weight", "rrf_k_constant")


def from_request(request: object, defaults: Mapping[str, Any] | None = None) -> SearchOptions:
    """Return the search that a `--request` object asks for; `defaults` are SearchOptions fields that it may override.

    Raises UnknownKeyError for keys that are not part of the form, UsageError for values of the wrong type.
    """
    if not isinstance(request, Mapping):
        raise UsageError("a request is a JSON object", hint='for example `{"search_text": "…"}`')
    _check_keys(request, _REQUEST_KEYS)
    text = request.get("search_text")
    if not isinstance(text, str):
        raise UsageError("a request needs `search_text`, a text")
    identity = request.get("query_id")
    if isinstance(identity, Mapping | list):
        raise UsageError("`query_id` is a text or a number")
    fields: dict[str, Any] = dict(defaults or {})
    fields |= {"query": text, "query_id": identity}
    if request.get("top_k") is not None:
        fields["top_k"] = _whole(request["top_k"], "top_k")
    if request.get("metadata_filter") is not None:
        fields["conditions"] = (*fields.get("conditions", ()), *_conditions(request["metadata_filter"]))
    if request.get("hybrid_params") is not None:
        fields |= _hybrid(request["hybrid_params"])
    return SearchOptions(**fields)


def _hybrid(params: object) -> dict[str, Any]:
    if not isinstance(params, Mapping):
        raise UsageError("`hybrid_params` is an object")
    _check_keys(params, _HYBRID_KEYS, "hybrid_params.")
    given = {key: _number(value, f"hybrid_params.{key}") for key, value in params.items() if value is not None}
    weights = Weights(given.get("dense_weight", 1.0), given.get("sparse_weight", 1.0))
    return {
        "fusion": Fusion.RRF,
        "alpha": None,
        "weights": weights,
        "rrf_k": given.get("rrf_k_constant", DEFAULT_RRF_K),
        "arms": (Arm.BM25, Arm.DENSE),
        "boosts": False,
        "recency": 0.0,
        "request": True,
    }


def _conditions(filters: object) -> list[Condition]:
    """Return one equality per key; a list is any of its values, null is the empty value."""
    if not isinstance(filters, Mapping):
        raise UsageError("`metadata_filter` is an object of keys and values")
    conditions = []
    for key, value in filters.items():
        values = value if isinstance(value, list) else [value]
        if not values or any(isinstance(element, Mapping | list) for element in values):
            raise UsageError(f"`metadata_filter.{key}` is a value or a list of values")
        texts = tuple(_literal_text(element) for element in values)
        conditions.append(Condition(key, Op.EQ, texts, f"{key}={','.join(texts)}", len(key) + 1))
    return conditions


def _literal_text(value: object) -> str:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _check_keys(found: Mapping[Any, Any], known: Sequence[str], prefix: str = "") -> None:
    for key in found:
        if key not in known:
            raise UnknownKeyError("key of the request", f"{prefix}{key}", [f"{prefix}{name}" for name in known])


def _number(value: object, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 1e15:
        raise UsageError(f"`{name}` is a number")
    return value


def _whole(value: object, name: str) -> int:
    number = _number(value, name)
    if int(number) != number:
        raise UsageError(f"`{name}` is a whole number")
    return int(number)
