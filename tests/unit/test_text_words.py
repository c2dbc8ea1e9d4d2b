"""Cutting words: what stays together, what is told apart, which characters belong to words."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hmem.text import fold, identifier_parts, normalise, words
from hmem.text.scripts import MARKS, UNSPACED

WHOLE = [
    *("getHTTPResponse2", "snake_case", "__init__", "kebab-case", "dotted.name", "path/to/x.py", "scope/pkg"),
    *("Class::method", "joe@example.com", "404", "1.0.21", "DEC-0054", "0x80070005", "#4471"),
    *("C", "R", "C++", "C#", ".NET", "F#", "don't", "pool\u2019s", "naïve", "Straße"),
    *("мир", "ёлка", "κόσμος", "العربية", "שלום", "हिन्दी", "合約", "ひらがな", "カタカナー", "한국어"),
]


@pytest.mark.parametrize("word", WHOLE)
@pytest.mark.parametrize("around", ["{}", "a {} b", "({})", "**{}**", "`{}`,", "{}.", "“{}”\n", "é {} é"])
def test_word_stays_together(word: str, around: str) -> None:
    expected = normalise(word).strip("_")

    assert expected in words(around.format(word))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("  \n\t ", []),
        ("--- ___ ... :: // ''", []),
        ("**bold** *args ==mark== ~~gone~~", ["bold", "args", "mark", "gone"]),
        ("std::vector<int>", ["std::vector", "int"]),
        ("grammar::fa title:(a", ["grammar::fa", "title", "a"]),
        ("i++; count++; *p++", ["i", "count", "p"]),
        ("C++17, C#8 and F#", ["C++", "17", "C#", "8", "and", "F#"]),
        ("C/C++ or C#/.NET", ["C/C++", "or", "C#", ".NET"]),
        ("#include #define #4471 #tag", ["include", "define", "#4471", "tag"]),
        ("x.net .NETs ASP.NET", ["x.net", "NETs", "ASP.NET"]),
        ("can't O'Reilly b'abc' 'quoted'", ["can't", "O", "Reilly", "b", "abc", "quoted"]),
        ("end.Next e.g. U.S.A.", ["end.Next", "e.g", "U.S.A"]),
        ("a_____b", ["a", "b"]),
        ("https://a.example/b?c=1&d=2", ["https", "a.example/b", "c", "1", "d", "2"]),
        ("使用Python编程", ["使用", "Python", "编程"]),
        ("ｆｕｌｌ　ｗｉｄｔｈ ﬁne", ["full", "width", "fine"]),
        ("1\ufe0f\u20e3 \u2705\ufe0f done", ["1", "done"]),
        ("soft\u00adhyphen zero\u200cwidth", ["softhyphen", "zerowidth"]),
        ("a\x00b\ud800c \U0001f600", ["a", "b", "c"]),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    assert words(text) == expected


def test_decomposed_letters_are_composed() -> None:
    assert words(unicodedata.normalize("NFD", "café Ελλάδα йод 한국")) == ["café", "Ελλάδα", "йод", "한국"]


def test_long_runs_are_cut_alike_wherever_they_stand() -> None:
    run = "0123456789abcdef" * 20

    assert "".join(words(run)) == run
    assert max(map(len, words(run))) == 64
    assert words(f"x {run}")[1:] == words(run)
    assert max(map(len, words("連" * 1000))) == 128


@pytest.mark.parametrize(
    ("word", "parts"),
    [
        ("getHTTPResponse2", ("get", "HTTP", "Response", "2")),
        ("HTTPServer", ("HTTP", "Server")),
        ("snake_caseName", ("snake", "case", "Name")),
        ("kebab-case", ("kebab", "case")),
        ("path/to/x.py", ("path", "to", "x", "py")),
        ("Class::method", ("Class", "method")),
        ("parseURLsFor", ("parse", "URLs", "For")),
        ("ColumnIPv4", ("Column", "IPv", "4")),
        ("sha256sum", ("sha", "256", "sum")),
        ("1.0.21", ("1", "0", "21")),
        ("caféBar", ("café", "Bar")),
        ("3f786850e387550fdab836ed7e6dc881de23001b", ("3f786850e387550fdab836ed7e6dc881de23001b",)),
        ("0x80070005", ("0x80070005",)),
        ("C/C++", ("C", "C++")),
        (".NET/C#", (".NET", "C#")),
        ("don't", ("do",)),
        ("#4471", ("4471",)),
        ("合約", ("合約",)),
        ("plain", ("plain",)),
        ("", ()),
    ],
)
def test_identifier_parts(word: str, parts: tuple[str, ...]) -> None:
    assert identifier_parts(word) == parts


@pytest.mark.parametrize(
    ("word", "plain"),
    [
        ("café", "cafe"), ("Ünïté", "Unite"), ("Straße", "Strasse"), ("łódź", "lodz"), ("smørbrød", "smorbrod"),
        ("ёж", "еж"), ("йод", "йод"), ("οδός", "οδοσ"), ("עִבְרִית", "עברית"), ("عَرَبِيّ", "عربي"), ("٣٤", "34"),
        ("が", "が"), ("한국", "한국"), ("हिन्दी", "हिन्दी"), ("ascii", "ascii"),
    ],
)  # fmt: skip
def test_fold(word: str, plain: str) -> None:
    assert fold(word) == plain


def test_marks_are_the_marks_of_unicode() -> None:
    """Every mark that NFKC leaves is part of a word; nothing that separates words is."""
    inside = re.compile(f"[{MARKS}{UNSPACED}]")
    for code in range(0x80, 0xFFFF):
        char, category = chr(code), unicodedata.category(chr(code))
        if normalise(char) != char:
            continue
        if category in {"Mn", "Mc"}:
            assert inside.match(char), hex(code)
        elif category[0] in "PZC" and category != "Cn":
            assert not inside.match(char), hex(code)
