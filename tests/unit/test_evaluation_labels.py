"""Reading labels, finding what they name, and questions to start from."""

from __future__ import annotations

import json

import pytest
from hmem.errors import UsageError
from hmem.evaluation import Label, Locator, read_json_lines, read_trec, starter_questions
from hmem.evaluation.locate import Place
from hmem.evaluation.starter import first_sentence

from search_samples import store_of

FILES = {
    "pool.md": "# Connection pool\n\nThe connection pool is exhausted when every connection is checked out.\n",
    "deploy.md": "# Deployment guide\n\nCanary first, then everybody.\n",
    "api/retry.md": "# Retries after a timeout\n\nRetries are spaced by backoff.\n",
    "web/retry.md": "# Retry button\n\nA button that reloads the page.\n",
    "backoff.py": '"""Waiting."""\n\n\ndef backoff(attempt):\n    """Return the seconds to wait before an attempt.\n\n'
    '    More.\n    """\n    return 2**attempt\n',
}


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return store_of(tmp_path_factory.mktemp("store"), FILES)


@pytest.fixture
def snapshot(store):
    with store.snapshot() as found:
        yield found


def rows(*objects):
    return "\n".join(json.dumps(row) for row in objects)


# -- reading


def test_json_lines():
    text = rows(
        {"query": "a", "relevant": "x.md", "grade": 2, "tags": "t"},
        {"query": "b", "relevant": ["x.md:3", "y.md"], "grade": [1, 0.5], "tags": ["t", "u"], "tag": "slip"},
        {"query": "c", "relevant": {"x.md": 3, "y.md": 0, "z.md": -1}},
        {"query": "d", "relevant": []},
        {"query": "e"},
        {"query": "a", "relevant": ["y.md", "x.md"], "tags": "v"},
        {"id": 7, "query": "a", "relevant": "x.md"},
    )
    found = read_json_lines(f"{text}\n\n", "f")
    assert [(question.id, question.query) for question in found.questions] == [
        ("a", "a"),
        ("b", "b"),
        ("c", "c"),
        ("7", "a"),
    ]
    assert found.questions[0].labels == (Label("x.md", 2), Label("y.md", 1))
    assert found.questions[0].tags == ("t", "v")
    assert found.questions[1].labels == (Label("x.md:3", 1), Label("y.md", 0.5))
    assert found.questions[2].labels == (Label("x.md", 3),)
    assert found.unlabelled == ("d", "e")
    assert found.unknown == {"tag": 1}


def test_labels_may_be_objects():
    places = [
        {"path": "x.md", "line": 3, "grade": 2},
        {"path": "y.md", "line": 3, "end_line": 9},
        {"path": "z.md"},
        "w",
    ]
    [question] = read_json_lines(rows({"query": "a", "relevant": places}), "f").questions
    assert question.labels == (Label("x.md:3", 2), Label("y.md:3-9", 1), Label("z.md", 1), Label("w", 1))


@pytest.mark.parametrize(
    "line",
    [
        "{",
        "[1]",
        '"query"',
        "{}",
        '{"query": 1, "relevant": "a"}',
        '{"query": " ", "relevant": "a"}',
        '{"query": "q", "relevant": 1}',
        '{"query": "q", "relevant": [1]}',
        '{"query": "q", "relevant": [""]}',
        '{"query": "q", "relevant": [{"line": 3}]}',
        '{"query": "q", "relevant": [{"path": "a", "line": 0}]}',
        '{"query": "q", "relevant": [{"path": "a", "end_line": 3}]}',
        '{"query": "q", "relevant": [{"path": "a", "grade": "2"}]}',
        '{"query": "q", "relevant": "a", "grade": "2"}',
        '{"query": "q", "relevant": "a", "grade": true}',
        '{"query": "q", "relevant": "a", "grade": NaN}',
        '{"query": "q", "relevant": ["a", "b"], "grade": [1]}',
        '{"query": "q", "relevant": {"a": 1}, "grade": 1}',
        '{"query": "q", "relevant": "a", "tags": [1]}',
        '{"query": "q", "relevant": "a", "id": [1]}',
        "[" * 100_000,
    ],
)
def test_a_bad_line_is_named(line):
    with pytest.raises(UsageError) as error:
        read_json_lines('{"query": "fine", "relevant": "a"}\n\n' + line, "labels.jsonl")
    assert "labels.jsonl:3" in error.value.message


