"""What the arms see of a chunk."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest
from hmem import represent
from hmem.represent import VectorPart, embed_key, file_stem
from hmem.text import count_terms
from hmem.types import Chunk, Definition, DefinitionKind, Document, Kind
from hypothesis import given
from hypothesis import strategies as st

CODE = Document(
    path="billing/core/pool_manager.py",
    kind=Kind.CODE,
    lang="python",
    title="pool_manager.py",
    text="class Pool:\n    def acquire(self):\n        return 1\n",
)
METHOD = Chunk(
    start_line=2,
    end_line=3,
    text="    def acquire(self):\n        return 1\n",
    scopes=("Pool",),
    definitions=(
        Definition(2, 4, "acquire", DefinitionKind.FUNCTION),
        Definition(3, 4, "acquire", DefinitionKind.FUNCTION),
        Definition(3, 0, "Elsewhere", DefinitionKind.SCOPE),
    ),
)
NOTE = Document(
    path="wiki/ops/exhausted.md",
    kind=Kind.WIKI,
    lang="markdown",
    title="Pool exhaustion",
    text="# Pool exhaustion\n\nRestart.\n",
)
SECTION = Chunk(start_line=1, end_line=3, text="Restart the workers.\n", heading=("Pool exhaustion", "Remedies"))


def times(count: int, text: str) -> Counter[str]:
    return Counter({term: count * number for term, number in count_terms(text).items()})


def test_terms_of_code_repeat_its_header() -> None:
    expected = times(1, METHOD.text) + times(3, "pool_manager") + times(2, "billing core") + times(2, "Pool acquire")

    assert represent.chunk_terms(CODE, METHOD) == expected + times(3, "acquire")


def test_terms_of_prose_repeat_title_and_headings() -> None:
    expected = times(1, SECTION.text) + times(3, "Pool exhaustion") + times(2, "Remedies")

    assert represent.chunk_terms(NOTE, SECTION) == expected + times(1, "exhausted wiki ops")


def test_pairs_of_prose_include_the_title() -> None:
    assert represent.chunk_pairs(NOTE, SECTION) == {"restart worker": 1, "pool exhaust": 1}
    assert represent.chunk_pairs(CODE, METHOD) == {}


def test_document_terms_are_the_body_alone() -> None:
    assert represent.document_terms(NOTE) == count_terms(NOTE.text)


def test_a_long_document_is_read_in_blocks() -> None:
    lines = "".join(f"line number{number} of café_pools\n" for number in range(5000))
    text = lines + "one_overlong_line " * 10_000

    for whole in (lines, text):
        document = Document(path="x.md", kind=Kind.NOTE, lang="markdown", title="", text=whole)
        assert len(whole) > 1 << 17
        assert represent.document_terms(document) == count_terms(whole)


def test_vector_parts_of_code() -> None:
    deep = Document(path="a/b/c/d/pool.py", kind=Kind.CODE, lang="python", title="pool.py", text="")

    assert represent.vector_parts(CODE, METHOD) == (
        VectorPart(1.0, "def acquire self return 1"),
        VectorPart(0.5, "pool manager"),
        VectorPart(0.4, "billing core"),
        VectorPart(0.75, "pool acquire"),
    )
    assert represent.vector_parts(deep, Chunk(1, 1, "--- !!!\n")) == (VectorPart(0.5, "pool"), VectorPart(0.4, "b c d"))


def test_vector_parts_of_prose_name_title_and_headings_once() -> None:
    assert represent.vector_parts(NOTE, SECTION) == (
        VectorPart(1.0, "restart the workers"),
        VectorPart(0.5, "pool exhaustion remedies"),
    )


@pytest.mark.parametrize(
    ("path", "stem"),
    [
        ("pool.py", "pool"),
        ("src/pool.test.ts", "pool.test"),
        ("Makefile", "Makefile"),
        (".gitignore", ".gitignore"),
        (".config.toml", ".config"),
        ("pool/__init__.py", "pool"),
        ("a/pool/mod.rs", "pool"),
        ("web/button/index.tsx", "button"),
        ("cmd/serve/main.go", "serve"),
        ("src/lib.rs", "lib"),
        ("lib/index.js", "index"),
        ("src/main.c", "main"),
        ("index.md", "index"),
        ("indexing/x.md", "x"),
        ("", ""),
        ("a/", ""),
    ],
)
def test_file_stem(path: str, stem: str) -> None:
    assert file_stem(path) == stem


def test_directory_names() -> None:
    assert represent.directory_names("a/b//c.py") == ("a", "b")
    assert represent.directory_names("c.py") == ()


def test_paths_that_are_not_utf8_are_represented() -> None:
    document = Document(path="d\udcff/n\udcffame.py", kind=Kind.CODE, lang="python", title="", text="")

    assert represent.chunk_terms(document, Chunk(1, 1, "x"))["=ame"] == 3
    assert embed_key(represent.vector_parts(document, Chunk(1, 1, "x")), "model")


def test_embed_key_follows_the_vector_alone() -> None:
    parts = represent.vector_parts(NOTE, SECTION)
    key = embed_key(parts, "model")
    renamed = Document(path="elsewhere/x.md", kind=Kind.NOTE, lang="markdown", title=NOTE.title, text="other")
    moved = Chunk(start_line=90, end_line=91, text="restart  THE workers!", heading=("Remedies",))

    assert len(key) == 16
    assert embed_key(represent.vector_parts(renamed, moved), "model") == key
    assert embed_key(parts, "other model") != key
    assert embed_key(parts[:1], "model") != key
    assert embed_key((*parts[:1], VectorPart(0.4, parts[1].text)), "model") != key


@given(st.lists(st.tuples(st.floats(0.1, 2), st.text(max_size=3)), max_size=4, unique=True))
def test_different_parts_have_different_keys(found: list[tuple[float, str]]) -> None:
    """Where one part ends and the next begins matters."""
    parts = [VectorPart(weight, text) for weight, text in found]
    keys = {embed_key(parts[:end], "model") for end in range(len(parts) + 1)}

    assert len(keys) == len(parts) + 1
    assert embed_key([VectorPart(1.0, "ab"), VectorPart(1.0, "c")], "") != embed_key(
        [VectorPart(1.0, "a"), VectorPart(1.0, "bc")], ""
    )


documents = st.builds(
    Document,
    path=st.sampled_from(["a/b/pool_test.py", "index.md", "x/index.html", "notes/2024-01-15.md"]),
    kind=st.sampled_from(Kind),
    lang=st.just(""),
    title=st.text(max_size=12),
    text=st.text("aB1_.-'連é \n", max_size=60),
)


@given(documents, st.sets(st.integers(1, 59), max_size=4), st.lists(st.text(max_size=5), max_size=2))
def test_one_reading_says_what_the_functions_say(document: Document, cuts: set[int], names: list[str]) -> None:
    """Wherever the text is cut, within a line or at its end."""
    bounds = [0, *sorted(cut for cut in cuts if cut < len(document.text)), len(document.text)]
    chunks = [
        Chunk(1, 1, document.text[start:end], heading=tuple(names), scopes=tuple(names))
        for start, end in pairwise(bounds)
    ]
    view = represent.represent(document, chunks)

    assert view.terms == represent.document_terms(document)
    assert len(view.chunks) == len(chunks)
    for chunk, seen in zip(chunks, view.chunks, strict=True):
        assert seen.terms == represent.chunk_terms(document, chunk)
        assert seen.pairs == represent.chunk_pairs(document, chunk)
        assert seen.vector_parts == represent.vector_parts(document, chunk)
