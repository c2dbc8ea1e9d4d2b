"""The library as its callers see it: values equal to what the commands print, from many threads, beside writers."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hmem import HmemError, KnowledgeBase, SearchOptions
from hmem.errors import NotIndexedError, QueryError, UnknownKeyError, UsageError
from hmem.store import Store
from hmem.store.lock import oldest_lease

from cli_samples import FILES
from runner import SETTLED, hmem_here, write_tree
from search_samples import add_files, store_of

NAMES = [f"number{n}" for n in range(15)]


@pytest.fixture(scope="module")
def place(tmp_path_factory) -> Path:
    return write_tree(tmp_path_factory.mktemp("library"), FILES, mtime=SETTLED)


@pytest.fixture
def memory(place, monkeypatch):
    monkeypatch.chdir(place)
    with KnowledgeBase.open(place / "store", create=True) as opened:
        opened.index(["notes", Path("src")])
        yield opened


def printed(*args: object) -> Any:
    ran = hmem_here(*args, "--store", "./store", "--json")
    return json.loads(ran.out)


def timeless(value: Any) -> Any:
    """Return `value` without what differs from call to call."""
    text = re.sub(r'"(ms|took_ms)": [\d.]+', r'"\1": 0', json.dumps(value))
    return json.loads(re.sub(r'"stale": \w+', '"stale": 0', text))


def test_values_are_what_the_commands_print(memory):
    assert timeless(memory.search("pool").to_json()) == timeless(printed("search", "pool", "--no-refresh"))
    found = memory.search(
        "pool", top_k=2, alpha=0.5, fusion="rrf", where="service=billing", kinds=["note"], globs=("*.md",)
    )
    flags = ["-k", 2, "--alpha", 0.5, "--fusion", "rrf", "-w", "service=billing", "--kind", "note", "-g", "*.md"]
    assert timeless(found.to_json()) == timeless(printed("search", "pool", "--no-refresh", *flags))
    related = printed("related", "notes/pool.md", "-k", 3, "--no-refresh")
    assert timeless(memory.related("notes/pool.md", top_k=3).to_json()) == timeless(related)
    for reference in ("notes/pool.md", "notes/pool.md:8", found.hits[0].chunk_id):
        assert memory.get(reference).to_json() == printed("get", reference)
    assert memory.status().to_json() == printed("status")
    assert memory.verify().to_json() == printed("doctor")
    assert [summary.to_json() for summary in memory.keys()] == printed("ls", "--keys")  # noqa: SIM118


def test_notes_are_what_the_commands_print(memory):
    note = memory.remember("The giraffe sleeps standing.", tags=["zoo"], metadata={"n": 5})
    assert set(note.to_json()) == set(printed("remember", "another"))
    assert memory.get(note.id).text.endswith("The giraffe sleeps standing.\n")
    assert memory.search("giraffe", where=["n=5", "tags=zoo"]).hits[0].path == str(note.path)
    assert set(memory.forget(note.id).to_json()) == set(note.to_json())
    memory.remove(["notes-2"])


def test_options_that_are_none_are_told(memory):
    with pytest.raises(UnknownKeyError, match="topk") as error:
        memory.search("pool", topk=3)
    assert error.value.hint == "did you mean `top_k`?"
    for wrong in ({"fusion": "mean"}, {"alpha": 2}, {"arms": "bm24"}, {"top_k": 0}, {"kinds": "poem"}):
        with pytest.raises(UsageError):
            memory.search("pool", **wrong)
    with pytest.raises(QueryError):
        memory.search("pool", where="service")
    with pytest.raises(NotIndexedError):
        memory.related("nowhere.md")
    with pytest.raises(HmemError):
        KnowledgeBase.open("not there")


def test_the_filters_of_the_configuration_hold(memory, monkeypatch):
    assert "pool.md" in [hit.source for hit in memory.search("pool").hits]
    monkeypatch.setenv("HMEM_WHERE", "service!=billing")
    memory.reload_settings()
    for result in (memory.search("pool"), memory.related("notes/deploy.md"), asyncio.run(memory.asearch("pool"))):
        assert result.hits
        assert "pool.md" not in [hit.source for hit in result.hits]
    assert "pool.md" in [hit.source for hit in memory.search(SearchOptions("pool")).hits]


def test_a_path_is_a_directory_and_a_name_a_store(place, monkeypatch):
    monkeypatch.chdir(place)
    with KnowledgeBase.open(Path("here"), create=True) as one, KnowledgeBase.open("here", create=True) as two:
        assert one.directory == place / "here"
        assert two.directory.parent.name == "stores"
    shutil.rmtree(place / "here")


def test_many_coroutines_and_threads(memory):
    async def ask() -> list[str]:
        results = await asyncio.gather(*(memory.asearch(query, top_k=1) for query in ("canary", "zebra", "retry") * 4))
        return [result.hits[0].source for result in results]

    wanted = ["deploy.md", "names with spaces/ünï.md", "retry.py"]
    assert asyncio.run(ask()) == wanted * 4
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda query: memory.search(query).hits[0].source, ("canary", "zebra", "retry") * 8))
    assert found == wanted * 8


def test_following_searches_see_every_commit_from_all_threads(tmp_path):
    write_tree(tmp_path / "tree", {"number0.md": "the number0\n"})
    with KnowledgeBase.open(tmp_path / "store", create=True) as memory:
        memory.index(tmp_path / "tree")
        done = threading.Event()

        def ask(_: int) -> int:
            asked = 0
            while not done.is_set() or not asked:
                least = len(written)
                hits = searcher.search(SearchOptions("the", top_k=100, arms=("bm25",))).hits
                assert {hit.text for hit in hits} <= {f"the {name}\n" for name in NAMES}
                assert len(hits) >= least
                assert searcher.related(str(tmp_path / "tree" / "number0.md"), SearchOptions("")).generation
                asked += 1
            return asked

        written = ["number0"]
        with memory.following() as searcher, ThreadPoolExecutor(4) as pool:
            running = [pool.submit(ask, number) for number in range(4)]
            for name in NAMES[1:]:
                write_tree(tmp_path / "tree", {f"{name}.md": f"the {name}\n"})
                memory.index(tmp_path / "tree" / f"{name}.md")
                written.append(name)
                searcher.release()
            done.set()
            assert all(one.result() for one in running)
            searcher.release()
            assert oldest_lease(tmp_path / "store" / "leases", 1000) == 1000  # nothing is pinned any more


def test_following_goes_on_with_a_store_that_was_made_anew(tmp_path):
    write_tree(tmp_path / "tree", {"a.md": "giraffe\n"})
    with KnowledgeBase.open(tmp_path / "store", create=True) as memory, memory.following() as searcher:
        memory.index(tmp_path / "tree")
        assert searcher.search(SearchOptions("giraffe")).hits
        Store.recreate(tmp_path / "store")
        assert not searcher.search(SearchOptions("giraffe")).hits
        memory.index()
        assert searcher.search(SearchOptions("giraffe")).hits


def test_capabilities(tmp_path):
    store_of(tmp_path, {"a.md": "giraffe\n"})
    with KnowledgeBase.open(tmp_path / "store") as memory:
        assert (memory.has_bm25, memory.has_dense) == (True, True)
        for path in (tmp_path / "store" / "segments").glob("*-lexical*/**/*"):
            path.write_bytes(b"") if path.is_file() else None
        assert (memory.has_bm25, memory.has_dense) == (False, True)
        assert memory.search("giraffe").arms["bm25"].status == "unavailable"
    with KnowledgeBase.open(tmp_path / "empty", create=True) as memory:
        assert (memory.has_bm25, memory.has_dense) == (True, False)


def test_vectors_of_another_model_are_no_capability(tmp_path):
    with Store.open(tmp_path / "store", create=True).writer(model="another") as writer:
        add_files(writer, {"a.md": "giraffe\n"})
        writer.commit()
    with KnowledgeBase.open(tmp_path / "store") as memory:
        assert (memory.has_bm25, memory.has_dense) == (True, False)
        assert memory.search("giraffe").arms["dense"].status == "unavailable"
