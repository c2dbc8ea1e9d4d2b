"""The arithmetic of boosts, the words of names, and what a search makes of them."""

from dataclasses import replace

import numpy as np
import pytest
from hmem.search import names, rank
from hmem.search.names import Symbol
from hmem.search.query import Fusion
from hmem.search.recipe import DEFAULT_RECIPE, Recipe
from hmem.search.results import Hit
from hmem.types import DefinitionKind
from hypothesis import given
from hypothesis import strategies as st

from search_samples import add_files, ask, encoder, sources, store_of


def scores(*values: float) -> np.ndarray:
    return np.array(values, np.float64)


def files(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


candidates = st.lists(st.tuples(st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.9]), st.integers(0, 4)), max_size=20)


@given(candidates)
def test_places_are_those_of_a_sort_within_each_file(found):
    values, owners = scores(*(value for value, _ in found)), files(*(owner for _, owner in found))
    expected = [0] * len(found)
    for owner in set(owners.tolist()):
        own = [index for index in range(len(found)) if owners[index] == owner]
        for place, index in enumerate(sorted(own, key=lambda at: (-values[at], at))):
            expected[index] = place
    assert rank.places(values, owners).tolist() == expected


@given(candidates)
def test_repeats_multiply_by_the_factor_once_for_each_better_chunk(found):
    values, owners = scores(*(value for value, _ in found)), files(*(owner for _, owner in found))
    places = rank.places(values, owners)
    after = values + rank.repeats(values, owners, 0.6)
    assert after.tolist() == pytest.approx((values * 0.6**places).tolist())
    assert (rank.repeats(values, owners, 1.0) == 0).all()


def test_coherence_is_half_of_the_second_and_a_quarter_of_the_third():
    found = rank.coherence(scores(0.2, 0.8, 0.4, 0.1, 0.9, 0.3), files(3, 3, 3, 3, 5, 7), 0.5)
    together = 0.5 * (0.5 * 0.4 + 0.25 * 0.2)
    assert found.tolist() == pytest.approx([together, together, together, together, 0, 0])
    assert rank.coherence(scores(), files(), 0.5).tolist() == []


def test_the_share_of_a_name_is_weighed_by_rarity():
    name = {"http": 1.0, "pars": 3.0}
    assert rank.named_share(name, frozenset({"pars"})) == 0.75
    assert rank.named_share(name, frozenset({"pars", "http", "more"})) == 1
    assert rank.named_share(name, frozenset({"url"})) == 0
    assert rank.named_share({}, frozenset({"url"})) == 0


def test_a_definition_is_surer_the_more_it_fits():
    symbol = Symbol("Pool.acquire", "acquire", ("Pool",), alone=True)

    def strength(name="acquire", kind=DefinitionKind.FUNCTION, *, nested=False, context="", files=1) -> float:
        return rank.definition_strength(symbol, name, kind, nested=nested, context=context, files=files)

    assert strength() == 0.6
    assert strength(kind=DefinitionKind.TYPE) == 1
    assert strength(kind=DefinitionKind.TYPE, nested=True) == 1
    assert strength(nested=True) < strength() < strength(context="pool src/pool.py")
    assert strength("Acquire") < strength()
    assert strength(files=9) < strength(files=2) < strength()


# -- names


@pytest.mark.parametrize(
    ("one", "other"), [("router", "route"), ("parser", "parse"), ("logger", "logging"), ("running", "runner")]
)
def test_who_does_it_and_what_is_done_share_a_root(one, other):
    assert names.root(one) == names.root(other)


def test_different_words_keep_different_roots():
    words = [
        "server",
        "service",
        "serial",
        "client",
        "cache",
        "cases",
        "pool",
        "poll",
        "test",
        "text",
        "user",
        "use",
        "error",
        "order",
        "other",
    ]
    assert len({names.root(word) for word in words}) == len(words)


