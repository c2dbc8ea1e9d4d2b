"""The encoder: a text's vector is the normalised weighted mean of its tokens' rows.

Reads model2vec folders with safetensors and tokenizers only: importing model2vec would cost more than a whole
search.
"""

from __future__ import annotations

import math
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from hmem.embed.folder import BUILT_IN, Arrays, ModelFiles, find_files, fingerprint, read_arrays
from hmem.embed.sources import resolve
from hmem.embed.tokens import TokenReader
from hmem.errors import ModelError
from hmem.preparation import vector_versions

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

# Texts tokenised at a time, and token rows summed at a time: both bound memory, not results.
_BATCH = 512
_ROWS = 4096


class Encoder:
    """A loaded model. Deterministic: a text's vector does not depend on the texts encoded with it.

    Safe to share between threads. Attributes: `fingerprint` (32 hex digits over weights, tokenizer and text
    preparation), `dimensions`, `name` (as asked for, or `built-in`), `vocabulary_size`.
    """

    def __init__(self, arrays: Arrays, reader: TokenReader, *, fingerprint: str, name: str) -> None:
        self._table = arrays.table
        self._weights = arrays.weights
        self._mapping = arrays.mapping
        self._reader = reader
        self.fingerprint = fingerprint
        self.name = name
        self.dimensions = int(arrays.table.shape[1])
        self.vocabulary_size = reader.vocabulary_size

    def encode(self, texts: Sequence[str], *, damped: bool = False) -> NDArray[np.float32]:
        """Return one row per text, shape (len(texts), dimensions), float32.

        A row has unit length, or is all zero if the model knows no word of the text. Texts are read to their end,
        whatever their length; the caller has prepared them (`hmem.text.model_words`). `damped`: a token that occurs n
        times counts sqrt(n) times, which keeps the commonest words of a passage from being all of it (nDCG@10 of the
        vectors alone: +.03 on cosqa-dev, +.04 on anthropic-codebase-chunks, -.008 to +.016 on prose).
        """
        out = np.zeros((len(texts), self.dimensions), np.float32)
        for start in range(0, len(texts), _BATCH):
            batch = self._reader.read(texts[start : start + _BATCH])
            for row, ids in enumerate(batch, start):
                if ids:
                    out[row] = self._damped_sum(ids) if damped else self._sum(np.array(ids, np.int64))
        return normalised(out)

    def encode_words(self, words: Sequence[str], weights: Sequence[float]) -> NDArray[np.float32]:
        """Return the damped vector (dimensions,) of a text whose `words` count by their `weights` (>= 0), one each.

        With equal weights it is the row of `encode`; zero if the model knows none of the words.
        """
        heaviest: dict[int, float] = {}
        counts: Counter[int] = Counter()
        for ids, weight in zip(self._reader.read(list(words)), weights, strict=True):
            counts.update(ids)
            heaviest.update((token, max(weight, heaviest.get(token, 0.0))) for token in ids)
        tokens = np.array(sorted(counts), np.int64)
        factors = np.array([heaviest[token] * math.sqrt(counts[token]) for token in tokens.tolist()], np.float32)
        vector: NDArray[np.float32] = normalised(self._sum(tokens, factors)[None, :])[0]
        return vector

    def _damped_sum(self, ids: Sequence[int]) -> NDArray[np.float32]:
        tokens, counts = np.unique(np.array(ids, np.int64), return_counts=True)
        return self._sum(tokens, np.sqrt(counts, dtype=np.float32))

    def _sum(self, ids: NDArray[np.int64], factors: NDArray[np.float32] | None = None) -> NDArray[np.float32]:
        """Return the sum of the rows of `ids`, weighed by the model and by `factors`, 1 without any.

        The mean differs from it by a factor that normalising removes.
        """
        total = np.zeros(self.dimensions, np.float32)
        for start in range(0, len(ids), _ROWS):
            part = ids[start : start + _ROWS]
            rows = self._table[part if self._mapping is None else self._mapping[part]].astype(np.float32)
            weights = np.ones(len(part), np.float32) if factors is None else factors[start : start + _ROWS]
            total += (weights if self._weights is None else weights * self._weights[part]) @ rows
        return total


def normalised(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return `vectors` (n, d) with every row at unit length; rows too short or not finite become zero."""
    with np.errstate(over="ignore", invalid="ignore"):
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        usable = np.isfinite(lengths) & (lengths > 1e-12)
        scaled: NDArray[np.float32] = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=usable)
    return scaled


def load_encoder(name_or_path: str | None = None) -> Encoder:
    """Load a model from disk: the built-in one for None or `built-in`, else a model2vec folder, or a model from the
    hub (OWNER/NAME) that was downloaded before.

    Never touches the network. ModelError if there is no such folder or its files cannot be used.
    """
    folder = resolve(name_or_path)
    files = find_files(folder)
    return _loaded(folder, files, _state(files), vector_versions(), name_or_path or BUILT_IN)


def _state(files: ModelFiles) -> tuple[tuple[int, ...], ...]:
    """Return what changes with the content of the files."""
    try:
        states = [path.stat() for path in (files.weights, files.tokenizer)]
    except OSError as error:
        raise ModelError(f"cannot read the model: {error.strerror}: `{error.filename}`") from error
    return tuple((state.st_ino, state.st_size, state.st_mtime_ns) for state in states)


@lru_cache(maxsize=1)
def _loaded(
    folder: Path, files: ModelFiles, state: tuple[tuple[int, ...], ...], versions: tuple[int, ...], name: str
) -> Encoder:
    """Load the model, once as long as its files stay; a server's children get it loaded."""
    arrays = read_arrays(files)
    reader = TokenReader(files.tokenizer)
    known = len(arrays.table if arrays.mapping is None else arrays.mapping)
    if reader.vocabulary_size > known or (arrays.weights is not None and len(arrays.weights) < known):
        raise ModelError(
            f"the model's tokenizer and weights do not fit: {reader.vocabulary_size} tokens, {known} rows: `{folder}`"
        )
    return Encoder(arrays, reader, fingerprint=fingerprint(files, versions), name=name)
