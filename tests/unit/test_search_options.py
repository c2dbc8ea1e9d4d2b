import pytest
from hmem.errors import QueryError, UnknownKeyError, UsageError
from hmem.search.grammar import Op
from hmem.search.query import Arm, Fusion, SearchOptions, Weights, parse_minimum, runs
from hmem.search.request import from_request


@pytest.mark.parametrize(
    "options",
    [
        {"top_k": 0},
        {"top_k": -1},
        {"top_k": 10**9},
        {"top_k": True},
        {"alpha": -0.1},
        {"alpha": 1.1},
        {"alpha": float("nan")},
        {"rrf_k": 60},
        {"fusion": Fusion.RRF, "rrf_k": -1},
        {"fusion": Fusion.RRF, "rrf_k": float("inf")},
        {"weights": Weights()},
        {"fusion": Fusion.RRF, "weights": Weights(), "alpha": 0.5},
        {"fusion": Fusion.RRF, "weights": Weights(-1, 1)},
        {"fusion": Fusion.RRF, "weights": Weights(0, 0)},
        {"arms": ()},
        {"arms": ("words",)},
        {"arms": ("dense",), "alpha": 0},
        {"arms": ("bm25", "document"), "alpha": 1},
        {"minimums": {"words": 1}},
        {"minimums": {"dense": float("nan")}},
        {"minimums": {"dense": 0.1}, "alpha": 0},
        {"minimums": {"bm25": 0.1}, "arms": ("dense",)},
        {"kinds": ("notes",)},
        {"where": ("service",)},
        {"default_where": ("=x",)},
    ],
)
def test_contradictions_are_usage_errors(options):
    with pytest.raises(UsageError):
        SearchOptions("q", **options)


def test_effective_values():
    assert SearchOptions("q").effective_alpha == 0.2
    assert SearchOptions("q").effective_k is None
    rrf = SearchOptions("q", fusion=Fusion.RRF)
    assert (rrf.effective_alpha, rrf.effective_k) == (0.5, 60)
    assert SearchOptions("q", fusion=Fusion.RRF, rrf_k=0).effective_k == 0
    assert SearchOptions("q", alpha=0.7).effective_alpha == 0.7
    assert SearchOptions("q", arms=("dense",)).effective_alpha == 1
    assert SearchOptions("q", arms=("bm25",)).effective_alpha == 0
    assert SearchOptions("q", arms=("bm25",), alpha=0.5).effective_alpha == 0.5


def test_alpha_at_its_ends_switches_arms_off():
    for alpha, off in ((0.0, [Arm.DENSE]), (1.0, [Arm.BM25, Arm.DOCUMENT]), (0.5, [])):
        assert [arm for arm in Arm if not runs(SearchOptions("q", alpha=alpha), arm)] == off


def test_flags_become_filters():
    options = SearchOptions(
        "q",
        where=("service=billing",),
        default_where=("sensitivity != secret",),
        langs=("python", "rust"),
        kinds=("note",),
        collections=("work",),
        since="2025-01-01",
        until="7d",
    )
    assert [condition.text for condition in options.filters] == [
        "sensitivity != secret",
        "service=billing",
        "lang=python,rust",
        "kind=note",
        "collection=work",
        "updated>=2025-01-01",
        "updated<=7d",
    ]
    assert [condition.lenient for condition in options.filters] == [True] + 6 * [False]


def test_parse_minimum():
    assert parse_minimum("dense=0.4") == ("dense", 0.4)
    assert parse_minimum(" bm25 = 3") == ("bm25", 3.0)
    for text in ("", "dense", "dense=", "dense=x", "0.4"):
        with pytest.raises(UsageError, match="ARM=SCORE"):
            parse_minimum(text)


REQUEST = {
    "query_id": "q1",
    "search_text": "pool exhausted",
    "top_k": 3,
    "hybrid_params": {"dense_weight": 0.4, "sparse_weight": 0.6, "rrf_k_constant": 20},
    "metadata_filter": {"environment": "production", "service": ["billing", "a,b"], "draft": False, "n": 3, "x": None},
}


def test_request_with_hybrid_params_is_plain_rrf_over_two_arms():
    options = from_request(REQUEST, {"alpha": 0.1, "boosts": True, "fusion": Fusion.CONVEX, "where": ("a=b",)})
    assert (options.query, options.query_id, options.top_k) == ("pool exhausted", "q1", 3)
    assert (options.fusion, options.effective_k, options.weights) == (Fusion.RRF, 20, Weights(0.4, 0.6))
    assert options.arms == ("bm25", "dense")
    assert (options.boosts, options.alpha, options.request, options.where) == (False, None, True, ("a=b",))
    found = {condition.key: condition.values for condition in options.conditions}
    assert found == {
        "environment": ("production",),
        "service": ("billing", "a,b"),
        "draft": ("false",),
        "n": ("3",),
        "x": ("",),
    }
    assert all(condition.op is Op.EQ for condition in options.conditions)


def test_request_without_hybrid_params_keeps_the_defaults():
    assert from_request({"search_text": "x"}) == SearchOptions("x")
    assert from_request({"search_text": "x", "query_id": 7, "top_k": None}) == SearchOptions("x", query_id=7)
    assert from_request({"search_text": "x"}, {"top_k": 4}).top_k == 4


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"searchtext": "x"}, UnknownKeyError),
        ({"hybrid_params": {"dense": 1}}, UnknownKeyError),
        ({"search_text": None}, UsageError),
        ({"search_text": 3}, UsageError),
        ({"top_k": "3"}, UsageError),
        ({"top_k": 2.5}, UsageError),
        ({"top_k": 0}, UsageError),
        ({"top_k": 10**400}, UsageError),
        ({"query_id": []}, UsageError),
        ({"hybrid_params": []}, UsageError),
        ({"hybrid_params": {"dense_weight": "1"}}, UsageError),
        ({"hybrid_params": {"dense_weight": float("nan")}}, UsageError),
        ({"hybrid_params": {"dense_weight": 0, "sparse_weight": 0}}, UsageError),
        ({"hybrid_params": {"rrf_k_constant": -1}}, UsageError),
        ({"metadata_filter": []}, UsageError),
        ({"metadata_filter": {"a": {"b": 1}}}, UsageError),
        ({"metadata_filter": {"a": []}}, UsageError),
    ],
)
def test_bad_requests_are_usage_errors(change, error):
    with pytest.raises(error) as raised:
        from_request(REQUEST | change)
    assert raised.value.message


def test_a_request_is_an_object():
    for request in ([], "x", None, 3):
        with pytest.raises(UsageError, match="JSON object"):
            from_request(request)


def test_unknown_request_key_names_the_nearest():
    with pytest.raises(UnknownKeyError) as raised:
        from_request(REQUEST | {"hybrid_params": {"dense_weigth": 1}})
    assert raised.value.nearest == "hybrid_params.dense_weight"


def test_bad_filters_say_where():
    with pytest.raises(QueryError) as raised:
        SearchOptions("q", where=("a b",))
    assert raised.value.position == 3
