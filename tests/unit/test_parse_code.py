"""Languages and definitions: every language of the table against a marked sample, and hostile input."""

import re
import time

import pytest
from hmem.parse.code import LONGEST_LINE, definitions_in, indent_of, spanned_lines
from hmem.parse.languages import LANGUAGES, language_for_path
from hmem.parse.patterns import matcher_for
from hmem.types import DefinitionKind

from code_samples import SAMPLES

_MARK = re.compile(r" *« (\w) (.+?) »$", re.M)
PROGRAMS = sorted(name for name, language in LANGUAGES.items() if not language.data)


def _unmark(sample):
    """The sample without its marks, and what they say: (line, kind, name)."""
    marked = sample.strip("\n")
    lines = enumerate(marked.split("\n"), 1)
    expected = [(number, m[1], m[2]) for number, line in lines if (m := _MARK.search(line))]
    return _MARK.sub("", marked), expected


def _found(text, lang):
    return [(each.line, each.kind.value[0], each.name) for each in definitions_in(text, lang)]


def test_every_language_has_rules_and_a_sample():
    assert sorted(SAMPLES) == PROGRAMS
    assert all(matcher_for(lang) for lang in PROGRAMS)


@pytest.mark.parametrize("lang", sorted(SAMPLES))
def test_the_marked_lines_define_and_no_others(lang):
    text, expected = _unmark(SAMPLES[lang])
    assert _found(text, lang) == expected


def test_indent_counts_columns_and_a_tab_as_four():
    text = "class A:\n    class B:\n\t\tdef c(self): pass\n \tdef d(self): pass\n"
    assert [(each.name, each.indent) for each in definitions_in(text, "python")] == [
        ("A", 0),
        ("B", 4),
        ("c", 8),
        ("d", 5),
    ]
    assert [indent_of(line) for line in ("", "   ", "\t\t", "\t x", "x\t")] == [0, 3, 8, 5, 0]


def test_unknown_languages_define_nothing():
    assert definitions_in("def f(): pass\nclass A: pass\n", "klingon") == ()
    assert definitions_in('{"class": "A"}', "json") == ()


def test_long_lines_define_nothing():
    short = "def f(" + "a" * (LONGEST_LINE - 8) + "):"
    assert len(short) == LONGEST_LINE
    assert [each.name for each in definitions_in(short, "python")] == ["f"]
    assert definitions_in(short + " ", "python")  # blanks at the end do not count
    assert definitions_in(short + "#", "python") == ()


def test_names_that_are_keywords_elsewhere_are_names_after_a_keyword():
    assert [each.name for each in definitions_in("impl A {\n    fn new() {}\n    fn match_() {}\n}\n", "rust")] == [
        "A",
        "new",
        "match_",
    ]
    assert [each.name for each in definitions_in("def with(x): pass\n", "ruby")] == ["with"]


def test_values_after_a_function_are_at_the_top_again():
    text = "def f():\n    x = 1\nif f():\n    y = 2\n"
    assert [each.name for each in definitions_in(text, "python")] == ["f", "y"]


def test_a_signature_over_several_lines_keeps_its_function_open():
    text = "function f(\n  a,\n) {\n  const x = 1;\n}\nfunction g({\n  a,\n}) {\n  const y = 1;\n}\nconst z = 1;\n"
    assert [each.name for each in definitions_in(text, "javascript")] == ["f", "g", "z"]


@pytest.mark.parametrize(
    ("lang", "text", "flags"),
    [
        ("c", "a /* b\nc */ d\ne", [0, 1, 0]),
        ("c", '"/*" a\nb', [0, 0]),
        ("c", "// /*\nb", [0, 0]),
        ("c", "a /* never\nclosed", [0, 0]),
        ("c", "a /* closed\nat the end */", [0, 1]),
        ("python", "'''\n\"\"\"\n'''\nx", [0, 1, 1, 0]),
        ("python", "x = 'it\\'s'\n# don't\n", [0, 0, 0]),
        ("javascript", "a = `\\`\nb`\nc", [0, 1, 0]),
        ("rust", "fn f<'a>(x: &'a str) { /*\n*/ }", [0, 1]),
        ("lua", "--[[ x\n]] y\n-- [[\nz", [0, 1, 0, 0]),
        ("ruby", "x =begin\ny\n=begin\nz\n=end\n", [0, 0, 0, 1, 1, 0]),
        ("bash", 'echo "a # b"\n# it\'s\nx', [0, 0, 0]),
        ("klingon", "/*\n*/", [0, 0]),
    ],
)
def test_spanned_lines(lang, text, flags):
    assert list(spanned_lines(text, lang)) == flags


