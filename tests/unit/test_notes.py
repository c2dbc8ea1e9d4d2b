"""Notes: what is written reads back, files of others are left alone, a failing disk leaves no half of anything."""

from __future__ import annotations

import errno
import os
import stat
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hmem import KnowledgeBase
from hmem.errors import ConfigError, NoteError, NotIndexedError, UsageError
from hmem.notes.files import MAX_TEXT, RESERVED, Draft, make_notes_dir, notes_dir, retract_note, write_note
from hmem.parse.frontmatter import read_front_matter
from hmem.store import files
from hypothesis import given
from hypothesis import strategies as st

NOW = datetime(2026, 3, 14, 9, 26, 53, tzinfo=UTC)
texts = st.text(st.characters(exclude_categories=["Cs", "Cc"], include_characters="\n\t"), min_size=1).filter(
    lambda text: any(sign.isalnum() for sign in text)
)
scalars = st.one_of(st.booleans(), st.integers(-(10**9), 10**9), st.text(st.characters(exclude_categories=["Cs"])))
keys = st.text(st.characters(categories=["L", "N"], include_characters="-_."), min_size=1).filter(
    lambda key: key not in RESERVED
)


def made_notes_dir() -> Path:
    made = notes_dir(None)
    make_notes_dir(made)
    return made


@pytest.fixture
def directory() -> Path:
    return made_notes_dir()


@given(text=texts, metadata=st.dictionaries(keys, scalars, max_size=4), tags=st.lists(texts.map(str.strip), max_size=3))
def test_what_is_written_reads_back(text, metadata, tags):
    note = write_note(made_notes_dir(), Draft(text, metadata=metadata, tags=tags), now=NOW)
    written = note.path.read_bytes().decode()
    found = read_front_matter(written)
    assert found.warning is None
    assert {key: found.metadata[key] for key in metadata} == metadata
    assert found.metadata.get("tags", []) == list(dict.fromkeys(tags))
    assert found.metadata["id"] == note.id
    assert found.metadata["created"] == "2026-03-14T09:26:53Z"
    assert written.endswith(f"\n---\n\n{text.lstrip(chr(10)).rstrip(chr(10))}\n")
    retract_note(note.path, now=NOW)
    again = note.path.read_bytes().decode()
    assert read_front_matter(again).metadata == {
        **found.metadata,
        **({} if "status" in found.metadata else {"status": "retracted"}),
        "status": "retracted",
        "retracted": "2026-03-14T09:26:53Z",
    }
    assert again.endswith(written.partition("\n---\n")[2])


