"""Stores of the development sets, indexed once per corpus, versions and model, and kept in a cache folder."""

from __future__ import annotations

import hashlib
import json
import shutil
import sys
import time
from pathlib import Path

from corpora import Corpus
from hmem.config import Layer, Settings, Value, load
from hmem.embed import load_encoder
from hmem.indexer import IndexOptions
from hmem.library import KnowledgeBase
from hmem.preparation import document_versions
from hmem.store.schema import FORMAT


def settings_for(model: str | None) -> Settings:
    """Return the default settings with another model folder."""
    found = load({}, path=Path("/nonexistent"))
    return Settings({**found.values, "model": Value(model, Layer.DEFAULT, "flag")})


class Stores:
    """Opens the store of a corpus, indexing it if there is none for these versions and this model."""

    def __init__(self, cache: Path, model: str | None, *, fresh: bool = False) -> None:
        self._cache = cache
        self._settings = settings_for(model)
        versions = (*document_versions(), FORMAT, load_encoder(model).fingerprint)
        self._key = hashlib.blake2b(json.dumps(versions).encode(), digest_size=6).hexdigest()
        self._fresh = fresh

    def directory(self, corpus: Corpus) -> Path:
        return self._cache / f"{corpus.name}-{self._key}"

    def open(self, corpus: Corpus) -> KnowledgeBase:
        """Return the open store of `corpus`."""
        return self.open_all(corpus.name, [corpus])

    def open_all(self, name: str, corpora: list[Corpus]) -> KnowledgeBase:
        """Return one open store, called `name`, that holds every one of `corpora` as a collection."""
        directory = self._cache / f"{name}-{self._key}"
        done = directory / "indexed.json"
        if self._fresh or not done.exists():
            shutil.rmtree(directory, ignore_errors=True)
            start = time.perf_counter()
            chunks = 0
            with KnowledgeBase.open(directory, create=True, settings=self._settings) as memory:
                for corpus in corpora:
                    report = memory.index([self._tree(corpus)], IndexOptions(name=corpus.name, jobs=1, yes=True))
                    chunks += report.chunks
            seconds = time.perf_counter() - start
            done.write_text(json.dumps({"chunks": chunks, "seconds": seconds}))
            print(f"indexed {name}: {chunks} chunks in {seconds:.1f} s", file=sys.stderr, flush=True)
        return KnowledgeBase.open(directory, settings=self._settings)

    def _tree(self, corpus: Corpus) -> Path:
        place = self._cache / "trees" / corpus.name
        return place if place.exists() else corpus.prepare(place)
