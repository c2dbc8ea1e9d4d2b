"""Vectors on disk: a file of usearch's own, read without it to the bit."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hmem.errors import StoreDamagedError
from hmem.store.dense import DenseSegment, write_dense
from usearch.index import Index

SIZES = [(0, 256), (1, 1), (1, 256), (2, 3), (7, 8), (300, 64), (2_000, 16)]


def unit(rows: int, width: int, seed: int = 0) -> np.ndarray:
    values = np.random.default_rng(seed).normal(size=(rows, width)).astype(np.float32)
    return values / np.linalg.norm(values, axis=1, keepdims=True)


def keys_of(rows: int) -> np.ndarray:
    """Ascending keys with gaps; the last beyond 32 bits."""
    keys = np.cumsum(np.random.default_rng(1).integers(1, 9, rows), dtype=np.int64)
    keys[-1:] += 1 << 40
    return keys


@pytest.mark.parametrize(("rows", "width"), SIZES)
def test_vectors_are_mapped_as_written(tmp_path: Path, rows: int, width: int) -> None:
    keys, vectors = keys_of(rows), unit(rows, width)
    write_dense(tmp_path / "v", keys, vectors)
    segment = DenseSegment.open(tmp_path / "v", keys)
    assert segment.vectors.dtype == np.float32
    assert segment.vectors.shape == (rows, width)
    assert segment.vectors.tobytes() == vectors.tobytes()
    assert segment.keys.tolist() == keys.tolist()
    assert not segment.vectors.flags.writeable


@pytest.mark.parametrize(("rows", "width"), SIZES)
def test_usearch_restores_the_same(tmp_path: Path, rows: int, width: int) -> None:
    keys, vectors = keys_of(rows), unit(rows, width)
    write_dense(tmp_path / "v", keys, vectors)
    index = Index.restore(str(tmp_path / "v"))
    assert (len(index), index.ndim) == (rows, width)
    assert index.connectivity == 2 or not rows  # what an empty index was made for is forgotten by usearch
    metadata = Index.metadata(str(tmp_path / "v"))
    assert str(metadata["kind_metric"]).endswith("Cos")
    assert str(metadata["kind_scalar"]).endswith("F32")
    if rows:
        segment = DenseSegment.open(tmp_path / "v", keys)
        assert np.asarray(index.get(segment.keys.astype(np.uint64))).tobytes() == segment.vectors.tobytes()


def nearest(path: Path, query: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Keys and cosine distances of the exact `k` nearest, as usearch itself finds them in the file."""
    index = Index.restore(str(path), view=True)
    if not len(index):
        return np.empty(0, np.int64), np.empty(0, np.float32)
    matches = index.search(query, min(k, len(index)), exact=True, threads=1)
    return matches.keys.astype(np.int64), matches.distances


@pytest.mark.parametrize(("rows", "width"), SIZES)
def test_one_product_finds_what_usearch_finds(tmp_path: Path, rows: int, width: int) -> None:
    keys, vectors = keys_of(rows), unit(rows, width)
    write_dense(tmp_path / "v", keys, vectors)
    segment = DenseSegment.open(tmp_path / "v", keys)
    for query in unit(5, width, seed=9):
        found, distances = nearest(tmp_path / "v", query, 20)
        cosines = segment.vectors @ query
        best = np.argsort(-cosines, kind="stable")[:20]
        np.testing.assert_allclose(1 - distances, cosines[best], atol=1e-6)
        by_key = dict(zip(keys.tolist(), cosines.tolist(), strict=True))
        np.testing.assert_allclose([by_key[key] for key in found.tolist()], cosines[best], atol=1e-6)


def test_a_zero_vector_is_kept_and_like_nothing(tmp_path: Path) -> None:
    vectors = unit(3, 8)
    vectors[1] = 0
    write_dense(tmp_path / "v", np.arange(3), vectors)
    segment = DenseSegment.open(tmp_path / "v", np.arange(3))
    assert segment.vectors.tobytes() == vectors.tobytes()
    found, distances = nearest(tmp_path / "v", vectors[0], 3)
    assert dict(zip(found.tolist(), distances.tolist(), strict=True))[1] == pytest.approx(1.0)


def test_equal_vectors_give_equal_bytes(tmp_path: Path) -> None:
    for name in "ab":
        write_dense(tmp_path / name, keys_of(500), unit(500, 32))
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_any_layout_in_memory_is_written(tmp_path: Path) -> None:
    vectors = unit(40, 16)
    write_dense(tmp_path / "v", np.arange(20), np.asfortranarray(vectors)[::2])
    assert DenseSegment.open(tmp_path / "v", np.arange(20)).vectors.tobytes() == vectors[::2].tobytes()


