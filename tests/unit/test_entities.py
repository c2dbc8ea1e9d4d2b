"""The entity arm: which words are names, who has them, what they add, and what belongs together."""

from __future__ import annotations

import pytest
from hmem.errors import UsageError
from hmem.search.engine import Searcher
from hmem.search.entities import RARE, names_in
from hmem.search.query import SearchOptions
from hmem.search.recipe import Recipe

from search_samples import ask, encoder, sources, store_of

FILES = {
    "codes.md": "# Error codes\n\n- **E4127** header and lines of an invoice disagree (`InvoiceMismatch`)\n",
    "ledger.md": "# Ledger\n\nRaises E4127, see [[codes]]. Tomasz owns the ledger; the invoice is his.\n",
    "oncall.md": "# On call\n\nRosalind has the pager of the [ledger](ledger.md#people) this month.\n",
    "dr-018-pool.md": "---\nsupersedes: dr-011-pool\n---\n# DR-018 Pool\n\nThe pool has 64 connections.\n",
    "dr-011-pool.md": "---\nstatus: superseded\n---\n# DR-011 Pool\n\nThe pool has 40 connections. DA-77310 broke.\n",
    "src/check.py": "class InvoiceMismatch(Exception):\n    pass\n\n\ndef total(lines):\n    raise InvoiceMismatch\n",
    "src/batch.py": "from check import InvoiceMismatch\n\n\ndef run_batch():\n    try:\n        pass\n"
    "    except InvoiceMismatch:\n        pass\n",
    "invoices.md": "# Numbers\n\nNB-2025-004817 went out. NB-2025-004871 is another, says INC-231-4.\n",
    "secret.md": "---\nsensitivity: secret\n---\n# Secret\n\nE4127 cost us 3 cents.\n",
    **{f"many/{number}.md": f"# Part {number}\n\nEvery part knows qb_common.\n" for number in range(RARE + 1)},
}


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return store_of(tmp_path_factory.mktemp("entities"), FILES)


@pytest.fixture(scope="module")
def searcher(store):
    with store.snapshot() as snapshot:
        yield Searcher(snapshot, encoder, directory="/")


def named(result) -> list[tuple[str, int]]:
    entities = result.to_json()["arms"]["entity"].get("entities", [])
    return [(entity["name"], entity["chunks"]) for entity in entities]


def added(result) -> dict[str, float]:
    boosts = {hit.source: [boost.value for boost in hit.boosts if boost.name == "entity"] for hit in result.hits}
    return {source: values[0] for source, values in boosts.items() if values}


# -- which words are names


@pytest.mark.parametrize(
    "word",
    ["E4127", "NB-2025-004817", "DR-008", "#4471", "pool_max", "poolMax", "InvoiceMismatch", "HTTPServer", "a.b",
     "pgbouncer.ini", "Cls::method", "src/check.py", "v2", "1.0.21", "ed25519"],
)  # fmt: skip
def test_a_name_is_told_by_its_form(word):
    assert names_in(f"what about {word} now") == [word]


@pytest.mark.parametrize("text", ["who owns the pool", "on-call pay", "64 MB of 2025", "Tomasz isn't here", "", "API"])
def test_words_and_numbers_are_no_names(text):
    assert names_in(text) == []


# -- looking them up


def test_a_query_without_names_is_left_alone(store):
    result = ask(store, "who owns the ledger")
    assert result.arms["entity"].status == "skipped"
    assert result.arms["entity"].reason == "the query has no word that looks like a name"
    assert not added(result)


def test_what_has_the_name_gets_its_part_and_nothing_else_does(store):
    result = ask(store, "invoice E4127", top_k=50)
    assert named(result) == [("E4127", 3)]
    values = added(result)
    assert set(values) == {"codes.md", "ledger.md", "secret.md"}
    assert list(values.values()) == pytest.approx(3 * [0.3 * 0.5 * 3**-0.5])
    assert result.arms["entity"].candidates == 3
    for hit in result.hits:
        parts = [arm.contribution for arm in hit.arms.values() if arm] + [boost.value for boost in hit.boosts]
        assert hit.score == pytest.approx(sum(parts), abs=1e-12)


@pytest.mark.parametrize("written", ["e4127", "E-4127", "E_4127"])
def test_case_and_separators_do_not_matter(store, written):
    assert named(ask(store, f"what is {written}")) == [(written, 3)]


def test_the_beginning_of_one_name_stands_for_it(store):
    assert named(ask(store, "INC-231")) == [("INC-231", 1)]
    assert named(ask(store, "NB-2025-00481")) == [("NB-2025-00481", 1)]


def test_the_beginning_of_several_names_stands_for_none(store):
    result = ask(store, "NB-2025-0048")
    assert named(result) == []
    assert result.arms["entity"].status == "empty"


def test_a_name_that_many_have_says_nothing(store):
    assert named(ask(store, "qb_common")) == []


