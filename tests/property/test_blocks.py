"""The block scanner against markdown-it-py, on random documents made of awkward lines."""

from hmem.parse.blocks import scan_blocks
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

LINES = [
    *("", "", "", "  ", "a", "b c", "  two", "   three", "      six", "\tcode", "    # code", "a\\", "`a"),
    *("# h", "## h ##", "#no", "   ### x", "###### six", "####### seven", "\\# x", "# h #", "#", "# #", "#\tt"),
    *("===", "---", "--", "=", "-", "- - -", "***", "* * *", "_ _ _", "  ---", "    ---"),
    *("- a", "- - a", "* b", "+ c", "  - n", "    - n", "-   a", "-     code", "- ", "-\tx", "- # h", "- ```", "*"),
    *("1. x", "2. y", "2) z", "10. q", "1.", "1234567890. no"),
    *(">", "> q", "> # h", "> ```", "  - > q", "> - a", ">\tx"),
    *("```", "````", "~~~", "``` py", "~~~ x`y", "``` a`b", "  ```", "    ```", "``````"),
    *("| a | b |", "|---|---|", "a|b", "-|-", ":-:|-", "| a |", "|---|", "   | x | y |", "x\\|y | z", "|", "||", "|-"),
    *("<div>", "</div>", "<!-- c", "-->", "<!-- c -->", "<pre>", "</pre>", "<span>", "<a href='x'>", "<?x", "?>"),
    *("<!X", "<![CDATA[", "]]>", "<div", "<script>x</script>", "<b>t</b>"),
]
ORACLE = MarkdownIt("commonmark").enable("table")
ORACLE.core.ruler.disable(["inline"], True)
CODE = {"fence", "code_block"}


def trimmed(lines, first, last):
    """Leave blank lines at the end of a block out: who owns them differs and does not matter."""
    while last > first and not lines[last - 1].strip(" \t>"):
        last -= 1
    return first, last


def expected(text):
    tokens = ORACLE.parse(text)
    headings, whole, code = [], [], []
    for token, following in zip(tokens, tokens[1:] + tokens[:1], strict=True):
        if token.type == "heading_open" and token.level == 0:
            title = " ".join(following.content.split())
            headings.append((token.map[0] + 1, token.map[1] - token.map[0], int(token.tag[1]), title))
        elif token.type in CODE or token.type == "table_open":
            whole.append((token.map[0] + 1, token.map[1]))
            if token.type in CODE:
                code.append(whole[-1])
    return headings, whole, code


def check(lines):
    headings, whole, code = expected("\n".join(lines))
    found = scan_blocks(lines)
    assert [(each.line, each.lines, each.level, " ".join(each.text.split())) for each in found.headings] == headings
    assert [trimmed(lines, *span) for span in found.whole] == [trimmed(lines, *span) for span in whole]
    opaque = {trimmed(lines, *span) for span in found.opaque}
    assert opaque >= {trimmed(lines, *span) for span in code}


@settings(deadline=None, max_examples=1500)
@example(["# A", "```sh", "# not heading", "```", "# B"])
@example(["````", "```", "# no", "````", "# yes"])
@example(["~~~", "```", "# no", "~~~~", "# yes"])
@example(["- ```", "  # no", "", "  # no", "# ends the list and the fence"])
@example(["> ```", "# ends the quote and the fence"])
@example(["```", "never closed", "# no"])
@example(["a", "b", "==="])
@example(["> a", "==="])
@example(["| a |", "---"])
@given(st.lists(st.sampled_from(LINES), min_size=1, max_size=12))
def test_blocks_are_those_of_commonmark(lines):
    check(lines)


@settings(deadline=None, max_examples=400)
@given(st.lists(st.text(alphabet="ab#`~-=*_>|<!1.) \t\\:", max_size=10), max_size=8))
def test_lines_of_signs(lines):
    check(lines or [""])


def test_link_definitions_are_no_heading():
    lines = ["[a]: /url", "===", "", "[b]: /url 'title'", "Heading", "==="]
    assert [(each.line, each.text) for each in scan_blocks(lines).headings] == [(5, "Heading")]


def test_comments_and_raw_text_are_opaque_but_not_whole():
    lines = ["<!-- a", "# no", "-->", "", "<pre>", "# no", "", "</pre>", "<div>", "text", "", "# yes"]
    found = scan_blocks(lines)
    assert found.opaque == [(1, 3), (5, 8)]
    assert found.whole == []
    assert [each.line for each in found.headings] == [12]


def test_reading_may_start_below():
    lines = ["---", "title: a: b", "---", "# yes"]
    assert [each.line for each in scan_blocks(lines, 4).headings] == [4]
