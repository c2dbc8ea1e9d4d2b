"""Small documents for tests of the store: made by hand, so that only the store is under test."""

from __future__ import annotations

import hashlib
from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np
from hmem.prepare import PreparedChunk, PreparedDocument, chunk_id, content_hash
from hmem.store import Store
from hmem.store.rows import Collection
from hmem.types import Chunk, Definition, DefinitionKind, Document, FileState, Kind

DIMENSIONS = 8
MODEL = "model-a"


def embed_key(text: str, model: str = MODEL) -> bytes:
    return hashlib.blake2b(f"{model}\0{text}".encode(), digest_size=16).digest()


def vector(text: str) -> np.ndarray | None:
    """A unit vector that depends on the text alone; none for a text of the word `unknown`."""
    if text.strip() == "unknown":
        return None
    seed = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")
    values = np.random.default_rng(seed).normal(size=DIMENSIONS).astype(np.float32)
    return values / np.linalg.norm(values)


def prepared(path: str, *texts: str, collection: str = "notes", **fields: object) -> PreparedDocument:
    """A document whose chunks are `texts`, one line each; its terms are their words."""
    lines = [f"{text}\n" for text in texts]
    document = Document(
        path=path, kind=Kind.NOTE, lang="markdown", title=path, text="".join(lines), **{"metadata": {}, **fields}
    )
    chunks = []
    for number, line in enumerate(lines, 1):
        definitions = tuple(
            Definition(number, 0, word, DefinitionKind.FUNCTION) for word in line.split() if word.startswith("def_")
        )
        symbol = definitions[0].name if definitions else None
        chunk = Chunk(number, number, line, ("Top", path), (), definitions, symbol)
        words = line.split()
        occurrence = lines[: number - 1].count(line)
        chunks.append(
            PreparedChunk(
                chunk=chunk,
                chunk_id=chunk_id(collection, path, line, occurrence),
                terms=Counter(words),
                pairs=Counter(f"{a} {b}" for a, b in pairwise(words)),
                vector_parts=(),
            )
        )
    data = document.text.encode("utf-8", "surrogatepass")
    return PreparedDocument(document, content_hash(data), tuple(chunks), Counter(document.text.split()))


def state(path: str, version: int = 1) -> FileState:
    return FileState(path, 10 * version, 1_000_000_007 * version, 77)


def register(writer, name: str = "notes", root: str = "/somewhere") -> int:
    found = writer.catalog.collection(name)
    return found.id if found else writer.put_collection(Collection(name, Path(root)))


def add(
    writer, path: str, *texts: str, collection: str = "notes", version: int = 1, model: str = MODEL, **fields
) -> int:
    document = prepared(path, *texts, collection=collection, **fields)
    lines = [chunk.chunk.text for chunk in document.chunks]
    return writer.add_document(
        register(writer, collection),
        state(path, version),
        document,
        False,
        vectors=[vector(line) for line in lines],
        embed_keys=[embed_key(line, model) for line in lines],
    )


def build(directory: Path, documents: dict[str, tuple[str, ...]]) -> Store:
    """A store of one commit."""
    store = Store.open(directory, create=True)
    with store.writer(model=MODEL) as writer:
        for path, texts in documents.items():
            add(writer, path, *texts)
        writer.commit()
    return store


def contents(store: Store, *, postings: bool = True, vectors: bool = True) -> dict[str, tuple[str, ...]]:
    """What a store holds, read back through every layer: catalog, positions, postings of each index, vectors.

    Without `postings` or `vectors` these are not looked at: repaired postings hold the terms of the text analysis, and
    of real files neither are those of the samples.
    """
    with store.snapshot() as snapshot:
        catalog = snapshot.catalog
        documents = catalog.documents()
        found = {row.path: tuple(chunk.text[:-1] for chunk in catalog.chunks_of(row.id)) for row in documents.values()}
        live = snapshot.keys[snapshot.live]
        rows = catalog.chunks(live.tolist())
        assert len(rows) == len(live) == sum(map(len, found.values()))
        assert (np.diff(snapshot.keys) > 0).all()
        assert (np.diff(snapshot.document_keys) > 0).all()
        assert sorted({row.document for row in rows.values()}) == sorted(snapshot.document_keys[snapshot.document_live])
        assert [rows[key].document for key in live.tolist()] == snapshot.documents[snapshot.live].tolist()
        if postings:
            _check_postings(snapshot, "chunks", snapshot.live, [rows[key].text for key in live.tolist()])
            whole = [catalog.text(key) for key in snapshot.document_keys[snapshot.document_live].tolist()]
            _check_postings(snapshot, "documents", snapshot.document_live, whole)
        if vectors:
            _check_vectors(snapshot, rows)
    return found


def postings_of(segment, field: str = "terms"):
    """Yield every term of a lexical segment with its documents and frequencies."""
    whole = segment.inverted(field)
    for number, term in enumerate(whole.terms):
        span = slice(whole.starts[number], whole.starts[number + 1])
        yield term.decode(), whole.docs[span].astype(int), whole.tfs[span]


def _check_postings(snapshot, name: str, live: np.ndarray, texts: list[str]) -> None:
    expected: dict[str, dict[int, int]] = {}
    for position, text in zip(np.flatnonzero(live).tolist(), texts, strict=True):
        for word, count in Counter(text.split()).items():
            expected.setdefault(word, {})[position] = count
    found: dict[str, dict[int, int]] = {}
    begin = 0
    for segment in snapshot.lexical(name):
        for word, numbers, counts in postings_of(segment):
            at = found.setdefault(word, {})
            at.update(zip((numbers + begin).tolist(), counts.astype(int).tolist(), strict=True))
        begin += segment.n
    assert begin == len(live)
    alive = {word: {p: n for p, n in at.items() if live[p]} for word, at in found.items()}
    assert {word: at for word, at in alive.items() if at} == expected


def _check_vectors(snapshot, rows) -> None:
    found = {}
    for segment, positions in zip(snapshot.dense(MODEL), snapshot.dense_positions(), strict=True):
        assert snapshot.keys[positions].tolist() == segment.keys.tolist()
        found.update(zip(segment.keys.tolist(), np.array(segment.vectors), strict=True))
    for key, row in rows.items():
        expected = vector(row.text)
        assert (key in found) == (expected is not None) == bool(row.embed_key)
        if expected is not None:
            np.testing.assert_allclose(found[key], expected, atol=1e-6)
