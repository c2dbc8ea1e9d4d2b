"""Headings, blocks, links, tags and attributes of the wiki syntaxes."""

import pytest
from hmem.parse.asciidoc import read_asciidoc
from hmem.parse.mediawiki import read_mediawiki
from hmem.parse.org import read_org
from hmem.parse.outline import MAX_ATTRIBUTES, MAX_LEVEL
from hmem.parse.plain import read_plain
from hmem.parse.rst import read_rst


def headings(outline):
    return [(each.line, each.level, each.title, each.lines) for each in outline.sections]


RST = """=====
Title
=====

:Author: Somebody
:tags: one, two

Intro with a `link <target.rst>`_ and :doc:`other/page` and :ref:`Text <label>`.

First ``section``
-----------------

Example::

   Not a title
   -----------

    x

.. code-block:: sh

   # no
   ====

.. a comment
   hidden `link <no.rst>`_

====  ====
A     B
====  ====
1     2
====  ====

Deeper
~~~~~~

:param x: no attribute

+---+---+
| a | b |
+---+---+

- item
----

Second
------
Third
======
"""


def test_rst():
    outline = read_rst(RST.split("\n"), 1)
    assert headings(outline) == [
        (1, 1, "Title", 3),
        (10, 2, "First section", 2),
        (34, 3, "Deeper", 2),
        (46, 2, "Second", 2),
        (48, 4, "Third", 2),
    ]
    assert outline.metadata == {"author": "Somebody", "tags": "one, two"}
    assert outline.tags == ("one", "two")
    assert outline.links == ("target.rst", "other/page", "label")
    assert outline.whole == ((13, 18), (20, 23), (25, 26), (28, 32), (39, 41))


@pytest.mark.parametrize(
    "text",
    [
        "para\ncontinued\n=========",
        "- item\n------",
        ":field: x\n=========",
        "Long title\n==",
        "text\n\n----\n\ntext",
        "  indented\n  ========",
        ".. directive::\n\n   Inside\n   ======",
    ],
)
def test_rst_without_a_heading(text):
    assert read_rst(text.split("\n"), 1).sections == ()


@pytest.mark.parametrize(
    "text",
    [
        "ab\n==",
        "Title\n====",
        ":c:type:`x` --- y\n===============",
        "1. Numbered\n===========",
        ".. _label:\nTitle\n=====",
    ],
)
def test_rst_headings_of_odd_form(text):
    assert len(read_rst(text.split("\n"), 1).sections) == 1


ADOC = """= The *Title*
Author Name
:tags: one, two
:toc:

:late: no attribute of the header

== First section ==

See link:a.adoc[A], xref:b.adoc#part[B], <<anchor,text>> and https://host/x[site].

----
== no
link:no[x]
----

====
== no

....
no
....
====

|===
| == no
|===

```ruby
== no
```

Second section
--------------

=== Deeper

////
== no
////

## Markdown style
"""


def test_asciidoc():
    outline = read_asciidoc(ADOC.split("\n"), 1)
    assert headings(outline) == [
        (1, 1, "The Title", 1),
        (8, 2, "First section", 1),
        (33, 2, "Second section", 2),
        (36, 3, "Deeper", 1),
        (42, 2, "Markdown style", 1),
    ]
    assert outline.metadata == {"tags": "one, two", "toc": ""}
    assert outline.tags == ("one", "two")
    assert outline.links == ("a.adoc", "b.adoc#part", "anchor", "https://host/x")
    assert outline.whole == ((12, 15), (17, 23), (20, 22), (25, 27), (29, 31), (38, 40))


def test_asciidoc_with_underlined_titles_of_equal_length():
    text = "One\n---\n\ntext\n\nTwo\n---\n\n----\ncode\n----\n"
    assert headings(read_asciidoc(text.split("\n"), 1)) == [(1, 2, "One", 2), (6, 2, "Two", 2)]


