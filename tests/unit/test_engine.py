import json
import threading
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import numpy as np
import pytest
from hmem.errors import ModelError, NotIndexedError, QueryError, UnknownKeyError, UsageError
from hmem.prepare import PreparedChunk, PreparedDocument
from hmem.search.arms import ArmResult, Indexes, Status, query_vector, side_by_side
from hmem.search.engine import Searcher
from hmem.search.facts import SnapshotColumns
from hmem.search.query import Arm, Fusion, SearchOptions
from hmem.search.request import from_request
from hmem.store import Store
from hmem.store.rows import Collection
from hmem.types import Chunk, Document, FileState, Kind

from search_samples import add_files, ask, encoder, sources, store_of

FILES = {
    "wiki/pool.md": """---
service: billing
environment: production
priority: high
tags: [ops, db/pool]
updated: 2025-03-10
---
# Connection pool

When the connection pool is exhausted, requests wait and then time out.
""",
    "wiki/pool-staging.md": """---
service: billing
environment: staging
---
# Connection pool in staging

The connection pool is exhausted on purpose every night.
""",
    "wiki/cache.md": """---
service: search
environment: production
---
# Cache

The cache is warmed after each deploy.
""",
    "notes/tea.md": "# Tea\n\nGreen tea is brewed at eighty degrees, black tea with boiling water.\n",
    "src/pool.py": """class ConnectionPool:
    def acquire(self, timeout):
        '''Take a connection, wait while the pool is exhausted.'''
        raise PoolTimeout(timeout)
""",
}


@pytest.fixture(scope="module")
def store(tmp_path_factory) -> Store:
    return store_of(tmp_path_factory.mktemp("engine"), FILES)


def parts_add_up(result) -> bool:
    return all(
        hit.score
        == pytest.approx(
            sum(arm.contribution for arm in hit.arms.values() if arm) + sum(boost.value for boost in hit.boosts),
            abs=1e-12,
        )
        for hit in result.hits
    )


# -- the answer


def test_json_is_the_contract(store):
    found = ask(store, "connection pool exhausted", where=("service=billing",), query_id="q1", top_k=1).to_json()
    assert json.loads(json.dumps(found)) == found
    assert list(found) == [
        "schema",
        "query_id",
        "query",
        "strategy",
        "fusion",
        "arms",
        "filters",
        "eligible_chunks",
        "hidden",
        "generation",
        "stale",
        "total_retrieved",
        "truncated",
        "took_ms",
        "results",
    ]
    assert {key: found[key] for key in ("schema", "query_id", "query", "strategy", "filters", "stale")} == {
        "schema": 1,
        "query_id": "q1",
        "query": "connection pool exhausted",
        "strategy": "hybrid",
        "filters": ["service=billing"],
        "stale": None,
    }
    assert found["fusion"] == {"method": "convex", "k": None, "alpha": 0.2, "weights": {"bm25": 0.8, "dense": 0.2}}
    assert (found["eligible_chunks"], found["generation"], found["total_retrieved"]) == (2, 1, 1)
    assert found["arms"]["bm25"].keys() == {"status", "candidates", "ms"}
    assert found["arms"]["dense"].keys() == {"status", "candidates", "ms", "unembedded"}
    assert found["arms"]["document"].keys() == {"status", "reason", "candidates", "ms"}
    assert found["arms"]["document"]["status"] == "skipped"
    hit = found["results"][0]
    assert hit | {"score": 0, "chunk_id": "", "text": "", "arms": {}} == {
        "rank": 1,
        "chunk_id": "",
        "score": 0,
        "source": "wiki/pool.md",
        "path": "/abs/wiki/pool.md",
        "collection": "notes",
        "start_line": 1,
        "end_line": 10,
        "kind": "wiki",
        "lang": "markdown",
        "title": "Connection pool",
        "heading": ["Connection pool"],
        "symbol": None,
        "text": "",
        "metadata": hit["metadata"],
        "arms": {},
        "boosts": [],
        "matched": ["connection", "pool", "exhausted"],
    }
    assert hit["metadata"]["service"] == "billing"
    assert hit["text"] == FILES["wiki/pool.md"]
    assert hit["arms"]["bm25"].keys() == {"rank", "score", "contribution"}


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"alpha": 0},
        {"alpha": 1},
        {"alpha": 0.9},
        {"fusion": Fusion.RRF},
        {"fusion": Fusion.RRF, "alpha": 0.1, "rrf_k": 5},
        {"arms": ("document",)},
        {"arms": ("bm25", "document", "dense")},
        {"arms": ("bm25", "document", "dense"), "fusion": Fusion.RRF},
        {"minimums": {"bm25": 1.0, "dense": 0.4}},
    ],
)
def test_contributions_add_up_to_the_score(store, options):
    result = ask(store, "connection pool exhausted", **options)
    assert result.hits
    assert parts_add_up(result)
    assert [hit.rank for hit in result.hits] == list(range(1, len(result.hits) + 1))
    assert [hit.score for hit in result.hits] == sorted((hit.score for hit in result.hits), reverse=True)