# --- which language ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "head", "lang"),
    [
        ("a/b.py", "", "python"),
        ("a/B.PY", "", "python"),
        ("x.tar.gz", "", None),
        ("README.md", "", None),
        ("notes", "", None),
        (".py", "", None),
        ("Makefile", "", "make"),
        ("src/Makefile.am", "", "make"),
        ("Dockerfile.dev", "", "dockerfile"),
        ("Dockerfile.md", "", None),
        ("Rakefile", "", "ruby"),
        ("CMakeLists.txt", "", "cmake"),
        ("conf/site.conf.in", "", "ini"),
        ("config.h.in", "#define A 1\n", "c"),
        ("a.h", "#include <stdio.h>\nint f(void);\n", "c"),
        ("a.h", "#pragma once\nnamespace x {\n", "cpp"),
        ("a.h", "#import <Foundation/Foundation.h>\n", "objective-c"),
        ("a.m", "% a function\nfunction y = f(x)\n", "matlab"),
        ("a.m", "#import <A/A.h>\n", "objective-c"),
        ("a.pl", "use strict;\n", "perl"),
        ("a.pl", ":- module(a, []).\n", "prolog"),
        ("a.ts", "export {};\n", "typescript"),
        ("a.ts", '<?xml version="1.0"?>\n<TS>', "xml"),
        ("a.inc", "<?php\n", "php"),
        ("a.inc", "#include <x>\n", "cpp"),
        ("run", "#!/bin/sh\n", "bash"),
        ("run", "#!/usr/bin/env python3\n", "python"),
        ("run", "#!/usr/bin/env -S deno run -A\n", "typescript"),
        ("run", "#!/usr/bin/env LANG=C ruby3.1\n", "ruby"),
        ("run", "#! /usr/local/bin/node --x\n", "javascript"),
        ("run", "#!", None),
        ("run", "#!/bin/unheard-of\n", None),
        ("build", "#!/bin/bash\n", "bash"),
        ("BUILD", "cc_library(\n", "starlark"),
        (".bashrc", "", "bash"),
        ("Gemfile", "", "ruby"),
        ("x.json", "", "json"),
        ("dir.py/file", "", None),
        ("", "", None),
        ("/", "", None),
    ],
)
def test_language_for_path(path, head, lang):
    assert language_for_path(path, head) == lang


def test_no_extension_or_name_belongs_to_two_languages():
    for column in ("extensions", "names", "interpreters"):
        owners = {}
        for language in LANGUAGES.values():
            for key in getattr(language, column):
                assert owners.setdefault(key, language.name) == language.name, (column, key)


# --- hostile input ----------------------------------------------------------------------------------------------------

_UNITS = [
    "a ",
    "<",
    "(",
    "a<",
    "::a",
    "*",
    "& ",
    "[",
    "@a(",
    "public ",
    ".a",
    '"',
    "'",
    "`",
    "=> ",
    "=",
    "{",
    "/",
    "\\",
    ", ",
]
_STARTS = [
    "",
    "void ",
    "const a: ",
    "template <",
    "typedef ",
    "impl ",
    "func (",
    "public static ",
    "create table ",
    "(defn ",
]


@pytest.mark.parametrize("lang", PROGRAMS)
def test_no_line_is_slow(lang):
    lines = [(start + unit * LONGEST_LINE)[:LONGEST_LINE] for start in _STARTS for unit in _UNITS]
    began = time.process_time()
    definitions_in("\n".join(lines), lang)
    assert time.process_time() - began < 1  # 200 lines; an exponential pattern would not end


SYNTAXES = {LANGUAGES[lang].syntax: lang for lang in PROGRAMS}


@pytest.mark.parametrize("lang", sorted(SYNTAXES.values()))
def test_marks_that_are_never_closed_take_linear_time(lang):
    syntax = LANGUAGES[lang].syntax
    marks = {opening for opening, _ in (*syntax.comments, *syntax.strings)} | set(syntax.quotes) | {"\\", "/"}
    began = time.process_time()
    for mark in marks:
        spanned_lines(f"{mark}\nx " * 10_000, lang)
        spanned_lines(mark * 20_000, lang)
    assert time.process_time() - began < 0.2 * len(marks)  # quadratic: several seconds each


@pytest.mark.parametrize("lang", ["python", "cpp", "javascript", "bash", "haskell", "klingon"])
@pytest.mark.parametrize(
    "text", ["", "\n", "\0", "\ud800def f\udfff():", "\f\v\u2028class A:", "\t" * 1000, "def", "class "]
)
def test_odd_text_never_raises(lang, text):
    assert all(each.line >= 1 and each.name for each in definitions_in(text, lang))


def test_every_definition_is_on_its_line():
    for lang, sample in SAMPLES.items():
        text, _ = _unmark(sample)
        lines = text.split("\n")
        for each in definitions_in(text, lang):
            assert isinstance(each.kind, DefinitionKind)
            assert all(part in lines[each.line - 1] for part in re.split(r"(?<=\w)\.(?=\w)", each.name))