def test_names_and_queries_meet_at_the_roots_of_their_parts():
    assert names.name_words("HTTPRequestParser") == ("http", "request", "parser")
    assert names.name_words("request_parser-request") == ("request", "parser")
    assert names.asked_roots("how does it parse a request") == {names.root("parse"), names.root("request")}


@pytest.mark.parametrize(
    "path",
    [
        "test_pool.py",
        "pool_test.go",
        "src/pool.spec.ts",
        "tests/pool.py",
        "PoolTest.java",
        "a/__tests__/b.js",
        "pool.bats",
        "bench/x.rs",
        "spec/pool_spec.rb",
        "PoolSpec.scala",
    ],
)
def test_tests_are_known_by_their_path(path):
    assert names.is_test(path)


@pytest.mark.parametrize(
    "path", ["latest.py", "contest.go", "src/attest.rs", "testament/x.py", "pool.py", "spec.md.py/x.py"]
)
def test_other_files_are_not(path):
    assert not names.is_test(path)


def test_what_a_query_asks_for():
    assert names.asks_for_tests("tests of the pool")
    assert names.asks_for_tests("mocking the clock")
    assert not names.asks_for_tests("the latest contest")
    assert names.asks_aside("example of the YAML configuration")
    assert not names.asks_aside("how is a connection opened")


def test_symbols_of_a_query():
    assert names.symbols("pool") == (Symbol("pool", "pool", (), alone=True),)
    assert names.symbols("Sinatra::Base") == (Symbol("Sinatra::Base", "Base", ("Sinatra",), alone=True),)
    found = names.symbols("where does ConnectionPool.acquire wait, and parse_url() too")
    assert [(symbol.name, symbol.qualifiers) for symbol in found] == [
        ("acquire", ("ConnectionPool",)),
        ("parse_url", ()),
    ]
    assert names.symbols("how a pool works, in general.") == ()
    for odd in ("", "::", "()", "  ", "\0", "-> . #", "🙂"):
        assert all(symbol.name for symbol in names.symbols(odd))


# -- in a search

POOL = "class ConnectionPool:\n    def acquire(self):\n        return self.wait_for_connection()\n"
TREE = {
    "src/pool.py": POOL,
    "src/user.py": "from pool import ConnectionPool\n\n\ndef use(pool: ConnectionPool):\n    return ConnectionPool()\n",
    "src/http_client.py": "def send(request):\n    return request.connection.write(request.body)\n",
    "src/writer.py": "def write(connection, request):\n    connection.send(request.body)\n    return request\n",
    "tests/test_pool.py": "def check_connection_pool_acquire():\n    assert ConnectionPool().acquire()\n",
    "src/README.md": "# Sources\n\nThe connection pool: acquire waits for a connection.\n",
    "notes/pool.md": "# Connection pool\n\nThe connection pool: acquire waits for a connection.\n",
}


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    return store_of(tmp_path_factory.mktemp("ranked"), TREE)


def boosts(result, source: str) -> dict[str, float]:
    hit = next(hit for hit in result.hits if hit.source == source)
    return {boost.name: boost.value for boost in hit.boosts}


def test_a_symbol_finds_its_definition_first(tree):
    found = ask(tree, "ConnectionPool")
    assert found.hits[0].source == "src/pool.py"
    assert boosts(found, "src/pool.py")["definition"] == pytest.approx(0.5)
    assert "definition" not in boosts(found, "src/user.py")


def test_a_symbol_in_a_sentence_counts_less(tree):
    alone = boosts(ask(tree, "ConnectionPool"), "src/pool.py")["definition"]
    inside = boosts(ask(tree, "what does ConnectionPool wait for"), "src/pool.py")["definition"]
    assert 0 < inside < alone


def test_the_words_of_a_file_name_count(tree):
    named = ask(tree, "http client writes a request to the connection")
    assert boosts(named, "src/http_client.py")["name"] == pytest.approx(0.19)
    assert boosts(ask(tree, "request connection"), "src/http_client.py").get("name") is None


