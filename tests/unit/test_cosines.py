import numpy as np
import pytest
from hmem.search.cosines import FEW, exact_cosines, fill_cosines, nearest
from hypothesis import given, settings
from hypothesis import strategies as st


def unit(rows: int, seed: int, width: int = 64) -> np.ndarray:
    values = np.random.default_rng(seed).normal(size=(rows, width)).astype(np.float32)
    return values / np.linalg.norm(values, axis=1, keepdims=True)


@pytest.mark.parametrize("share", [0.0, FEW / 2, 0.5, 1.0])
def test_cosines_are_those_of_numpy_where_eligible(share):
    vectors, query = unit(200, 1), unit(1, 2)[0]
    positions = np.sort(np.random.default_rng(3).choice(300, 200, replace=False))
    eligible = np.random.default_rng(4).random(300) < share
    scores = np.full(300, -np.inf, np.float32)
    fill_cosines(scores, vectors, positions, eligible, query)
    expected = np.full(300, -np.inf)
    expected[positions] = vectors @ query
    expected[~eligible] = -np.inf
    np.testing.assert_allclose(scores, expected, atol=1e-6)


def test_segments_fill_the_same_array():
    query = unit(1, 2)[0]
    scores = np.full(30, -np.inf, np.float32)
    eligible = np.ones(30, np.bool_)
    fill_cosines(scores, unit(10, 5), np.arange(10), eligible, query)
    fill_cosines(scores, unit(20, 6), np.arange(10, 30), eligible, query)
    np.testing.assert_allclose(scores, np.concatenate((unit(10, 5), unit(20, 6))) @ query, atol=1e-6)


def test_copies_of_a_row_get_one_number():
    row, query = unit(1, 7)[0], unit(1, 8)[0]
    vectors = unit(101, 9)
    vectors[::10] = row
    assert len(set(exact_cosines(vectors, query)[::10].tolist())) == 1


@settings(deadline=None)
@given(st.lists(st.floats(-1, 1, width=32), max_size=50), st.integers(1, 60))
def test_nearest_holds_the_best_in_any_case(values, depth):
    scores = np.array([*values, -np.inf], np.float32)
    found = nearest(scores, depth)
    assert not found[-1]
    best = np.argsort(-scores[:-1], kind="stable")[:depth]
    assert found[best].all()
    if len(best):
        assert (scores[found] >= scores[best].min() - 2e-5).all()
