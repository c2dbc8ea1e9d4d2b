"""The topics of `hmem help`: they fit a terminal, name what there is, and their examples work."""

from __future__ import annotations

import re
import shutil

import pytest
from hmem.cli.completion.model import read_commands
from hmem.cli.completion.words import words_of
from hmem.cli.topics import TOPICS
from hmem.search.filters import BUILT_IN
from hmem.search.grammar import Op
from hmem.search.query import Arm
from hmem.settings import FORMATS


@pytest.mark.parametrize("name", TOPICS)
def test_a_topic_fits_into_eighty_columns(name):
    assert max(map(len, TOPICS[name].splitlines())) <= 80


def test_topics_are_completed():
    assert words_of("topics") == list(TOPICS)


def test_topics_name_what_there_is():
    said = {name: set(re.findall(r"[^\s`,;()]+", text)) for name, text in TOPICS.items()}
    assert {str(op) for op in Op} | set(BUILT_IN) <= said["filters"]
    assert {str(arm) for arm in Arm} <= said["ranking"]
    assert set(FORMATS) <= said["formats"]


def test_flags_in_topics_exist():
    known = {name for command in read_commands() for flag in command.flags for name in flag.names}
    for name, text in TOPICS.items():
        told = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", text))
        assert told <= known, name


def examples(text: str) -> list[str]:
    """The commands of a topic: its lines that call hmem, without those whose tools are not installed."""
    lines = [line.strip() for line in text.splitlines() if re.match(r"  (hmem|printf) ", line)]
    return [line for line in lines if all(shutil.which(tool) for tool in ("jq", "vim") if f"| {tool}" in line)]


@pytest.mark.parametrize("name", [name for name, text in TOPICS.items() if "Examples:" in text])
def test_examples_work(name, demo_shell):
    """Exit code 1 is no failure: the demo may have nothing of what an example asks for."""
    demo_shell("hmem index -q wiki notes src")
    found = examples(TOPICS[name])
    assert len(found) > 1
    for line in found:
        done = demo_shell(line)
        assert done.returncode in (0, 1), (line, done.stderr)
        assert "error:" not in done.stderr, line
