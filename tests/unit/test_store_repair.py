"""Every file of a store, damaged in every way: named, answered without, mended."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
from pathlib import Path

import numpy as np
import pytest
from hmem.errors import ArmUnavailableError, StoreAccessError, StoreDamagedError, StoreError, StoreFormatError
from hmem.represent import chunk_terms
from hmem.store import Store
from hmem.store.repair import repair
from hmem.store.schema import FORMAT
from hmem.store.verify import problems

from store_faults import in_child
from store_samples import MODEL, add, build, contents, postings_of, prepared

DOCUMENTS = {"a.md": ("pool exhausted", "retry later"), "b.md": ("unknown",), "c.md": ("pool drained", "def_x y")}


class Encoder:
    """Deterministic stand-in for a model: the only part of another package that repair needs."""

    fingerprint = "model-b"
    dimensions = 8

    def encode(self, texts, *, damped=False):
        rows = [np.frombuffer(text.encode().ljust(8, b"\0")[:8], np.uint8).astype(np.float32) for text in texts]
        table = np.array(rows, np.float32).reshape(-1, 8)
        norms = np.linalg.norm(table, axis=1, keepdims=True)
        return np.divide(table, norms, where=norms > 0, out=np.zeros_like(table))


@pytest.fixture
def store(tmp_path):
    store = build(tmp_path / "store", {"a.md": DOCUMENTS["a.md"], "c.md": ("older",)})
    with store.writer(model=MODEL) as writer:
        add(writer, "b.md", *DOCUMENTS["b.md"], metadata={"service": "billing"}, links=("a",), tags=("x",))
        add(writer, "c.md", *DOCUMENTS["c.md"])
        writer.commit()
    assert problems(store.path) == []
    return store


def missing(path: Path) -> None:
    path.unlink()


def empty(path: Path) -> None:
    path.write_bytes(b"")


def truncated(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size * 2 // 3])


def flipped(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 4
    path.write_bytes(data)


def garbage(path: Path) -> None:
    path.write_bytes(os.urandom(path.stat().st_size))


DAMAGES = [missing, empty, truncated, flipped, garbage]


def index_files(store: Store) -> list[Path]:
    return sorted(path for path in (store.path / "segments").rglob("*") if path.is_file())


@pytest.mark.parametrize("damage", DAMAGES)
def test_each_index_file_is_named_answered_without_and_mended(tmp_path, damage):
    store = build(tmp_path / "store", DOCUMENTS)
    files = [path.relative_to(store.path) for path in index_files(store) if damage is missing or path.stat().st_size]
    assert len(files) >= 9
    for number, path in enumerate(files):
        copy = tmp_path / f"copy{number}"
        shutil.copytree(store.path, copy)
        damage(copy / path)
        arm = "dense" if "-dense" in str(path) else "lexical"
        assert [problem.code for problem in problems(copy)] == [arm]
        assert path.name in problems(copy)[0].message
        _check_degraded(Store.open(copy), arm, path)
        mended = repair(copy, Encoder())
        assert [problem.code for problem in mended.found] == [arm]
        assert mended.left == ()
        assert not mended.reindex
        with Store.open(copy).snapshot() as snapshot:
            assert snapshot.model == ("model-b" if arm == "dense" else MODEL)
            _check_rebuilt(snapshot)


def _check_degraded(store, arm: str, path: Path) -> None:
    with store.snapshot() as snapshot:
        if arm == "dense":
            with pytest.raises(ArmUnavailableError, match=path.name):
                snapshot.dense(MODEL)
            assert len(snapshot.lexical("chunks")) == len(snapshot.lexical("documents")) == 1
        else:
            with pytest.raises(ArmUnavailableError, match=path.name):
                snapshot.lexical(path.parent.name)
            assert len(snapshot.dense(MODEL)) == 1


def _check_rebuilt(snapshot) -> None:
    """Postings are what the analysis makes of the texts, or were copied; vectors cover what the catalog says."""
    rows = snapshot.catalog.chunks(snapshot.keys[snapshot.live].tolist())
    assert len(rows) == 5
    begin = 0
    for segment in snapshot.lexical("chunks"):
        numbers, _ = segment.postings("terms", "pool") or ((), ())
        found = {int(snapshot.keys[begin + number]) for number in numbers if snapshot.live[begin + number]}
        span = snapshot.keys[begin : begin + segment.n].tolist()
        assert found == {key for key in span if key in rows and "pool" in rows[key].text.split()}
        begin += segment.n
    embedded = snapshot.embedded()
    for position, key in enumerate(snapshot.keys.tolist()):
        if snapshot.live[position]:
            assert embedded[position] == bool(rows[key].embed_key)
    assert sum(len(segment.vectors) for segment in snapshot.dense(snapshot.model)) == embedded.sum()


def test_without_a_model_damaged_vectors_stay(store):
    path = next(path for path in index_files(store) if "-dense" in str(path))
    flipped(path)
    assert [problem.code for problem in repair(store.path).left] == ["dense"]


@pytest.mark.parametrize("damage", [missing, empty, truncated, garbage])
def test_a_lost_catalog_is_made_anew_with_its_collections(store, damage):
    damage(store.path / "catalog.sqlite")
    with pytest.raises(StoreDamagedError):
        Store.open(store.path).snapshot()
    assert problems(store.path)[0].code == "catalog"
    mended = repair(store.path)
    assert mended.reindex
    assert mended.left == ()
    with Store.open(store.path).snapshot() as snapshot:
        assert [(c.name, str(c.root)) for c in snapshot.catalog.collections()] == [("notes", "/somewhere")]
        assert len(snapshot.keys) == 0
        assert snapshot.generation > 2
    with Store.open(store.path).writer(model=MODEL) as writer:
        for path, texts in DOCUMENTS.items():
            add(writer, path, *texts)
        writer.commit()
    assert contents(store) == DOCUMENTS


def test_any_flipped_bit_of_the_catalog_is_noticed_or_changes_nothing(store):
    """Flips go through every hundredth byte: none gives another text, position or attribute without a word."""
    path = store.path / "catalog.sqlite"
    original = path.read_bytes()
    expected = _read(store)
    noticed = silent = 0
    for at in range(0, len(original), 997):
        data = bytearray(original)
        data[at] ^= 1 << (at % 8)
        path.write_bytes(data)
        try:
            found = _read(store)
        except StoreError:
            noticed += 1
            continue
        silent += 1
        if found != expected:
            assert problems(store.path), at
    assert noticed > 0
    assert silent > 0


def _read(store):
    Store.open(store.path)
    with store.snapshot() as snapshot:
        catalog = snapshot.catalog
        documents = catalog.documents()
        return (
            documents,
            {key: catalog.chunks_of(key) for key in documents},
            catalog.attribute_keys(),
            catalog.attributes("meta.service"),
            catalog.collections(),
            snapshot.keys.tolist(),
            snapshot.live.tolist(),
        )


def test_another_stores_catalog_is_refused(store, tmp_path):
    other = build(tmp_path / "other", {"z.md": ("other words",)})
    shutil.copy(other.path / "catalog.sqlite", store.path / "catalog.sqlite")
    with store.snapshot() as snapshot, pytest.raises(ArmUnavailableError):
        snapshot.lexical("chunks")
    with pytest.raises(StoreDamagedError, match="another store"):
        store.writer()
    assert [problem.code for problem in problems(store.path)] == ["catalog"]
    assert repair(store.path).left == ()
    with store.snapshot() as snapshot:
        assert [c.name for c in snapshot.catalog.collections()] == ["notes"]


def test_a_foreign_or_damaged_listing_is_written_again(store):
    listing = store.path / "collections.json"
    expected = listing.read_bytes()
    for data in (b"", b"{}", expected.replace(b'"store": "', b'"store": "f'), expected[:-3], expected + b" "):
        listing.write_bytes(data)
        assert [problem.code for problem in problems(store.path)] == ["listing"]
        assert repair(store.path).left == ()
        assert listing.read_bytes() == expected
    listing.unlink()
    assert [problem.code for problem in problems(store.path)] == ["listing"]
    store.writer().close()
    assert problems(store.path) == []


@pytest.mark.parametrize("name", ["segments", "leases", "lock", "segments/00000001-x-lexical"])
def test_a_removed_directory_comes_back(store, name):
    for path in store.path.glob(name.replace("-x-", "-*-")):
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    _read(store)
    repair(store.path, Encoder())
    with store.snapshot() as snapshot:
        _check_rebuilt(snapshot)
    with store.writer(model=MODEL) as writer:
        add(writer, "d.md", "new")
        writer.commit()
    # Where the vectors had to be mended they now come from two models.
    assert {problem.code for problem in problems(store.path)} <= {"dense"}


@pytest.mark.parametrize("suffix", ["-wal", "-shm"])
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_log_of_a_killed_writer_leaves_a_whole_generation(store, suffix, damage):
    def die() -> None:
        with store.writer(model=MODEL) as writer:
            add(writer, "d.md", "newest")
            writer.commit()
            os.kill(os.getpid(), signal.SIGKILL)

    assert in_child(die) == signal.SIGKILL
    damage(store.path / f"catalog.sqlite{suffix}")
    found = contents(store)
    assert found in (DOCUMENTS, {**DOCUMENTS, "d.md": ("newest",)})
    assert suffix == "-wal" or "d.md" in found
    assert repair(store.path).left == ()


@pytest.mark.parametrize("step", [-1, 1])
def test_another_format_is_refused_and_made_anew(store, step):
    connection = sqlite3.connect(store.path / "catalog.sqlite")
    connection.execute(f"PRAGMA user_version = {FORMAT + step}")
    connection.close()
    with pytest.raises(StoreFormatError):
        Store.open(store.path)
    assert [problem.code for problem in problems(store.path)] == ["format"]
    assert repair(store.path).reindex
    assert problems(store.path) == []


def test_loose_permissions_are_refused(store):
    store.path.chmod(0o750)
    with pytest.raises(StoreAccessError, match="open to other users"):
        Store.open(store.path)
    assert [problem.code for problem in problems(store.path)] == ["access"]
    with pytest.raises(StoreAccessError):
        repair(store.path)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a store away")
def test_the_store_of_another_user_is_refused(store):
    os.chown(store.path, 12345, -1)
    with pytest.raises(StoreAccessError, match="belongs to user 12345"):
        Store.open(store.path)
    assert [problem.code for problem in problems(store.path)] == ["access"]
    with pytest.raises(StoreAccessError):
        repair(store.path)


def _break(store: Store, *statements: str) -> None:
    connection = sqlite3.connect(store.path / "catalog.sqlite")
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()


@pytest.mark.parametrize(
    ("statement", "code"),
    [
        ("UPDATE documents SET title = 'other' WHERE path = CAST('a.md' AS BLOB)", "document"),
        ("UPDATE chunks SET text = 'other' WHERE ordinal = 1", "document"),
        ("UPDATE attributes SET text = 'shipping'", "derived"),
        ("DELETE FROM definitions", "derived"),
        ("INSERT INTO links VALUES (1, 5, 'nowhere')", "derived"),
        ("UPDATE tombstones SET chunks = x'ff'", "segment"),
        ("UPDATE segments SET chunk_keys = chunk_keys || x'00'", "segment"),
        ("DELETE FROM segments WHERE id = 1", "segment"),
        ("DELETE FROM chunks WHERE id = 1", "segment"),
        ("UPDATE collections SET name = 'nodes'", "catalog"),
    ],
)
def test_each_broken_invariant_of_the_catalog_is_named_and_mended(store, statement, code):
    _break(store, "PRAGMA foreign_keys = ON", statement)
    assert code in {problem.code for problem in problems(store.path)}
    assert repair(store.path, Encoder()).left == ()
    with store.snapshot() as snapshot:
        snapshot.lexical("chunks")
        snapshot.dense()


def test_rebuilt_postings_are_those_of_the_analysis(store):
    for path in index_files(store):
        if "-lexical" in str(path) and path.stat().st_size:
            flipped(path)
    assert repair(store.path).left == ()
    document = prepared("a.md", *DOCUMENTS["a.md"])
    with store.snapshot() as snapshot:
        found = {word for word, *_ in postings_of(snapshot.lexical("chunks")[0])}
    expected = {term for piece in document.chunks for term in chunk_terms(document.document, piece.chunk)}
    assert found == expected