def test_an_unclosed_asciidoc_block_swallows_nothing():
    assert len(read_asciidoc(["----", "", "== One", "", "== Two"], 1).sections) == 2


ORG = """#+TITLE: The Title
#+FILETAGS: :file:tags:
#+date: 2024-01-05

* TODO [#A] First *bold* :one:two:
** A [[file:a.org::*there][link]]
#+BEGIN_SRC sh
* no
#+END_SRC
#+begin_example
* no, and [[no]]
#+end_example
| a | b |
|---+---|
| 1 | 2 |
#+date: too late
#+begin_src never closed
***** Fifth
*bold* is no heading
[[https://host/x]]
"""


def test_org():
    outline = read_org(ORG.split("\n"), 1)
    assert headings(outline) == [(5, 1, "First bold", 1), (6, 2, "A link", 1), (18, 5, "Fifth", 1)]
    assert outline.title == "The Title"
    assert outline.metadata == {"title": "The Title", "filetags": ":file:tags:", "date": "2024-01-05"}
    assert outline.tags == ("file", "tags", "one", "two")
    assert outline.links == ("a.org", "https://host/x")
    assert outline.whole == ((7, 9), (10, 12), (13, 15))


WIKI = """= Title =
== '''Bold''' and [[Page|link]] ==
text [[Target]], [[Target#part|text]], [https://host/x site] [[Category:Things|key]]
<pre>
== no == [[no]]
</pre>
<!-- == no ==
-->
=== With comment === <!-- here -->
<syntaxhighlight lang="sh">x</syntaxhighlight>
{|
| cell
|}
{{{
= no =
}}}
====== Six ======
==
<nowiki>
never closed
"""


def test_mediawiki():
    outline = read_mediawiki(WIKI.split("\n"), 1)
    assert headings(outline) == [
        (1, 1, "Title", 1),
        (2, 2, "Bold and link", 1),
        (9, 3, "With comment", 1),
        (17, 6, "Six", 1),
    ]
    assert outline.tags == ("Things",)
    assert outline.links == ("Page", "Target", "Target#part", "https://host/x")
    assert outline.whole == ((4, 6), (7, 8), (11, 13), (14, 16))


PLAIN = """INTRODUCTION

text that goes on
for two lines

Underlined title
================

Another one
-----------

text
----

1.  Numbered

2.1 Deeper and numbered

# Marked

== Marked too ==

A sentence that ends here.

NOT. ALONE
next line

x
=

404
"""


def test_plain_text():
    assert headings(read_plain(PLAIN.split("\n"), 1)) == [
        (1, 1, "INTRODUCTION", 1),
        (6, 1, "Underlined title", 2),
        (9, 2, "Another one", 2),
        (12, 2, "text", 2),
        (15, 1, "1. Numbered", 1),
        (17, 2, "2.1 Deeper and numbered", 1),
        (19, 1, "Marked", 1),
        (21, 2, "Marked too", 1),
    ]


READERS = [read_rst, read_asciidoc, read_org, read_mediawiki, read_plain]


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize(
    "text", ["", "\n", "\n\n\n", " ", "=", "*", "::", "..", "+-", "{|", "a\n=", "\x00", "|", ":a:"]
)
def test_scraps(reader, text):
    assert len(reader(text.split("\n"), 1).sections) <= 1


@pytest.mark.parametrize("reader", READERS)
def test_reading_may_start_below(reader):
    lines = ["= no", "no", "==", "* no", "== no ==", "", "text"]
    assert reader(lines, 6).sections == ()


def test_levels_and_attributes_are_bounded():
    deep = "\n".join("*" * level + " h" for level in range(1, 200))
    assert max(each.level for each in read_org(deep.split("\n"), 1).sections) == MAX_LEVEL
    many = [f"#+key{n}: " + "v" * 10_000 for n in range(1000)]
    found = read_org(many, 1).metadata
    assert len(found) == MAX_ATTRIBUTES
    assert max(map(len, found.values())) <= 500
