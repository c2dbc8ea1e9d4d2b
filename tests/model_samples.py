"""Small models in the form of model2vec, made on the spot."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

WORDS = "connection pool is exhausted when every checked out deployment canary first then everybody retry with backoff"


def write_model(folder: Path, *, dimensions: int, seed: int = 0) -> Path:
    """Write a model of a few words and all letters, with random rows, and return its folder."""
    letters = "abcdefghijklmnopqrstuvwxyz0123456789"
    tokens = ["[UNK]", *dict.fromkeys(WORDS.split()), *letters, *(f"##{letter}" for letter in letters)]
    tokenizer = Tokenizer(models.WordPiece({token: at for at, token in enumerate(tokens)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    table = np.random.default_rng(seed).normal(size=(len(tokens), dimensions)).astype(np.float32)
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(folder / "tokenizer.json"))
    save_file({"embeddings": table}, folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps({"model_type": "model2vec", "normalize": True}))
    (folder / "README.md").write_text("---\nlicense: mit\n---\nA model of a few words.\n")
    return folder
