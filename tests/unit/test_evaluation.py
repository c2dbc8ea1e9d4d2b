"""The searches that are measured, halves of the queries, tests of chance, comparisons."""

from __future__ import annotations

import itertools
import json
import random
from dataclasses import replace
from functools import partial

import pytest
from hmem.errors import ArmUnavailableError, UsageError
from hmem.evaluation import (
    EvaluationOptions,
    Locator,
    Unit,
    evaluate,
    read_earlier,
    read_json_lines,
)
from hmem.evaluation.judgments import Question
from hmem.evaluation.metrics import MEASURES, measure
from hmem.evaluation.ranking import Case
from hmem.evaluation.runs import deep_answer
from hmem.evaluation.significance import randomisation_test
from hmem.evaluation.sweeps import ALL, HELD_BACK, TUNING, Point, Sweep, split
from hmem.evaluation.variants import ablation, alpha_sweep, k_sweep
from hmem.search.engine import Searcher
from hmem.search.query import Arm, Fusion, SearchOptions, runs

from search_samples import encoder, store_of

FILES = {
    "pool.md": "# Connection pool\n\nThe connection pool is exhausted when every connection is checked out.\n",
    "deploy.md": "# Deployment guide\n\nCanary first, then everybody.\n",
    "api/retry.md": "# Retries after a timeout\n\nRetries are spaced by backoff.\n",
    "web/retry.md": "# Retry button\n\nA button that reloads the page.\n",
    "backoff.py": '"""Waiting."""\n\n\ndef backoff(attempt):\n    """Return the seconds to wait before an attempt.\n\n'
    '    More.\n    """\n    return 2**attempt\n',
}


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return store_of(tmp_path_factory.mktemp("store"), FILES)


@pytest.fixture
def snapshot(store):
    with store.snapshot() as found:
        yield found


def rows(*objects):
    return "\n".join(json.dumps(row) for row in objects)


def options(**changes):
    return EvaluationOptions(SearchOptions("", **changes.pop("search", {})), len, **changes)


# -- measuring


def labelled(*pairs):
    return read_json_lines(rows(*({"query": query, "relevant": relevant} for query, relevant in pairs)), "f")


def test_an_evaluation_measures_what_the_search_answers(snapshot):
    """The scores of every run are those of its own hits, counted here by another way."""
    search = Searcher(snapshot, encoder, directory="/").search
    judgments = labelled(
        ("connection pool", "pool.md"), ("spaced retries", ["api/retry.md", "backoff.py"]), ("canary", "gone.md")
    )
    found = evaluate(judgments, Locator(snapshot.catalog).find, search, options(misses=True))
    assert found.unit is Unit.DOCUMENT
    assert found.lost == ["gone.md"]
    names = [run.name for run in found.runs]
    assert names[:6] == ["bm25", "document", "dense", "bm25+document", "bm25+dense", "document+dense"]
    assert names[-1] == "fused"
    for run in found.runs:
        arms = None if run.name in ("fused", "unboosted") else tuple(run.name.split("+"))
        for case, scores in zip(found.cases, run.scores, strict=True):
            hits = search(SearchOptions(case.question.query, arms=arms, boosts=run.name == "fused", top_k=20)).hits
            sources = list(dict.fromkeys(hit.source for hit in hits))
            wanted = {label.text for label in case.question.labels}
            assert scores == measure([float(source in wanted) for source in sources], [1.0] * len(wanted))
    assert [miss.case.question.query for miss in found.misses] == ["canary"]
    assert set(found.misses[0].ranks.values()) == {None}
    assert not found.misses[0].indexed


def test_a_miss_says_when_nothing_was_eligible(snapshot):
    search = Searcher(snapshot, encoder, directory="/").search
    judgments = labelled(('canary "no such phrase"', "deploy.md"), ("canary zzz", "web/retry.md:1"))
    found = evaluate(judgments, Locator(snapshot.catalog).find, search, options(misses=True, sweeps=False))
    assert found.misses[0].eligible == 0
    assert all(miss.indexed for miss in found.misses)


