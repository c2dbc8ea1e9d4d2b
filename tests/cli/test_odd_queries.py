"""Three hundred odd queries against a store whose documents hold the same texts."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from unittest import mock

import pytest
from hmem.library import KnowledgeBase
from hmem.render import RenderOptions, render
from hmem.render.plain import printable
from hmem.render.table import pieces
from hmem.search.query import SearchOptions
from hmem.search.results import SearchResult

from odd_queries import CONTROL, MARKUP, QUERIES
from runner import hmem, hmem_here, write_tree

ACTIVE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""What a terminal would obey: all controls but tab and line feed, and the overrides of direction."""

FORMATS = ("table", "lines", "json", "jsonl", "csv", "md")


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory):
    """A store of documents that hold every odd query, some in file names, titles and metadata; its data directory."""
    place = tmp_path_factory.mktemp("hostile")
    short = [query for query in QUERIES if len(query) < 200]
    files: dict[str, str | bytes] = {
        f"n/{number:03}.md": f"# Note {number} {query}\n\npool {query} connection\n"
        for number, query in enumerate(short)
    }
    files |= {
        f"n/code{number}.py": f"def pool_{number}():\n    return {query!r}\n" for number, query in enumerate(MARKUP)
    }
    files["n/\x1b[31mred\x1b[0m [bold].md"] = '---\nkey: "\\e[31m [bold]"\n---\n# \x1b]0;x\x07 [red]\n\npool zebra\n'
    files["n/line\nfeed.md"] = "pool quagga\n"
    files[os.fsdecode(b"n/\xff\xfe.md")] = "pool okapi\n"
    encoded = {name: text.encode("utf-8", "surrogatepass") for name, text in files.items()}
    root = write_tree(place / "work", encoded)
    data = place / "data"
    with mock.patch.dict(os.environ, {"HMEM_DATA_DIR": str(data), "HMEM_CONFIG_DIR": str(place / "config")}):
        ran = hmem_here("index", root / "n", "--hidden", "-q")
    assert ran.code == 0, ran.err
    return data


@pytest.fixture
def store(hostile, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HMEM_DATA_DIR", str(hostile))
    monkeypatch.setenv("HMEM_REFRESH", "false")


def test_there_are_three_hundred():
    assert len(set(QUERIES)) >= 300


@pytest.mark.usefixtures("store")
def test_every_query_gets_an_answer_in_one_batch():
    lines = "".join(json.dumps({"search_text": query, "query_id": at}) + "\n" for at, query in enumerate(QUERIES))
    ran = hmem_here("search", "--batch", "-", stdin=lines)
    assert ran.code == 0, ran.err
    answers = [json.loads(line) for line in ran.out.splitlines()]
    assert [answer["query_id"] for answer in answers] == list(range(len(QUERIES)))
    assert [answer["query"] for answer in answers] == QUERIES
    assert not ACTIVE.search(ran.out)
    for answer in answers:
        states = {arm["status"] for arm in answer["arms"].values()}
        assert states <= {"ok", "empty", "skipped"}, answer["query"]


@pytest.mark.usefixtures("store")
def test_plain_lines_of_a_batch_are_queries_too():
    typed = [
        query for query in QUERIES if query == query.strip() and query.isprintable() and query[:1] not in ("", "{")
    ]
    ran = hmem_here("search", "--batch", "-", "-k", "1", stdin="\n".join(typed[:60]))
    assert ran.code == 0
    assert [json.loads(line)["query"] for line in ran.out.splitlines()] == typed[:60]


@pytest.mark.usefixtures("store")
def test_no_format_lets_anything_act_on_a_terminal():
    """Everything printed is printable, and no text of a hit is lost to markup."""
    with (
        KnowledgeBase.open() as memory,
        memory.session() as search,
        mock.patch("sys.stdout.isatty", return_value=True),
    ):
        for query in [*MARKUP, *CONTROL, "pool zebra", "quagga", "okapi"]:
            result = search(SearchOptions(query, top_k=4))
            for form in FORMATS:
                text = _printed(result, form)
                assert not ACTIVE.search(text), (query, form)
            lines = [printable(line) for hit in result.hits for line in hit.text.removesuffix("\n").split("\n")]
            shown = _printed(result, "md")
            assert all(line in shown for line in lines)


def _printed(result: SearchResult, form: str) -> str:
    options = RenderOptions(format=form, full=True, explain=True)
    if form == "table":
        return "".join(pieces(result, options, width=90)) if result.hits else ""
    return "".join(render(result, options))


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize(
    "query",
    ["", '"', "AND", "[/foo]", "\x1b[31m", "\udcff", "'; DROP TABLE documents; --", "(a+)+$", "😀", "--", "x" * 10_000],
)
def test_typed_as_an_argument(query):
    ran = hmem("search", "--", query)
    assert ran.code in (0, 1), ran.err
    assert not ACTIVE.search(
        ran.out.replace("\x1b[31mred\x1b[0m", "")
    )  # a path is printed as it is, but not to a terminal


@pytest.mark.usefixtures("store")
def test_strange_names_come_back_to_their_files():
    ran = hmem("search", "zebra", "okapi", "quagga", "-l", "-0", "--alpha", "0")
    found = [Path(name) for name in ran.out.split("\0") if name]
    names = {path.name for path in found}
    assert {"\x1b[31mred\x1b[0m [bold].md", "line\nfeed.md", os.fsdecode(b"\xff\xfe.md")} <= names
    assert all(path.exists() for path in found)
    lines = hmem("search", "quagga", "--alpha", "0").out.splitlines()
    assert lines[0].startswith("/")
    assert "line␊feed.md:1: " in lines[0]