def test_tests_count_half_unless_they_are_asked_for(tree):
    found = ask(tree, "connection pool acquire", langs=("python",))
    hit = next(hit for hit in found.hits if hit.source == "tests/test_pool.py")
    taken = boosts(found, "tests/test_pool.py")["test"]
    assert hit.score == pytest.approx(-taken)
    assert "test" not in boosts(ask(tree, "test of connection pool acquire"), "tests/test_pool.py")


def test_prose_has_a_boost_only_among_code(tree):
    found = ask(tree, "connection pool acquire")
    assert boosts(found, "notes/pool.md") == {}
    assert boosts(found, "src/README.md").keys() == {"aside"}
    assert boosts(ask(tree, "readme on the connection pool"), "src/README.md") == {}


def test_further_chunks_of_a_file_count_less(tmp_path):
    body = "\n\n\n".join(f"def handler_{n}(request):\n    " + f"request.handle({n})\n    " * 30 for n in range(6))
    found = ask(store_of(tmp_path, {"big.py": body, "small.py": "def handle(request):\n    ...\n"}), "request handler")
    places = [hit for hit in found.hits if hit.source == "big.py"]
    assert len(places) > 2
    taken = [{boost.name: boost.value for boost in hit.boosts}.get("repeat", 0.0) for hit in places]
    for place, (hit, repeat) in enumerate(zip(places, taken, strict=True)):
        assert hit.score == pytest.approx((hit.score - repeat) * DEFAULT_RECIPE.repeat**place)


@pytest.mark.parametrize("options", [{"boosts": False}, {"alpha": 0.0}, {"alpha": 1.0}, {"arms": ("bm25",)}], ids=str)
def test_one_side_alone_and_no_boosts_have_none(tree, options):
    assert all(not hit.boosts for hit in ask(tree, "ConnectionPool acquire", **options).hits)


def test_textbook_fusion_is_all_there_is(tree):
    found = ask(tree, "ConnectionPool acquire", fusion=Fusion.RRF, boosts=False)
    for hit in found.hits:
        assert hit.score == pytest.approx(sum(1 / (60 + arm.rank) for arm in hit.arms.values() if arm), abs=1e-12)


@pytest.mark.parametrize("fusion", list(Fusion))
@pytest.mark.parametrize("query", ["ConnectionPool", "connection pool acquire", "send the request", "http client"])
def test_every_effect_is_shown_and_bounded(tree, fusion, query):
    for hit in ask(tree, query, fusion=fusion).hits:
        parts = [arm.contribution for arm in hit.arms.values() if arm] + [boost.value for boost in hit.boosts]
        assert hit.score == pytest.approx(sum(parts), abs=1e-12)
        assert hit.score >= 0
        unit = 1.0 if fusion is Fusion.CONVEX else 2 / 61
        assert hit.score <= unit * (1.375 + 0.65 + 0.19 + 0.06)


BOOSTS = {
    "definition": "ConnectionPool",
    "mention": "what does ConnectionPool wait for",
    "coherence": "request handler",
    "name": "http client writes a request to the connection",
    "folder": "sources of the http client",
    "test": "connection pool acquire",
    "aside": "connection pool acquire",
    "repeat": "request handler",
    "level": "http client writes a request to the connection",
}


@pytest.fixture(scope="module")
def whole_tree(tmp_path_factory):
    body = "\n\n\n".join(f"def handler_{n}(request):\n    " + f"request.handle({n})\n    " * 30 for n in range(6))
    store = store_of(tmp_path_factory.mktemp("whole"), {**TREE, "sources/big.py": body, "sources/client.py": "x = 1\n"})
    with store.writer(model=encoder().fingerprint) as writer:
        notes = {"client.md": "# Clients\n\nAn http client writes its request to a connection of the pool.\n"}
        add_files(writer, notes, collection="wiki", root="/wiki", start=20)
        writer.commit()
    return store


