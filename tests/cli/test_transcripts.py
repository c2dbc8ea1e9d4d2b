"""Commands as a person types them, with all that they print: stdout, `! stderr`, and `? code` unless it is 0.

`UPDATE_GOLDEN=1 pytest tests/cli/test_transcripts.py` writes the files anew; read the difference before it is kept.
Parts that change from run to run are replaced before comparing, scores by `#`: what they are worth is tested elsewhere.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from hmem.cli.completion.model import Flag, read_commands

from model_samples import write_model
from runner import SETTLED, SOURCE, Ran, hmem_here, write_tree

TRANSCRIPTS = sorted((Path(__file__).parent / "transcripts").glob("*.txt"))
REQUEST = {
    "query_id": "q1",
    "search_text": "connection pool",
    "top_k": 1,
    "hybrid_params": {"dense_weight": 0.5, "sparse_weight": 1, "rrf_k_constant": 60},
    "metadata_filter": {"service": "billing"},
}
LABELS = [
    {"query": "connection pool exhausted", "relevant": "notes/pool.md", "tags": ["db"]},
    {"query": "canary", "relevant": ["notes/deploy.md"], "tags": ["ops"]},
    {"query": "who rolls out", "relevant": "notes/gone.md", "tags": ["ops"]},
]
INPUTS = {
    "queries.txt": 'canary\n{"search_text": "pool", "top_k": 1, "query_id": 7}\n\n{"search_text": 3}\n',
    "request.json": json.dumps(REQUEST),
    "labels.jsonl": "".join(f"{json.dumps(row)}\n" for row in LABELS),
    "topics.tsv": "1\tconnection pool\n2\tcanary\n",
    "qrels": "1 0 pool 1\n2 0 deploy 1\n",
}
MORE = {
    "more/a.md": "# A\n\ngiraffe one\n",
    "more/draft.md": "# Draft\n\ngiraffe two\n",
    "more/.hidden.md": "# Hidden\n\ngiraffe three\n",
    "more/id_rsa": "-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----\n",
    "more/.gitignore": "*.log\n",
    "more/x.log": "giraffe four\n",
    "more/big.txt": "giraffe five\n" * 200,
    "more/sub/b.md": "# B\n\ngiraffe six\n",
    "elsewhere/c.md": "# C\n\ngiraffe seven\n",
    "facts/2023-fee.md": "---\ncreated: 2023-05-02\n---\n# Fee\n\nThe entrance fee is 4 euros.\n",
    "facts/2025-fee.md": "---\ncreated: 2025-02-10\nsupersedes: 2023-fee\n---\n# Fee\n\nThe entrance fee is 5 euros.\n",
    "facts/offer.md": "---\nexpires: 2024-12-31\n---\n# Offer\n\nNo entrance fee on Mondays.\n",
}
VOLATILE = [
    (r'"(took_ms|ms|seconds)": [\d.]+', r'"\1": 0'),
    (r'"(p50|p95)": [\d.]+', r'"\1": 0'),
    (r'"reason": "[^"]*"', '"reason": "…"'),
    (r"\b\d+ ms\b", "N ms"),
    (r"\b\d\d:\d\d:\d\d (?=watching|\w+:)", "CLOCK "),
    (r"chunks?, [\d.]+ s\b", "chunks, N s"),
    (r"(?<=_ms\t)[\d.]+", "N"),
    (r" in [\d.]+ s( \([\d,]+ chunks/s\))?", " in N s"),
    (r"[\d.]+ [KM]iB\b(?! code| text)", "N KiB"),
    (r'"bytes": \d+', '"bytes": 0'),
    (r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\+00:00)?", "DATE"),
    (r"\b\d+\.\d+\.\d+\b", "VERSION"),
    (r"note-[0-9a-f]{12}", "note-ID"),
    (r"\d{4}-\d\d-\d\d-([\w-]+)-[0-9a-f]{6}\.md", r"DAY-\1-ID.md"),
    (r"[0-9a-f]{32}", "FINGERPRINT"),
    (r"\d+\.\d{4,}(e-\d+)?", "#.####"),
    (r"\b\d\.\d\d\d?\b", lambda match: re.sub(r"\d", "#", match[0])),
]


def parsed(text: str) -> list[tuple[str, str]]:
    """Return (command, what it printed)."""
    cases = re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]
    return [(line.strip(), rest) for line, _, rest in (case.partition("\n") for case in cases)]


def last_note() -> str:
    """Return the id of the note that hmem wrote last; transcripts call it NOTE."""
    ledger = Path(os.environ["HMEM_DATA_DIR"]) / "notes.jsonl"
    return str(json.loads(ledger.read_bytes().splitlines()[-1])["id"])


def run(command: str, root: Path) -> str:
    words = [last_note() if word == "NOTE" else word for word in shlex.split(command)]
    env = {}
    while "=" in words[0]:
        name, _, value = words.pop(0).partition("=")
        env[name] = value
    stdin = b""
    if "<" in words:
        at = words.index("<")
        stdin = (root / words[at + 1]).read_bytes()
        words = words[:at]
    ran = (
        watch(*words[1:], cwd=root) if words[1:2] == ["watch"] else hmem_here(*words[1:], cwd=root, stdin=stdin, **env)
    )
    out = ran.out.replace("\0", "␀\n")
    lines = [*out.splitlines(), *(f"! {line}".rstrip() for line in ran.err.splitlines())]
    return "".join(f"{line}\n" for line in [*lines, *([f"? {ran.code}"] if ran.code else [])])


def watch(*args: str, cwd: Path) -> Ran:
    """Run `hmem watch` as a process until it says that it follows changes; then it is terminated."""
    process = subprocess.Popen(
        [sys.executable, "-m", "hmem", *args],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout
    printed = ""
    for line in process.stdout:
        printed += line
        if "watching" in line:
            process.terminate()
    _, err = process.communicate()
    return Ran(process.returncode, printed, err)


def normal(text: str, root: Path) -> str:
    for path, name in (
        (os.environ["HMEM_DATA_DIR"], "/DATA"),
        (os.environ["HMEM_CONFIG_DIR"], "/CONFIG"),
        (str(root), "/WORK"),
        (str(SOURCE), "/SOURCE"),
    ):
        text = text.replace(path, name)
    for pattern, replacement in VOLATILE:
        text = re.sub(pattern, replacement, text)
    return re.sub(r"^ +$", "", text, flags=re.MULTILINE)


@pytest.fixture
def place(own_tree, monkeypatch):
    """An indexed tree with more beside it."""
    write_tree(own_tree, {**INPUTS, **MORE}, mtime=SETTLED)
    write_model(own_tree / "small", dimensions=8)
    monkeypatch.setenv("HMEM_REFRESH", "false")
    monkeypatch.setenv("COLUMNS", "80")
    return own_tree


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_transcript(path, place):
    cases = parsed(path.read_text("utf-8"))
    printed = [(command, normal(run(command, place), place)) for command, _ in cases]
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text("".join(f"$ {command}\n{out}" for command, out in printed), "utf-8")
    for (command, wanted), (_, out) in zip(cases, printed, strict=True):
        assert out == wanted, command


def typed_flags(command: str) -> set[tuple[str, str]]:
    """Return the flags that a command line types, each with the command that it belongs to; "" is `hmem` itself."""
    words = [word for word in shlex.split(command) if not re.match(r"[A-Z_]+=", word)][1:]
    at = next((at for at, word in enumerate(words) if not word.startswith("-")), len(words))
    name = "".join(words[at : at + 1])
    return {("", word) for word in words[:at]} | {(name, word) for word in words[at:]}


def spellings(flag: Flag) -> list[set[str]]:
    """Return what must each be typed in one way: both sides of an on-and-off flag, any of the names of another."""
    long = {name for name in flag.names if name.startswith("--")}
    return [{name} for name in long] if len(long) == 2 else [set(flag.names)]


def test_every_flag_is_typed_at_least_once():
    typed = {("mcp", "--store")}  # by tests/e2e/test_mcp.py: it speaks a protocol on its streams
    for path in TRANSCRIPTS:
        typed = typed.union(*(typed_flags(command) for command, _ in parsed(path.read_text("utf-8"))))
    commands = {command.name: command for command in read_commands()}
    defined_once = {flag.names for flag in commands["search"].flags}  # `related` has the same
    missing = [
        f"hmem {command.name} {min(names)}"
        for command in commands.values()
        for flag in command.flags
        for names in spellings(flag)
        if not any((command.name, name) in typed for name in names)
        if "--help" not in flag.names and not (command.name == "related" and flag.names in defined_once)
    ]
    assert missing == []
