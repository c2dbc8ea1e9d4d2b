"""Language and kind of a file, from its name, its place and its first line."""

import pytest
from hmem.parse import language_of
from hmem.types import Kind

NOTE, WIKI, CODE, TEXT = Kind.NOTE, Kind.WIKI, Kind.CODE, Kind.TEXT


@pytest.mark.parametrize(
    ("path", "lang", "kind"),
    [
        ("a.md", "markdown", NOTE),
        ("A.MARKDOWN", "markdown", NOTE),
        ("a.txt", "text", NOTE),
        ("README", "text", NOTE),
        ("LICENSE-MIT", "text", NOTE),
        ("COPYING.LESSER", "text", NOTE),
        ("wiki/a.md", "markdown", WIKI),
        ("docs/Wiki/deep/a.md", "markdown", WIKI),
        ("wiki/a.txt", "text", WIKI),
        ("wiki.md", "markdown", NOTE),
        ("wikis/a.md", "markdown", NOTE),
        ("a.wiki", "mediawiki", WIKI),
        ("a.mediawiki", "mediawiki", WIKI),
        ("a.rst", "rst", WIKI),
        ("a.adoc", "asciidoc", WIKI),
        ("a.org", "org", WIKI),
        ("wiki/tool.py", "python", CODE),
        ("wiki/data.json", "json", TEXT),
        ("a.py", "python", CODE),
        ("Makefile", "make", CODE),
        ("Dockerfile", "dockerfile", CODE),
        ("CMakeLists.txt", "cmake", CODE),
        ("requirements.txt", "text", TEXT),
        ("requirements-dev.txt", "text", TEXT),
        ("robots.txt", "text", TEXT),
        ("a.json", "json", TEXT),
        ("a.yml", "yaml", TEXT),
        ("a.toml", "toml", TEXT),
        ("a.csv", "csv", TEXT),
        ("a.ini", "ini", TEXT),
        ("a.log", "log", TEXT),
        ("a.unknown", "text", TEXT),
        ("unknown", "text", TEXT),
        (".md", "text", TEXT),
        ("news.db", "text", TEXT),
        ("", "text", TEXT),
    ],
)
def test_by_name(path, lang, kind):
    assert language_of(path, "") == (lang, kind)


@pytest.mark.parametrize(
    ("head", "lang", "kind"),
    [
        ("#!/bin/sh\necho", "bash", CODE),
        ("#!/usr/bin/env python3\n", "python", CODE),
        ("#!/usr/bin/env -S node --x\n", "javascript", CODE),
        ("plain words", "text", TEXT),
    ],
)
def test_by_first_line(head, lang, kind):
    assert language_of("bin/tool", head) == (lang, kind)


def test_a_script_named_like_prose_is_a_script():
    assert language_of("install", "#!/bin/sh\n") == ("bash", CODE)
    assert language_of("install", "How to install") == ("text", NOTE)


@pytest.mark.parametrize(
    ("root", "kind"), [("/home/me/wiki", WIKI), ("C:\\data\\wiki", WIKI), ("/home/me/wiki-old", NOTE), ("", NOTE)]
)
def test_the_name_of_the_root_counts(root, kind):
    assert language_of("a.md", "", root)[1] is kind