@pytest.mark.parametrize("part", BOOSTS)
def test_each_boost_is_switched_off_on_its_own(whole_tree, part):
    query, off = BOOSTS[part], 1.0 if part in ("test", "aside", "repeat") else 0.0
    shown = "definition" if part == "mention" else part

    def named(recipe: Recipe) -> set[str]:
        return {boost.name for hit in ask(whole_tree, query, recipe=recipe, top_k=50).hits for boost in hit.boosts}

    before = named(DEFAULT_RECIPE)
    assert shown in before
    # What is taken back is nothing where nothing was added.
    assert named(replace(DEFAULT_RECIPE, **{part: off})) | {"level"} == before - {shown} | {"level"}
    assert part != "level" or "level" not in named(replace(DEFAULT_RECIPE, level=0.0))


@given(candidates, st.lists(st.booleans(), min_size=20, max_size=20), st.floats(0, 1))
def test_code_beside_notes_keeps_its_order_and_the_level_that_fusion_gave_it(found, flags, share):
    fused = scores(*(value for value, _ in found))
    raised, beside = fused * 1.5, np.array(flags[: len(found)], np.bool_)
    after = raised + rank.levelled(raised, fused, raised, beside, share)
    assert (after[beside] == raised[beside]).all()
    code = ~beside
    if beside.any() and code.any():
        assert after[code].tolist() == pytest.approx((raised[code] * (1 - share * (1 - 1 / 1.5))).tolist())
    else:
        assert (after == raised).all()


def test_boosts_sort_code_and_do_not_lift_it_above_notes(whole_tree):
    query = "http client writes a request to the connection"

    def code(**options) -> list[Hit]:
        return [hit for hit in ask(whole_tree, query, top_k=50, **options).hits if hit.kind == "code"]

    plain, raised = code(boosts=False), code(recipe=replace(DEFAULT_RECIPE, level=0.0))
    assert code()[0].score <= plain[0].score + 1e-9 < raised[0].score
    assert [hit.chunk_id for hit in code()] == [hit.chunk_id for hit in raised]
    assert all(boost.name != "level" for hit in code(collections=("notes",)) for boost in hit.boosts)


def test_filters_hold_for_definitions(tree):
    assert "src/pool.py" not in sources(ask(tree, "ConnectionPool", globs=("tests/**",)))


def test_prose_alone_is_ranked_as_if_there_were_no_boosts(tree):
    one = ask(tree, "connection pool", kinds=("note",))
    other = ask(tree, "connection pool", kinds=("note",), boosts=False)
    inside = [hit for hit in one.hits if hit.source.startswith("notes/")]
    assert [hit.score for hit in inside] == [hit.score for hit in other.hits if hit.source.startswith("notes/")]


def test_alpha_by_kind_is_reported(tree):
    both = ask(tree, "connection pool acquire").fusion
    assert both.alpha_by_kind == {"code": 0.4, "other": 0.2}
    assert both.to_json()["alpha_by_kind"] == {"code": 0.4, "other": 0.2}
    notes = ask(tree, "connection pool", kinds=("note",)).fusion
    assert (notes.alpha, notes.alpha_by_kind) == (0.2, None)
    given_alpha = ask(tree, "connection pool acquire", alpha=0.4).fusion
    assert (given_alpha.alpha, given_alpha.alpha_by_kind) == (0.4, None)
    assert "alpha_by_kind" not in given_alpha.to_json()


@pytest.mark.parametrize("options", [{}, {"alpha": 0.3}, {"kinds": ("note",)}, {"globs": ("**/*.py",)}], ids=str)
def test_the_weights_of_the_answer_are_those_of_its_hits(tree, options):
    found = ask(tree, "connection pool acquire", **options)
    report = found.to_json()["fusion"]
    by_kind = report.get("weights_by_kind")
    for hit in found.hits:
        weights = by_kind["code" if hit.kind == "code" else "other"] if by_kind else report["weights"]
        own = {arm: said.weight for arm, said in hit.arms.items() if said}
        assert own == {arm: pytest.approx(weights[arm]) for arm in own}
        assert sum(weights.values()) == pytest.approx(1)
