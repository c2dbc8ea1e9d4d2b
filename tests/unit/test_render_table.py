"""The table at three widths, without and with colour."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hmem.render import RenderOptions
from hmem.render.explain import account, explanation, matched
from hmem.render.table import pieces
from rich.cells import cell_len

from hits import answer, hit

LONG = "/base/some/folder/that/nests/very/deeply/indeed/and/has/many/parts/below/handlers/retry.py"
CODE = "    def take(self):\n        lock = pool.acquire()\n        return lock\n"
HITS = (
    hit(1, CODE, path=LONG, symbol="Pool.take", lang="python"),
    hit(2, "- [x] done [bold]pool[/bold] :smile: \x1b[31m\n"),
    hit(3, "a " * 300 + "pool exhausted\n" + "连接池 pool " * 30 + "\n"),
)
OPTIONS = RenderOptions(format="table", explain=True)


def whole(*args, **options) -> str:
    return "".join(pieces(*args, **options))


def at(width: int, **options) -> list[str]:
    return whole(answer(*HITS, **options), OPTIONS, width=width).split("\n")


def unexplained(width: int) -> list[str]:
    return whole(answer(*HITS), replace(OPTIONS, explain=False), width=width).split("\n")


@pytest.mark.parametrize("width", [40, 80, 120, 200])
def test_nothing_is_wider_than_the_terminal(width):
    assert max(map(cell_len, at(width))) <= width


def test_a_narrow_terminal_has_a_line_of_arms():
    lines = unexplained(80)
    assert lines[0].split() == ["#", "score", "hit"]
    assert "bm25 #1 14.20   dense #3 0.46" in lines[3]


def test_a_wide_terminal_has_a_column_for_each_arm():
    lines = unexplained(120)
    assert lines[0].split() == ["#", "score", "bm25", "dense", "hit"]
    assert lines[1].split()[:6] == ["1", "0.840", "#1", "14.20", "#3", "0.46"]
    second = next(line for line in lines if line.startswith("2"))
    assert second.split()[:5] == ["2", "0.830", "#2", "14.20", "–"]


def test_arms_that_did_not_run_take_no_room():
    lonely = hit(arms={"bm25": HITS[0].arms["bm25"]})
    text = whole(answer(lonely), RenderOptions(format="table"), width=120)
    assert "dense" not in text


def test_the_middle_of_a_long_path_goes_and_its_name_stays():
    line = at(80)[1]
    assert "…" in line
    assert line.endswith("/retry.py:11")
    uncut = whole(answer(*HITS), OPTIONS, width=80, cut_paths=False)
    assert f"{LONG}:11" in re.sub(r"\n +", "", uncut)


def test_snippets_are_numbered_and_lose_their_common_indentation():
    lines = at(80)
    assert [line.strip() for line in lines if re.match(r" +1[012]  ", line)][:3] == [
        "10  def take(self):",
        "11      lock = pool.acquire()",
        "12      return lock",
    ]


def test_text_is_neither_markup_nor_escape():
    text = "\n".join(at(120))
    assert "- [x] done [bold]pool[/bold] :smile: ␛[31m" in text
    assert "\x1b" not in text


def test_an_account_has_every_part_of_the_score_and_adds_up():
    for width in (80, 120):
        text = "\n".join(at(width))
        for shown in HITS:
            rows = [[cell for cell in row if cell] for row in account(shown)]
            lines = [line.split() for line in text.split("\n")]
            assert all(row in lines for row in rows)
            parts = [arm.contribution for arm in shown.arms.values() if arm] + [boost.value for boost in shown.boosts]
            added = sum(float(row[-1]) for row in rows[1:-1] if row[-1] != "–")
            assert added == pytest.approx(sum(parts), abs=1e-4 * len(parts))
            assert matched(shown) in text


def test_explanations_are_sentences_where_an_account_does_not_fit():
    words = " ".join(" ".join(at(40)).split())
    for shown in HITS:
        assert all(word in words for line in explanation(shown) for word in line.split())


def test_the_last_line_sums_up():
    assert at(80)[-2] == "3 of 1,234 chunks · convex, alpha 0.25 · 4 ms"
    assert at(80, filters=("kind=note",))[-2].startswith("3 of 1,234 chunks, filtered by kind=note · ")


def test_colour_marks_matches_and_links_locations():
    text = whole(answer(*HITS), OPTIONS, width=120, color_system="standard")
    assert "\x1b[1;31mpool.acquire\x1b[0m" in text
    links = re.findall(r"\x1b\]8;[^;]*;(file://[^\x1b]*)\x1b", text)
    assert all(link.startswith("file://") for link in links)
    assert links[0].endswith("/handlers/retry.py")
    assert not re.search(r"[ \t]\n", text)
    plain = re.sub(r"\x1b\]8;[^\x1b]*\x1b\\|\x1b\[[0-9;]*m", "", text)
    assert [line.rstrip() for line in plain.split("\n")] == at(120)


def test_no_colour_means_no_escape_at_all():
    assert "\x1b" not in "\n".join(at(120))


def test_full_shows_every_line_of_a_chunk():
    text = whole(answer(HITS[2]), RenderOptions(format="table", full=True), width=80)
    for line in HITS[2].text.splitlines():
        assert re.sub(r"\s", "", line) in re.sub(r"\s", "", text)


def test_a_hit_is_written_before_the_next_is_laid_out():
    found = pieces(answer(*HITS), OPTIONS, width=80)
    assert next(found) == "#  score  hit\n"
    assert [part.lstrip()[:8] for part in found][:3] == ["1  0.840", "2  0.830", "3  0.820"]
