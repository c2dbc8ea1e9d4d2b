import numpy as np
import pytest
from hmem.search import fuse
from hmem.search.lists import ArmList, best_first
from hmem.search.mix import Mix, plan
from hmem.search.query import Arm, Fusion, SearchOptions, Weights

P = 6


def no_ties() -> np.ndarray:
    raise AssertionError("nothing is equal here")


def by_position() -> np.ndarray:
    return np.arange(P)


def ranks(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


def scores(*values: float) -> np.ndarray:
    return np.array(values, np.float64)


NONE = -np.inf

# -- reciprocal rank fusion


def test_rank_1_and_rank_3_give_the_textbook_sum():
    fused = fuse.rrf(ranks(7), {"bm25": ranks(1), "dense": ranks(3)}, fuse.rrf_weights(0.5), 60)
    assert fused.scores[0] == pytest.approx(1 / 61 + 1 / 63, abs=1e-15)
    assert round(float(fused.scores[0]), 4) == 0.0323
    assert fused.contributions["bm25"][0] == pytest.approx(1 / 61)
    assert fused.contributions["dense"][0] == pytest.approx(1 / 63)


def test_found_by_both_arms_beats_first_in_one():
    both, first = 0, 1
    fused = fuse.rrf(ranks(both, first), {"bm25": ranks(2, 1), "dense": ranks(2, 0)}, fuse.rrf_weights(0.5), 60)
    assert fused.scores[both] > fused.scores[first]
    late = fuse.rrf(ranks(both, first), {"bm25": ranks(60, 1), "dense": ranks(60, 0)}, fuse.rrf_weights(0.5), 60)
    assert late.scores[both] > late.scores[first]


@pytest.mark.parametrize("alpha", [0.0, 0.25, 0.5, 1.0])
def test_rrf_weights_are_2a_and_2_minus_2a(alpha):
    weights = fuse.rrf_weights(alpha)
    assert weights["dense"] == 2 * alpha
    assert weights["bm25"] == 2 - 2 * alpha


def test_given_weights_are_used_as_they_are():
    options = SearchOptions("q", fusion=Fusion.RRF, weights=Weights(dense=3.0, sparse=0.5), arms=("bm25", "dense"))
    lists = {
        Arm.BM25: ArmList.of_chunks(scores(2, 1, NONE, NONE, NONE, NONE), 10, no_ties),
        Arm.DENSE: ArmList.of_chunks(scores(0.1, 0.2, NONE, NONE, NONE, NONE), 10, no_ties),
    }
    mix = Mix.of(options, lists, by_position)
    fused = mix.fuse(lists)
    assert fused.scores.tolist() == pytest.approx([0.5 / 61 + 3 / 62, 0.5 / 62 + 3 / 61])
    assert mix.report(fused.positions, by_position).weights == {"bm25": 0.5, "dense": 3.0}
    assert mix.alpha == pytest.approx(3 / 3.5)


# -- the convex combination


def test_convex_is_the_formula():
    bm25 = scores(8, 4, 0, 2)
    cosines = scores(0.2, 0.9, 0.6, 0.3)
    floor, best = 0.2, 0.9
    fused = fuse.convex(
        ranks(0, 1, 2, 3),
        {"bm25": fuse.lexical_norm(bm25, 8), "dense": fuse.dense_norm(cosines, best, floor, 0.5)},
        fuse.convex_weights(0.25),
    )
    dense = 0.01 * np.minimum((cosines + 1) / (1 + floor), 1) + 0.99 * (cosines - floor) / (best - floor)
    expected = 0.75 * bm25 / 8 + 0.25 * dense
    assert fused.scores.tolist() == pytest.approx(expected.tolist())


def test_a_flat_dense_list_counts_less():
    found = fuse.dense_norm(scores(0.5, 0.44), 0.5, 0.44, 0.3)
    assert found.tolist() == pytest.approx([0.01 + 0.99 * 0.06 / 0.3, 0.01])


def test_below_the_floor_a_higher_cosine_still_gives_more():
    found = fuse.dense_norm(scores(0.9, 0.2, 0.1, -0.5, -1, NONE), 0.9, 0.2, 0.5).tolist()
    assert found[0] == pytest.approx(1)
    assert found[1] == pytest.approx(0.01)
    assert found[1] > found[2] > found[3] > found[4] == found[5] == 0


@pytest.mark.parametrize(("size", "rank"), [(1, 1), (2, 2), (10, 10), (18, 10), (30, 16), (199, 100), (5000, 100)])
def test_the_floor_is_the_100th_or_the_median(size, rank):
    ranked = np.linspace(1, 0, size)[:100]
    assert fuse.floor_of(ranked, size, 100) == ranked[rank - 1]


def test_a_lexical_list_counts_less_if_its_best_is_less_than_expected():
    assert fuse.lexical_norm(scores(2, 1, NONE), 2.0, 8.0).tolist() == pytest.approx([0.125, 0.0625, 0])
    assert fuse.lexical_norm(scores(9, 3), 9.0, 8.0).tolist() == pytest.approx([1, 1 / 3])


def test_lexical_norm_of_nothing_is_zero():
    assert fuse.lexical_norm(scores(NONE, 0), 0.0).tolist() == [0, 0]
    assert fuse.lexical_norm(scores(NONE, 3), 6.0).tolist() == [0, 0.5]


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("alpha", [0.0, 0.25, 1.0])
def test_convex_weights_add_up_to_1(alpha, share):
    assert sum(map(float, fuse.convex_weights(alpha, share).values())) == pytest.approx(1)


# -- which arms run, and what they weigh


def nothing_is_code() -> np.ndarray:
    return np.zeros(P, np.bool_)


def test_alpha_0_runs_no_dense_arm_and_alpha_1_no_lexical_one():
    assert Arm.DENSE in plan(SearchOptions("q", alpha=0), lambda: True)
    at_1 = plan(SearchOptions("q", alpha=1), lambda: True)
    assert Arm.BM25 in at_1
    assert Arm.DOCUMENT in at_1
    assert Arm.DENSE not in at_1


def test_the_document_arm_is_for_code_unless_it_is_named():
    assert Arm.DOCUMENT not in plan(SearchOptions("q"), lambda: True)
    assert Arm.DOCUMENT in plan(SearchOptions("q"), lambda: False)
    assert Arm.DOCUMENT in plan(SearchOptions("q", fusion=Fusion.RRF), lambda: True)
    named = SearchOptions("q", arms=("document",), fusion=Fusion.RRF)
    assert plan(named, lambda: False).keys() == {Arm.BM25, Arm.DENSE, Arm.ENTITY, Arm.TIME}


def test_the_document_arm_weighs_code_only_and_adds_no_candidates():
    lists = {
        Arm.BM25: ArmList.of_chunks(scores(4, 2, NONE, NONE, NONE, NONE), 10, no_ties),
        Arm.DOCUMENT: ArmList.of_documents(
            scores(3, 3, 3, 6, 6, NONE), scores(4, 2, 0, 0, 0, 0), ranks(0, 0, 0, 1, 1, 2), 10, no_ties
        ),
    }

    def is_code():
        return np.array([True, False, True, True, True, True])

    mix = Mix.of(SearchOptions("q", alpha=0), lists, is_code)
    fused = mix.fuse(lists)
    assert fused.positions.tolist() == [0, 1]
    assert fused.scores.tolist() == pytest.approx([0.7 * 1 + 0.3 * 0.5, 0.5])
    report = mix.report(fused.positions, is_code)
    assert report.weights == {"bm25": 1.0, "document": 0.0}
    assert {kind: shares.weights for kind, shares in (report.by_kind or {}).items()} == {
        "code": {"bm25": 0.7, "document": 0.3},
        "other": {"bm25": 1.0, "document": 0.0},
    }
    assert report.alpha_by_kind is None
    named = Mix.of(SearchOptions("q", alpha=0, arms=("bm25", "document")), lists, nothing_is_code).fuse(lists)
    assert named.positions.tolist() == [0, 1, 3]
    assert named.scores.tolist() == pytest.approx([0.85, 0.35 + 0.15, 0.3])


# -- ranked lists


def test_equal_scores_come_in_the_order_of_ties():
    values = scores(1, 2, 1, 2, 1, 0)
    found = best_first(values, np.arange(P), 4, lambda: np.array([5, 4, 3, 2, 1, 0]))
    assert found.tolist() == [3, 1, 4, 2]


def test_an_arm_keeps_its_best_and_its_minimum_cuts_candidates_only():
    values = scores(0.5, 0.9, NONE, 0.1, 0.7, 0.3)
    found = ArmList.of_chunks(values, 4, no_ties, minimum=0.4)
    assert found.ranked.tolist() == [1, 4, 0]
    assert found.ranked_scores.tolist() == [0.9, 0.7, 0.5, 0.3]
    assert found.best == 0.9
    assert found.scores.tolist() == [0.5, 0.9, NONE, NONE, 0.7, NONE]
    assert found.listed_ranks(ranks(0, 1, 3)).tolist() == [3, 1, 0]


def test_rank_goes_on_beyond_the_list():
    values = scores(3, 1, 2, 1, 1, NONE)
    found = ArmList.of_chunks(values, 2, lambda: np.array([0, 5, 2, 3, 4, 1]))
    assert found.ranked.tolist() == [0, 2]
    assert [found.rank(position) for position in (0, 2, 3, 4, 1)] == [1, 2, 3, 4, 5]


def test_documents_are_ranked_once_by_their_best_chunk():
    document_scores, chunk_scores = scores(1, 1, 5, 5, 5, NONE), scores(2, 3, NONE, 7, 7, 9)
    units = ranks(0, 0, 1, 1, 1, 2)
    found = ArmList.of_documents(document_scores, chunk_scores, units, 10, no_ties)
    assert found.ranked.tolist() == [3, 1]
    assert found.listed_ranks(np.arange(P)).tolist() == [2, 2, 1, 1, 1, 0]
    assert [found.rank(position) for position in (0, 2)] == [2, 1]


def test_empty_lists_fuse_to_nothing():
    empty = ArmList.of_chunks(np.full(P, NONE), 10, no_ties)
    documents = ArmList.of_documents(np.full(P, NONE), np.full(P, NONE), np.arange(P), 10, no_ties)
    lists = {Arm.BM25: empty, Arm.DOCUMENT: documents, Arm.DENSE: empty}
    for options in (SearchOptions("q"), SearchOptions("q", fusion=Fusion.RRF)):
        mix = Mix.of(options, lists, nothing_is_code)
        assert mix.fuse(lists).scores.tolist() == []
    assert Mix.of(SearchOptions("q"), {}, nothing_is_code).fuse({}).scores.tolist() == []
