"""The store as a whole: what goes in comes out of every layer, one generation at a time."""

from __future__ import annotations

import shutil

import numpy as np
import pytest
from hmem.errors import ArmUnavailableError, NotIndexedError
from hmem.store import Store
from hmem.store.files import is_untouched
from hmem.store.segments import load_segments

from store_samples import MODEL, add, build, contents, embed_key, register, state, vector

DOCUMENTS = {"a.md": ("pool exhausted", "retry later"), "b.md": ("unknown",), "c.md": ("pool drained", "x y", "x y")}


@pytest.fixture
def store(tmp_path):
    return build(tmp_path / "store", DOCUMENTS)


def test_what_is_added_comes_back_from_every_layer(store):
    assert contents(store) == DOCUMENTS


def test_each_visible_commit_is_one_generation(store):
    with store.writer(model=MODEL) as writer:
        add(writer, "d.md", "new")
        assert writer.commit() == 2
        assert writer.commit() == 2
        writer.touch(1, state("a.md", 2), False)
        assert writer.commit() == 2
    with store.snapshot() as snapshot:
        assert snapshot.generation == 2
        assert snapshot.catalog.document_at(1, "a.md").state == state("a.md", 2)


def test_replacing_and_removing(store):
    with store.writer(model=MODEL) as writer:
        add(writer, "a.md", "other")
        writer.remove_documents([writer.catalog.document_at(1, "c.md").id])
        writer.commit()
    assert contents(store) == {"a.md": ("other",), "b.md": ("unknown",)}


def test_leaving_without_commit_changes_nothing(store):
    with store.writer(model=MODEL) as writer:
        add(writer, "a.md", "other")
        writer.remove_documents([2, 3])
    assert contents(store) == DOCUMENTS
    with pytest.raises(ZeroDivisionError):
        _fail_in_the_middle(store)
    assert contents(store) == DOCUMENTS


def _fail_in_the_middle(store):
    with store.writer(model=MODEL) as writer:
        add(writer, "a.md", "other")
        raise ZeroDivisionError


def test_a_reader_keeps_its_generation_and_its_files(store):
    with store.snapshot() as snapshot:
        for turn in range(12):
            with store.writer(model=MODEL) as writer:
                add(writer, "a.md", f"turn {turn}")
                add(writer, "c.md", "all new")
                writer.commit()
        assert snapshot.generation == 1
        assert {row.path for row in snapshot.catalog.documents().values()} == set(DOCUMENTS)
        assert [segment.postings("terms", "drained") is not None for segment in snapshot.lexical("chunks")] == [True]
        assert len(snapshot.dense(MODEL)[0].vectors) == 5
    with store.writer() as writer:
        assert len(writer.catalog.rows("SELECT * FROM dropped")) == 0


def test_many_small_commits_are_merged(store):
    expected = dict(DOCUMENTS)
    for number in range(24):
        with store.writer(model=MODEL) as writer:
            path = f"n{number % 9}.md"
            add(writer, path, f"word{number} pool", "unknown")
            expected[path] = (f"word{number} pool", "unknown")
            writer.commit()
        with store.snapshot() as snapshot:
            assert len(snapshot.lexical("chunks")) <= 8
    assert contents(store) == expected
    assert len(list((store.path / "segments").iterdir())) <= 16
    assert len(list((store.path / "leases").iterdir())) <= 3


def test_vectors_are_found_again_by_key_even_of_removed_documents(store):
    with store.writer(model=MODEL) as writer:
        writer.remove_documents([1])
        found = writer.vectors_for([embed_key("pool exhausted\n"), embed_key("unknown\n"), b"?" * 16])
    assert list(found) == [embed_key("pool exhausted\n")]
    np.testing.assert_allclose(found[embed_key("pool exhausted\n")], vector("pool exhausted\n"), atol=1e-6)


def test_another_model_of_equal_width_is_refused(store):
    with store.snapshot() as snapshot:
        assert snapshot.model == MODEL
        with pytest.raises(ArmUnavailableError, match="another model"):
            snapshot.dense("model-b")
        assert len(snapshot.dense(MODEL)) == 1


def test_no_store(tmp_path):
    with pytest.raises(NotIndexedError):
        Store.open(tmp_path / "none")
    assert not (tmp_path / "none").exists()


def test_removing_a_collection_leaves_the_others(store):
    with store.writer(model=MODEL) as writer:
        other = register(writer, "code", "/src")
        add(writer, "m.py", "def_main", collection="code")
        writer.commit()
        writer.remove_collection(1)
        writer.commit()
    assert contents(store) == {"m.py": ("def_main",)}
    with store.snapshot() as snapshot:
        assert [c.id for c in snapshot.catalog.collections()] == [other]
        assert [d.name for d in snapshot.catalog.definitions(["DEF_MAIN"])] == ["def_main"]


def test_a_copied_store_is_compared_by_checksum_until_somebody_writes(store, tmp_path):
    copy = Store(tmp_path / "copy")
    shutil.copytree(store.path, copy.path)
    original, untouched = stamps(store), [is_untouched(*found) for found in stamps(copy)]
    assert all(is_untouched(*found) for found in original)
    assert not any(untouched)
    assert contents(copy) == DOCUMENTS
    with copy.writer() as writer:
        assert writer.commit() == 1
    assert all(is_untouched(*found) for found in stamps(copy))
    assert contents(copy) == DOCUMENTS


def stamps(store):
    with store.snapshot() as snapshot:
        parts = [part for segment in load_segments(snapshot.catalog) for part in segment.parts.values()]
    root = store.path / "segments"
    return [(root / part.directory / name, stamp) for part in parts for name, stamp in part.files.items()]
