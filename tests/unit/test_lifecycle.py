"""What is retired is in no answer, by whatever name it was superseded, and is counted."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from hmem.library import KnowledgeBase
from hmem.notes.ledger import record
from hmem.search.declarations import State
from hmem.search.engine import Searcher
from hmem.search.query import SearchOptions
from hmem.search.supersession import in_circles
from hmem.store.schema import CATALOG

from search_samples import add_files, ask, encoder, sources, store_of

OLD = "# Pool size\n\nThe connection pool has twenty connections.\n"
NEW = "# Pool size now\n\nThe connection pool has forty connections.\n"


def note(text: str, **front: object) -> str:
    head = "".join(f"{key}: {value}\n" for key, value in front.items())
    return f"---\n{head}---\n{text}" if front else text


def found(tmp_path, files: dict[str, str], **options):
    return ask(store_of(tmp_path, files), "connection pool", **options)


STAYING = ["draft", "accepted", "archived", "closed", "unsuperseded", "rejected", "2025"]
WRITTEN = ["{}", "{} since the move", '"{}"', "[old, {}]"]


def test_a_status_retires(tmp_path):
    states = {f"{state}-{at}.md": form.format(state) for state in State for at, form in enumerate(WRITTEN)}
    states |= {f"{state}.md": state.upper() for state in State}
    files = {name: note(OLD, status=status) for name, status in states.items()}
    files |= {f"{status}-stays.md": note(OLD, status=status) for status in STAYING}
    result = found(tmp_path, files, top_k=100)
    assert {*sources(result)} == {f"{status}-stays.md" for status in STAYING}
    assert result.hidden == dict.fromkeys(State, 1 + len(WRITTEN))
    assert result.to_json()["hidden"] == {str(state): 1 + len(WRITTEN) for state in State}


def test_names_that_supersede(tmp_path):
    """Each pair of notes has a folder of its own; `{}` is its number."""
    names = ["old{}", "old{}.md", "./old{}.md", "{}/old{}.md", "{}/old{}", "/abs/{}/old{}.md", "Pool {}", "POOL {}",
             "Old{}", "'[[old{}]]'", "[[old{}]]", "'[[old{}|the old one]]'", "'[[{}/old{}]]'", "P-{}",
             "[nothing, old{}]"]  # fmt: skip
    files = {}
    for at, name in enumerate(names):
        files[f"{at}/old{at}.md"] = note(f"# Pool {at}\n\nThe connection pool.\n", id=f"P-{at}")
        files[f"{at}/new.md"] = note(NEW, supersedes=name.format(at, at))
    result = found(tmp_path, files, top_k=100)
    assert {*sources(result)} == {f"{at}/new.md" for at in range(len(names))}
    assert result.hidden == {"superseded": len(names)}


def test_a_name_of_several_or_none_or_itself_retires_nothing(tmp_path):
    same = "# Same\n\nThe pool.\n"
    names = ["twice", "Same", "old#part", "gone", "Pool size now", "''"]
    files = {"a/twice.md": same, "b/twice.md": same, "old.md": OLD}
    files |= {f"new{at}.md": note(NEW, supersedes=name) for at, name in enumerate(names)}
    files["self.md"] = note("# Itself\n\nThe pool.\n", supersedes="[self, Itself, self.md]")
    assert found(tmp_path, files).hidden == {}


def test_a_title_that_both_bear_means_the_other_one(tmp_path):
    files = {"old.md": OLD, "new.md": note(OLD, supersedes="Pool size")}
    assert sources(found(tmp_path, files)) == ["new.md"]


def test_a_chunk_id_retires_that_chunk_alone_in_any_collection(tmp_path):
    text = "# One\n\n" + "The pool of connections. " * 100 + "\n\n# Two\n\n" + "The pool of cars. " * 100
    store = store_of(tmp_path, {"old.md": text})
    chunks = ask(store, "pool", top_k=50).hits
    gone = chunks[0].chunk_id
    with store.writer(model=encoder().fingerprint) as writer:
        add_files(writer, {"new.md": note(NEW, supersedes=gone)}, collection="other", root="/other", start=9)
        writer.commit()
    result = ask(store, "pool", top_k=50)
    assert {hit.chunk_id for hit in chunks} - {hit.chunk_id for hit in result.hits} == {gone}
    assert len(chunks) > 1


def test_names_reach_their_own_collection_alone(tmp_path):
    store = store_of(tmp_path, {"old.md": note(OLD, id="P-1"), "forgotten.md": note(OLD, id="note-x1")})
    claims = "[old, old.md, /abs/old.md, ../abs/old.md, Pool size, P-1]"
    with store.writer(model=encoder().fingerprint) as writer:
        add_files(writer, {"a.md": note(NEW, supersedes=claims)}, collection="cloned", root="/cloned", start=9)
        writer.commit()
    assert ask(store, "connection pool").hidden == {}
    with store.writer(model=encoder().fingerprint) as writer:
        add_files(writer, {"b.md": note(NEW, supersedes="note-x1")}, collection="own", root="/own", start=19)
        writer.commit()
    assert "forgotten.md" not in sources(ask(store, "connection pool"))


def test_what_is_not_in_force_supersedes_nothing(tmp_path):
    states = ["draft", "proposed", "rejected", "retracted", "withdrawn"]
    files = {f"{state}.md": note(NEW, status=state, supersedes=f"old-{state}") for state in states}
    files |= {f"old-{state}.md": OLD for state in states}
    assert {f"old-{state}.md" for state in states} <= {*sources(found(tmp_path, files))}


def test_a_chain_leaves_its_end_and_a_circle_everything(tmp_path):
    chain = {f"{at}.md": note(f"The pool has {at} connections.\n", supersedes=f"'{at - 1}'") for at in range(1, 9)}
    assert sources(found(tmp_path / "chain", chain)) == ["8.md"]
    circle = {f"{at}.md": note("The pool.\n", supersedes=f"'{(at + 1) % 3}'") for at in range(3)}
    assert len(found(tmp_path / "circle", circle).hits) == 3


def test_circles():
    assert in_circles([(1, 2), (2, 3), (3, 1), (0, 1), (3, 4)]) == {1, 2, 3}
    assert in_circles([(1, 2), (2, 3), (1, 3)]) == set()
    assert in_circles((at, at + 1) for at in range(50_000)) == set()


def test_a_passage_holds_to_the_end_of_the_last_day_that_it_names(tmp_path):
    keys = ["expires", "valid_until", "valid-until", "Expires"]
    files = {f"{key}.md": note(OLD, **{key: "2025-03-14"}) for key in keys}
    store = store_of(tmp_path, {**files, "new.md": NEW})

    def at(moment: datetime):
        with store.snapshot() as snapshot:
            return Searcher(snapshot, encoder, clock=lambda: moment).search(SearchOptions("connection pool"))

    assert len(at(datetime(2025, 3, 14, 23, 59)).hits) == 1 + len(keys)
    later = at(datetime(2025, 3, 15))
    assert sources(later) == ["new.md"]
    assert later.hidden == {"expired": len(keys)}


def test_a_successor_that_is_not_valid_yet_replaces_nothing_yet(tmp_path):
    store = store_of(tmp_path, {"old.md": OLD, "new.md": note(NEW, supersedes="old", valid_from="2031-01-01")})
    with store.snapshot() as snapshot:
        for year, expected in ((2030, {}), (2031, {"superseded": 1})):
            searcher = Searcher(snapshot, encoder, clock=lambda year=year: datetime(year, 6, 1))
            assert searcher.search(SearchOptions("connection pool")).hidden == expected


def test_all_states_shows_them_with_their_state(tmp_path):
    files = {"old.md": note(OLD, superseded_by="elsewhere"), "new.md": NEW}
    result = found(tmp_path, files, all_states=True)
    states = {hit.source: hit.state for hit in result.hits}
    assert states == {"old.md": "superseded", "new.md": None}
    shown = {record["source"]: record.get("state") for record in result.to_json()["results"]}
    assert shown == states
    assert result.hidden == {}


def test_only_what_the_filters_leave_is_counted(tmp_path):
    files = {"a/old.md": note(OLD, status="superseded"), "b/old.md": note(OLD, status="expired"), "new.md": NEW}
    assert found(tmp_path, files, globs=("a/**",)).hidden == {"superseded": 1}


def test_get_finds_them_and_related_does_not(tmp_path):
    store_of(tmp_path, {"old.md": note(OLD, status="superseded"), "new.md": NEW, "more.md": OLD})
    with KnowledgeBase.open(tmp_path / "store") as memory:
        assert "twenty" in memory.get("old.md").text
        related = memory.related("more.md")
        assert sources(related) == ["new.md"]
        assert related.hidden == {"superseded": 1}


def test_a_store_without_such_keys_reads_no_more_than_that(tmp_path):
    store = store_of(tmp_path, {"old.md": note(OLD, service="x"), "new.md": NEW})
    with store.snapshot() as snapshot:
        statements = []
        snapshot.catalog._connection.set_trace_callback(statements.append)
        searcher = Searcher(snapshot, encoder)
        searcher.search(SearchOptions("connection pool"))
        first = [text for text in statements if "attributes" in text]
        searcher.search(SearchOptions("connection pool"))
        assert len(first) == 1
        assert [text for text in statements if "attributes" in text] == first
    assert (tmp_path / "store" / CATALOG).exists()


def test_a_note_that_hmem_wrote_may_replace_what_lies_elsewhere(tmp_path, monkeypatch):
    monkeypatch.setenv("HMEM_DATA_DIR", str(tmp_path / "data"))
    (tmp_path / "data").mkdir()
    store = store_of(tmp_path, {"a/old.md": OLD})
    claim = {"n.md": note(NEW, supersedes="notes/a/old.md"), "m.md": note(NEW, supersedes="notes/gone.md")}
    with store.writer(model=encoder().fingerprint) as writer:
        add_files(writer, claim, collection="own", root="/own", start=9)
        writer.commit()
    assert ask(store, "connection pool").hidden == {}
    record("note-1", Path("/own/n.md"), b"")
    assert ask(store, "connection pool").hidden == {"superseded": 1}