def test_rrf_scores_are_the_formula(store):
    result = ask(store, "connection pool exhausted", fusion=Fusion.RRF, alpha=0.5, boosts=False)
    assert result.to_json()["fusion"] == {
        "method": "rrf",
        "k": 60,
        "alpha": 0.5,
        "weights": {"bm25": 1.0, "dense": 1.0},
    }
    for hit in result.hits:
        assert hit.score == pytest.approx(sum(1 / (60 + arm.rank) for arm in hit.arms.values() if arm))
    both = ask(store, "connection pool exhausted", arms=("bm25", "document"), fusion=Fusion.RRF).hits[0]
    assert both.arms.keys() == {"bm25", "document"}


def test_strategy_names_what_ran(store):
    assert ask(store, "tea").strategy == "hybrid"
    assert ask(store, "tea", where=("kind=note",), alpha=0).strategy == "bm25"
    assert ask(store, "tea", alpha=1).strategy == "dense"
    assert ask(store, "tea", arms=("document",)).strategy == "document"
    assert ask(store, "").strategy == "none"


def test_alpha_runs_from_words_alone_to_meaning_alone(store):
    words = ask(store, "connection pool exhausted", alpha=0)
    assert "dense" not in words.hits[0].arms
    assert words.arms["dense"].status is Status.SKIPPED
    assert all(hit.matched for hit in words.hits)
    meaning = ask(store, "connection pool exhausted", alpha=1)
    assert meaning.hits[0].arms.keys() == {"dense"}
    assert len(meaning.hits) == len(FILES)
    assert meaning.hits[0].matched == ("connection", "pool", "exhausted")


def test_dense_order_is_that_of_numpy(store):
    with store.snapshot() as snapshot:
        indexes = Indexes(snapshot, SnapshotColumns(snapshot))
        query = query_vector(indexes, encoder(), ["connection", "pool", "exhausted"])
        vectors = np.concatenate([np.asarray(segment.vectors) for segment in snapshot.dense()])
    expected = np.sort(vectors @ query)[::-1]
    found = [hit.arms["dense"].score for hit in ask(store, "connection pool exhausted", alpha=1).hits]
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_the_document_arm_has_a_say_about_code_only(store):
    result = ask(store, "connection pool exhausted")
    assert result.arms["document"].status is Status.OK
    assert {hit.source: hit.arms["document"] is not None for hit in result.hits} == {
        path: path.endswith(".py") for path in FILES
    }


def test_a_minimum_drops_an_arms_candidates(store):
    full = ask(store, "connection pool exhausted", alpha=1)
    limit = full.hits[1].arms["dense"].score
    cut = ask(store, "connection pool exhausted", alpha=1, minimums={"dense": limit})
    assert [(hit.source, hit.score) for hit in cut.hits] == [(hit.source, hit.score) for hit in full.hits[:2]]
    assert cut.arms["dense"].candidates == 2
    assert ask(store, "connection pool exhausted", minimums={"dense": 0.99, "bm25": 99.0}).hits == ()


def test_top_k_cuts_the_answer_only(store):
    assert sources(ask(store, "pool", top_k=2)) == sources(ask(store, "pool"))[:2]


# -- seed examples


def test_request_finds_the_passage_and_never_a_note_of_another_environment(store):
    request = {
        "query_id": "incident-7",
        "search_text": "connection pool exhausted",
        "top_k": 3,
        "hybrid_params": {"dense_weight": 1.0, "sparse_weight": 1.0, "rrf_k_constant": 60},
        "metadata_filter": {"environment": "production", "service": "billing"},
    }
    with store.snapshot() as snapshot:
        result = Searcher(snapshot, encoder).search(from_request(request))
    assert sources(result) == ["wiki/pool.md"]
    found = result.to_json()
    assert found["results"][0]["rrf_score"] == found["results"][0]["score"] == pytest.approx(2 / 61)
    assert (found["query_id"], found["fusion"]["method"], found["fusion"]["k"]) == ("incident-7", "rrf", 60)
    assert [arm for arm, report in found["arms"].items() if report["status"] == "ok"] == ["bm25", "dense"]
    assert "rrf_score" not in ask(store, "pool").to_json()["results"][0]


