"""Cuts in code: where they fall, what a chunk knows of its surroundings, and what holds for any text."""

import time

import pytest
from hmem.chunk.code import LIMIT, MOST_LINES, SMALL, STRETCH, chunk_code
from hmem.parse.code import definitions_in
from hmem.types import Document, Kind
from hypothesis import given, settings
from hypothesis import strategies as st


def document(text, lang="python", fences=()):
    found = definitions_in(text, lang)
    return Document("a", Kind.CODE, lang, "a", text, fences=fences, definitions=found)


def function(name, size, indent=0, above=""):
    """A Python function of about `size` characters, with lines `above` it."""
    margin = " " * indent
    head = "".join(f"{margin}{line}\n" for line in above.splitlines()) + f"{margin}def {name}(x):\n"
    line = f"{margin}    x = x + 1  # another step on the way\n"
    return head + line * max(1, (size - len(head)) // len(line))


def checked(page):
    """The chunks of `page`, after checking what holds for every document."""
    chunks = chunk_code(page)
    assert "".join(each.text for each in chunks) == page.text
    line = 1
    for each in chunks:
        assert each.text
        assert len(each.text) <= STRETCH
        assert each.start_line == line
        assert each.end_line == line + each.text[:-1].count("\n")
        assert all(each.start_line <= found.line <= each.end_line for found in each.definitions)
        line += each.text.count("\n")
    assert tuple(found for each in chunks for found in each.definitions) == page.definitions
    return chunks


def first_lines(chunks):
    return [each.text.split("\n", 1)[0] for each in chunks]


def test_nothing_has_no_chunks():
    assert chunk_code(document("")) == ()


@pytest.mark.parametrize("text", ["\n", "x", "x\n", "\n\n\n", "def f():\n    pass\n"])
def test_a_small_text_is_one_chunk(text):
    (only,) = checked(document(text))
    assert only.text == text
    assert only.start_line == 1


def test_cuts_fall_at_definitions():
    text = "\n".join(function(f"f{n}", 700) for n in range(6))
    chunks = checked(document(text))
    assert len(chunks) == 3
    assert first_lines(chunks) == ["def f0(x):", "def f2(x):", "def f4(x):"]
    assert [[found.name for found in each.definitions] for each in chunks] == [["f0", "f1"], ["f2", "f3"], ["f4", "f5"]]


@pytest.mark.parametrize(
    ("lang", "above", "opening", "closing"),
    [
        ("python", "# why it is so", "def {}(x):", ""),
        ("python", "@cached\n@checked(1)", "def {}(x):", ""),
        ("java", "/**\n * What it does.\n\n   Freely set.\n */\n@Override", "public int {}(int x) {{", "}"),
        ("rust", "/// What it does.\n#[inline]", "pub fn {}(x: u8) {{", "}"),
        ("csharp", "[Obsolete]", "public int {}(int x) {{", "}"),
        ("cpp", "// What it does.\ntemplate <typename T>", "void {}(T x) {{", "}"),
        ("haskell", "{- | What\n   it does. -}", "{} :: Int -> Int", ""),
        ("elixir", '@doc """\nWhat it does.\n"""\n@spec x', "def {}(x) do", "end"),
        ("julia", '"""\n    f(x)\n\nWhat it does.\n"""', "function {}(x)", "end"),
        ("lua", "--- What it does.\n-- @param x", "local function {}(x)", "end"),
    ],
)
def test_what_stands_above_a_definition_stays_with_it(lang, above, opening, closing):
    body = "    x = x + 1\n" * 40
    parts = [f"{above}\n{opening.format(f'name{n}')}\n{body}{closing}\n" for n in range(8)]
    chunks = checked(document("".join(parts), lang))
    assert len(chunks) > 2
    assert set(first_lines(chunks)) == {above.split("\n")[0]}


def test_a_docstring_is_not_taken_for_a_comment_on_the_next_method():
    methods = "".join(f"    def m{n}(self):\n" + "        x = 1\n" * 45 for n in range(4))
    page = document(f'class A:\n    """Some\n    words.\n    """\n{methods}')
    assert checked(page)[0].text.startswith("class A")
    assert not any(line.strip().startswith('"""') for line in first_lines(checked(page)))


@pytest.mark.parametrize("size", [SMALL + 50, 900, 1_200, 1_450, 1_600, 1_900])
@pytest.mark.parametrize("before", [0, 40, 250, 320, 800, 1_300])
def test_a_definition_that_fits_is_not_split(before, size):
    prelude = "import a_module_with_a_name\n" * (before // 28)
    text = prelude + function("kept", size) + function("other", 3_000)
    assert len(function("kept", size)) <= STRETCH
    (home,) = [each for each in checked(document(text)) if "def kept" in each.text]
    assert function("kept", size) in home.text


def test_a_class_that_fits_is_not_split_and_one_that_does_not_is_cut_between_methods():
    small = "class Small:\n" + function("a", 600, 4) + function("b", 600, 4)
    large = "class Large:\n" + "".join(function(name, 900, 4, "@property") for name in "cdef")
    chunks = checked(document("x = 1\n" * 60 + small + large))
    assert any(small in each.text for each in chunks)
    assert first_lines(chunks)[-3:] == ["    @property"] * 3


def test_braces_and_clauses_belong_to_what_they_close():
    body = "    counter += step;\n" * 30
    text = "".join(
        f"int f{n}(int x)\n{{\n#if FAST\n{body}#else\n    slow();\n#endif\nout:\n    return x;\n}}\n\n"
        for n in range(9)
    )
    chunks = checked(document(text, "c"))
    assert len(chunks) > 3
    assert all(each.text.startswith("int f") and each.text.rstrip().endswith("}") for each in chunks)


def test_equations_stay_with_their_signature():
    equations = "".join(f'render (Node{n} x) = text "a node of this kind" <> x\n' for n in range(25))
    text = (
        "size :: Int\nsize = 1\n" * 20 + "render :: Node -> Doc\n" + equations + "rendered :: Int\nrendered = 2\n" * 30
    )
    assert 1_000 < len(equations) < LIMIT
    (home,) = [each for each in checked(document(text, "haskell")) if "render ::" in each.text]
    assert equations in home.text


def test_fences_stay_whole():
    block = "row of the table\n" * 60
    page = document("words\n\n" * 200 + block + "words\n\n" * 200, "text", fences=((401, 460),))
    assert any(block in each.text for each in checked(page))


def test_without_definitions_blank_lines_and_margins_decide():
    text = "".join(f"[part{n}]\n" + f"    key{n} = value\n" * 30 + "\n" for n in range(12))
    chunks = checked(document(text, "ini"))
    assert len(chunks) > 3
    assert all(line.startswith("[part") for line in first_lines(chunks))


def test_a_tiny_rest_joins_the_chunk_before():
    text = function("f", 1_480) + "done = 1\n"
    text += "# the end\n" * ((LIMIT + 10 - len(text)) // 10)
    assert LIMIT < len(text) < STRETCH
    assert len(checked(document(text))) == 1


def test_a_tiny_prelude_joins_a_definition_that_fits_with_it():
    text = "import a\n\n" + function("f", 1_490) + function("g", 1_490)
    chunks = checked(document(text))
    assert first_lines(chunks) == ["import a", "def g(x):"]


@pytest.mark.parametrize("long", ["x" * 4_000, "word " * 800, "a;" * 2_000, "é中" * 2_000])
def test_a_line_beyond_the_limit_is_cut_into_pieces_with_its_number(long):
    chunks = checked(document(f"first\n{long}\nlast\n", "text"))
    pieces = [each for each in chunks if each.start_line <= 2 <= each.end_line]
    assert len(pieces) >= 3
    assert all(len(each.text) <= STRETCH for each in pieces)
    if " " in long:
        assert all(each.text.endswith((" ", "\n")) for each in pieces)


def test_a_line_in_pieces_defines_once():
    text = "def f(): pass;" + " x = 1;" * 40 + "\n" + "y" * 3_000 + "\n"
    assert [found.name for each in checked(document(text)) for found in each.definitions] == ["f"]


def test_scopes_are_what_encloses_the_first_line():
    text = (
        "class Outer:\n    class Inner:\n" + function("method", 5_000, 8) + function("after", 700, 4) + "x = 1\n" * 300
    )
    chunks = checked(document(text))
    assert chunks[0].scopes == ()
    assert chunks[0].symbol == "Outer"
    middle = [
        each for each in chunks[1:] if "class" not in each.text and "def" not in each.text and "x = x" in each.text
    ]
    assert len(middle) >= 2
    assert {each.scopes for each in middle} == {("Outer", "Inner", "method")}
    assert {each.symbol for each in middle} == {"Outer.Inner.method"}
    assert chunks[-1].scopes == ()


def test_scopes_of_a_definition_do_not_name_it():
    text = "class A:\n" + "".join(function(name, 1_400, 4, "# above") for name in "fgh")
    later = checked(document(text))[1:]
    assert [each.scopes for each in later] == [("A",)] * len(later)
    assert [each.symbol for each in later] == ["A.g", "A.h"]


def test_scopes_look_past_preprocessor_lines_and_strings():
    inside = "    step();\n" * 140
    text = f"int run(void) {{\n{inside}#ifdef X\n{inside}#endif\n{inside}}}\n"
    assert {each.scopes for each in checked(document(text, "c"))[1:]} == {("run",)}
    text = 'def sql():\n    return """\n' + "select * from everything_there_is\n" * 120 + '"""\n'
    assert {each.scopes for each in checked(document(text))[1:]} == {("sql",)}


def test_scopes_name_the_table_and_the_equations_around():
    rows = '    {"get", 1, true},\n' * 200
    chunks = checked(document(f"static struct command table[] = {{\n{rows}}};\n", "c"))
    assert [each.scopes for each in chunks[1:]] == [("table",)] * (len(chunks) - 1)
    equations = "render :: Node -> Doc\n" + 'render (Node x) = text "a node of this kind" <> x\n' * 80
    chunks = checked(document(equations, "haskell"))
    assert [each.scopes for each in chunks[1:]] == [("render",)] * (len(chunks) - 1)


def test_texts_of_very_many_lines_are_cut_by_size():
    page = document("1\n" * (MOST_LINES + 1), "csv")
    chunks = checked(page)
    assert all(len(each.text) <= LIMIT for each in chunks)
    assert chunks[-1].end_line == MOST_LINES + 1


# --- any text ---------------------------------------------------------------------------------------------------------

LINES = st.sampled_from(
    [
        "", "", "x = 1", "def f(x):", "class A:", "    def g(self):", "        y = 2", '"""', "'''", "# c", "@d",
        "}", ")", "/*", "*/", "// c", "int h(int x) {", "struct s {", "#if X", "\tz", "  ", "module m", "end", "`",
        "f x = 1", "w" * 700, "w " * 900, "\r", "\f", "\ud800", "é",
    ]
)  # fmt: skip
TEXTS = st.lists(st.tuples(LINES, st.integers(1, 40)), max_size=60).map(
    lambda parts: "\n".join(line for line, times in parts for _ in range(times))
)
LANGS = st.sampled_from(["python", "c", "cpp", "javascript", "haskell", "ruby", "go", "json", "text", ""])


@settings(deadline=None, max_examples=200)
@given(TEXTS, LANGS)
def test_chunks_cover_any_text(text, lang):
    checked(document(text, lang))


@settings(deadline=None, max_examples=100)
@given(st.text(max_size=4_000), LANGS)
def test_chunks_cover_any_characters(text, lang):
    checked(document(text, lang))


@settings(deadline=None, max_examples=100)
@given(st.lists(st.tuples(st.integers(60, 2_400), st.sampled_from([0, 0, 4]), st.sampled_from(["", "# c", "@d"]))))
def test_no_definition_that_fits_is_split(functions):
    text = "class A:\n    x = 1\n" + "".join(function(f"f{n}", *each) for n, each in enumerate(functions))
    page = document(text)
    begins = {each.start_line for each in checked(page)}
    lines = text.split("\n")
    found = [each for each in page.definitions if each.name.startswith("f")]
    for number, each in enumerate(found):
        start = each.line - bool(functions[number][2])
        end = each.line + 1
        while end < len(lines) and lines[end].startswith(" " * (each.indent + 1)):
            end += 1
        if len("\n".join(lines[start - 1 : end])) < STRETCH:
            assert not begins & set(range(start + 1, end + 1))


@pytest.mark.parametrize("lang", ["python", "c", "haskell", "json"])
@pytest.mark.parametrize("line", ["", "x", "    x", "def f():", "/*", '"""', "# c", "{", "int f(int x) {", "f :: Int"])
def test_time_is_linear(lang, line):
    page = document(f"{line}\n" * 20_000, lang)
    began = time.process_time()
    chunk_code(page)
    assert time.process_time() - began < 2  # quadratic: minutes


def test_the_symbol_of_a_sibling_does_not_lie_in_the_scope_that_has_ended():
    text = "class Outer:\n    class Inner:\n" + function("method", 3_200, 8) + function("after", 300, 4)
    last = checked(document(text))[-1]
    assert last.scopes == ("Outer", "Inner", "method")
    assert [found.name for found in last.definitions] == ["after"]
    assert last.symbol == "Outer.after"
