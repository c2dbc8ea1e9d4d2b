from __future__ import annotations

import time

import pytest
from hmem.discover.ignore import Layers, Rules, normal_form, parse_globs, parse_rule, parse_rules

# pattern, paths that it matches, paths that it does not match; a path that ends with "/" is a directory.
# The cases are those that gitignore(5) documents, and the corners of the pattern language.
PATTERNS = [
    ("hello.*", ["hello.txt", "a/hello.c"], ["hello", "xhello.c"]),
    ("/hello.*", ["hello.txt"], ["a/hello.java"]),
    ("foo/", ["foo/", "a/foo/"], ["foo", "a/foo"]),
    ("doc/frotz", ["doc/frotz", "doc/frotz/"], ["a/doc/frotz"]),
    ("/doc/frotz", ["doc/frotz"], ["a/doc/frotz"]),
    ("foo/*", ["foo/test.json", "foo/bar/"], ["foo/bar/hello.c", "foo"]),
    ("**/foo", ["foo", "a/foo", "a/b/foo/"], ["foob", "a/xfoo"]),
    ("**/foo/bar", ["foo/bar", "a/foo/bar"], ["foo/x/bar", "xfoo/bar"]),
    ("abc/**", ["abc/x", "abc/x/y"], ["abc", "abc/", "x/abc/y"]),
    ("a/**/b", ["a/b", "a/x/b", "a/x/y/b"], ["ab", "a/xb", "x/a/b"]),
    ("a/**/b/**/c", ["a/b/c", "a/1/b/2/3/c", "a/b/b/c"], ["a/c", "b/c"]),
    ("**", ["a", "a/b"], []),
    ("/**", ["a", "a/b/"], []),
    ("*", ["a", ".a", "a/b\nc"], []),
    ("/*", ["a"], ["a/b"]),
    ("foo**bar", ["foobar", "fooxbar"], ["foo/bar"]),
    ("a**/b", ["ab", "ax/y/b", "a/b"], ["b"]),  # git's own reading, not the manual's
    ("x[0-9]", ["x1", "a/x9"], ["xa", "x10"]),
    ("x[!0-9]", ["xa"], ["x1"]),
    ("x[^0-9]", ["xa"], ["x1"]),
    ("[]a]", ["]", "a"], ["b"]),
    ("[!]a]", ["b"], ["]", "a"]),
    ("[a-]", ["a", "-"], ["b"]),
    ("[[:digit:]x]", ["1", "x"], ["a"]),
    ("[[:nonsense:]x]", [], ["x", ":"]),
    ("a[b", [], ["a[b", "ab"]),
    ("a\\", [], ["a", "a\\"]),
    ("[b-a]", ["b"], ["a"]),
    ("a[/]b", [], ["a/b"]),
    ("?.c", ["a.c"], [".c", "ab.c"]),
    ("\\#a", ["#a"], ["a"]),
    ("\\!a", ["!a"], ["a"]),
    ("\\*", ["*"], ["a"]),
    ("a\\?", ["a?"], ["ab"]),
    ("a ", ["a"], ["a "]),
    ("a\\ ", ["a "], ["a"]),
    ("a\\  ", ["a "], ["a", "a  "]),
    ("a\t", ["a\t"], ["a"]),
    ("a\r", ["a"], ["a\r"]),
    ("a b", ["a b"], ["a"]),
    ("a.c", ["a.c"], ["abc"]),
    ("a+(b)|c$", ["a+(b)|c$"], ["aab"]),
    ("*.tar.gz", ["x.tar.gz", ".tar.gz"], ["x.gz"]),
    ("core*", ["core", "core.1"], ["a.core", "xcore"]),
    ("/", [], ["a", "a/"]),
    ("a//", [], ["a", "a/"]),
    ("\udcff*", ["\udcffa"], ["a"]),
    ("cafe\u0301", ["caf\u00e9", "cafe\u0301"], ["cafe"]),
]


def matches(rules: Rules, path: str) -> bool:
    place = normal_form(path.removesuffix("/"))
    return rules.match(place.rpartition("/")[2], place, path.endswith("/")) is not None


