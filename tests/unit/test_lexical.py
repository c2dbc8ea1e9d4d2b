"""Postings on disk: equal to what went in, and to what stock Whoosh writes, reads, searches and merges."""

from __future__ import annotations

import random
import resource
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hmem.errors import StoreDamagedError
from hmem.store import postings
from hmem.store.lexical import LexicalBuilder, LexicalSegment, merge_lexical, write_lexical
from hypothesis import given, settings
from hypothesis import strategies as st
from whoosh import index

from posting_samples import Documents, bench_corpus, corpus, described, found_by_whoosh, widths, write_stock


def write(directory: Path, fields: dict[str, Documents]) -> Path:
    directory.mkdir()
    write_lexical(directory, fields)
    return directory


def contents(segment: LexicalSegment, field: str) -> dict[str, list[tuple[int, float]]]:
    """All postings of a field, read at once."""
    whole = segment.inverted(field)
    return {
        term.decode("utf-8", "surrogatepass"): list(
            zip(whole.docs[start:end].tolist(), whole.tfs[start:end].tolist(), strict=True)
        )
        for term, (start, end) in zip(whole.terms, pairwise(whole.starts.tolist()), strict=True)
    }


def expected(documents: Documents) -> dict[str, list[tuple[int, float]]]:
    found: dict[str, list[tuple[int, float]]] = {}
    for number, document in enumerate(documents):
        for term, tf in document.items():
            found.setdefault(term, []).append((number, float(tf)))
    return dict(sorted(found.items(), key=lambda item: item[0].encode("utf-8", "surrogatepass")))