def test_one_id_is_one_query():
    with pytest.raises(UsageError, match="two queries"):
        read_json_lines(rows({"id": 1, "query": "a", "relevant": "x"}, {"id": 1, "query": "b"}), "f")


@pytest.mark.parametrize(
    "queries",
    [
        "1\tfirst query\n2\tsecond\n9\tnobody\n",
        "<top>\n<num> Number: 1\n<title> first\nquery\n<desc> x\n</top>\n<top><num>2<title>Topic: second</title></top>"
        "<top><num>9<title>nobody</top>",
        '{"_id": "1", "text": "first query"}\n{"id": 2, "query": "second"}\n{"id": 9, "text": "nobody"}',
    ],
)
@pytest.mark.parametrize(
    "qrels",
    [
        "1 0 d1 2\n1 0 d2 0\n2 0 d3 1\n3 0 d3 1\n",
        "1\t0\td1\t2\r\n1\t0\td2\t0\r\n2\t0\td3\t1\r\n3\t0\td3\t1",
        "query-id\tcorpus-id\tscore\n1\td1\t2\n1\td2\t0\n2\td3\t1\n3\td3\t1\n",
    ],
)
def test_trec(queries, qrels):
    found = read_trec(queries, qrels, queries_name="q", qrels_name="r")
    assert [(question.id, question.query, question.labels) for question in found.questions] == [
        ("1", "first query", (Label("d1", 2),)),
        ("2", "second", (Label("d3", 1),)),
    ]
    assert found.unlabelled == ("nobody",)
    assert found.orphans == 1


@pytest.mark.parametrize("qrels", ["1 0 d\n1 0 d", "1 0 d1 high", "1 0 d1 1\n1 0 d1", "1 0 d1 nan", "1"])
def test_bad_qrels(qrels):
    with pytest.raises(UsageError, match="qrels:"):
        read_trec("1\tq", qrels, queries_name="q", qrels_name="qrels")


@pytest.mark.parametrize("queries", ["no tab", "1\t", "<top><num>1</top>", '{"id": 1}', '{"text": "q"}'])
def test_bad_queries(queries):
    with pytest.raises(UsageError, match="topics:1"):
        read_trec(queries, "1 0 d 1", queries_name="topics", qrels_name="r")


def test_tags_choose_and_unknown_ones_are_refused():
    found = read_json_lines(
        rows(
            {"query": "a", "relevant": "x", "tags": ["t"]},
            {"query": "b", "relevant": "x", "tags": ["u"]},
            {"query": "c", "relevant": "x"},
        ),
        "f",
    )
    assert [question.query for question in found.tagged(["u", "t"]).questions] == ["a", "b"]
    assert found.tagged([]) is found
    with pytest.raises(UsageError, match="`v`"):
        found.tagged(["v"])


# -- finding


@pytest.mark.parametrize(
    ("label", "place"),
    [
        ("pool.md", Place("notes", "pool.md")),
        ("/abs/pool.md", Place("notes", "pool.md")),
        ("notes/pool.md", Place("notes", "pool.md")),
        ("./pool.md", Place("notes", "pool.md")),
        ("pool", Place("notes", "pool.md")),
        ("api/retry.md", Place("notes", "api/retry.md")),
        ("docs/api/retry.md", None),
        ("i/retry.md", None),
        ("retry.md", None),
        ("retry", None),
        ("nothing.md", None),
        ("", None),
        ("pool.md:3", Place("notes", "pool.md", 3, 3)),
        ("pool.md:1-3", Place("notes", "pool.md", 1, 3)),
        ("pool.md:3-99", Place("notes", "pool.md", 3, 99)),
        ("pool.md:3:7", Place("notes", "pool.md", 3, 3)),
        ("pool.md:3:", Place("notes", "pool.md", 3, 3)),
        ("pool:3", Place("notes", "pool.md", 3, 3)),
        ("pool.md:0", None),
        ("pool.md:99", None),
        ("pool.md:3-1", None),
        ("retry.md:1", None),
        ("abcdef012345", None),
    ],
)
def test_labels_name_places(snapshot, label, place):
    assert Locator(snapshot.catalog).find(label) == place


