"""`hmem mcp` driven by the official client, as a process of its own."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest
from hmem import KnowledgeBase

from runner import SOURCE, hmem, write_tree

pytest.importorskip("mcp", reason="the extra `hmem[mcp]` is not installed")

from mcp import Client, StdioServerParameters

FILES = {
    "notes/pool.md": "---\nservice: billing\n---\n# Pool\n\nThe pool is exhausted when clients do not close.\n",
    "notes/deploy.md": "# Deploy\n\nA canary takes one percent of the traffic first.\n",
    "src/pool.py": "class PoolTimeoutError(Exception):\n    pass\n",
}


@pytest.fixture
def tree(tmp_path) -> Path:
    write_tree(tmp_path, FILES)
    assert hmem("index", "notes", "src", cwd=tmp_path).code == 0
    return tmp_path


@asynccontextmanager
async def connected(tree: Path) -> AsyncIterator[Client]:
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "hmem", "mcp", "--store", "default"],
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        cwd=str(tree),
    )
    async with Client(server) as client:
        yield client


def session(tree: Path, talk: Any) -> None:
    """Run `talk(call)` against a fresh server; `call(tool, **arguments)` returns (is_error, text, data)."""

    async def run() -> None:
        async with connected(tree) as client:

            async def call(tool: str, **arguments: Any) -> tuple[bool, str, Any]:
                done = await client.call_tool(tool, arguments)
                return bool(done.is_error), done.content[0].text, done.structured_content

            await talk(client, call)

    anyio.run(run)


def test_the_tools_are_those_that_cannot_index(tree):
    async def talk(client, call):
        tools = (await client.list_tools()).tools
        assert [tool.name for tool in tools] == ["search", "get", "related", "remember", "status"]
        assert all(tool.input_schema["additionalProperties"] is False for tool in tools)
        assert all(tool.description for tool in tools)
        assert not any(word in json.dumps(tool.input_schema) for tool in tools for word in ("index", "root"))

    session(tree, talk)


def test_a_search_answers_as_the_command_line_does(tree):
    cli = json.loads(hmem("search", "pool exhausted", "--json", "-k", "2", cwd=tree).out)

    async def talk(client, call):
        failed, text, data = await call("search", query="pool exhausted", top_k=2)
        assert not failed
        assert all(hit.items() <= full.items() for hit, full in zip(data["results"], cli["results"], strict=True))
        _, _, explained = await call("search", query="pool exhausted", top_k=2, explain=True)
        assert explained["results"] == cli["results"]
        assert set(explained) == {*cli, "notes"}
        assert f"{tree}/notes/pool.md" in text
        failed, text, _ = await call("get", reference=data["results"][0]["chunk_id"])
        assert FILES["notes/pool.md"] in text
        failed, text, data = await call("search", query="pool", where=["service=billing"], **{"in": ["notes"]})
        assert [hit["source"] for hit in data["results"]] == ["pool.md"]
        failed, text, data = await call("related", reference="src/pool.py", top_k=1)
        assert data["total_retrieved"] == 1
        failed, text, data = await call("status")
        assert {item["name"] for item in data["collections"]} == {"notes", "src"}

    session(tree, talk)


def test_bad_arguments_are_errors_that_name_what_is_near(tree):
    async def talk(client, call):
        cases = [
            (("search", {"query": "x", "topk": 3}), "unknown parameter of `search`: `topk`", "did you mean `top_k`?"),
            (("search", {"query": "x", "alpha": 2}), "bad value for `alpha`", "maximum"),
            (("search", {"query": "x", "where": "a=b"}), "bad value for `where`", "array"),
            (("search", {"query": "x", "where": ["servce=billing"]}), "unknown key", "did you mean `service`?"),
            (("search", {}), "'query' is a required property", ""),
            (("get", {"reference": "nowhere.md"}), "not indexed", "hint:"),
            (("index", {"path": "/etc"}), "unknown tool: `index`", ""),
            (("remember", {"text": "x", "path": "/etc/passwd"}), "unknown parameter of `remember`: `path`", ""),
        ]
        for (tool, arguments), *wanted in cases:
            failed, text, _ = await call(tool, **arguments)
            assert failed
            assert all(part in text for part in wanted), text
        assert not (await call("search", query="pool"))[0]  # the server is none the worse for it

    session(tree, talk)


def test_an_answer_keeps_to_its_budget(tree):
    write_tree(tree, {f"notes/long{n}.md": f"# Long {n}\n\n" + "a long line about the pool\n" * 80 for n in range(6)})
    assert hmem("index", cwd=tree).code == 0

    async def talk(client, call):
        _, text, data = await call("search", query="pool line", max_tokens=600)
        assert len(text.encode()) <= 600 * 4 + 100
        assert data["truncated"]
        assert len(json.dumps(data)) <= 600 * 4 + 100
        _, text, data = await call("get", reference="notes/long1.md", max_tokens=50)
        assert data["truncated"]
        assert len(data["text"].encode()) <= 200

    session(tree, talk)


def test_a_note_is_found_at_once_and_a_commit_of_others_is_seen(tree):
    async def talk(client, call):
        await call("search", query="pool")
        failed, text, note = await call("remember", text="Zebras run the night shift.", tags=["ops"], metadata={"n": 1})
        assert not failed
        assert text == f"remembered as {note['id']}"
        _, _, data = await call("search", query="zebras")
        assert data["results"][0]["path"] == note["path"]
        write_tree(tree, {"notes/new.md": "# New\n\nOkapi.\n"})
        assert hmem("index", cwd=tree).code == 0
        _, _, data = await call("search", query="okapi")
        assert data["results"][0]["source"] == "new.md"

    session(tree, talk)


def test_a_missing_store_is_an_answer_until_there_is_one(tmp_path):
    async def talk(client, call):
        failed, text, _ = await call("search", query="x")
        assert failed
        assert "there is no store yet" in text
        failed, text, _ = await call("remember", text="The first thing")
        assert not failed
        assert not (await call("search", query="first thing"))[0]

    session(tmp_path, talk)


def test_many_calls_at_once_all_answer(tree):
    async def talk(client, call):
        found: list[Any] = []

        async def one(number: int) -> None:
            found.append(await call("search", query=f"pool {number}"))

        async with anyio.create_task_group() as group:
            for number in range(40):
                group.start_soon(one, number)
        assert len(found) == 40
        assert not any(failed for failed, _, _ in found)

    session(tree, talk)


def test_a_note_that_waits_for_the_store_keeps_no_search_waiting(tree):
    async def talk(client, call):
        order: list[str] = []

        async def one(tool: str, **arguments: Any) -> None:
            failed, text, _ = await call(tool, **arguments)
            assert not failed, text
            order.append(tool)

        await call("search", query="pool")
        with KnowledgeBase.open() as memory:
            async with anyio.create_task_group() as group:
                with memory._store.writer(1):
                    group.start_soon(partial(one, "remember", text="Quagga."))
                    for _ in range(3):
                        await one("search", query="pool", refresh=False)
        assert order == ["search"] * 3 + ["remember"]
        _, _, data = await call("search", query="quagga")
        assert "Quagga" in data["results"][0]["text"]

    session(tree, talk)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 0)])
def test_a_signal_ends_it_at_once(tree, number, code):
    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize"}
    hello["params"] = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    process = subprocess.Popen(
        [sys.executable, "-m", "hmem", "mcp"],
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    with process:
        process.stdin.write(json.dumps(hello).encode() + b"\n")
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["result"]["serverInfo"]["name"] == "hmem"
        process.send_signal(number)
        assert process.wait(30) == code  # stdin is open all the while
        assert process.stderr.read() == b""


README = SOURCE / "README.md"
SESSION = re.compile(r"(?<=^````text\n)→ search.*?(?=^````$)", re.MULTILINE | re.DOTALL)
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("search", {"query": "connections per core", "top_k": 1, "max_tokens": 120}),
    ("remember", {"text": "Billing runs with 40 connections since the move.", "metadata": {"service": "billing"}}),
    ("search", {"query": "billing connections", "where": ["service=billing"], "topk": 1}),
    ("search", {"query": "billing connections", "where": ["service=billing"], "top_k": 1}),
]


def test_the_session_in_the_readme_is_one(tmp_path, monkeypatch):
    """What the official client saw, with fixed places, ids and days; `UPDATE_GOLDEN=1` writes it."""
    shutil.copytree(SOURCE / "tests" / "demo", tmp_path / "demo")
    assert hmem("index", "wiki", "notes", "src", cwd=tmp_path / "demo").code == 0
    lines: list[str] = []

    async def talk(client, call):
        for tool, arguments in CALLS:
            _, text, _ = await call(tool, **arguments)
            lines.append(f"→ {tool} {json.dumps(arguments)}\n← {text.strip()}\n")

    session(tmp_path / "demo", talk)
    seen = "".join(lines).replace(str(tmp_path), "/home/ann").replace(os.environ["HMEM_DATA_DIR"], "/home/ann/hmem")
    note = re.search(r"note-([0-9a-f]+)", seen)[1]
    seen = seen.replace(note, "3f9a2c41d07b").replace(note[-6:], "41d07b")
    seen = re.sub(r"\d{4}-\d\d-\d\dT[\d:]+Z", "2026-03-14T09:26:53Z", seen)
    seen = re.sub(r"(?<=/notes/)\d{4}-\d\d-\d\d", "2026-03-14", seen)
    readme = README.read_text("utf-8")
    if os.environ.get("UPDATE_GOLDEN"):
        README.write_text(SESSION.sub(lambda _: seen, readme), "utf-8")
    assert SESSION.search(readme)[0] == seen


def test_without_the_extra_the_command_says_what_to_install():
    code = (
        "import importlib.util as u\nfind = u.find_spec\n"
        "u.find_spec = lambda name, *a: None if name == 'mcp' else find(name, *a)\n"
        "import sys\nsys.argv = ['hmem', 'mcp']\nfrom hmem.__main__ import main\nmain()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "pip install 'hmem[mcp]'" in done.stderr
