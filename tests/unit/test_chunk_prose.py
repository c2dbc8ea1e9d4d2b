"""How prose is cut: by sections, joined while small, divided where it reads best."""

from itertools import pairwise

import pytest
from hmem.chunk import chunk
from hmem.chunk.lines import LEAST, LIMIT, Atoms, Rank, cut, cut_by_size, split_line
from hmem.parse import parse
from hmem.represent import body_text

SENTENCE = "The connection pool is exhausted when too many clients wait for one. "


def prose(size):
    """Return about `size` characters of sentences, ten to a line."""
    lines = -(-size // (len(SENTENCE) * 10))
    return ("\n".join([(SENTENCE * 10).rstrip()] * lines))[:size].rstrip() + "\n"


def cut_page(text, path="a.md"):
    page = parse(path, text.encode())
    chunks = chunk(page)
    assert "".join(each.text for each in chunks) == page.text
    return page, chunks


def headings(text):
    return [each.heading for each in cut_page(text)[1]]


def test_no_text_no_chunks():
    assert cut_page("")[1] == ()


def test_blank_text_is_one_chunk():
    (one,) = cut_page("\n\n \n")[1]
    assert (one.start_line, one.end_line, one.heading) == (1, 3, ())


def test_sections_that_can_stand_alone_do():
    text = f"# One\n\n{prose(400)}\n## Two\n\n{prose(500)}\n# Three\n\n{prose(600)}"
    _, chunks = cut_page(text)
    assert [each.heading for each in chunks] == [("One",), ("One", "Two"), ("Three",)]
    assert [each.text.split("\n")[0] for each in chunks] == ["# One", "## Two", "# Three"]


def test_lines_are_those_of_the_text():
    page, chunks = cut_page(f"intro\n\n# One\n{prose(3000)}\n# Two\n{prose(400)}")
    lines = page.text.split("\n")
    assert len(chunks) > 3
    for each in chunks:
        if each.text.endswith("\n") and page.text.split(each.text)[0].endswith(("\n", "")):
            assert "\n".join(lines[each.start_line - 1 : each.end_line]) + "\n" == each.text


def test_small_neighbours_are_joined_under_their_common_heading():
    group = "".join(f"### {name}\n{prose(120)}" for name in "ABC")
    text = f"# Top\n\n{prose(400)}\n## Group\n{group}## Other\n\n{prose(400)}"
    assert headings(text) == [("Top",), ("Top", "Group"), ("Top", "Other")]


def test_a_small_section_joins_its_sibling_rather_than_what_follows_its_parent():
    text = f"# Top\n## Group\n### A\n{prose(400)}### B\nsmall\n## Other\n{prose(400)}"
    _, chunks = cut_page(text)
    assert [each.heading for each in chunks] == [("Top", "Group"), ("Top", "Other")]
    assert "### B" in chunks[0].text


def test_small_pages_of_a_journal_are_joined_though_nothing_stands_above_them():
    text = "".join(f"# Day {n}\n\nshort entry number {n}\n\n" for n in range(40))
    _, chunks = cut_page(text)
    assert all(LEAST <= len(each.text) <= LIMIT for each in chunks)
    assert {each.heading for each in chunks} == {()}


def test_a_small_section_costs_no_other_its_heading():
    text = f"# Top\n\n{prose(400)}\n## Small\nfew words\n## Other\n\n{prose(400)}\n## Last\nfew words\n"
    assert headings(text) == [("Top",), ("Top",)]
    text = f"# Top\n\n{prose(400)}\n## Small\nfew words\n## Other\n\n{prose(400)}"
    assert headings(text) == [("Top",), ("Top", "Other")]


def test_a_heading_without_text_leads_to_the_section_below():
    text = f"# Top\n\n## Group\n\n### A\n\n{prose(400)}\n### B\n\n{prose(400)}"
    assert headings(text) == [("Top", "Group", "A"), ("Top", "Group", "B")]


def test_headings_at_the_end_stay_with_the_text_above():
    assert headings(f"# Top\n\n{prose(400)}\n## Empty\n\n## Empty too\n") == [("Top",)]


def test_a_section_is_divided_evenly():
    paragraphs = "\n".join(prose(500) for _ in range(9))
    _, chunks = cut_page(f"# Top\n\n{paragraphs}")
    assert len(chunks) == 3
    assert all(1300 <= len(each.text) <= 1800 for each in chunks)
    assert all(each.text.endswith("\n\n") for each in chunks[:-1])
    assert {each.heading for each in chunks} == {("Top",)}


@pytest.mark.parametrize(
    ("unit", "starts"),
    [
        ("- an item of the list with a few words\n  and a second line\n", "- an item"),
        ("Some words\nand the end of a sentence.\n", "Some words"),
        ("line without an end\n", "line"),
        ("paragraph of two\nlines\n\n- with an item\n\n", "paragraph"),
    ],
)
def test_cuts_fall_where_it_reads_best(unit, starts):
    _, chunks = cut_page(unit * (5000 // len(unit)))
    assert len(chunks) >= 3
    assert all(each.text.startswith(starts) for each in chunks)
    assert all(LEAST <= len(each.text) <= LIMIT for each in chunks)


def test_a_long_line_is_cut_behind_sentences_and_keeps_its_number():
    _, chunks = cut_page(f"first\n\n{SENTENCE * 100}\n\nlast\n")
    assert all(each.text.rstrip().endswith(".") for each in chunks[:-1])
    assert [(each.start_line, each.end_line) for each in chunks[1:-1]] == [(3, 3)] * (len(chunks) - 2)
    assert (chunks[0].start_line, chunks[-1].end_line) == (1, 5)


@pytest.mark.parametrize(("unit", "end"), [("word ", " "), ("x", "x"), ("。字", "。")])
def test_a_long_line_without_sentences_is_cut_at_blanks_or_anywhere(unit, end):
    _, chunks = cut_page(unit * 5000)
    assert all(LEAST <= len(each.text) <= LIMIT for each in chunks[:-1])
    assert all(each.text.endswith(end) for each in chunks[:-1])


@pytest.mark.parametrize("size", [700, 1500, 1900])
@pytest.mark.parametrize("before", [100, 900, 1700, 2500])
def test_a_fence_that_fits_is_not_cut(size, before):
    fence = "```sh\n" + "\n\n".join(f"echo {n}" for n in range(size // 10)) + "\n```\n"
    table = "| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * (size // 10)
    text = f"# Top\n\n{prose(before)}\n{fence}\n{prose(800)}\n{table}\n{prose(before)}"
    _, chunks = cut_page(text)
    assert any(fence in each.text for each in chunks)
    assert any(table in each.text for each in chunks)


def test_a_fence_too_long_is_cut_at_its_lines():
    fence = "```\n" + "a line of code\n" * 500 + "```\n"
    _, chunks = cut_page(f"# Top\n\n{fence}")
    assert all(len(each.text) <= LIMIT and each.text.endswith("\n") for each in chunks)


def test_front_matter_belongs_to_the_first_chunk_and_not_to_its_body():
    front = "---\nservice: billing\n" + "note: " + "x" * 400 + "\n---\n"
    page, chunks = cut_page(f"{front}# Top\n\n{prose(400)}\n# Next\n\n{prose(400)}")
    assert [each.heading for each in chunks] == [("Top",), ("Next",)]
    assert chunks[0].text.startswith(front)
    assert body_text(page, chunks[0]) == chunks[0].text.removeprefix(front)
    assert body_text(page, chunks[1]) == chunks[1].text


def test_front_matter_alone_has_no_body():
    page, (one,) = cut_page("---\nservice: billing\n---\n")
    assert body_text(page, one) == ""


def test_long_front_matter_is_not_torn_while_it_fits():
    front = "---\n" + "".join(f"key{n}: value\n" for n in range(100)) + "---\n"
    page, chunks = cut_page(f"{front}{prose(3000)}")
    assert chunks[0].text.startswith(front)
    assert "".join(body_text(page, each) for each in chunks) == page.text.removeprefix(front)


def test_front_matter_beyond_the_limit_is_cut_but_still_no_body():
    front = "---\n" + "".join(f"key{n}: value\n" for n in range(1000)) + "---\n"
    page, chunks = cut_page(f"{front}{prose(500)}")
    assert all(len(each.text) <= LIMIT for each in chunks)
    assert "".join(body_text(page, each) for each in chunks) == page.text.removeprefix(front)


def test_a_text_of_too_many_lines_is_cut_by_size():
    _, chunks = cut_page("word\n" * 260_000)
    assert all(LIMIT / 2 <= len(each.text) <= LIMIT for each in chunks[:-1])
    assert all(each.text.endswith("\n") for each in chunks)
    assert (chunks[0].start_line, chunks[-1].end_line) == (1, 260_000)
    assert all(one.end_line + 1 == two.start_line for one, two in pairwise(chunks))


def test_cuts_prefer_rank_and_then_balance():
    atoms = Atoms()
    for number in range(30):
        rank = {10: Rank.ITEM, 14: Rank.PARAGRAPH, 16: Rank.PARAGRAPH}.get(number, Rank.LINE)
        atoms.add(100, number + 1, rank)
    assert cut(atoms) == [0, 14]


def test_parts_of_a_line_add_up():
    line = "One. " * 1000 + "x" * 5000 + " y" * 2000
    sizes = [size for size, _ in split_line(line)]
    assert sum(sizes) == len(line)
    assert max(sizes) <= LIMIT
    assert list(cut_by_size("")) == []
    assert list(cut_by_size("x" * 4500)) == [2000, 4000, 4500]
