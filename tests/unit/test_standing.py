"""Time in a search: the time arm, --recency, --as-of, and dates that documents do not declare."""

from __future__ import annotations

from datetime import datetime

import pytest
from hmem.errors import QueryError, UsageError
from hmem.search.engine import Searcher
from hmem.search.query import Fusion, SearchOptions
from hmem.timeline import day_in

from search_samples import encoder, sources, store_of

NOW = datetime(2026, 6, 15, 10)
FEES = {
    "2023.md": "---\ncreated: 2023-05-02\n---\n# Fee\n\nThe fee for a visitor is 4 euros.\n",
    "2024.md": "---\ncreated: 2024-03-01\nsupersedes: 2023.md\n---\n# Fee\n\nThe fee of a visitor is 5 euros.\n",
    "2025.md": "---\nvalid_from: 2025-02-10\nsupersedes: 2024.md\n---\n# Fee\n\nA fee: each visitor pays 6 euros.\n",
    "taken-back.md": "---\ncreated: 2024-04-01\nstatus: retracted\n---\n# Fee\n\nThe fee of a visitor is 9 euros.\n",
    "other.md": "---\ncreated: 2024-05-01\n---\n# Kiln\n\nThe kiln burns at 985 degrees.\n",
}


@pytest.fixture(scope="module")
def fees(tmp_path_factory):
    return store_of(tmp_path_factory.mktemp("fees"), FEES)


def ask(store, query: str, **options):
    with store.snapshot() as snapshot:
        return Searcher(snapshot, encoder, clock=lambda: NOW, directory="/").search(SearchOptions(query, **options))


def adds_up(result) -> bool:
    for hit in result.hits:
        parts = [arm.contribution for arm in hit.arms.values() if arm] + [boost.value for boost in hit.boosts]
        assert hit.score == pytest.approx(sum(parts), abs=1e-12)
    return True


# -- the time arm


def test_a_query_without_words_of_time_is_left_alone(fees):
    result = ask(fees, "visitor fee")
    assert result.to_json()["arms"]["time"] == {
        "status": "skipped",
        "reason": "the query names no time",
        "candidates": 0,
        "ms": 0.0,
    }
    assert not any(boost.name == "time" for hit in result.hits for boost in hit.boosts)
    assert sources(result)[0] == "2025.md"
    assert result.hidden == {"superseded": 2, "retracted": 1}


@pytest.mark.parametrize(
    ("query", "first"),
    [("visitor fee in 2023", "2023.md"), ("visitor fee in summer 2024", "2024.md"), ("visitor fee now", "2025.md"),
     ("visitor fee in march 2025", "2025.md"), ("fee between May and July 2024", "2024.md")],
)  # fmt: skip
def test_a_question_about_a_time_finds_what_held_then(fees, query, first):
    result = ask(fees, query)
    assert sources(result)[0] == first
    assert "taken-back.md" not in sources(result)
    assert adds_up(result)
    assert result.arms["time"].status == "ok"
    assert "time" in {boost.name for boost in result.hits[0].boosts}


def test_the_report_says_how_time_was_understood(fees):
    report = ask(fees, "visitor fee in 2023").to_json()["arms"]["time"]
    assert report["expression"] == "in 2023"
    assert report["intent"] == "history"
    assert report["window"] == ["2023-01-01T00:00:00", "2024-01-01T00:00:00"]
    notes = {boost.name: boost.note for boost in ask(fees, "visitor fee in 2023").hits[0].boosts}
    assert notes == {"time": "`in 2023`: near 2023-01-01 to 2023-12-31"}


def test_what_is_shown_of_the_past_says_that_it_is_retired(fees):
    assert {hit.source: hit.state for hit in ask(fees, "visitor fee in 2023").hits}["2023.md"] == "superseded"


@pytest.mark.parametrize(
    "options",
    [{"boosts": False}, {"alpha": 0.0}, {"arms": ("bm25", "dense")}, {"arms": ("dense",)}, {"without": (99,)}],
)
def test_without_boosts_or_the_arm_time_has_no_say(fees, options):
    result = ask(fees, "visitor fee in 2023", **options)
    assert result.arms["time"].status == "skipped"
    assert "2023.md" not in sources(result)


def test_time_adds_no_more_than_its_share_and_never_gates(fees):
    timed, plain = ask(fees, "visitor fee now"), ask(fees, "visitor fee now", boosts=False)
    assert {*sources(timed)} == {*sources(plain)}
    for hit in timed.hits:
        fused = sum(arm.contribution for arm in hit.arms.values() if arm)
        assert 0 <= sum(boost.value for boost in hit.boosts) <= 0.5 * fused + 1e-12


def test_time_alone_is_no_strategy(fees):
    assert ask(fees, "visitor fee now", arms=("bm25", "time")).strategy == "bm25"
    assert ask(fees, "visitor fee now").strategy == "hybrid"


# -- recency


