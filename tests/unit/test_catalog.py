"""What the catalog keeps comes back as it went in, and what it finds is what a plain scan finds."""

from __future__ import annotations

import contextlib
import threading
from pathlib import Path

import pytest
from hmem.store import Store
from hmem.store.attributes import attribute_rows
from hmem.store.rows import Collection, definitions_from, definitions_json, row_checksum, storable, to_json
from hmem.store.schema import connect
from hmem.types import Definition, DefinitionKind, FileState, Skipped
from hypothesis import given, settings
from hypothesis import strategies as st

from store_samples import MODEL, add, build, prepared, register, state, vector


@pytest.fixture
def store(tmp_path):
    return Store.open(tmp_path / "store", create=True)


def read(store, act):
    with store.snapshot() as snapshot:
        return act(snapshot.catalog)


def test_a_collection_comes_back_with_every_field(store):
    collection = Collection(
        name="notes",
        root=Path("/caf\udce9/x"),
        root_id=(2**64 - 1, 2**63),
        options={"include": ["*.md"], "hidden": True},
        metadata={"team": "ä", "n": [1, 2.5, None]},
        state="indexed",
        missing=True,
        last_scan_ns=1_700_000_000_000_000_001,
        last_scan_seconds=0.25,
    )
    with store.writer() as writer:
        id_ = writer.put_collection(collection)
        assert writer.commit() == 1
        found = writer.catalog.collection("notes")
        assert found.id == id_
        assert writer.put_collection(found) == id_
        assert writer.commit() == 1
    assert read(store, lambda catalog: catalog.collections()) == [found]
    assert read(store, lambda catalog: catalog.collection("none")) is None
    assert {**{f: getattr(found, f) for f in collection.__slots__}, "id": 0} == {
        f: getattr(collection, f) for f in collection.__slots__
    }


@pytest.mark.parametrize(
    "file",
    [
        FileState("a.md", 0, 0, 0),
        FileState("dir/\udcff\n'\".md", 2**40, -5, 2**64 - 1),
        FileState("x" * 255, 1, 2**70, 2**63 - 1),
    ],
)
def test_the_state_of_strange_files_comes_back(store, file):
    document = prepared("a.md", "text")
    with store.writer() as writer:
        id_ = writer.add_document(
            register(writer), file, document, True, vectors=[None], embed_keys=[b""], created="2024-01-02"
        )
        writer.commit()
    (row,) = read(store, lambda catalog: catalog.files(1))
    assert (row.document, row.state, row.racy, row.content_hash) == (id_, file, True, document.content_hash)
    found = read(store, lambda catalog: catalog.documents([id_, 999]))[id_]
    assert found.state == file
    assert (found.created, found.updated) == ("2024-01-02", None)
    assert read(store, lambda catalog: catalog.document_at(1, file.path)) == found


def test_rows_below_a_directory(store):
    paths = ["a", "a/x", "a/y/z", "a.md", "a-b/x", "ab/x", "b/a/x"]
    with store.writer() as writer:
        for path in paths:
            add(writer, path, "text")
        writer.put_skipped(1, [Skipped(path, "binary", "why") for path in paths])
        writer.put_skipped(1, [Skipped("a/new", "too large")], within="a")
        writer.commit()
    with store.snapshot() as snapshot:
        for within in ("a", "a/y", "b", "none", ""):
            expected = sorted(path for path in paths if not within or path == within or path.startswith(f"{within}/"))
            assert [row.state.path for row in snapshot.catalog.files(1, within)] == expected
        assert [item.path for item in snapshot.catalog.skipped(1)] == ["a-b/x", "a.md", "a/new", "ab/x", "b/a/x"]
        assert snapshot.catalog.skipped(1, "a") == [Skipped("a/new", "too large", "")]


