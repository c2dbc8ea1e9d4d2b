"""Corpora for tests of postings and scores, and what stock Whoosh makes of them and reads from an index."""

from __future__ import annotations

import gzip
import json
import os
import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from whoosh import fields, formats, index, query, scoring
from whoosh.analysis import IDTokenizer

Documents = list[dict[str, int]]


def corpus(documents: int, *, words: int = 300, seed: int = 0) -> Documents:
    """Documents of 0 to 60 tokens whose words are as unequally frequent as in a language."""
    draw = random.Random(seed)
    vocabulary = [f"w{number}" for number in range(words)]
    weights = [1 / (rank + 1) for rank in range(words)]
    return [dict(Counter(draw.choices(vocabulary, weights, k=draw.randrange(60)))) for _ in range(documents)]


def widths() -> dict[str, Documents]:
    """Two fields that take every width of the format: near and far documents, small and huge frequencies."""
    draw = random.Random(5)
    documents: Documents = [{} for _ in range(70_000)]
    for number in range(0, 2_000, 3):
        documents[number]["near"] = 1
        documents[number]["near often"] = 2
        documents[number]["near unequal"] = draw.randrange(1, 256)
        documents[number]["near huge"] = draw.randrange(1, 70_000)
        documents[number]["near 255"] = 254 + number % 2
        documents[number]["near 256"] = 255 + number % 2
    for number in range(0, 70_000, 700):
        documents[number]["far"] = draw.randrange(1, 5)
    for number in range(0, 70_000, 7_000):
        documents[number]["few and far"] = 300
    for number in (*range(25), 69_999):
        documents[number]["very far"] = 1
    for number in (0, 69_999):
        documents[number]["two very far"] = 3
    for delta in (255, 256, 65_535, 65_536):
        for number in (*range(25), 24 + delta):
            if number < 70_000:
                documents[number][f"then {delta}"] = 1
    for number, length in ((60_001, 106_373), (60_002, 106_374), (60_003, 200_000)):
        documents[number]["long"] = length  # about the last length that Whoosh tells apart
    documents[17] |= {"once": 1, "once, huge": 99_999, "": 1, "nul\0": 2, "ünï cödé 漢字 🦄": 3, "x" * 5_000: 1}
    for count in range(1, 6):
        for number in range(count):
            documents[1_000 * number][f"in {count}"] = number + 1
    pairs: Documents = [{} for _ in range(70_000)]
    pairs[69_999] = {"only here": 7}
    return {"terms": documents, "pairs": pairs}


class Counted(fields.FieldType):
    """A field whose value is a mapping from term to frequency; not a stock class, so only for the stock writer."""

    def __init__(self) -> None:
        super().__init__(formats.Existence(), IDTokenizer(), scorable=True)

    def index(self, value: Mapping[str, int], **options: Any) -> Iterator[tuple[bytes, int, int, bytes]]:
        for term, count in value.items():
            yield term.encode(), count, count, b""


def write_stock(directory: Path, documents: Mapping[str, Documents]) -> None:
    """Write the documents as anybody would with Whoosh."""
    whole = index.create_in(str(directory), fields.Schema(**{name: Counted() for name in documents}))
    writer = whole.writer(compound=False)
    for row in zip(*documents.values(), strict=True):
        writer.add_document(**dict(zip(documents, row, strict=True)))
    writer.commit(merge=False)


def described(directory: Path) -> dict[object, object]:
    """Return all that Whoosh's own reader tells of an index: every posting, term and length."""
    found: dict[object, object] = {}
    with index.open_dir(str(directory)).reader() as reader:
        found["documents"] = reader.doc_count_all(), reader.doc_count()
        found["terms"] = list(reader.all_terms())
        for name, term in reader.all_terms():
            info = reader.term_info(name, term)
            matcher = reader.postings(name, term)
            postings = []
            while matcher.is_active():
                postings.append((matcher.id(), float(matcher.weight())))
                matcher.next()
            found[name, term] = (
                postings,
                (info.weight(), info.doc_frequency(), info.max_weight(), info.min_id(), info.max_id()),
                (info.min_length(), info.max_length()),
                (reader.frequency(name, term), reader.doc_frequency(name, term)),
            )
        for name in reader.indexed_field_names():
            lengths = [reader.doc_field_length(number, name) for number in range(reader.doc_count_all())]
            found["lengths", name] = (
                lengths, reader.field_length(name), reader.min_field_length(name), reader.max_field_length(name)
            )  # fmt: skip
    return found


def found_by_whoosh(directory: Path, terms: list[list[str]], field: str) -> list[list[tuple[int, float]]]:
    """Return the hits of Whoosh's own searcher, the ten best and all, for each list of terms."""
    hits = []
    with index.open_dir(str(directory)).searcher(weighting=scoring.BM25F()) as searcher:
        for words in terms:
            wanted = query.Or([query.Term(field, word) for word in words])
            for limit in (10, None):
                results = searcher.search(wanted, limit=limit)
                hits.append([(hit.docnum, round(hit.score, 9)) for hit in results])
    return hits


def bench_corpus(name: str) -> tuple[Documents, list[Counter[str]]]:
    """Return a development set, tokenised by a bare expression; skips the test where there is none."""
    place = Path(os.environ.get("HMEM_BENCH_DATA", "/nowhere"), "text", name)
    if not place.is_dir():
        pytest.skip(f"no development set `{name}` (HMEM_BENCH_DATA)")
    documents = [counted(f"{line.get('title', '')} {line['text']}") for line in _lines(place / "corpus.jsonl.gz")]
    return [dict(document) for document in documents], [
        counted(line["text"]) for line in _lines(place / "queries.jsonl.gz")
    ]


def counted(text: str) -> Counter[str]:
    return Counter(re.findall(r"[a-z0-9]+", text.lower()))


def _lines(path: Path) -> Iterator[dict[str, str]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)