def test_a_chunk_id_names_a_chunk(snapshot):
    document = snapshot.catalog.document_at(1, "deploy.md")
    chunk = snapshot.catalog.chunks_of(document.id)[0]
    assert Locator(snapshot.catalog).find(chunk.chunk_id) == Place("notes", "deploy.md", chunk_id=chunk.chunk_id)


def test_a_name_with_a_colon_is_a_path_first(tmp_path):
    with store_of(tmp_path, {"a.md:3": "text\n", "a.md": "one\ntwo\nthree\n"}).snapshot() as snapshot:
        assert Locator(snapshot.catalog).find("a.md:3") == Place("notes", "a.md:3")
        assert Locator(snapshot.catalog).find("a.md:2") == Place("notes", "a.md", 2, 2)


# -- starters


def test_a_starter_asks_for_headings_and_docstrings_that_it_can_find(snapshot):
    questions = starter_questions(snapshot.catalog)
    asked = {question.query: (question.labels[0].text, question.tags) for question in questions}
    assert asked == {
        "Connection pool": ("notes/pool.md:1-3", ("heading",)),
        "Deployment guide": ("notes/deploy.md:1-3", ("heading",)),
        "Retries after a timeout": ("notes/api/retry.md:1-3", ("heading",)),
        "Retry button": ("notes/web/retry.md:1-3", ("heading",)),
        "Return the seconds to wait before an attempt": ("notes/backoff.py:4", ("docstring",)),
    }
    find = Locator(snapshot.catalog).find
    assert all(find(question.labels[0].text) for question in questions)


def test_a_starter_is_bounded_and_always_the_same(snapshot):
    assert starter_questions(snapshot.catalog, 2) == starter_questions(snapshot.catalog, 2)
    assert len(starter_questions(snapshot.catalog, 2)) == 2
    assert {question.tags for question in starter_questions(snapshot.catalog, 2)} == {("heading",), ("docstring",)}


CODE = {
    "a.py": 'class Pool:\n    r"""Keeps open connections for later."""\n\n    def take(\n        self,\n    ) -> int:\n'
    "        '''Hand out the connection used least.'''\n        return 1\n",
    "b.rs": "/// Parses a header line by line.\n///\n/// More.\n#[inline]\npub fn parse(s: &str) -> u8 {\n    1\n}\n",
    "c.js": "/**\n * Wait until the queue is empty.\n * @param q\n */\nfunction drain(q) {\n  return 1\n}\n",
    "d.go": "// Copyright by all of us here\n\n// Dial opens a connection to the server.\n"
    "func Dial() int {\n\treturn 1\n}\n",
    "e.py": "# TODO make this thing work at all\ndef broken():\n    return 1\n",
    "f.py": "def silent():\n    return 1\n",
}


def test_documentation_of_many_languages(tmp_path):
    with store_of(tmp_path, CODE).snapshot() as snapshot:
        asked = {question.labels[0].text: question.query for question in starter_questions(snapshot.catalog)}
    assert asked == {
        "notes/a.py:1": "Keeps open connections for later",
        "notes/a.py:4": "Hand out the connection used least",
        "notes/b.rs:5": "Parses a header line by line",
        "notes/c.js:5": "Wait until the queue is empty",
        "notes/d.go:4": "Dial opens a connection to the server",
    }


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("Return the `next_id` of a _row_. Never fails.", "Return the next_id of a row"),
        ("Two words.", ""),
        ("----- banner of this section -----", ""),
        ("One that goes on\nover two lines\n\nand more", "One that goes on over two lines"),
        ("", ""),
    ],
)
def test_first_sentence(text, sentence):
    assert first_sentence(text) == sentence