@pytest.mark.parametrize(
    ("keys", "vectors", "why"),
    [
        (np.arange(3), unit(2, 4), "3,"),
        (np.arange(2), np.zeros(2, np.float32), "shape"),
        (np.array([1, 1]), unit(2, 4), "ascend"),
        (np.array([2, 1]), unit(2, 4), "ascend"),
        (np.array([-1, 1]), unit(2, 4), "ascend"),
        (np.arange(1), np.array([[np.nan, 0]], np.float32), "finite"),
        (np.arange(1), np.array([[np.inf, 0]], np.float32), "finite"),
    ],
)
def test_what_cannot_be_kept_is_refused(tmp_path: Path, keys: np.ndarray, vectors: np.ndarray, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        write_dense(tmp_path / "v", keys, vectors)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("wrong", [np.arange(5), np.arange(7), np.arange(6) + 1, np.arange(6)[::-1]])
def test_vectors_of_other_chunks_are_damage(tmp_path: Path, wrong: np.ndarray) -> None:
    write_dense(tmp_path / "v", np.arange(6), unit(6, 4))
    with pytest.raises(StoreDamagedError, match="other chunks"):
        DenseSegment.open(tmp_path / "v", wrong)


@pytest.mark.parametrize("rows", [0, 1, 200])
def test_a_short_long_or_missing_file_is_damage(tmp_path: Path, rows: int) -> None:
    with pytest.raises(StoreDamagedError):
        DenseSegment.open(tmp_path / "v", np.arange(rows))
    write_dense(tmp_path / "v", np.arange(rows), unit(rows, 12))
    whole = (tmp_path / "v").read_bytes()
    for size in {0, 1, 7, 8, 71, 72, 100, *(len(whole) * part // 9 for part in range(9)), len(whole) - 1}:
        (tmp_path / "v").write_bytes(whole[: min(size, len(whole) - 1)])
        with pytest.raises(StoreDamagedError):
            DenseSegment.open(tmp_path / "v", np.arange(rows))
    (tmp_path / "v").write_bytes(whole + b"\0")
    with pytest.raises(StoreDamagedError):
        DenseSegment.open(tmp_path / "v", np.arange(rows))


def test_flipped_bits_outside_of_the_numbers_are_damage_or_harmless(tmp_path: Path) -> None:
    rows, width = 60, 4
    write_dense(tmp_path / "v", np.arange(rows), unit(rows, width))
    whole = (tmp_path / "v").read_bytes()
    matrix = range(8, 8 + 4 * rows * width)
    draw = random.Random(3)
    damaged = 0
    for _ in range(400):
        data = bytearray(whole)
        at = draw.choice(
            [place for place in (draw.randrange(len(data)), draw.randrange(120)) if place not in matrix] or [0]
        )
        data[at] ^= 1 << draw.randrange(8)
        (tmp_path / "v").write_bytes(data)
        try:
            assert DenseSegment.open(tmp_path / "v", np.arange(rows)).vectors.shape == (rows, width)
        except StoreDamagedError:
            damaged += 1
    assert damaged > 100


@pytest.mark.parametrize("options", [{"dtype": "f16"}, {"multi": True}])
def test_another_kind_of_index_is_damage(tmp_path: Path, options: dict[str, object]) -> None:
    index = Index(**{"ndim": 4, "metric": "cos", "dtype": "f32", **options})
    index.add(np.arange(3, dtype=np.uint64), unit(3, 4))
    index.save(str(tmp_path / "v"))
    with pytest.raises(StoreDamagedError):
        DenseSegment.open(tmp_path / "v", np.arange(3))


def test_an_index_with_removed_vectors_is_damage(tmp_path: Path) -> None:
    index = Index(ndim=4, metric="cos", dtype="f32")
    index.add(np.arange(3, dtype=np.uint64), unit(3, 4))
    index.remove(1)
    index.save(str(tmp_path / "v"))
    for keys in (np.arange(3), np.array([0, 2])):
        with pytest.raises(StoreDamagedError):
            DenseSegment.open(tmp_path / "v", keys)


def test_an_index_with_a_real_graph_is_read_too(tmp_path: Path) -> None:
    vectors = unit(500, 8)
    index = Index(ndim=8, metric="ip", dtype="f32", connectivity=16)
    index.add(np.arange(500, dtype=np.uint64), vectors, threads=1)
    index.save(str(tmp_path / "v"))
    assert DenseSegment.open(tmp_path / "v", np.arange(500)).vectors.tobytes() == vectors.tobytes()


def test_reading_loads_no_usearch(tmp_path: Path) -> None:
    write_dense(tmp_path / "v", np.arange(3), unit(3, 4))
    code = "import sys, pathlib, numpy; from hmem.store.dense import DenseSegment\n"
    code += (
        "print(DenseSegment.open(pathlib.Path(sys.argv[1]), numpy.arange(3)).vectors.shape, 'usearch' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code, tmp_path / "v"], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "(3, 4) False"
