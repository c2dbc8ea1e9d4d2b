"""Reads a model2vec folder: which files it consists of, its arrays and its fingerprint.

Three layouts are in use: model2vec's own, sentence-transformers' at the top, and sentence-transformers' with the
embedding in `0_StaticEmbedding/`.
"""

from __future__ import annotations

from dataclasses import dataclass
from mmap import ACCESS_READ, mmap
from typing import TYPE_CHECKING

import numpy as np
import xxhash
from safetensors import SafetensorError, safe_open

from hmem.errors import ModelError

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

BUILT_IN = "built-in"


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """Where the parts of a model lie; `key` names the embedding inside the weights file."""

    weights: Path
    tokenizer: Path
    key: str


@dataclass(frozen=True, slots=True)
class Arrays:
    """A model's arrays as stored.

    `table` (rows, dimensions) is of any float dtype or int8. `mapping` (tokens,), if there, gives each token's row;
    `weights` (tokens,) float32, if there, multiplies each token's row.
    """

    table: NDArray[np.generic]
    weights: NDArray[np.float32] | None
    mapping: NDArray[np.int64] | None


def find_files(folder: Path) -> ModelFiles:
    """Return the files of the model in `folder`; ModelError if it holds none."""
    nested = folder / "0_StaticEmbedding"
    layouts = (
        (folder / "config.json", ModelFiles(folder / "model.safetensors", folder / "tokenizer.json", "embeddings")),
        (
            folder / "config_sentence_transformers.json",
            ModelFiles(folder / "model.safetensors", folder / "tokenizer.json", "embedding.weight"),
        ),
        (
            folder / "config_sentence_transformers.json",
            ModelFiles(nested / "model.safetensors", nested / "tokenizer.json", "embedding.weight"),
        ),
    )
    for config, files in layouts:
        if config.is_file() and files.weights.is_file() and files.tokenizer.is_file():
            return files
    raise ModelError(
        f"not a model folder: `{folder}`",
        hint="a static model has config.json, model.safetensors and tokenizer.json (see model2vec)",
    )


def read_arrays(files: ModelFiles) -> Arrays:
    """Return the arrays of `files`; ModelError if they cannot be read or do not fit each other."""
    try:
        with safe_open(files.weights, framework="numpy") as opened:
            names = set(opened.keys())
            # A sentence-transformers export may use either key: take what is there.
            key = files.key if files.key in names else "embeddings"
            table = opened.get_tensor(key)
            weights = opened.get_tensor("weights") if "weights" in names else None
            mapping = opened.get_tensor("mapping") if "mapping" in names else None
    except (OSError, SafetensorError, TypeError, ValueError) as error:
        raise ModelError(f"cannot read the model's weights: `{files.weights}`: {error}") from error
    if table.ndim != 2 or not table.size or table.dtype.kind not in "fi":
        raise ModelError(f"not an embedding table: `{files.weights}` holds {table.dtype} {table.shape}")
    if mapping is not None and mapping.size and (mapping.min() < 0 or mapping.max() >= len(table)):
        raise ModelError(f"the model's token mapping points outside its table: `{files.weights}`")
    return Arrays(
        table,
        None if weights is None else weights.astype(np.float32),
        None if mapping is None else mapping.astype(np.int64),
    )


def fingerprint(files: ModelFiles, preparation: tuple[int, ...]) -> str:
    """Return 32 hex digits over the bytes of weights and tokenizer and the versions of the text preparation.

    Vectors of two models, or of one model over differently prepared text, must never be compared.
    """
    digest = xxhash.xxh3_128()
    try:
        for path in (files.weights, files.tokenizer):
            # Mapped, as the weights are for reading: a copy of them would take longer than their hash.
            with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as data:
                digest.update(len(data).to_bytes(8, "little"))
                digest.update(data)
    except (OSError, ValueError) as error:  # ValueError: an empty file
        raise ModelError(f"cannot read the model: {error}") from error
    digest.update(repr(preparation).encode())
    return digest.hexdigest()