def test_chunks_are_found_by_id_key_and_document(tmp_path):
    store = build(tmp_path / "store", {"a.md": ("one", "two def_x", "one"), "b.md": ("one",)})
    with store.snapshot() as snapshot:
        catalog = snapshot.catalog
        rows = catalog.chunks_of(1)
        assert [(row.text, row.start_line, row.end_line, row.ordinal) for row in rows] == [
            ("one\n", 1, 1, 0),
            ("two def_x\n", 2, 2, 1),
            ("one\n", 3, 3, 2),
        ]
        assert rows[1].heading == ("Top", "a.md")
        assert rows[1].symbol == "def_x"
        assert rows[1].to_chunk() == prepared("a.md", "one", "two def_x", "one").chunks[1].chunk
        assert len({row.chunk_id for row in rows}) == 3
        assert catalog.chunks([rows[2].key, rows[0].key, 10**9]) == {rows[0].key: rows[0], rows[2].key: rows[2]}
        assert catalog.chunks_with_id(rows[1].chunk_id) == [rows[1]]
        assert {row.key for row in catalog.chunks_with_id("", 10)} == {
            row.key for row in [*rows, *catalog.chunks_of(2)]
        }
        assert catalog.text(1) == "one\ntwo def_x\none\n"
        assert [(row.name, row.line, row.chunk) for row in catalog.definitions(["Def_X"])] == [
            ("def_x", 2, rows[1].key)
        ]
        assert catalog.counts() == {1: (2, 4, 0)}
        many = catalog.chunks(range(5000))
        assert sorted(many) == [1, 2, 3, 4]


def test_chunks_without_a_vector_are_counted_and_listed(tmp_path):
    store = build(tmp_path / "store", {"a.md": ("one", "unknown")})
    assert vector("unknown") is None
    with store.snapshot() as snapshot:
        assert snapshot.catalog.counts() == {1: (1, 2, 1)}
        assert snapshot.catalog.documents_unseen() == []
        assert snapshot.embedded().tolist() == [True, False]
        assert snapshot.positions_of([2, 5, 1]).tolist() == [1, -1, 0]
        assert list(snapshot.vectors([1, 2, 99])) == [1]


def test_links_are_kept_in_order(store):
    with store.writer() as writer:
        add(writer, "a.md", "text", links=("b", "c", "b"))
        writer.commit()
    with store.snapshot() as snapshot:
        assert snapshot.catalog.documents()[1].links == ("b", "c", "b")


def test_warnings_come_and_go_with_their_document(store):
    with store.writer() as writer:
        add(writer, "b.md", "text", warnings=("second", "third"))
        add(writer, "a.md", "text", warnings=("first \ud800",))
        writer.commit()
    with store.snapshot() as snapshot:
        found = snapshot.catalog.warnings(1)
        assert found == [("a.md", "first \ufffd"), ("b.md", "second"), ("b.md", "third")]
    with store.writer() as writer:
        add(writer, "b.md", "better text")
        writer.commit()
    with store.snapshot() as snapshot:
        assert [path for path, _ in snapshot.catalog.warnings(1)] == ["a.md"]


def test_metadata_becomes_attributes(store):
    metadata = {"service": "billing", "nested": {"deep": {"n": 3}}, "list": ["a", 2, True, None], "empty": [], "x": {}}
    with store.writer() as writer:
        add(writer, "a.md", "text", metadata=metadata, tags=("t1", "t2"))
        add(writer, "b.md", "text", metadata={"service": "search"})
        writer.commit()
    with store.snapshot() as snapshot:
        catalog = snapshot.catalog
        assert catalog.attribute_keys() == {"meta.service": 2, "meta.nested.deep.n": 1, "meta.list": 1, "tags": 1}
        assert [(r.document, r.text) for r in catalog.attributes("meta.service")] == [(1, "billing"), (2, "search")]
        assert [(r.type, r.text, r.number) for r in catalog.attributes("meta.list")] == [
            ("text", "a", None),
            ("number", "2", 2.0),
            ("bool", "true", 1.0),
            ("null", "", None),
        ]
        assert catalog.documents()[1].metadata == metadata