@pytest.fixture(scope="module")
def pool(tmp_path_factory):
    """Notes of which some share a day, some say no date, and most match the query badly."""
    files = {}
    for at in range(150):
        front = f"---\ncreated: 20{10 + at % 16}-0{1 + at % 9}-1{at % 3}\n---\n" if at % 4 else ""
        files[f"{at % 7}/{at}.md"] = f"{front}# Note {at}\n\n{'pool ' * (at % 5)}text number {at}\n"
    return store_of(tmp_path_factory.mktemp("pool"), files)


@pytest.mark.parametrize("fusion", Fusion)
@pytest.mark.parametrize("half_life", [1.0, 90.0, 5000.0])
def test_all_weight_on_recency_is_a_newest_first_list(pool, fusion, half_life):
    result = ask(pool, "pool text", recency=1.0, half_life=half_life, fusion=fusion, top_k=150)
    with pool.snapshot() as snapshot:
        documents = snapshot.catalog.documents().values()
    dates = {
        row.path: datetime.fromisoformat(row.created) if row.created else datetime.fromtimestamp(row.mtime_ns / 1e9)
        for row in documents
    }
    newest_first = sorted(dates, key=lambda path: (-(dates[path] - datetime(1970, 1, 1)).total_seconds(), path))
    assert sources(result) == newest_first
    assert adds_up(result)


def test_recency_is_off_unless_asked_for_and_bounded(fees):
    plain, half = ask(fees, "kiln"), ask(fees, "kiln", recency=0.3)
    assert plain.arms["time"].status == "skipped"
    assert half.to_json()["arms"]["time"]["recency"] == 0.3
    assert adds_up(half)
    assert all(0 <= hit.score <= 1 for hit in half.hits)


@pytest.mark.parametrize(
    "options",
    [{"recency": 1.5}, {"recency": -1}, {"recency": float("nan")}, {"half_life": 0}, {"half_life": float("inf")},
     {"recency": 0.5, "arms": ("bm25",)}],
)  # fmt: skip
def test_weights_out_of_bounds(options):
    with pytest.raises(UsageError):
        SearchOptions("x", **options)


# -- as of


@pytest.mark.parametrize(
    ("date", "expected", "hidden"),
    [
        ("2023-05-01", set(), {"later": 5}),
        ("2023-05-02", {"2023.md"}, {"later": 4}),
        ("2024-04-15", {"2024.md", "taken-back.md"}, {"superseded": 1, "later": 2}),
        ("2025-02-09", {"2024.md", "taken-back.md", "other.md"}, {"superseded": 1, "later": 1}),
        ("2026-01", {"2025.md", "other.md"}, {"superseded": 2, "retracted": 1}),
        ("2099", {"2025.md", "other.md"}, {"superseded": 2, "retracted": 1}),
    ],
)
def test_the_memory_as_it_stood(fees, date, expected, hidden):
    result = ask(fees, "visitor fee kiln", as_of=date)
    assert ({*sources(result)}, result.hidden) == (expected, hidden)


def test_all_states_does_not_show_what_came_later(fees):
    assert {*sources(ask(fees, "fee", as_of="2024-03-15", all_states=True))} == {"2023.md", "2024.md"}


def test_now_is_the_moment_that_was_asked_for(fees):
    window = ask(fees, "fee last year", as_of="2025-06-01").to_json()["arms"]["time"]["window"]
    assert window[0].startswith("2024-01-01")


def test_as_of_needs_a_date(fees):
    with pytest.raises(QueryError, match="--as-of"):
        ask(fees, "fee", as_of="someday")


# -- dates


@pytest.mark.parametrize(
    ("text", "day"),
    [("2025-03-14.md", "2025-03-14"), ("20250314_add_table.sql", "2025-03-14"),
     ("meeting 2025_03_14 b.md", "2025-03-14"),
     ("Monday, 14 March 2025", "2025-03-14"), ("March 14th, 2025", "2025-03-14"), ("14 Mar 2025", "2025-03-14"),
     ("v2025.03.14", None), ("2025-13-14", None), ("120250314", None), ("NB-2025-004817", None), ("2025-03", None),
     ("30 February 2025", None), ("", None)],
)  # fmt: skip
def test_days_in_names_and_headings(text, day):
    assert day_in(text) == day


def test_created_is_front_matter_then_name_then_heading(tmp_path):
    files = {
        "2025-03-14-a.md": "---\ndate: 2024-01-01\n---\n# 5 May 2025\n",
        "2025-03-14-b.md": "# 5 May 2025\n\ntext\n",
        "c.md": "# 5 May 2025\n\n## 6 May 2026\n",
        "d.md": "# Text\n\n5 May 2025\n",
    }
    with store_of(tmp_path, files).snapshot() as snapshot:
        created = {row.path: row.created for row in snapshot.catalog.documents().values()}
    assert created == {
        "2025-03-14-a.md": "2024-01-01",
        "2025-03-14-b.md": "2025-03-14",
        "c.md": "2025-05-05",
        "d.md": None,
    }
