"""Cutting text to columns: bounds, what may be lost, and where matches go."""

from __future__ import annotations

from hmem.render.fit import fit_line, shorten_path
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len


def test_a_path_that_fits_stays():
    assert shorten_path("a/b/c.md", 8) == "a/b/c.md"


def test_folders_leave_from_the_middle_and_the_ends_stay():
    path = "/home/user/projects/api/service/handlers/retry.py"
    assert shorten_path(path, 40) == "/home/user/…/service/handlers/retry.py"
    assert shorten_path(path, 24) == "/home/…/retry.py"
    assert shorten_path(path, 12) == "…/retry.py"


@given(st.lists(st.text("abcé连", min_size=1, max_size=9), min_size=1, max_size=8), st.integers(1, 60), st.booleans())
def test_the_file_name_is_never_cut(parts, cells, absolute):
    path = "/" * absolute + "/".join(parts)
    short = shorten_path(path, cells)
    assert short.rsplit("/", 1)[-1] == parts[-1]
    assert cell_len(short) <= max(cells, cell_len(f"…/{parts[-1]}"))
    if cell_len(path) <= cells:
        assert short == path


def test_a_line_is_cut_around_its_matches():
    text = "x " * 60 + "the pool is exhausted" + " y" * 60
    at = text.index("pool")
    shown, spans = fit_line(text, ((at, at + 4),), 40)
    assert "the pool is exhausted" in shown
    assert [shown[start:end] for start, end in spans] == ["pool"]
    assert shown[0] == shown[-1] == "…"


def test_the_front_is_preferred_where_it_shows_as_much():
    text = "pool " + "x" * 200
    assert fit_line(text, ((0, 4),), 20)[0].startswith("pool ")


@given(st.text("ab 连é\t", max_size=120), st.integers(1, 60), st.data())
def test_what_is_shown_fits_and_spans_keep_their_words(text, cells, data):
    ends = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=8)))
    spans = tuple((a, b) for a, b in zip(ends[::2], ends[1::2], strict=False))
    shown, moved = fit_line(text, spans, cells)
    assert cell_len(shown) <= max(cells, 4)
    assert shown.strip("…") in text
    words = {text[start:end] for start, end in spans}
    for start, end in moved:
        assert any(shown[start:end].strip("…") in word for word in words)