def test_a_quote_ranks_above_a_paraphrase(tmp_path):
    files = {
        "quote.md": "# Incident\n\nThe invoice was sent twice because the retry had no key.\n",
        "paraphrase.md": "# Incident\n\nA bill went out two times, as the repeated attempt lacked an identifier.\n",
        "other.md": "# Lunch\n\nThe canteen was closed on Friday.\n",
    }
    result = ask(store_of(tmp_path, files), "The invoice was sent twice because the retry had no key")
    assert sources(result)[:2] == ["quote.md", "paraphrase.md"]


def test_other_scripts_find_their_documents(tmp_path):
    files = {
        "chinese.md": "# 資料庫\n\n連接池已耗盡，請求超時。\n",
        "russian.md": "# База данных\n\nПул соединений исчерпан, запросы ждут.\n",
        "english.md": "# Database\n\nThe pool is exhausted.\n",
    }
    store = store_of(tmp_path, files)
    assert sources(ask(store, "連接池"))[0] == "chinese.md"
    assert sources(ask(store, "соединения исчерпаны"))[0] == "russian.md"


# -- filters, phrases, places


def test_filters_combine(store):
    def found(**options) -> set[str]:
        return set(sources(ask(store, "connection pool exhausted tea cache", **options)))

    assert found(kinds=("code",)) == {"src/pool.py"}
    assert found(langs=("Python",)) == found(langs=("py",)) == {"src/pool.py"}
    assert found(globs=("wiki/*.md", "!*staging*")) == {"wiki/pool.md", "wiki/cache.md"}
    assert found(within=("/abs/wiki", "/abs/notes/tea.md")) == {path for path in FILES if path[0] in "wn"}
    assert found(within=("src",)) == {"src/pool.py"}
    assert found(where=("tags=db/pool",)) == {"wiki/pool.md"}
    assert found(where=("environment!=staging", "kind=wiki")) == {"wiki/pool.md", "wiki/cache.md"}
    assert found(default_where=("sensitivity != secret", "nothing != x")) == set(FILES)
    assert found(since="2025-03-10", until="2025-03-10") == {"wiki/pool.md"}
    assert found(where=("symbol=acquire",)) == {"src/pool.py"}
    assert found(where=("symbol=ConnectionPool.*",)) == set()
    assert found(where=("symbol~Connection*",)) == {"src/pool.py"}
    assert found(where=("heading~*staging",)) == {"wiki/pool-staging.md"}
    assert found(where=("size<100", "ext=md", "name~*ea.md")) == {"notes/tea.md"}
    assert found(collections=("notes",)) == set(FILES)


def test_filters_are_listed(store):
    result = ask(
        store,
        "pool",
        where=("service = billing",),
        kinds=("wiki",),
        globs=("*.md",),
        within=("/abs/wiki",),
        since="2020",
    )
    assert result.filters == ("service = billing", "kind=wiki", "updated>=2020", "glob=*.md", "in=/abs/wiki")


@pytest.mark.parametrize(
    ("options", "error", "nearest"),
    [
        ({"where": ("servce=x",)}, UnknownKeyError, "service"),
        ({"collections": ("note",)}, UnknownKeyError, "notes"),
        ({"langs": ("pyhton",)}, UnknownKeyError, "python"),
        ({"within": ("/elsewhere",)}, NotIndexedError, None),
        ({"within": ("elsewhere",)}, NotIndexedError, None),
        ({"within": ("a\0b",)}, UsageError, None),
        ({"since": "someday"}, QueryError, None),
        ({"since": "2025-02-01", "until": "2025-01-01"}, UsageError, None),
        ({"where": ("mtime>someday",)}, QueryError, None),
    ],
)
def test_what_does_not_exist_is_an_error_not_an_empty_answer(store, options, error, nearest):
    with pytest.raises(error) as raised:
        ask(store, "pool", **options)
    assert getattr(raised.value, "nearest", None) == nearest


