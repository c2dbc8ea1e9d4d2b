"""The tools without the protocol: what they take, and that they let go of what they pin."""

from __future__ import annotations

import pytest
from hmem import KnowledgeBase
from hmem.cli.completion.model import read_commands
from hmem.errors import NotIndexedError, UsageError
from hmem.store.lock import oldest_lease

from runner import write_tree

pytest.importorskip("jsonschema", reason="the extra `hmem[mcp]` is not installed")

import jsonschema
from hmem.mcp.parameters import LEFT_OUT, PARAMETERS, flags
from hmem.mcp.schemas import TOOLS
from hmem.mcp.tools import Tools


def test_every_flag_of_a_search_is_a_parameter_or_left_out():
    [search] = [command for command in read_commands() if command.name == "search"]
    spelled = {name.removeprefix("--").replace("-", "_") for flag in search.flags for name in flag.names}
    assert {*PARAMETERS} | LEFT_OUT <= spelled
    own = {"request", "batch", "store", "help"}
    for flag in search.flags:
        names = {name.removeprefix("--").replace("-", "_") for name in flag.names}
        assert names & ({*PARAMETERS} | LEFT_OUT | own), flag.names


def test_schemas_are_schemas_and_say_what_everything_is():
    for tool in TOOLS.values():
        for schema in (tool.schema, tool.answer_schema):
            jsonschema.Draft202012Validator.check_schema(schema)
            assert all(part.get("description") for part in schema["properties"].values())
    assert PARAMETERS["fusion"].schema["enum"] == ["convex", "rrf"]
    assert PARAMETERS["kind"].schema["items"]["enum"] == ["note", "wiki", "code", "text"]
    assert PARAMETERS["top_k"].schema["minimum"] == 1
    assert flags({"in": ["a"], "min": ["bm25=1"], "query": "x"}).inside == ["a"]


@pytest.fixture
def tools(tmp_path):
    found = Tools(str(tmp_path / "store"))
    yield found
    found.close()


def test_between_calls_nothing_is_pinned_for_long(tools, tmp_path):
    with pytest.raises(NotIndexedError):
        tools.call("search", {"query": "giraffe"})
    tools.warm_up()
    tools.rest(0)
    tools.call("remember", {"text": "The giraffe"})
    leases = tmp_path / "store" / "leases"
    assert tools.call("search", {"query": "giraffe"}).data["results"]
    tools.rest(3600)
    assert oldest_lease(leases, 1000) < 1000
    tools.rest(0)
    assert oldest_lease(leases, 1000) == 1000
    assert tools.call("search", {"query": "giraffe"}).data["results"]


def test_answers_say_what_is_missing(tools, tmp_path):
    old = tools.call("remember", {"text": "The giraffe eats acacia"}).data
    tools.call("remember", {"text": "The giraffe eats nothing", "supersedes": [old["id"]]})
    answer = tools.call("search", {"query": "giraffe", "arms": ["bm25"]})
    assert len(answer.data["results"]) == 1
    assert any("superseded" in note for note in answer.data["notes"])
    assert all(note in answer.text for note in answer.data["notes"])
    nothing = tools.call("search", {"query": "zebra", "arms": ["bm25"]})
    assert nothing.data["results"] == []
    assert "no hit among" in nothing.text
    with pytest.raises(UsageError, match=r"bad value for `kind\.0`"):
        tools.call("search", {"query": "x", "kind": ["poem"]})


def test_a_document_is_read_on_from_where_it_was_cut(tools, tmp_path):
    write_tree(tmp_path, {"tree/long.md": "".join(f"line {number}\n" for number in range(1, 501))})
    with KnowledgeBase.open(tmp_path / "store", create=True) as memory:
        memory.index(tmp_path / "tree")
    whole = tools.call("get", {"reference": "long.md", "max_tokens": 100_000})
    assert whole.data["text"].count("\n") == whole.data["end_line"] == 500
    assert not whole.data["truncated"]
    part = tools.call("get", {"reference": "long.md", "max_tokens": 50})
    assert part.data["truncated"]
    assert part.data["text"] == "".join(f"line {number}\n" for number in range(1, part.data["end_line"] + 1))
    assert f"at line {part.data['end_line']} of 500" in part.text


def test_status_is_short_however_much_was_left_out(tools, tmp_path):
    write_tree(tmp_path, {f"tree/{number}.png": "x" for number in range(200)})
    with KnowledgeBase.open(tmp_path / "store", create=True) as memory:
        memory.index(tmp_path / "tree")
    answer = tools.call("status", {})
    assert len(str(answer.data)) < 2000
    assert answer.data["collections"][0]["skipped"]["by_reason"]