def check(segment: LexicalSegment, fields: dict[str, Documents]) -> None:
    """Compare a segment, read in both ways, with the documents that it should hold."""
    assert segment.fields == tuple(sorted(fields))
    for field, documents in fields.items():
        assert segment.n == len(documents)
        assert segment.lengths(field).tolist() == [sum(document.values()) for document in documents]
        wanted = expected(documents)
        assert contents(segment, field) == wanted
        for term, entries in wanted.items():
            docs, tfs = segment.postings(field, term) or pytest.fail(f"`{term}` is missing")
            assert docs.dtype == np.int32
            assert tfs.dtype == np.float32
            assert list(zip(docs.tolist(), tfs.tolist(), strict=True)) == entries
        assert segment.postings(field, "never written") is None


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The samples of every width, written in bulk, through Whoosh's codec and by stock Whoosh alone."""
    place = tmp_path_factory.mktemp("wide")
    fields = widths()
    found = {"bulk": write(place / "bulk", fields)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(postings, "BULK", False)
        found["codec"] = write(place / "codec", fields)
    found["stock"] = place / "stock"
    found["stock"].mkdir()
    write_stock(found["stock"], fields)
    return found


@pytest.mark.parametrize("writer", ["bulk", "codec"])
def test_every_width_is_read_as_written(wide: dict[str, Path], writer: str) -> None:
    with LexicalSegment.open(wide[writer]) as segment:
        check(segment, widths())


def test_an_index_of_stock_whoosh_is_read(wide: dict[str, Path], tmp_path: Path) -> None:
    directory = shutil.copytree(wide["stock"], tmp_path / "stock")
    shutil.copy(wide["bulk"] / "lengths", directory)
    with LexicalSegment.open(directory) as segment:
        check(segment, widths())


@pytest.mark.parametrize("writer", ["bulk", "codec"])
def test_whoosh_reads_the_same_as_from_its_own_index(wide: dict[str, Path], writer: str) -> None:
    assert described(wide[writer]) == described(wide["stock"])


def test_whoosh_finds_the_same_as_in_its_own_index(tmp_path: Path) -> None:
    fields = {"terms": corpus(1_500, words=2_000)}
    write(tmp_path / "bulk", fields)
    (tmp_path / "stock").mkdir()
    write_stock(tmp_path / "stock", fields)
    draw = random.Random(1)
    words = [f"w{number}" for number in range(2_000)]
    queries = [draw.choices(words[:40], k=3) + draw.choices(words, k=4) for _ in range(12)]
    assert found_by_whoosh(tmp_path / "bulk", queries, "terms") == found_by_whoosh(tmp_path / "stock", queries, "terms")


def test_whoosh_deletes_and_merges_as_in_its_own_index(tmp_path: Path) -> None:
    first = {"terms": corpus(600, seed=1), "pairs": corpus(600, words=2_000, seed=2)}
    second = {"terms": corpus(300, seed=3), "pairs": corpus(300, words=2_000, seed=4)}
    merged = []
    for writer in ("bulk", "stock"):
        place = tmp_path / writer
        place.mkdir()
        for name, fields in (("a", first), ("b", second)):
            if writer == "bulk":
                write(place / name, fields)
            else:
                (place / name).mkdir()
                write_stock(place / name, fields)
        whole = index.open_dir(str(place / "a")).writer()
        for number in range(0, 600, 3):
            whole.delete_document(number)
        with index.open_dir(str(place / "b")).reader() as other:
            whole.add_reader(other)
        whole.commit(optimize=True)
        merged.append(described(place / "a"))
    assert merged[0] == merged[1]
    assert merged[0]["documents"] == (700, 700)


def test_only_stock_classes_are_pickled_into_an_index(wide: dict[str, Path]) -> None:
    code = "import sys; sys.path = [p for p in sys.path if p]; from whoosh import index\n"
    code += "print(index.open_dir(sys.argv[1]).doc_count(), 'hmem' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code, wide["bulk"]], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["70000", "False"]


@pytest.mark.bench
def test_a_development_set_is_written_as_by_stock_whoosh(tmp_path: Path) -> None:
    documents, _ = bench_corpus("cacm")
    write(tmp_path / "bulk", {"terms": documents})
    (tmp_path / "stock").mkdir()
    write_stock(tmp_path / "stock", {"terms": documents})
    assert described(tmp_path / "bulk") == described(tmp_path / "stock")


terms = st.text(st.characters(exclude_categories=()), max_size=6)
documents = st.lists(st.dictionaries(terms, st.integers(1, 70_000), max_size=6), max_size=12)


@settings(max_examples=40, deadline=None)
@given(documents, st.randoms(use_true_random=False))
def test_any_text_is_a_term(tmp_path_factory: pytest.TempPathFactory, texts: Documents, draw: random.Random) -> None:
    others = draw.sample(texts, len(texts))
    directory = write(tmp_path_factory.mktemp("any") / "x", {"a": texts, "b": others})
    with LexicalSegment.open(directory) as segment:
        check(segment, {"a": texts, "b": others})


@settings(max_examples=40, deadline=None)
@given(st.lists(documents, min_size=1, max_size=4), st.data())
def test_a_merge_equals_writing_what_is_kept(
    tmp_path_factory: pytest.TempPathFactory, parts: list[Documents], data: st.DataObject
) -> None:
    place = tmp_path_factory.mktemp("merge")
    kept, sources = [], []
    for number, part in enumerate(parts):
        flags = data.draw(st.lists(st.booleans(), min_size=len(part), max_size=len(part)))
        kept += [document for document, keep in zip(part, flags, strict=True) if keep]
        segment = LexicalSegment.open(write(place / f"{number}", {"t": part}))
        sources.append((segment, np.flatnonzero(np.array(flags, bool))))
    (place / "merged").mkdir()
    merge_lexical(place / "merged", sources)
    assert tree(place / "merged") == tree(write(place / "whole", {"t": kept}))
    for segment, _ in sources:
        segment.close()


def test_a_merge_reads_blocks_of_the_stock_codec(wide: dict[str, Path], tmp_path: Path) -> None:
    numbers = np.arange(0, 70_000, 2)
    trees = []
    for writer in ("bulk", "codec"):
        (tmp_path / writer).mkdir()
        with LexicalSegment.open(wide[writer]) as segment:
            merge_lexical(tmp_path / writer, [(segment, numbers)])
        trees.append(tree(tmp_path / writer))
    assert trees[0] == trees[1]


def tree(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(directory.iterdir())}


def test_equal_documents_give_equal_bytes(tmp_path: Path) -> None:
    fields = {"b": corpus(200), "a": corpus(200, seed=1)}
    builder = LexicalBuilder(["a", "b"])
    for row in range(200):
        assert builder.add({"a": fields["a"][row], "b": fields["b"][row]}) == row
    (tmp_path / "built").mkdir()
    builder.write(tmp_path / "built")
    assert tree(tmp_path / "built") == tree(write(tmp_path / "written", fields))


def test_fields_of_unequal_length_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="zip"):
        write_lexical(tmp_path, {"a": [{}], "b": []})
    assert not list(tmp_path.iterdir())


def test_a_frequency_of_zero_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        write_lexical(tmp_path, {"a": [{"x": 0}]})
    assert not list(tmp_path.iterdir())


def test_a_field_that_does_not_exist_has_no_postings_but_no_lengths_either(tmp_path: Path) -> None:
    with LexicalSegment.open(write(tmp_path / "x", {"a": [{"x": 1}]})) as segment:
        assert segment.postings("b", "x") is None
        with pytest.raises(StoreDamagedError, match="no field `b`"):
            segment.lengths("b")


def test_lengths_cannot_be_changed(tmp_path: Path) -> None:
    with LexicalSegment.open(write(tmp_path / "x", {"a": [{"x": 1}]})) as segment:
        assert not segment.lengths("a").flags.writeable