def test_files_are_found_by_their_names_and_paths(store):
    for written in ("check.py", "src/check.py"):
        assert set(added(ask(store, f"errors in {written}", top_k=50))) == {"src/check.py"}
    assert not added(ask(store, "errors in heck.py"))


def test_the_longer_the_question_the_less_a_name_says(store):
    short, long = added(ask(store, "E4127"))["codes.md"], added(ask(store, "who is it that raised E4127"))["codes.md"]
    assert short == pytest.approx(2 * long)  # `raised` is the only other word that is no stop word


def test_the_share_is_bounded(store):
    result = ask(store, "E4127 InvoiceMismatch check.py dr-018 NB-2025-004817", recipe=Recipe(entity=0.4))
    assert max(added(result).values()) <= 0.4


# -- scope


def test_the_arm_never_gates(store):
    with_names = ask(store, "E4127 pool", top_k=100)
    without = ask(store, "E4127 pool", top_k=100, arms=("bm25", "document", "dense"))
    assert set(sources(without)) <= set(sources(with_names))


def test_nothing_outside_the_filters_is_named(store):
    result = ask(store, "E4127", where=("sensitivity!=secret",), arms=("entity",))
    assert set(sources(result)) == {"codes.md", "ledger.md"}
    assert named(result) == [("E4127", 2)]


def test_what_is_retired_is_not_named(store):
    assert not named(ask(store, "DA-77310"))
    assert not sources(ask(store, "DA-77310", arms=("entity",)))
    assert sources(ask(store, "DA-77310", arms=("entity",), all_states=True)) == ["dr-011-pool.md"]


def test_the_arm_alone_returns_what_it_knows(store):
    result = ask(store, "E4127", arms=("entity",))
    assert result.strategy == "entity"
    assert set(sources(result)) == {"codes.md", "ledger.md", "secret.md"}


def test_a_minimum_cuts_the_arm(store):
    assert not added(ask(store, "E4127", minimums={"entity": 0.6}))
    assert added(ask(store, "E4127", minimums={"entity": 0.5}))


@pytest.mark.parametrize("options", [{"boosts": False}, {"alpha": 0.0}, {"alpha": 1.0}, {"arms": ("bm25",)}])
def test_plain_rankings_have_no_names(store, options):
    result = ask(store, "E4127", **options)
    assert result.arms["entity"].status == "skipped"
    assert not added(result)


def test_a_minimum_for_an_arm_that_does_not_run_is_an_error():
    with pytest.raises(UsageError):
        SearchOptions("E4127", arms=("bm25",), minimums={"entity": 0.5})


# -- what belongs together


def linked(searcher, path: str) -> set[str]:
    documents = searcher.snapshot.catalog.documents()
    number = next(row.id for row in documents.values() if row.path == path)
    return {documents[each].path for each in searcher._graph.linked(number)}


def around(searcher, path: str, hops: int) -> dict[str, float]:
    snapshot = searcher.snapshot
    documents = {row.id: row.path for row in snapshot.catalog.documents().values()}
    seeds = [at for at, number in enumerate(snapshot.documents.tolist()) if documents[number] == path]
    found = searcher._graph.spread(dict.fromkeys(seeds, 1.0), hops)
    pairs = zip(found.positions.tolist(), found.values.tolist(), strict=True)
    return {documents[int(snapshot.documents[at])]: value for at, value in pairs}


def test_links_count_in_both_directions(searcher):
    assert linked(searcher, "ledger.md") == {"codes.md", "oncall.md"}
    assert linked(searcher, "codes.md") == {"ledger.md"}
    assert linked(searcher, "dr-011-pool.md") == {"dr-018-pool.md"}
    assert linked(searcher, "invoices.md") == set()


def test_every_step_hands_on_half(searcher):
    one = around(searcher, "oncall.md", 1)
    assert one == {"ledger.md": 0.5}
    two = around(searcher, "oncall.md", 2)
    assert two["ledger.md"] == 0.5
    assert two["codes.md"] == 0.25


def test_a_definition_and_its_uses_are_neighbours(searcher):
    assert around(searcher, "src/check.py", 1)["src/batch.py"] == pytest.approx(0.5 * 2**-0.5)
    assert around(searcher, "src/batch.py", 1)["src/check.py"] == pytest.approx(0.5 * 2**-0.5)


def test_related_prefers_what_is_linked(store):
    from hmem.search.related import search_related

    with store.snapshot() as snapshot:
        result = search_related(Searcher(snapshot, encoder, directory="/"), "oncall.md", SearchOptions(""))
    assert sources(result)[0] == "ledger.md"
    assert "entity" in {boost.name for boost in result.hits[0].boosts}


def test_neighbours_of_a_name_have_a_part_if_the_recipe_gives_it(store):
    assert "oncall.md" not in added(ask(store, "E4127", top_k=50))
    values = added(ask(store, "E4127", top_k=50, recipe=Recipe(neighbour=1.0)))
    assert 0 < values["oncall.md"] < values["ledger.md"]
