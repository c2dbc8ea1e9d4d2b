"""The text analysis under arbitrary strings: total, deterministic, the same for documents and queries."""

from __future__ import annotations

import string
from collections import Counter

from hmem.text import (
    Reading,
    contains_phrase,
    count_terms,
    fold,
    identifier_parts,
    model_words,
    normalise,
    pairs,
    parse_query,
    plain_text,
    query_pairs,
    query_terms,
    stem,
    terms,
    words,
)
from hypothesis import given
from hypothesis import strategies as st

any_char = st.characters(exclude_categories=())
snippets = st.sampled_from(
    """getHTTPResponse2 snake_case kebab-case Class::method C++ C# .NET F# #4471 0x8007 1.0.21 don't pool\u2019s 連接池
    café \u0301 \u200d \ud800 \x00 _ - . / :: @ # ' " \ufdfa İ ß Σ IPv4 URLs .NET/C# हिन्दी ที่ a A 1""".split(" ")  # noqa: SIM905
)
texts = st.one_of(st.text(any_char), st.lists(st.one_of(snippets, st.text(any_char, max_size=3))).map("".join))
plain_words = st.text(string.ascii_lowercase, min_size=2, max_size=9)
names = st.lists(plain_words, min_size=2, max_size=5)


@given(texts)
def test_every_function_takes_any_string(text: str) -> None:
    assert all(term and " " not in term for term in count_terms(text))
    assert all(pair.count(" ") == 1 for pair in pairs(text))
    assert all(part and part in word for word in words(text) for part in identifier_parts(word))
    assert terms(text) == terms(text)
    assert isinstance(stem(text), str)
    assert isinstance(contains_phrase(text, text[1:3]), bool)


@given(texts)
def test_counts_are_the_sum_over_the_words(text: str) -> None:
    assert count_terms(text) == sum((Counter(terms(word)) for word in words(text)), Counter())


@given(texts)
def test_words_stand_in_the_text_in_order(text: str) -> None:
    plain, place = normalise(text), 0
    for word in words(text):
        place = plain.index(word, place) + len(word)


@given(texts)
def test_a_word_alone_is_the_same_word(text: str) -> None:
    for word in words(text):
        assert words(word) == [word]


@given(texts, texts)
def test_no_word_runs_over_the_end_of_a_line(first: str, second: str) -> None:
    assert words(f"{first}\n{second}") == words(first) + words(second)


@given(texts)
def test_queries_share_the_terms_of_documents(text: str) -> None:
    assert {term.term for term in query_terms(text)} == set(count_terms(text))
    assert {pair.term for pair in query_pairs(text)} == set(pairs(text))
    assert all(term.weight > 0 and term.word in words(text) for term in query_terms(text))


@given(texts)
def test_normal_forms_are_stable(text: str) -> None:
    assert normalise(normalise(text)) == normalise(text)
    assert fold(fold(text)) == fold(text)
    assert plain_text(plain_text(text)) == plain_text(text)


@given(texts)
def test_model_words_have_single_blanks_and_no_capitals(text: str) -> None:
    found = model_words(text)

    assert found == " ".join(found.split(" "))
    assert found == found.lower()
    assert Reading(text).model_words() == found


@given(texts)
def test_quotes_hide_no_word(text: str) -> None:
    parsed = parse_query(text)

    assert words(parsed.text) == words(text)
    assert all('"' not in phrase and phrase.strip() == phrase and phrase in text for phrase in parsed.phrases)


@given(names)
def test_spellings_of_a_name_share_the_whole(parts: list[str]) -> None:
    spellings = ["_".join(parts), "-".join(parts), "".join(part.capitalize() for part in parts), "".join(parts)]
    whole = "=" + "".join(parts)

    assert all(whole in terms(spelling) for spelling in spellings)


@given(names, st.sampled_from(["_", "-", ".", "/", "::", "@"]))
def test_every_part_of_a_compound_is_found(parts: list[str], joint: str) -> None:
    compound = joint.join(parts)

    assert words(compound) == [compound]
    assert {term for part in parts for term in terms(part)} <= set(terms(compound))


@given(st.lists(plain_words, min_size=1), st.data())
def test_phrases_of_whole_words_occur(found: list[str], data: st.DataObject) -> None:
    """The oracle is the list of words."""
    blanks = st.sampled_from([" ", "\n", "  ", "\t"])
    text = "".join(word + data.draw(blanks) for word in found)
    start = data.draw(st.integers(0, len(found) - 1))
    phrase = "".join(word.upper() + data.draw(blanks) for word in found[start : start + 3])
    other = data.draw(plain_words)

    assert contains_phrase(text, phrase)
    assert contains_phrase(text, other) is (other in found)