def test_a_known_language_without_documents_is_an_empty_answer(store):
    result = ask(store, "pool", langs=("rust",))
    assert (result.hits, result.eligible_chunks, result.degraded) == ((), 0, ())


def test_phrases_must_occur_as_written(store):
    assert set(sources(ask(store, '"pool is exhausted"'))) == {
        "wiki/pool.md",
        "wiki/pool-staging.md",
        "src/pool.py",
    }
    assert sources(ask(store, '"POOL   is exhausted, requests"')) == ["wiki/pool.md"]
    assert sources(ask(store, '"eighty degrees" pool')) == ["notes/tea.md"]
    assert ask(store, '"exhausted pool is"').eligible_chunks == 0
    assert sources(ask(store, '"pool is exhausted" "on purpose"')) == ["wiki/pool-staging.md"]
    assert len(ask(store, '5" pool').hits) == len(FILES)


@pytest.mark.parametrize(
    ("phrase", "text"),
    [
        ("userid", "the userID field"),
        ("pool", "the pool's size"),
        ("we", "we'll see"),
        ("don", "I don't know"),
        ("1.0.2", "version 1.0.2 is out"),
        ("straße", "STRASSE"),
        ("size of", "pool_size of"),
        ("接池", "資料庫連接池"),
        ("-->", "a --> b"),
    ],
)
def test_postings_never_lose_a_phrase(tmp_path, phrase, text):
    store = store_of(tmp_path, {"a.md": f"# Title\n\n{text}\n", "b.md": "# Other\n\nnothing here\n"})
    assert sources(ask(store, f'"{phrase}" title'))[:1] == ["a.md"]


# -- each state of an arm


class Broken:
    """An encoder that fails when it is used."""

    def __init__(self, error: BaseException) -> None:
        self.fingerprint = encoder().fingerprint
        self._error = error

    def encode_words(self, words, weights):
        raise self._error


def with_encoder(store: Store, source, query: str = "connection pool", **options):
    with store.snapshot() as snapshot:
        return Searcher(snapshot, source, budget=0.2).search(SearchOptions(query, **options))


def no_model():
    raise ModelError("no such model folder: `x`", hint="name a folder")


def test_status_ok_and_empty(store):
    assert ask(store, "pool").arms["bm25"].status is Status.OK
    nothing = ask(store, "zebra").arms["bm25"]
    assert (nothing.status, nothing.candidates, nothing.reason) == (Status.EMPTY, 0, None)
    filtered = ask(store, "pool", where=("title=nothing",))
    assert (filtered.arms["bm25"].status, filtered.arms["dense"].status) == (Status.EMPTY, Status.EMPTY)
    assert filtered.strategy == "hybrid"


def test_status_skipped_has_a_reason(store):
    for options, reason in (({"alpha": 0}, "alpha is 0"), ({"arms": ("bm25",)}, "switched off")):
        report = ask(store, "pool", **options).arms["dense"]
        assert (report.status, report.reason) == (Status.SKIPPED, reason)
    for arm in ("bm25", "dense"):
        assert ask(store, "?!").arms[arm].reason == "the query has no words"
    unknown = ask(store, "連接池").arms["dense"]
    assert unknown.status in (Status.SKIPPED, Status.OK)  # depends on the model's vocabulary


def test_status_unavailable_leaves_the_other_arm(store):
    for source in (None, lambda: None, no_model):
        result = with_encoder(store, source)
        assert result.arms["dense"].status is Status.UNAVAILABLE
        assert result.strategy == "hybrid" if result.arms["document"].status.ran else "bm25"
        assert result.hits
        assert result.degraded == (f"the dense arm is unavailable: {result.arms['dense'].reason}",)
        assert not result.broken
    assert "no such model folder" in with_encoder(store, no_model).degraded[0]


def test_another_model_of_equal_width_is_unavailable(store):
    class Other:
        fingerprint = "another"

        def encode_words(self, words, weights):
            return encoder().encode_words(words, weights)

    result = with_encoder(store, Other())
    assert result.arms["dense"].status is Status.UNAVAILABLE
    assert "another model" in result.arms["dense"].reason
    alone = with_encoder(store, Other(), alpha=1)
    assert alone.broken
    assert alone.hits == ()
    assert alone.strategy == "none"