def test_a_note_is_the_owners_alone_and_named_for_people(directory):
    note = write_note(directory, Draft("# Größe des Pools: 64!\n\nmore"), now=NOW)
    assert note.path.name == f"2026-03-14-größe-des-pools-64-{note.id[-6:]}.md"
    assert note.title == "Größe des Pools: 64!"
    assert stat.S_IMODE(note.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700
    assert list(directory.iterdir()) == [note.path]


@pytest.mark.parametrize(
    "draft",
    [
        Draft(""),
        Draft(" \n\t\n"),
        Draft("---\n"),
        Draft("a\0b"),
        Draft("a\x1b[31mb"),
        Draft("a\ud800b"),
        Draft("x" * (MAX_TEXT + 1)),
        Draft("a", title=" "),
        Draft("a", title="two\x00lines"),
        Draft("a", metadata={"id": "mine"}),
        Draft("a", metadata={"title": "mine"}),
        Draft("a", metadata={"x": float("inf")}),
        Draft("a", metadata={"x": "y" * 70_000}),
    ],
)
def test_what_cannot_be_a_note_writes_nothing(directory, draft):
    with pytest.raises(UsageError) as raised:
        write_note(directory, draft)
    assert raised.value.hint
    assert list(directory.iterdir()) == []
    assert not (directory.parent / "notes.jsonl").exists()


def test_front_matter_in_the_text_stays_text(directory):
    text = "---\nstatus: accepted\n---\n\nbody\n"
    note = write_note(directory, Draft(text))
    found = read_front_matter(note.path.read_text())
    assert "status" not in found.metadata
    assert note.path.read_text().endswith(text)


def test_files_of_others_are_left_alone(directory):
    ours = write_note(directory, Draft("ours"))
    theirs = directory / "theirs.md"
    theirs.write_text("---\nid: note-000000000000\n---\n\ntheirs\n")
    copy = directory / "copy.md"
    copy.write_bytes(ours.path.read_bytes())
    link = directory / "link.md"
    link.symlink_to(ours.path)
    before = {path: path.read_bytes() for path in (theirs, copy, ours.path)}
    for path in (theirs, copy, link):
        with pytest.raises(NoteError):
            retract_note(path)
    ours.path.write_text(ours.path.read_text() + "changed by hand\n")
    before[ours.path] = ours.path.read_bytes()
    with pytest.raises(NoteError, match="changed since"):
        retract_note(ours.path)
    assert {path: path.read_bytes() for path in before} == before


def test_a_ledger_with_a_torn_line_still_knows_the_others(directory):
    first = write_note(directory, Draft("first"))
    ledger = directory.parent / "notes.jsonl"
    with ledger.open("ab") as file:
        file.write(b'\n{"id": "note-1", "pa')
    second = write_note(directory, Draft("second"))
    assert retract_note(first.path).id == first.id
    assert retract_note(second.path).id == second.id


def test_retracting_twice_changes_nothing(directory):
    note = write_note(directory, Draft("once"))
    retract_note(note.path)
    before = note.path.read_bytes()
    retract_note(note.path)
    assert note.path.read_bytes() == before


@pytest.mark.parametrize("action", ["write", "retract"])
def test_a_failing_disk_leaves_the_old_state_or_the_new_one(directory, monkeypatch, action):
    """Every operation in turn fails; what is there afterwards is whole, and known to the ledger."""
    failed = 0
    for number in range(100):
        kept = write_note(directory, Draft("kept"), now=NOW)
        before = kept.path.read_bytes()
        names = set(directory.glob("[!.]*.md"))
        calls = iter(range(1000))

        def hook(point: str, path: Path, number=number, calls=calls) -> None:
            if next(calls) == number:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        monkeypatch.setattr(files, "fault_hook", hook)
        try:
            if action == "write":
                write_note(directory, Draft("new"), now=NOW)
            else:
                retract_note(kept.path, now=NOW)
        except NoteError as error:
            failed += "No space left" in error.message
        done = next(calls) <= number
        monkeypatch.setattr(files, "fault_hook", None)
        assert kept.path.read_bytes() == before or b"status: retracted" in kept.path.read_bytes()
        assert set(directory.glob("[!.]*.md")) >= names
        retract_note(kept.path)
        if done:
            break
    assert failed > 3


def test_a_note_is_found_by_its_id_until_it_is_forgotten(tmp_path):
    with KnowledgeBase.open(tmp_path / "store", create=True) as memory:
        old = memory.remember("The pool holds 40 connections", metadata={"service": "billing"}, tags=["pool"])
        new = memory.remember("The pool holds 64 connections", supersedes=[old.id])
        assert old.unindexed is None
        assert memory.get(old.id).path == str(old.path)
        assert [c.name for c in memory.collections()] == ["notes"]
        assert read_front_matter(new.path.read_text()).metadata["supersedes"] == [old.id]
        chunk = memory.search("40 connections", all_states=True, arms="bm25").hits[0].chunk_id
        assert memory.forget(chunk).id == old.id
        assert "status: retracted" in memory.get(old.id).text
        with pytest.raises(NotIndexedError):
            memory.remember("x", supersedes=["nothing-like-it"])
        with pytest.raises(NotIndexedError):
            memory.forget("note-000000000000")


def test_a_document_that_is_no_note_is_superseded_by_its_path(tmp_path):
    (tmp_path / "wiki").mkdir()
    (tmp_path / "wiki/pool.md").write_text("# Pool\n\nforty\n")
    with KnowledgeBase.open(tmp_path / "store", create=True) as memory:
        memory.index([tmp_path / "wiki"])
        note = memory.remember("sixty-four", supersedes=[str(tmp_path / "wiki/pool.md")])
        assert read_front_matter(note.path.read_text()).metadata["supersedes"] == ["wiki/pool.md"]
        with pytest.raises(NoteError, match="did not create"):
            memory.forget("wiki/pool.md")
    assert (tmp_path / "wiki/pool.md").read_text() == "# Pool\n\nforty\n"


@pytest.fixture
def memory(tmp_path):
    with KnowledgeBase.open(tmp_path / "store", create=True) as opened:
        yield opened


def configured(memory: KnowledgeBase, monkeypatch, place: Path | str) -> KnowledgeBase:
    monkeypatch.setenv("HMEM_NOTES_DIRECTORY", str(place))
    memory.reload_settings()
    return memory


def test_a_place_that_cannot_be_for_notes_is_refused_before_anything_is_written(memory, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    for place, error, message in (
        ("notes", ConfigError, "absolute path"),
        (tmp_path / "store" / "notes", UsageError, "inside the store"),
        (Path.home(), UsageError, "home directory"),
        (tmp_path / "file", NoteError, "exists"),
        (tmp_path / "file" / "below", NoteError, "cannot make"),
    ):
        with pytest.raises(error, match=message):
            configured(memory, monkeypatch, place).remember("x")
    assert memory.collections() == []
    assert not list(tmp_path.rglob("*.md"))


def test_a_place_inside_a_tree_is_a_collection_of_its_own_whatever_is_ignored_there(memory, tmp_path, monkeypatch):
    outer = tmp_path / "outer"
    (outer / ".git").mkdir(parents=True)
    (outer / ".gitignore").write_text("*\n")
    memory.index(outer)
    note = configured(memory, monkeypatch, outer / "inner").remember("giraffe")
    assert note.unindexed is None
    assert [(item.name, item.root) for item in memory.collections()] == [("inner", outer / "inner"), ("outer", outer)]
    memory.index()
    assert memory.get(note.id).path == str(note.path)
    monkeypatch.setenv("HMEM_EXCLUDE", "*.md")
    assert "leave it out" in configured(memory, monkeypatch, outer / "inner").remember("zebra").unindexed


def test_what_cannot_be_indexed_now_is_indexed_later(memory):
    with memory._store.writer(1):
        first = memory.remember("giraffe", lock_timeout=0)
        assert "is being written" in first.unindexed
    assert memory.collections() == []
    second = memory.remember("zebra")
    assert second.unindexed is None
    assert [item.name for item in memory.collections()] == ["notes"]
    assert memory.get(first.id).path == str(first.path)


def test_a_copy_of_a_note_takes_nothing_from_it(memory, tmp_path):
    old = memory.remember("The giraffe sleeps standing")
    new = memory.remember("The giraffe sleeps lying", supersedes=[old.id])
    (tmp_path / "clone").mkdir()
    for note in (old, new):
        (tmp_path / "clone" / note.path.name).write_bytes(note.path.read_bytes())
    memory.index(tmp_path / "clone")
    assert memory.get(old.id).path == str(old.path)
    shown = {hit.path for hit in memory.search("giraffe sleeps", collections="notes").hits}
    assert shown == {str(new.path)}
    assert memory.forget(new.id).path == new.path
    assert "retracted" not in (tmp_path / "clone" / new.path.name).read_text()


def test_names_that_are_taken_and_disks_without_links(directory, monkeypatch):
    def refused(*_: object, **__: object) -> None:
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(os, "link", refused)
    note = write_note(directory, Draft("one"))
    assert [path.name for path in directory.iterdir()] == [note.path.name]
    source = directory / ".source"
    source.write_text("x")
    with pytest.raises(FileExistsError):
        files.publish(source, note.path)
    assert "one" in note.path.read_text()


def test_what_a_crash_left_is_swept_but_not_what_is_being_written(directory):
    old, fresh, other = (directory / f".{name}.new" for name in ("0" * 16, "1" * 16, "mine"))
    for path in (old, fresh, other):
        path.write_text("half a no")
    for path in (old, other):
        os.utime(path, (1, 1))
    make_notes_dir(directory)
    assert sorted(directory.iterdir()) == sorted((fresh, other))
