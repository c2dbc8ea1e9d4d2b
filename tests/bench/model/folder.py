"""Writes a model2vec folder: what the recipe's steps hand to each other and what the package carries."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file
from tokenizers import Tokenizer


def write_model(folder: Path, table: np.ndarray, tokenizer: Tokenizer, *, weights: np.ndarray | None = None) -> None:
    """Write `table` (tokens, dimensions) and, if given, `weights` (tokens,) float32 with `tokenizer` to `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.no_truncation()
    tokenizer.no_padding()
    arrays = {"embeddings": np.ascontiguousarray(table)}
    if weights is not None:
        arrays["weights"] = np.ascontiguousarray(weights, np.float32)
    save_file(arrays, folder / "model.safetensors")
    tokenizer.save(str(folder / "tokenizer.json"), pretty=False)
    config = {
        "model_type": "model2vec",
        "architectures": ["StaticModel"],
        "hidden_dim": int(table.shape[1]),
        "normalize": True,
        "max_length": None,
        "embedding_dtype": table.dtype.name,
    }
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n")
    for path in folder.iterdir():
        path.chmod(0o644)
