"""The README does what it says: every block of it is run, or read, in a copy of `tests/demo`.

`UPDATE_GOLDEN=1 pytest tests/cli/test_readme.py` writes what the commands of the transcripts print.
"""

from __future__ import annotations

import os
import re
import shutil
import sys

from hmem.cli.completion.model import read_commands
from hmem.config import load, read_folder

from runner import SOURCE

README = SOURCE / "README.md"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
QUICK_START = ("pip install",)
NUMBERS = [(r" in [\d.]+ s( \([\d,]+ chunks/s\))?", " in N s"), (r"\b\d+ ms\b", "N ms"), (r"\d+\.\d+", "#.#")]


def blocks(kind: str) -> list[str]:
    return [body for found, body in BLOCK.findall(README.read_text("utf-8")) if found == kind]


def normal(text: str) -> str:
    for pattern, replacement in NUMBERS:
        text = re.sub(pattern, replacement, text)
    return text


def test_transcripts_are_what_the_commands_print(demo_shell):
    """In their order, over one store; numbers may differ."""
    text = README.read_text("utf-8")
    wanted, printed = blocks("console"), []
    for block in wanted:
        commands = re.findall(r"^\$ (.*)\n", block, re.MULTILINE)
        printed.append("".join(f"$ {command}\n{demo_shell(command, merged=True).stdout}" for command in commands))
    if os.environ.get("UPDATE_GOLDEN"):
        for old, new in zip(wanted, printed, strict=True):
            if normal(old) != normal(new):
                text = text.replace(f"```console\n{old}```", f"```console\n{new}```")
        README.write_text(text, "utf-8")
    assert [normal(block) for block in printed] == [normal(block) for block in wanted]


def test_every_command_works(demo_shell):
    """Each line of the shell blocks but the quick start, whose commands install and are what `.ci/run` does."""
    for block in blocks("sh"):
        if any(mark in block for mark in QUICK_START):
            continue
        lines = [line for line in block.splitlines() if _has_tools(line)]
        done = demo_shell("\n".join(lines))
        assert done.returncode == 0, (block, done.stderr)
        assert "error" not in done.stderr


def _has_tools(line: str) -> bool:
    return all(shutil.which(tool) for tool in ("vim", "fzf", "jq") if re.search(rf"(^|\| ){tool} ", line))


def test_the_quick_start_is_two_commands():
    first, second = (block for block in blocks("sh") if any(mark in block for mark in QUICK_START))
    assert first.count("\n") == second.count("\n") == 1
    assert "hmem index . && .venv/bin/hmem search" in first
    install = "pip install -q --group dev -e ."
    assert install in second
    script = (SOURCE / ".ci" / "run").read_text()
    assert "--group dev -e ." in script
    assert second.partition("python -m ")[2].strip().removeprefix("pytest").split() == ["-q", "-n", "2"]
    assert "-m pytest -q -n 2" in script


def test_the_library_examples_run(demo_shell):
    for code in blocks("python"):
        done = demo_shell(f'PYTHONPATH="{SOURCE}" "{sys.executable}" -W error - <<"END"\n{code}END\n')
        assert (done.returncode, done.stderr) == (0, "")
        assert "wiki/pool.md" in done.stdout


def test_configuration_examples_are_read(tmp_path):
    folder, user = blocks("toml")
    found = read_folder(folder.encode())
    assert found.warnings == ()
    assert found.options
    path = tmp_path / "config.toml"
    path.write_text(user)
    assert load({}, path=path).aliases["oncall"]


def test_dependencies_are_those_of_the_package():
    table = README.read_text("utf-8").partition("## Dependencies")[2].partition("\n## ")[0]
    told = {
        name.strip().lower()
        for row in re.findall(r"^\| ([^|]+) \|", table, re.MULTILINE)[1:]
        for name in row.split(",")
    }
    declared = {re.split(r"[<>=\[; ]", line)[0].lower() for line in _declared()}
    assert told == declared


def _declared() -> list[str]:
    import tomli

    return tomli.loads((SOURCE / "pyproject.toml").read_text())["project"]["dependencies"]


def test_every_command_is_told():
    text = README.read_text("utf-8")
    missing = [command.name for command in read_commands() if not re.search(rf"\bhmem {command.name}\b", text)]
    assert missing == []
