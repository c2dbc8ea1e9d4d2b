"""`--max-tokens`: the answer stays inside, best hits first, and says what it left out."""

from __future__ import annotations

import json

import pytest
from hmem.render import RenderOptions, render
from hmem.render.budget import fit_budget, tokens
from hmem.search.snippet import Highlighter
from hypothesis import given
from hypothesis import strategies as st

from hits import answer, hit

FORMATS = ("lines", "json", "jsonl", "csv", "md", "paths")
TEXT = "".join(f"line {number} of the chunk\n" for number in range(20)) + "the pool is here\n" + "after it\n" * 5


def printed(result, options):
    return "".join(render(result, options))


def test_a_token_is_four_bytes():
    assert [tokens(text) for text in ("", "abcd", "abcde", "连接", "\ud800")] == [0, 1, 2, 2, 1]


def test_no_budget_and_a_wide_one_change_nothing():
    result = answer(hit(1), hit(2))
    assert fit_budget(result, RenderOptions()) is result
    assert fit_budget(result, RenderOptions(max_tokens=10_000)) is result


@given(st.sampled_from(FORMATS), st.booleans(), st.integers(1, 2500), st.integers(1, 8))
def test_the_answer_fits_and_is_the_longest_that_does(form, full, budget, count):
    result = answer(*(hit(rank, TEXT) for rank in range(1, count + 1)))
    options = RenderOptions(format=form, full=full, max_tokens=budget)
    fitted = fit_budget(result, options)
    shown = [found.rank for found in fitted.hits]
    assert shown == list(range(1, len(shown) + 1))
    assert shown
    smallest = fit_budget(result, RenderOptions(format=form, full=full, max_tokens=1))
    assert tokens(printed(fitted, options)) <= max(budget, tokens(printed(smallest, options)))
    whole = [found for found in fitted.hits if not found.truncated]
    assert [found.text for found in whole] == [TEXT] * len(whole)
    assert all(not found.truncated for found in fitted.hits[:-1])
    assert fitted.truncated == (fitted.hits != result.hits)
    if fitted.truncated and len(fitted.hits) < count:
        more = answer(*result.hits[: len(whole) + 1], truncated=True)
        assert tokens(printed(more, options)) > budget


def test_a_cut_hit_keeps_the_line_that_matches_and_its_numbers():
    options = RenderOptions(format="json", max_tokens=260)
    [cut] = fit_budget(answer(hit(1, TEXT)), options).hits
    assert cut.truncated
    assert "the pool is here\n" in cut.text
    assert cut.start_line == 10 + TEXT[: TEXT.index(cut.text)].count("\n")
    assert cut.end_line == cut.start_line + cut.text.count("\n") - 1
    assert Highlighter("pool").best(cut.text, cut.start_line).number == 30


@pytest.mark.parametrize("form", FORMATS)
def test_at_least_the_best_line_is_shown(form):
    options = RenderOptions(format=form, max_tokens=1)
    assert len(fit_budget(answer(hit(1, TEXT), hit(2, TEXT)), options).hits) == 1


def test_json_says_so():
    options = RenderOptions(format="json", max_tokens=400)
    told = json.loads(printed(fit_budget(answer(hit(1, TEXT), hit(2, TEXT)), options), options))
    assert told["truncated"] is True
    assert [found.get("truncated", False) for found in told["results"]][0:1] == [False] or told["results"][0][
        "truncated"
    ]
    assert json.loads(printed(answer(hit()), RenderOptions(format="json")))["truncated"] is False