def test_misses_say_where_each_arm_ranks_the_answer(tmp_path):
    files = {f"{number:02}.md": f"# Note {number}\n\nzebra crossing {number}\n" for number in range(15)}
    files["last.md"] = "# Note\n\nzebra " + "filler words here " * 40
    with store_of(tmp_path, files).snapshot() as snapshot:
        search = Searcher(snapshot, encoder, directory="/").search
        judgments = labelled(("zebra crossing", "last.md"))
        found = evaluate(judgments, Locator(snapshot.catalog).find, search, options(misses=True, sweeps=False))
        hits = search(SearchOptions("zebra crossing", arms=("bm25",), boosts=False, top_k=20)).hits
    miss = found.misses[0]
    assert list(miss.ranks) == ["bm25", "document", "dense", "fused"]
    assert miss.ranks["bm25"] == [hit.source for hit in hits].index("last.md") + 1 == 16
    assert found.fused.scores[0]["recall@10"] == 0
    assert found.fused.scores[0]["recall@20"] == 1


def test_documents_beyond_the_first_hits_are_looked_for(tmp_path):
    """One document has more chunks than hits are asked for; the next document is found behind them."""
    long = "".join(f"## Zebra part {part}\n\n" + "zebra zebra crossing words. " * 40 + "\n\n" for part in range(30))
    files = {"long.md": long, "short.md": "# Other\n\nsomething else, zebra. " + "x y " * 200}
    with store_of(tmp_path, files).snapshot() as snapshot:
        search = Searcher(snapshot, encoder, directory="/").search
        wanted = SearchOptions("zebra crossing", arms=("bm25",), boosts=False)
        result, found = deep_answer(search, wanted, Unit.DOCUMENT, 20)
        assert {hit.source for hit in result.hits} == {"long.md"}
        assert [hit.source for hit in found] == ["long.md", "short.md"]
        assert len(deep_answer(search, wanted, Unit.CHUNK, 20)[1]) == 20


def test_an_arm_that_cannot_answer_is_left_out_and_named(snapshot):
    search = Searcher(snapshot, None, directory="/").search
    found = evaluate(labelled(("canary", "deploy.md")), Locator(snapshot.catalog).find, search, options(sweeps=False))
    assert found.silent == ("bm25+dense", "dense", "document+dense")
    assert [run.name for run in found.runs] == ["bm25", "document", "bm25+document", "fused"]
    assert list(found.fused.degraded.values()) == [1]


def test_nothing_to_measure_is_an_error(snapshot):
    find = Locator(snapshot.catalog).find
    with pytest.raises(UsageError, match="no query has a label"):
        evaluate(labelled(("a", [])), find, Searcher(snapshot, encoder).search, options())
    blind = Searcher(snapshot, None).search
    with pytest.raises(ArmUnavailableError):
        evaluate(labelled(("a", "pool.md")), find, blind, options(search={"arms": ("dense",)}))


def test_ablation_keeps_to_what_the_user_allows():
    base = SearchOptions("", arms=("bm25", "dense"), alpha=0.0, minimums={"bm25": 2.0})
    assert [variant.name for variant in ablation(base)] == ["bm25", "dense"]
    assert ablation(base)[0].options.minimums == {"bm25": 2.0}
    assert ablation(base)[1].options.minimums is None
    free = ablation(SearchOptions(""), ran=["entity"])
    assert [variant.name for variant in free[:4]] == ["bm25", "document", "dense", "entity"]
    assert not any(variant.options.boosts for variant in free)


def test_sweeps_vary_one_thing():
    base = SearchOptions("", alpha=0.7, minimums={"dense": 0.1}, where=("kind=note",))
    points = alpha_sweep(base)
    assert [point.options.alpha for point in points] == [number / 10 for number in range(11)]
    assert points[0].options.minimums is None
    assert all(replace(point.options, alpha=0.7) == base for point in points[1:])
    assert all(point.options.fusion is Fusion.RRF and point.options.rrf_k == point.value for point in k_sweep(base))
    assert {point.options.effective_alpha for point in k_sweep(base)} == {0.5}
    assert alpha_sweep(SearchOptions("", arms=("bm25",))) == []
    assert runs(points[-1].options, Arm.DENSE)


# -- halves and chance


def cases(count):
    return [Case(Question(f"query {number}", "q", ()), ()) for number in range(count)]