def test_a_damaged_lexical_index_is_unavailable(tmp_path):
    store = store_of(tmp_path, FILES)
    for path in (store.path / "segments").rglob("chunks/*"):
        path.unlink()
    result = ask(store, "green tea", where=("kind!=code",))
    assert result.arms["bm25"].status is Status.UNAVAILABLE
    assert (result.strategy, sources(result)[0]) == ("dense", "notes/tea.md")
    assert result.hits[0].matched == ("green", "tea")
    assert sources(ask(store, '"green tea"', where=("kind!=code",))) == ["notes/tea.md"]


def test_the_document_arm_alone_needs_no_chunk_index(tmp_path):
    store = store_of(tmp_path, FILES)
    for path in (store.path / "segments").rglob("chunks/*"):
        path.unlink()
    result = ask(store, "green tea", arms=("document",))
    assert (sources(result), result.hits[0].matched) == (["notes/tea.md"], ("green", "tea"))


def test_status_failed_leaves_the_other_arm(store):
    result = with_encoder(store, Broken(RuntimeError("out of luck")))
    assert result.arms["dense"].status is Status.FAILED
    assert result.arms["dense"].reason == "RuntimeError: out of luck"
    assert result.hits


def test_an_arm_out_of_its_time_is_failed(store):
    release = threading.Event()

    class Slow(Broken):
        def encode_words(self, words, weights):
            release.wait()
            return encoder().encode_words(words, weights)

    result = with_encoder(store, Slow(RuntimeError()))
    release.set()
    assert result.arms["dense"].status is Status.FAILED
    assert "longer than 0.2 s" in result.arms["dense"].reason
    assert sources(result)[0] in FILES


def test_unembedded_chunks_are_counted(tmp_path):
    files = {"a.md": "# Pool\n\nThe pool is empty.\n", "b.txt": "ᚠᚢᚦᚨᚱᚲ ᚷᚹᚺᚾᛁᛃ\n"}
    store = store_of(tmp_path, files)
    with store.snapshot() as snapshot:
        missing = int((~snapshot.embedded()).sum())
    result = ask(store, "pool")
    assert result.arms["dense"].unembedded == missing
    assert result.arms["dense"].candidates == 2 - missing
    assert ask(store, "pool", globs=("*.md",)).arms["dense"].unembedded == 0


def test_arms_run_side_by_side():
    meeting = threading.Barrier(2, timeout=5)

    def task() -> ArmResult:
        meeting.wait()
        return ArmResult(Status.EMPTY)

    results = side_by_side({Arm.BM25: task, Arm.DENSE: task})
    assert {result.status for result in results.values()} == {Status.EMPTY}
    assert side_by_side({}) == {}


def test_empty_store(tmp_path):
    store = Store.open(tmp_path / "store", create=True)
    result = ask(store, "pool")
    assert (result.hits, result.eligible_chunks, result.generation) == ((), 0, 0)
    assert result.arms["bm25"].status is Status.EMPTY
    assert not result.broken


# -- order


TWINS = {f"{name}.md": "# Same\n\nExactly the same words in every file.\n" for name in "dbeac"}


def test_ties_break_on_path_and_line_whatever_the_order_of_writing(tmp_path):
    at_once = store_of(tmp_path / "one", TWINS)
    step_by_step = Store.open(tmp_path / "two" / "store", create=True)
    for number, (path, text) in enumerate(reversed(TWINS.items())):
        with step_by_step.writer(model=encoder().fingerprint) as writer:
            add_files(writer, {path: text, "a.md": TWINS["a.md"]}, start=number)
            writer.commit()
    for options in ({}, {"alpha": 1}, {"alpha": 0}, {"fusion": Fusion.RRF}, {"arms": ("document",)}):
        answers = [ask(each, "the same words", **options) for each in (at_once, step_by_step)]
        assert [hit.path for hit in answers[0].hits] == [f"/abs/{name}.md" for name in "abcde"]
        assert [replace(hit, chunk_id="") for hit in answers[0].hits] == [
            replace(hit, chunk_id="") for hit in answers[1].hits
        ]
        for hit in answers[0].hits:
            assert {arm.rank for arm in hit.arms.values() if arm} == {hit.rank}