def test_threads_share_a_segment(wide: dict[str, Path]) -> None:
    with LexicalSegment.open(wide["bulk"]) as segment, ThreadPoolExecutor(8) as pool:
        names = [*widths()["terms"][0]] * 40
        found = list(pool.map(lambda term: segment.postings("terms", term), names))
        for term, (docs, tfs) in zip(names, found, strict=True):
            assert docs.tolist() == segment.postings("terms", term)[0].tolist()
            assert (tfs > 0).all()


def test_reading_loads_no_whoosh(wide: dict[str, Path]) -> None:
    code = "import sys, pathlib; from hmem.store.lexical import LexicalSegment\n"
    code += "LexicalSegment.open(pathlib.Path(sys.argv[1])).postings('terms', 'near')\n"
    code += "print([name for name in sys.modules if name.split('.')[0] == 'whoosh'])"
    run = subprocess.run([sys.executable, "-c", code, wide["bulk"]], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


@pytest.fixture
def little_memory() -> Iterator[None]:
    """A damaged number may ask for any amount of memory: let it fail instead of taking it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + (1 << 30), hard))
    yield
    resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def read_all(directory: Path, names: dict[str, list[str]]) -> None:
    with LexicalSegment.open(directory) as segment:
        for field, words in names.items():
            segment.lengths(field)
            for word in words:
                segment.postings(field, word)
            segment.inverted(field)


@pytest.fixture(scope="module", params=[True, False], ids=["bulk", "codec"])
def small(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, dict[str, list[str]]]:
    fields = {"terms": corpus(400, words=60), "pairs": [{"a b": 300, f"p{n % 90}": 1} for n in range(400)]}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(postings, "BULK", request.param)
        directory = write(tmp_path_factory.mktemp("small") / "x", fields)
    return directory, {field: list(expected(documents)) for field, documents in fields.items()}


@pytest.mark.usefixtures("little_memory")
def test_a_short_or_missing_file_is_damage(small: tuple[Path, dict[str, list[str]]], tmp_path: Path) -> None:
    directory, names = small
    for path in directory.iterdir():
        if path.name.endswith((".toc", ".col")):
            continue  # Whoosh's own affair: not read here
        for size in (
            None,
            0,
            1,
            7,
            *(path.stat().st_size * part // 8 for part in range(1, 8)),
            path.stat().st_size - 1,
        ):
            copy = shutil.copytree(directory, tmp_path / "copy")
            if size is None:
                (copy / path.name).unlink()
            else:
                (copy / path.name).write_bytes(path.read_bytes()[:size])
            with pytest.raises(StoreDamagedError):
                read_all(copy, names)
            shutil.rmtree(copy)


@pytest.mark.usefixtures("little_memory")
def test_flipped_bits_are_damage_or_harmless(small: tuple[Path, dict[str, list[str]]], tmp_path: Path) -> None:
    directory, names = small
    draw = random.Random(7)
    copy = shutil.copytree(directory, tmp_path / "copy")
    damaged = 0
    for name in ("MAIN_0.trm", "MAIN_0.pst", "lengths"):
        whole = (directory / name).read_bytes()
        for _ in range(20):
            data = bytearray(whole)
            data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
            (copy / name).write_bytes(data)
            try:
                read_all(copy, names)
            except StoreDamagedError:
                damaged += 1
        (copy / name).write_bytes(whole)
    assert damaged > 10
    read_all(copy, names)


def test_a_pickle_names_no_class(small: tuple[Path, dict[str, list[str]]], tmp_path: Path) -> None:
    directory, names = small
    copy = shutil.copytree(directory, tmp_path / "copy")
    data = (copy / "MAIN_0.trm").read_bytes()
    (copy / "MAIN_0.trm").write_bytes(data.replace(b"fieldmap", b"cos\nabor"))
    with pytest.raises(StoreDamagedError):
        read_all(copy, names)
    shutil.rmtree(copy)


@settings(max_examples=20, deadline=None)
@given(documents, st.text(st.characters(exclude_categories=()), max_size=3), st.integers(0, 5))
def test_terms_are_found_by_their_beginning(
    tmp_path_factory: pytest.TempPathFactory, texts: Documents, prefix: str, limit: int
) -> None:
    directory = write(tmp_path_factory.mktemp("prefix") / "x", {"a": texts, "b": texts})
    wanted = {term for document in texts for term in document if term.startswith(prefix)}
    with LexicalSegment.open(directory) as segment:
        found = segment.terms_with("a", prefix, limit)
        assert found == sorted(wanted, key=lambda term: term.encode("utf-8", "surrogatepass"))[:limit]
        assert segment.terms_with("no such field", prefix, limit) == []
