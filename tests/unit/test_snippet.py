import pytest
from hmem.search.snippet import Highlighter

NOTE = """# Pool

Connections are kept in a pool.
When the pool is exhausted, a request waits.

The pool was exhausted on Monday.
"""


def marked(query: str, text: str) -> list[str]:
    return [text[start:end] for start, end in Highlighter(query).spans(text)]


def test_best_line_holds_most_of_the_query():
    line = Highlighter("pool exhausted waits").best(NOTE, 10)
    assert (line.number, line.text) == (13, "When the pool is exhausted, a request waits.")
    assert [line.text[start:end] for start, end in line.spans] == ["pool", "exhausted", "waits"]


def test_equal_lines_give_the_first():
    assert Highlighter("pool exhausted").best(NOTE, 1).number == 4


def test_a_phrase_outweighs_words():
    assert Highlighter('"was exhausted" pool request waits').best(NOTE).number == 6


def test_without_a_match_the_first_line_with_words():
    assert Highlighter("zebra").best("---\n\nsome text\n", 5).number == 7
    assert Highlighter("zebra").best("", 5).number == 5
    assert Highlighter("").best(NOTE, 1).number == 1
    assert Highlighter("zebra").best("***\n---\n", 5).number == 5


def test_spans_are_words_that_share_a_term():
    assert marked("running", "He runs, she ran; RUNNING!") == ["runs", "RUNNING"]
    assert marked("http response", "getHTTPResponse2(x)") == ["getHTTPResponse2"]
    assert marked("cafe", "Café au lait") == ["Café"]
    assert marked("C++", "C and C++") == ["C++"]
    assert marked("連接", "資料庫連接池") == ["資料庫連接池"]
    assert marked("pool", "") == []


@pytest.mark.parametrize(
    "text", ["pool\u00a0pool", "ﬁle pool", "\ufdfa pool", "e\u0301 pool", "\x00pool", "\ud800 pool"]
)
def test_spans_stay_inside_a_text_that_normalising_changes(text):
    for query in ("pool", "file", "é", text):
        spans = Highlighter(query).spans(text)
        assert all(0 <= start < end <= len(text) for start, end in spans)
        assert list(spans) == sorted(set(spans))
    assert "pool" in marked("pool", text)


def test_carriage_returns_are_not_part_of_a_line():
    assert Highlighter("pool").best("a\r\npool\r\n", 1).text == "pool"


@pytest.mark.parametrize(
    ("max_lines", "numbers"),
    [(1, [4]), (2, [4]), (3, [3, 4]), (4, [3, 4, 5, 6]), (6, [1, 2, 3, 4, 5, 6]), (50, [1, 2, 3, 4, 5, 6])],
)
def test_window_lies_around_the_best_line(max_lines, numbers):
    window = Highlighter("pool exhausted waits").window(NOTE, 1, max_lines)
    found = [line.number for line in window]
    assert found == list(range(found[0], found[-1] + 1))
    assert 4 in found
    assert len(found) <= max_lines
    assert found == numbers


def test_window_of_a_blank_chunk():
    assert [line.text for line in Highlighter("x").window("\n\n", 3, 5)] == [""]


def test_without_a_match_the_body_is_shown_not_the_front_matter():
    text = "---\nservice: billing\n---\n# Pool\n\nbody\n"
    assert Highlighter("zebra").best(text, 5).number == 8
    assert Highlighter("zebra").best("---\nservice: billing\n---\n").number == 2
    assert Highlighter("zebra").best("---\n\nservice: billing\n").number == 3
    assert Highlighter("billing").best(text).number == 2


def test_stop_words_are_not_marked_unless_alone():
    assert Highlighter("where is the lock").spans("the lock is here") == ((4, 8),)
    assert Highlighter("to be or not").spans("be it so")