def test_halves_are_disjoint_and_follow_the_seed():
    halves = split(cases(21), 3)
    assert sorted(halves.tuning + halves.held_back) == list(range(21))
    assert len(halves.tuning) == 11
    assert split(cases(21), 3) == halves
    assert len({split(cases(21), seed).tuning for seed in range(20)}) == 20
    assert split(cases(3), 0).held_back == ()


def test_halves_of_more_queries_move_few():
    before, after = split(cases(100), 0), split(cases(101), 0)
    assert len(set(before.tuning) ^ set(after.tuning)) <= 2


def test_the_best_point_and_its_neighbours():
    curve = [0.1, 0.4, 0.3, 0.4, 0.4, 0.4, 0.2]
    means = [{ALL: score, TUNING: score, HELD_BACK: 1 - score} for score in curve]
    sweep = Sweep("alpha", tuple(Point(place / 10, mean) for place, mean in enumerate(means)), means[2])
    assert sweep.best(ALL) == 4
    assert [point.value for point in sweep.around(4)] == [0.3, 0.4, 0.5]
    assert sweep.around(0)[0] is None
    assert sweep.around(6)[2] is None
    assert sweep.chosen.means[HELD_BACK] == pytest.approx(0.6)
    found = sweep.to_json()
    assert found["best"][HELD_BACK] == {
        "value": 0.0,
        "score": 0.9,
        "before": None,
        "after": {"value": 0.1, "score": pytest.approx(0.6)},
    }


def test_an_over_tuned_value_shows_on_the_held_back_half():
    halves = split(cases(8), 0)
    lucky = [{name: float(at in halves.tuning) for name in MEASURES} for at in range(8)]
    assert halves.means(lucky) == {ALL: 0.5, TUNING: 1.0, HELD_BACK: 0.0}


@pytest.mark.parametrize("seed", range(20))
def test_randomisation_is_exact_for_few_pairs(seed):
    chance = random.Random(seed)
    before = [round(chance.random(), 1) for _ in range(9)]
    after = [round(chance.random(), 1) for _ in range(9)]
    observed = abs(sum(after) - sum(before))
    swaps = itertools.product([1, -1], repeat=9)
    reached = sum(
        abs(sum(sign * (new - old) for sign, old, new in zip(signs, before, after, strict=True))) >= observed - 1e-9
        for signs in swaps
    )
    assert randomisation_test(before, after) == pytest.approx(reached / 2**9)


def test_randomisation_of_many_pairs():
    """16 pairs of one sign: by all assignments p is 2 / 65,536, and equal pairs change nothing."""
    better = randomisation_test([0.0] * 16, [0.5] * 16)
    assert better == pytest.approx(2 / 2**16, abs=2e-4)
    assert better == randomisation_test([0.0] * 16 + [0.3] * 50, [0.5] * 16 + [0.3] * 50)
    assert randomisation_test([0.3] * 9, [0.3] * 9) == 1.0
    chance = random.Random(1)
    before = [chance.random() for _ in range(40)]
    assert randomisation_test(before, chance.sample(before, 40)) > 0.05


def test_a_comparison_is_of_the_queries_that_both_have(snapshot):
    search = Searcher(snapshot, encoder, directory="/").search
    measured = partial(evaluate, find=Locator(snapshot.catalog).find, search=search)
    first = measured(labelled(("canary", "deploy.md"), ("pool", "deploy.md")), options=options(sweeps=False))
    earlier = read_earlier(json.dumps(first.to_json()), "before.json")
    again = labelled(("canary", "deploy.md"), ("retries spaced", "api/retry.md"))
    found = measured(again, options=options(sweeps=False, earlier=earlier)).comparison
    assert (found.queries, found.only_before, found.only_now) == (1, 1, 1)
    assert [change.measure for change in found.changes if change.run == "fused"] == list(MEASURES)
    assert all(change.before == change.after and change.p == 1.0 for change in found.changes)
    with pytest.raises(UsageError, match="no query in common"):
        measured(labelled(("other", "pool.md")), options=options(earlier=earlier))
    with pytest.raises(UsageError, match="ranks documents"):
        measured(labelled(("canary", "deploy.md:1")), options=options(earlier=earlier))


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"results": [{}], "unit": "chunk"}', '{"results": 3}', "[" * 10**5])
def test_another_file_is_no_earlier_result(text):
    with pytest.raises(UsageError, match="not a result"):
        read_earlier(text, "x.json")