@pytest.mark.parametrize(("pattern", "yes", "no"), PATTERNS)
def test_pattern_matches_as_documented(pattern, yes, no):
    rules = parse_rules(pattern)
    assert [path for path in yes + no if matches(rules, path)] == yes


@pytest.mark.parametrize("line", ["", "   ", "# comment", "#", "\r", "a" * 5000])
def test_lines_without_rule(line):
    assert parse_rule(line) is None


def test_last_matching_line_decides_and_names_itself():
    rules = parse_rules("*.log\n!keep.log\n# note\nkeep.log/\n")
    assert rules.match("keep.log", "keep.log", False).negated
    assert rules.match("keep.log", "keep.log", True).line == 4
    assert rules.match("a.log", "x/a.log", False).line == 1
    assert rules.match("a.txt", "a.txt", False) is None


def test_byte_order_mark_and_missing_line_end_are_no_part_of_patterns():
    assert matches(parse_rules("\ufeff*.log\r\n/b"), "a.log")
    assert matches(parse_rules("\ufeff*.log\r\n/b"), "b")


def test_paths_are_taken_relative_to_the_file():
    inside = parse_rules("/b", cut=len("a/"))
    assert matches(inside, "a/b")
    assert not matches(inside, "a/x/b")
    above = parse_rules("/notes/b", lead="notes/")
    assert matches(above, "b")
    assert not matches(above, "notes/b")


@pytest.mark.parametrize("pattern", ["*a" * 60 + "b", "**/a*/" * 60 + "b", "a**" * 60 + "b/**/c", "?*" * 80 + "/x"])
def test_no_pattern_takes_more_than_linear_time(pattern):
    rules = parse_rules(pattern)
    started = time.process_time()
    matches(rules, "a" * 255)
    matches(rules, "a/" * 2000 + "a")
    matches(rules, "/".join(["a" * 200] * 20))
    assert time.process_time() - started < 0.5


def test_command_line_globs():
    assert matches(parse_globs(["./docs"], source="exclude"), "docs/")
    assert not matches(parse_globs(["./docs"], source="exclude"), "a/docs/")
    assert matches(parse_globs(["#a#"], source="exclude"), "#a#")
    assert parse_globs(["*.md", "!a.md"], source="include").match("a.md", "a.md", False).negated
    assert not parse_globs([], source="include")


@pytest.mark.parametrize(
    "form", ["node_modules", "node_modules/", "/node_modules", "./node_modules/", "**/node_modules"]
)
def test_every_way_to_name_a_directory_excludes_it(form):
    assert matches(parse_globs([form], source="exclude"), "node_modules/")


class TestLayers:
    def layers(self, **files: list[str]) -> Layers:
        return Layers(
            **{kind: tuple(parse_rules(text, source=kind) for text in texts) for kind, texts in files.items()}
        )

    def ignored(self, layers: Layers, name: str) -> bool | None:
        verdict = layers.verdict(name, name, False)
        return None if verdict is None else verdict.ignored

    def test_deeper_file_wins_within_a_kind(self):
        assert self.ignored(self.layers(git=["a", "!a"]), "a") is False
        assert self.ignored(self.layers(git=["!a", "a"]), "a") is True

    def test_kind_outranks_depth(self):
        assert self.ignored(self.layers(git=["a"], ignore=["!a"]), "a") is False
        assert self.ignored(self.layers(ignore=["!a"], hmem=["a"]), "a") is True
        assert self.ignored(self.layers(git=["", "a"], hmem=["!a"]), "a") is False

    def test_silence_passes_on_to_the_next(self):
        assert self.ignored(self.layers(git=["a"], ignore=["b"], hmem=["c"]), "a") is True
        assert self.ignored(self.layers(git=["a"], ignore=["b"], hmem=["c"]), "d") is None

    def test_verdict_says_which_rule(self):
        verdict = Layers(git=(parse_rules("x\n*.log", source="a/.gitignore", cut=2),)).verdict(
            "b.log", "a/b.log", False
        )
        assert verdict.detail == "a/.gitignore:2: *.log"