def test_one_searcher_serves_several_threads(store):
    queries = ["connection pool", "tea", '"cache is warmed"', "exhausted", "zebra"] * 4
    with store.snapshot() as snapshot:
        searcher = Searcher(snapshot, encoder)
        expected = [sources(searcher.search(SearchOptions(query))) for query in queries]
        found: list = [None] * len(queries)
        fresh = Searcher(snapshot, encoder)

        def work(index: int) -> None:
            found[index] = sources(fresh.search(SearchOptions(queries[index])))

        threads = [threading.Thread(target=work, args=(index,)) for index in range(len(queries))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert found == expected


def test_relative_dates_follow_the_clock(store):
    with store.snapshot() as snapshot:
        for now, expected in ((datetime(2025, 3, 12), ["wiki/pool.md"]), (datetime(2025, 4, 12), [])):
            searcher = Searcher(snapshot, encoder, clock=lambda now=now: now)
            found = searcher.search(SearchOptions("pool", where=("updated>=3d",)))
            assert sources(found) == expected


# -- the filter cuts before the arms rank

MANY = 50_000
CHUNKS = 50


@pytest.fixture(scope="module")
def crowd(tmp_path_factory):
    """50,000 chunks that all match better than the one of the document `needle.md`."""

    class Near:
        fingerprint = "near"

        def encode_words(self, words, weights):
            return np.array([1, 0, 0, 0], np.float32)

    store = Store.open(tmp_path_factory.mktemp("crowd") / "store", create=True)
    angles = np.linspace(0.1, 1.2, CHUNKS, dtype=np.float32)
    vectors = np.zeros((CHUNKS, 4), np.float32)
    vectors[:, 0], vectors[:, 1] = np.cos(angles), np.sin(angles)
    far = np.array([-0.6, 0.8, 0, 0], np.float32)

    def document(path: str, size: int, times: int) -> PreparedDocument:
        found = Document(path=path, kind=Kind.CODE, lang="python", title=path, text="", metadata={"only": path})
        chunks = [
            PreparedChunk(Chunk(i, i, "pool\n"), f"{i:016x}", {"pool": times, "=pool": times, "x": i % 7 + 1}, {}, ())
            for i in range(1, size + 1)
        ]
        return PreparedDocument(found, path, tuple(chunks), {"pool": times * size})

    with store.writer(model="near") as writer:
        number = writer.put_collection(Collection("notes", Path("/abs")))
        for place in range(MANY // CHUNKS):
            path = "needle.md" if place == 700 else f"{place}.md"
            size = 1 if path == "needle.md" else CHUNKS
            writer.add_document(
                number,
                FileState(path, 1, 1, place),
                document(path, size, 1 if size == 1 else 5),
                False,
                vectors=[far] if size == 1 else list(vectors),
                embed_keys=[place.to_bytes(8, "big") + i.to_bytes(8, "big") for i in range(size)],
            )
        writer.commit()
    with store.snapshot() as snapshot:
        yield Searcher(snapshot, Near())


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"alpha": 0},
        {"alpha": 1},
        {"fusion": Fusion.RRF},
        {"arms": ("bm25",)},
        {"arms": ("document",)},
        {"arms": ("dense",)},
    ],
)
def test_one_match_among_50000_is_found_by_every_arm(crowd, options):
    everything = crowd.search(SearchOptions("pool", top_k=5, **options))
    assert everything.eligible_chunks == MANY - CHUNKS + 1
    assert "needle.md" not in sources(everything)
    assert all(report.candidates in (0, 100) for report in everything.arms.values())
    for filters in ({"where": ("only=needle.md",)}, {"globs": ("needle.*",)}, {"within": ("/abs/needle.md",)}):
        found = crowd.search(SearchOptions("pool", top_k=5, **options, **filters))
        assert sources(found) == ["needle.md"]
        assert found.eligible_chunks == 1
        assert all(arm is not None for arm in found.hits[0].arms.values())
        assert parts_add_up(found)


def test_signs_in_quotes_are_found_where_they_stand(store, tmp_path):
    files = {"flow.md": "# Flow\n\nA --> B\n", "other.md": "# Flow\n\nA then B\n"}
    result = ask(store_of(tmp_path, files), '"-->"')
    assert sources(result) == ["flow.md"]
    assert result.arms["bm25"].status is Status.OK
    assert result.arms["dense"].status is Status.SKIPPED


def test_alpha_0_needs_no_model(store):
    def broken() -> None:
        raise ModelError("no model")

    with store.snapshot() as snapshot:
        result = Searcher(snapshot, broken).search(SearchOptions("connection pool", alpha=0))
    assert result.hits
    assert not result.degraded
