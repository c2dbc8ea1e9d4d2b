"""The store as a whole: what goes in comes out of every layer, one generation at a time."""

from __future__ import annotations

import shutil

import numpy as np
import pytest
from hmem import preparation
from hmem.errors import ArmUnavailableError, NotIndexedError, StoreAccessError, StoreError
from hmem.store import Store, pin
from hmem.store.files import is_untouched
from hmem.store.lock import Lease
from hmem.store.repair import repair
from hmem.store.segments import load_segments
from hmem.store.verify import problems

from store_faults import failing, hooked
from store_samples import MODEL, add, build, contents, embed_key, prepared, register, state, vector

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


def test_what_comes_and_goes_within_one_commit(store):
    with store.writer(model=MODEL) as writer:
        add(writer, "a.md", "first")
        add(writer, "a.md", "second")
        writer.remove_documents([add(writer, "d.md", "gone at once")])
        add(writer, "e.md")
        writer.commit()
    assert contents(store) == {**DOCUMENTS, "a.md": ("second",), "e.md": ()}
    with store.snapshot() as snapshot:
        assert snapshot.live.sum() == 5


def test_after_a_failure_nothing_half_done_is_committed(store):
    with store.writer(model=MODEL) as writer:
        add(writer, "a.md", "other")
        with hooked(failing(0)), pytest.raises(StoreAccessError, match="no space"):
            writer.commit()
        with pytest.raises(StoreError, match="an earlier step"):
            writer.commit()
        with pytest.raises(StoreError, match="an earlier step"):
            add(writer, "b.md", "other")
    assert contents(store) == DOCUMENTS


def test_vectors_and_keys_must_fit_the_chunks(store):
    with store.writer(model=MODEL) as writer:
        document = prepared("d.md", "one", "two")
        with pytest.raises(ValueError, match="1 vectors and 2 keys for 2 chunks"):
            writer.add_document(1, state("d.md"), document, False, vectors=[None], embed_keys=[b"", b""])
        add(writer, "d.md", "fine")
        writer.commit()
    assert contents(store) == {**DOCUMENTS, "d.md": ("fine",)}


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
                for path in DOCUMENTS:
                    add(writer, path, f"turn {turn}")
                writer.commit()
        assert snapshot.generation == 1
        assert {row.path for row in snapshot.catalog.documents().values()} == set(DOCUMENTS)
        assert [segment.postings("terms", "drained") is not None for segment in snapshot.lexical("chunks")] == [True]
        assert len(snapshot.dense(MODEL)[0].vectors) == 5
    with store.writer() as writer:
        assert len(writer.catalog.rows("SELECT * FROM dropped")) == 0


def test_a_reader_that_is_overtaken_while_it_pins_pins_the_newer_generation(store, monkeypatch):
    """Between reading the generation and holding its lease, a writer may remove its files."""

    def overtaken(directory, generation):
        if generation == 1:
            with store.writer(model=MODEL) as writer:
                for path in DOCUMENTS:
                    add(writer, path, "newer")
                writer.commit()
        return Lease(directory, generation)

    monkeypatch.setattr(pin, "Lease", overtaken)
    with store.snapshot() as snapshot:
        assert snapshot.generation == 2
        assert len(snapshot.lexical("chunks")) == 1
    assert contents(store) == dict.fromkeys(DOCUMENTS, ("newer",))


def test_a_rewritten_segment_keeps_its_place(store):
    with store.writer(model=MODEL) as writer:
        add(writer, "d.md", "second segment")
        writer.commit()
    next(store.path.glob("segments/00000001-*-lexical/chunks/lengths")).unlink()
    assert repair(store.path).left == ()
    assert contents(store, postings=False) == {**DOCUMENTS, "d.md": ("second segment",)}
    with store.snapshot() as snapshot:
        assert (snapshot.keys == [1, 2, 3, 4, 5, 6, 7]).all()


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


def test_postings_of_another_analysis_are_refused_and_made_anew(store, monkeypatch):
    monkeypatch.setattr(preparation, "TEXT_VERSION", -1)
    with store.snapshot() as snapshot, pytest.raises(ArmUnavailableError, match="another text analysis"):
        snapshot.lexical("chunks")
    assert [problem.code for problem in problems(store.path)] == ["lexical"]
    with store.writer(model=MODEL) as writer:
        assert writer.reanalyse() == 6
        assert writer.reanalyse() == 0
        assert writer.commit() == 2
    with store.snapshot() as snapshot:
        assert snapshot.lexical("chunks")[0].postings("terms", "pool")[0].tolist() == [0, 3]
    assert contents(store, postings=False) == DOCUMENTS


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
        found = [part for segment in load_segments(snapshot.catalog) for part in segment.parts.values()]
    root = store.path / "segments"
    return [(root / part.directory / name, stamp) for part in found for name, stamp in part.files.items()]
