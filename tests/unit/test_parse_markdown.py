"""Links, tags and titles of Markdown, each against what Obsidian and CommonMark make of it."""

import pytest
from hmem.parse.markdown import links_in, plain_title, read_markdown, tags_in


def read(text, first=1):
    return read_markdown(text.split("\n"), first)


@pytest.mark.parametrize(
    ("text", "links"),
    [
        ("[[Page]]", ["Page"]),
        ("[[Page|alias]]", ["Page"]),
        ("[[Page#Heading]]", ["Page#Heading"]),
        ("[[Page#Heading|alias]]", ["Page#Heading"]),
        ("[[#Heading]]", ["#Heading"]),
        ("[[Page##Heading]]", ["Page##Heading"]),
        ("![[image.png|200]]", ["image.png"]),
        ("[[dir/Page]] and [[ Spaced ]]", ["dir/Page", "Spaced"]),
        ("| [[Page\\|alias]] |", ["Page"]),
        ("[[]] [[|x]] [[a\nb]]", []),
        ("[text](page.md)", ["page.md"]),
        ('[text](page.md "title")', ["page.md"]),
        ("[text](<my page.md>)", ["my page.md"]),
        ("[text](my%20page.md#part)", ["my page.md#part"]),
        ("[text](https://host/a%20b)", ["https://host/a%20b"]),
        ("[text](a_(b).md)", ["a_(b).md"]),
        ("![image](a.png) [![badge](b.svg)](c.md)", ["a.png", "b.svg", "c.md"]),
        ("[text][ref]\n\n[ref]: target.md 'title'", ["target.md"]),
        ("[^1]: a footnote", []),
        ("<https://host/path> <no link>", ["https://host/path"]),
        ("[a](x) [[b]] [c](x)", ["x", "b"]),
        ("(not) [a] link", []),
    ],
)
def test_links(text, links):
    assert links_in(text) == tuple(links)


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("#tag", ["tag"]),
        ("a #tag, (#other) #third.", ["tag", "other", "third"]),
        ("#nested/tag #with-dash #under_score", ["nested/tag", "with-dash", "under_score"]),
        ("#日本語 #café", ["日本語", "café"]),
        ("#y2024 #2024y", ["y2024", "2024y"]),
        ("#4471 #1", []),
        ("# heading\n## heading", []),
        ("C# a#b http://host/#part ##x &#39;", []),
        ("#tag #tag", ["tag"]),
        ("#trailing- #trailing/", ["trailing"]),
    ],
)
def test_tags(text, tags):
    assert tags_in(text) == tuple(tags)


def test_code_and_comments_hold_neither_links_nor_tags():
    text = """
#yes [[yes]] `#no [[no]]` ``a ` #no`` #yes2 \\`[[yes2]]

```sh
#no [[no]]
```

    #no [[no]]

- item

  ~~~
  #no [[no]]
  ~~~

<!-- #no
[[no]] -->

`unclosed #yes3 [[yes3]]

another paragraph` #yes4
"""
    outline = read(text)
    assert outline.tags == ("yes", "yes2", "yes3", "yes4")
    assert outline.links == ("yes", "yes2", "yes3")


@pytest.mark.parametrize(
    ("markup", "title"),
    [
        ("Plain title", "Plain title"),
        ("**Bold** and *soft* and `code`", "Bold and soft and code"),
        ("__Bold__ and _soft_ but snake_case_name", "Bold and soft but snake_case_name"),
        ("[Text](https://host/x_(y)) here", "Text here"),
        ("[Text][ref] ![image](a.png)", "Text image"),
        ("[[Page|Alias]] and [[Page]]", "Alias and Page"),
        ("With an anchor {#anchor .class}", "With an anchor"),
        ("2 * 3 * 4 and a_b", "2 * 3 * 4 and a_b"),
        ("Escaped \\* and \\_", "Escaped * and _"),
        ("~~gone~~ ==marked==", "gone marked"),
        ("C++ and C#", "C++ and C#"),
        ("Array[0] {x}", "Array[0] {x}"),
    ],
)
def test_titles_lose_their_markup(markup, title):
    assert plain_title(markup) == title


def test_sections_have_levels_lines_and_sizes():
    text = "# One\n\ntext\n\nTwo\nlines\n---\n\n> # quoted\n\n- # listed\n\n###### Six ######\n"
    assert [(each.line, each.level, each.title, each.lines) for each in read(text).sections] == [
        (1, 1, "One", 1),
        (5, 2, "Two lines", 3),
        (13, 6, "Six", 1),
    ]


def test_a_title_cannot_grow_with_the_input():
    (one,) = read("# " + "word " * 100_000).sections
    assert len(one.title) <= 200
    assert one.title.endswith("word…")
    (one,) = read("# " + "x" * 100_000).sections
    assert len(one.title) == 200


def test_blocks_to_keep_whole():
    text = "```\na\n```\n\n| a |\n|---|\n| b |\n\n    code\n\n    more\n\ntext\n"
    assert read(text).whole == ((1, 3), (5, 7), (9, 11))
