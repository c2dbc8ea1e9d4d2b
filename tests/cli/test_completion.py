"""The completion scripts are those that the commands make, and each shell offers what it should."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest
from hmem.cli.completion.scripts import SHELLS, script
from hmem.cli.completion.words import SOURCES, words_of
from hmem.search.filters import BUILT_IN
from hmem.search.query import Arm, Fusion
from hmem.settings import FORMATS
from hmem.types import Kind

from runner import SOURCE, hmem, hmem_here


@pytest.mark.parametrize("shell", SHELLS)
def test_the_files_are_those_that_the_commands_make(shell):
    """Written anew by `python -m hmem.cli.completion completions`."""
    assert (SOURCE / "completions" / SHELLS[shell]).read_text("utf-8") == script(shell)
    assert hmem_here("completion", shell).out == script(shell)


def test_words_stand_for_what_they_name():
    assert words_of("kinds") == list(Kind)
    assert words_of("arms") == list(Arm)
    assert words_of("fusions") == list(Fusion)
    assert words_of("formats") == list(FORMATS)
    assert words_of("shells") == list(SHELLS)
    with_keys = {word.removesuffix("=") for word in words_of("keys")}
    assert with_keys in (set(), set(BUILT_IN))


def test_words_come_from_the_store(tree):
    assert words_of("collections") == ["notes", "src"]
    assert words_of("collections", "s") == ["src"]
    assert words_of("stores") == ["default"]
    assert {"markdown", "python"} <= set(words_of("languages"))
    assert {"service=", "priority=", "path="} <= set(words_of("keys"))
    assert words_of("settings", "search.to") == ["search.top_k"]
    assert words_of("arms", "bm25,de") == ["bm25,dense"]


def test_without_a_store_there_is_nothing_and_no_error():
    assert all(isinstance(words_of(kind), list) for kind in SOURCES)
    assert words_of("collections") == words_of("languages") == words_of("nonsense") == []
    ran = hmem("__complete", "collections")
    assert (ran.code, ran.out, ran.err) == (0, "", "")


def test_the_way_to_the_words_is_short(tree):
    code = (
        "import sys\nsys.argv = ['hmem', '__complete', 'keys', 'se']\nfrom hmem.__main__ import main\nmain()\n"
        "slow = {'typer', 'numpy', 'rich', 'whoosh', 'Stemmer', 'usearch'} & set(sys.modules)\nassert not slow, slow"
    )
    env = {**os.environ, "PYTHONPATH": str(SOURCE)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "service=\n", "")


CASES = {
    "sea": {"search"},
    "search --la": {"--lang"},
    "search --lang py": {"python"},
    "search -w se": {"service="},
    "search -c ''": {"notes", "src"},
    "ls s": {"src"},
    "help fi": {"filters"},
    "config search.to": {"search.top_k"},
    "model u": {"use"},
    "model use bui": {"built-in"},
}


@pytest.fixture
def command(tmp_path, monkeypatch):
    """`hmem` on the PATH."""
    path = tmp_path / "bin" / "hmem"
    path.parent.mkdir()
    path.write_text(f'#!/bin/sh\nPYTHONPATH="{SOURCE}" exec "{sys.executable}" -m hmem "$@"\n')
    path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{path.parent}:{os.environ['PATH']}")


@pytest.mark.usefixtures("tree", "command")
def test_bash_offers_them():
    tries = "\n".join(f"try {line}" for line in CASES)
    text = f"""
source {SOURCE}/completions/hmem.bash
try() {{
  COMP_WORDS=(hmem "$@"); COMP_CWORD=$(( ${{#COMP_WORDS[@]}} - 1 )); _hmem 2>/dev/null; echo "${{COMPREPLY[@]}}"
}}
{tries}
"""
    done = subprocess.run(["bash", "-c", text], capture_output=True, text=True, check=True)
    assert [set(line.split()) for line in done.stdout.splitlines()] == list(CASES.values())


@pytest.mark.skipif(not shutil.which("fish"), reason="fish is not installed")
@pytest.mark.usefixtures("tree", "command")
def test_fish_offers_them():
    lines = (line.removesuffix("''") for line in CASES)
    tries = "\n".join(f'echo (complete -C "hmem {line}" | string split -f1 \\t)' for line in lines)
    text = f"source {SOURCE}/completions/hmem.fish\n{tries}"
    done = subprocess.run(["fish", "-N", "-c", text], capture_output=True, text=True, check=True)
    assert [set(line.split()) for line in done.stdout.splitlines()] == list(CASES.values())


@pytest.mark.skipif(not shutil.which("zsh"), reason="zsh is not installed")
def test_zsh_reads_its_script():
    subprocess.run(["zsh", "-n", str(SOURCE / "completions" / "_hmem")], check=True)
