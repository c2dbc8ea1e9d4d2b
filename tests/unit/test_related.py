"""What is nearest to a chunk: never itself, by its own vector and its telling words, under the same options."""

from __future__ import annotations

import pytest
from hmem.errors import NotIndexedError
from hmem.library import KnowledgeBase
from hmem.search.engine import Searcher
from hmem.search.query import SearchOptions
from hmem.search.related import telling_words

from search_samples import encoder, store_of

FILES = {
    "pool.md": "# Pool\n\nThe connection pool of the database is exhausted: every connection is checked out.\n",
    "limits.md": "# Limits\n\nRaise the size of the connection pool when the database refuses connections.\n",
    "garden.md": "# Garden\n\nTomatoes want sun, water and patience in the garden.\n",
    "soup.md": "# Soup\n\nCook tomatoes, water and salt to a soup.\n",
    "signs.md": "!!! ??? ...\n",
}


@pytest.fixture(scope="module")
def memory(tmp_path_factory):
    place = tmp_path_factory.mktemp("related")
    store_of(place, FILES)
    with KnowledgeBase.open(place / "store") as opened:
        yield opened


def sources(result):
    return [hit.source for hit in result.hits]


def test_the_nearest_is_first_and_itself_is_not_there(memory):
    for name, nearest in (("pool.md", "limits.md"), ("garden.md", "soup.md"), ("soup.md", "garden.md")):
        found = sources(memory.related(name))
        assert found[0] == nearest
        assert name not in found


def test_a_line_and_an_id_name_the_chunk(memory):
    by_line = memory.related("pool.md:3")
    chunk_id = memory.get("pool.md:3").chunk_id
    assert sources(memory.related(chunk_id)) == sources(by_line)


def test_the_dense_arm_uses_the_chunks_own_vector(memory):
    result = memory.related("pool.md", SearchOptions("", alpha=1.0, boosts=False))
    with memory.snapshot() as snapshot:
        documents = {row.path: row.id for row in snapshot.catalog.documents().values()}
        keys = {path: snapshot.catalog.chunks_of(number)[0].key for path, number in documents.items()}
        vectors = snapshot.vectors(keys.values())
    own = vectors[keys["pool.md"]]
    for hit in result.hits:
        assert hit.arms["dense"].score == pytest.approx(float(own @ vectors[keys[hit.source]]), abs=1e-6)


def test_words_alone_find_what_shares_telling_words(memory):
    result = memory.related("garden.md", SearchOptions("", alpha=0.0))
    assert sources(result) == ["soup.md"]
    assert "Tomatoes" in result.query.split()


def test_filters_and_counts_hold(memory):
    assert sources(memory.related("pool.md", SearchOptions("", globs=("soup*",)))) == ["soup.md"]
    assert len(memory.related("pool.md", SearchOptions("", top_k=1)).hits) == 1
    assert memory.related("pool.md").eligible_chunks == len(FILES) - 1


def test_a_chunk_without_words_or_vector_has_no_neighbours(memory):
    assert memory.related("signs.md").hits == ()


def test_what_is_not_indexed_is_an_error(memory):
    with pytest.raises(NotIndexedError):
        memory.related("none.md")


def test_telling_words_are_rare_and_frequent_here(memory):
    with memory.snapshot() as snapshot:
        found = telling_words(Searcher(snapshot).indexes, "the the the water zebra zebra pool pool", limit=3)
    assert found[0] == "zebra"
    assert "the" not in found
    assert len(found) == 3


def test_the_model_is_not_loaded(memory):
    assert encoder().fingerprint
    assert memory._encoder is None
