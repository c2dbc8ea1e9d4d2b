"""Fifteen dated facts: the default is the best for what holds now and for what held then."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent.parent / "bench" / "memory.py"


@pytest.fixture(scope="module")
def means():
    """nDCG@10 of every variant by class, on the half of the queries that was made to be looked at."""
    spec = importlib.util.spec_from_file_location("memory_bench", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    found = module.measure("facts", ["dev"])
    return {name: {kind: sum(gains) / len(gains) for kind, gains in one.gains.items()} for name, one in found.items()}


@pytest.mark.parametrize("kind", ["now", "past"])
def test_the_default_is_the_best(means, kind):
    others = {name: found[kind] for name, found in means.items() if name in ("BM25", "dense", "plain fusion")}
    assert means["default"][kind] > max(others.values()) + 0.1, others


def test_neither_time_nor_lifecycle_would_do_alone(means):
    assert means["default"]["past"] > means["lifecycle alone"]["past"]
    assert means["default"]["now"] > means["time alone"]["now"]