def test_nothing_of_a_removed_document_stays(store):
    with store.writer(model=MODEL) as writer:
        add(writer, "a.md", "def_x text", metadata={"k": "v"}, links=("b",), tags=("t",))
        writer.commit()
        writer.remove_documents([1])
        writer.commit()
    with store.snapshot() as snapshot:
        for table in ("documents", "chunks", "attributes", "links", "definitions", "segments", "parts", "tombstones"):
            assert snapshot.catalog.rows(f"SELECT count(*) FROM {table}") == [(0,)], table


def test_keys_are_never_used_again(store):
    with store.writer() as writer:
        first = add(writer, "a.md", "one", "two")
        writer.remove_documents([first])
        writer.commit()
    with store.writer() as writer:
        assert add(writer, "a.md", "one") > first
        writer.commit()
        assert writer.catalog.chunks_of(first + 1)[0].key == 3


def test_a_catalog_is_shared_by_threads(tmp_path):
    store = build(tmp_path / "store", {f"{n}.md": (f"text {n}",) for n in range(30)})
    failures: list[BaseException] = []

    def work(snapshot) -> None:
        try:
            for number in range(1, 31):
                assert snapshot.catalog.text(number) == f"text {number - 1}\n"
                snapshot.lexical("chunks")
                snapshot.dense(MODEL)
        except BaseException as error:
            failures.append(error)

    with store.snapshot() as snapshot:
        threads = [threading.Thread(target=work, args=(snapshot,)) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert failures == []


texts = st.text(st.characters(exclude_categories=()), max_size=12)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(texts, json_values, max_size=4), st.lists(texts, max_size=3))
@settings(max_examples=80, deadline=None)
def test_any_metadata_can_be_stored(metadata, tags):
    rows = attribute_rows(1, metadata, tags)
    assert len({(row.key, row.document, row.ordinal) for row in rows}) == len(rows)
    for row in rows:
        (row.key + row.text).encode()
        assert row.number is None or row.number == row.number
    to_json(metadata).encode()


@given(texts, texts)
@settings(max_examples=80, deadline=None)
def test_any_text_can_be_stored(path, text):
    storable(text).encode()
    assert storable(storable(text)) == storable(text)
    definition = Definition(3, 4, text, DefinitionKind.TYPE)
    assert definitions_from(definitions_json([definition])) == (definition,)


@given(st.lists(st.none() | st.integers() | st.binary(max_size=4) | st.text(max_size=4), max_size=5))
def test_row_checksums_tell_where_values_end(values):
    assert -(2**63) <= row_checksum(values) < 2**63
    for at in range(len(values)):
        other = [*values]
        other[at] = "other value"
        assert row_checksum(other) != row_checksum(values)
    assert row_checksum([*values, None]) != row_checksum(values) != row_checksum([*values, ""])


def test_hostile_text_is_stored(tmp_path):
    store = Store.open(tmp_path / "store", create=True)
    strange = "nul \0 surrogate \ud800 escape \x1b[31m tab\t"
    with store.writer(model=MODEL) as writer:
        document = prepared("a.md", strange)
        writer.add_document(
            register(writer), state("a.md"), document, False, vectors=[vector("x")], embed_keys=[b"k" * 16]
        )
        writer.commit()
    with store.snapshot() as snapshot:
        assert snapshot.catalog.chunks_of(1)[0].text == strange.replace("\ud800", "\ufffd") + "\n"


def test_every_commit_is_durable(store):
    with contextlib.closing(connect(store.path / "catalog.sqlite", write=True)) as connection:
        found = {
            name: connection.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("synchronous", "fullfsync", "checkpoint_fullfsync", "journal_mode")
        }
    assert found == {"synchronous": 2, "fullfsync": 1, "checkpoint_fullfsync": 1, "journal_mode": "wal"}
