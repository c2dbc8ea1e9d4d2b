"""Measures against trec_eval and by hand; ranks of documents and of chunks."""

from __future__ import annotations

import random
from dataclasses import dataclass

import pytest
import pytrec_eval
from hmem.evaluation.judgments import Label, Question
from hmem.evaluation.locate import Place
from hmem.evaluation.metrics import MEASURES, mean_scores, measure
from hmem.evaluation.ranking import Case, Target, Unit, gains, merged, rank_of, ranked, unit_of

TREC_NAMES = {
    "ndcg@10": "ndcg_cut_10",
    "recall@1": "recall_1",
    "recall@5": "recall_5",
    "recall@10": "recall_10",
    "recall@20": "recall_20",
    "precision@5": "P_5",
}


@dataclass(frozen=True)
class Found:
    source: str
    start_line: int = 1
    end_line: int = 10
    collection: str = "c"
    chunk_id: str = ""


def case(*targets: Target) -> Case:
    question = Question("q", "q", tuple(Label(target.label, target.grade) for target in targets))
    return merged(Case(question, targets), unit_of([Case(question, targets)]))


def document(name: str, grade: float = 1.0, *, indexed: bool = True) -> Target:
    return Target(name, grade, Place("c", name) if indexed else None)


def lines(name: str, first: int, last: int, grade: float = 1.0) -> Target:
    return Target(f"{name}:{first}-{last}", grade, Place("c", name, first, last))


def trec(run: list[str], grades: dict[str, int]) -> dict[str, float]:
    """Every measure by trec_eval, from documents in order; reciprocal rank over the first ten alone."""
    names = {"ndcg_cut.10", "recall.1,5,10,20", "P.5", "recip_rank"}
    evaluator = pytrec_eval.RelevanceEvaluator({"q": grades}, names)
    scored = {name: float(len(run) - place) for place, name in enumerate(run)}
    whole = evaluator.evaluate({"q": scored})["q"]
    ten = dict(list(scored.items())[:10])
    found = {ours: whole[theirs] for ours, theirs in TREC_NAMES.items()}
    return found | {"mrr@10": evaluator.evaluate({"q": ten})["q"]["recip_rank"]}


@pytest.mark.parametrize("seed", range(150))
def test_every_measure_agrees_with_trec_eval(seed):
    """Chunks of few documents in any order: documents repeat, some labels are not indexed, grades differ."""
    chance = random.Random(seed)
    names = [f"d{number}" for number in range(chance.randint(1, 40))]
    hits = [Found(chance.choice(names)) for _ in range(chance.randint(1, 80))]
    grades = {name: chance.randint(1, 4) for name in chance.sample(names, chance.randint(1, len(names)))}
    missing = {f"gone{number}": 1 for number in range(chance.randint(0, 3))}
    targets = [document(name, grade) for name, grade in grades.items()]
    targets += [document(name, indexed=False) for name in missing]
    asked = case(*targets)

    results = ranked(hits, Unit.DOCUMENT)
    ours = measure(gains(asked, results, Unit.DOCUMENT), asked.grades)

    order: list[str] = []
    for hit in hits:
        if hit.source not in order:
            order.append(hit.source)
    assert ours == pytest.approx(trec(order, {**grades, **missing}), abs=1e-6)


def test_measures_by_hand():
    """Grades 2 and 1 found at ranks 2 and 11, one of grade 1 not at all."""
    found = [0.0, 2.0, *[0.0] * 8, 1.0]
    scores = measure(found, [2.0, 1.0, 1.0])
    assert scores == pytest.approx(
        {
            "ndcg@10": (2 / 1.584963) / (2 + 1 / 1.584963 + 1 / 2),
            "mrr@10": 1 / 2,
            "recall@1": 0,
            "recall@5": 1 / 3,
            "recall@10": 1 / 3,
            "recall@20": 2 / 3,
            "precision@5": 1 / 5,
        },
        abs=1e-6,
    )


@pytest.mark.parametrize(("name", "k"), [(name, int(name.partition("@")[2])) for name in MEASURES])
def test_k_is_exactly_the_first_k(name, k):
    """The result at rank k counts in full, the one behind it not at all."""
    at = [0.0] * (k - 1) + [1.0]
    assert MEASURES[name](at, [1.0]) > 0
    assert MEASURES[name]([0.0, *at], [1.0]) == 0


def test_a_short_list_is_divided_by_k_all_the_same():
    assert measure([1.0], [1.0])["precision@5"] == pytest.approx(1 / 5)
    assert set(measure([], [1.0]).values()) == {0.0}


def test_means_of_no_query_are_zero():
    assert set(mean_scores([]).values()) == {0.0}


def test_a_document_counts_once_at_its_first_chunk():
    hits = [Found("a"), Found("a"), Found("b"), Found("a")]
    assert [hit.source for hit in ranked(hits, Unit.DOCUMENT)] == ["a", "b"]
    assert gains(case(document("b"), document("a")), ranked(hits, Unit.DOCUMENT), Unit.DOCUMENT) == [1.0, 1.0]
    assert ranked(hits, Unit.CHUNK) == hits
    assert gains(case(document("b"), document("a")), hits, Unit.CHUNK) == [1.0, 0.0, 1.0, 0.0]


def test_two_targets_at_one_rank_count_once():
    asked = case(lines("a", 2, 3), lines("a", 8, 9, grade=3.0), lines("a", 50, 50))
    hits = [Found("b"), Found("a", 1, 10), Found("a", 40, 60)]
    assert gains(asked, hits, Unit.CHUNK) == [0.0, 3.0, 1.0]
    assert measure(gains(asked, hits, Unit.CHUNK), asked.grades)["recall@5"] == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("first", "last", "rank"),
    [(1, 9, None), (10, 10, 1), (5, 10, 1), (20, 20, 1), (21, 21, 2), (20, 21, 1), (31, 99, None)],
)
def test_a_span_is_found_by_the_first_chunk_that_shares_a_line(first, last, rank):
    hits = [Found("a", 10, 20), Found("a", 21, 30)]
    assert rank_of(lines("a", first, last), hits, Unit.CHUNK) == rank


def test_a_chunk_id_is_found_by_that_chunk_alone():
    target = Target("beef", 1.0, Place("c", "a", chunk_id="beef"))
    hits = [Found("a", chunk_id="cafe"), Found("a", chunk_id="beef")]
    assert rank_of(target, hits, Unit.CHUNK) == 2
    assert rank_of(target, hits, Unit.DOCUMENT) == 1


def test_equal_paths_in_other_collections_are_other_documents():
    assert rank_of(document("a"), [Found("a", collection="other"), Found("a")], Unit.DOCUMENT) == 2


def test_the_unit_follows_the_labels():
    whole, part, lost = document("a"), lines("a", 1, 2), document("b", indexed=False)
    assert unit_of([case(whole), case(lost)]) is Unit.DOCUMENT
    assert unit_of([case(whole), case(part)]) is Unit.CHUNK


def test_labels_of_one_thing_are_one_target_of_the_highest_grade():
    question = Question("q", "q", ())
    spans = Case(question, (lines("a", 1, 2), lines("a", 5, 6, grade=2.0), document("b", indexed=False)))
    assert [target.grade for target in merged(spans, Unit.DOCUMENT).targets] == [2.0, 1.0]
    assert len(merged(spans, Unit.CHUNK).targets) == 3
