"""JSON that every parser and no terminal understands."""

from __future__ import annotations

import json
import re

from hmem.render.json_text import to_text
from hypothesis import given
from hypothesis import strategies as st

ANY_TEXT = st.text(st.characters(exclude_categories=()))


@given(
    st.recursive(ANY_TEXT | st.integers() | st.none(), lambda inner: st.lists(inner) | st.dictionaries(ANY_TEXT, inner))
)
def test_it_comes_back_whole_on_one_printable_line(value):
    text = to_text(value)
    assert json.loads(text) == value
    assert not re.search("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\ud800-\udfff]", text)
    text.encode()


def test_what_json_has_no_number_for_is_null():
    assert to_text({"a": [float("nan"), 1.5], "b": float("-inf")}) == '{"a": [null, 1.5], "b": null}'
