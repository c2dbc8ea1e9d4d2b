"""Chooses the tokens and their first vectors: the transformer's own, and whole words that packages use.

    python tests/bench/model/vocabulary.py DATA [--size 48000]

Kept of the transformer's WordPiece vocabulary: what the text preparation can produce (Latin, Greek and Cyrillic words
and pieces, digits). Added: the words that the most packages use. Writes DATA/start (tokenizer, float32 table after
PCA, ordered by variance, weighted by SIF with the counts of the training texts).
"""

from __future__ import annotations

import argparse
import json
import os
import re
from collections import Counter
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = "1"

import numpy as np
from folder import write_model
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

SIF = 1e-4
_WORD = re.compile(r"[^\W_]+")
_LATIN = re.compile(r"(##)?[a-z0-9\u00df-\u024f\u0370-\u052f]+")


def count_words(data: Path) -> tuple[Counter[str], Counter[str]]:
    """Return how often each word occurs, and in how many packages."""
    total: Counter[str] = Counter()
    packages: Counter[str] = Counter()
    for path in sorted((data / "words").glob("*.npz")):
        arrays = np.load(path)
        words = [word.decode("utf-8", "replace") for word in arrays["words"].tolist()]
        counts = np.bincount(arrays["text"], minlength=len(words)) + np.bincount(arrays["query"], minlength=len(words))
        for word, count in zip(words, counts.tolist(), strict=True):
            total[word] += count
        packages.update(words)
    return total, packages


def wordpiece(vocabulary: list[str]) -> Tokenizer:
    """Return a WordPiece tokenizer over `vocabulary` that folds case and accents."""
    tokenizer = Tokenizer(
        models.WordPiece(
            {token: number for number, token in enumerate(vocabulary)},
            unk_token="[UNK]",
            continuing_subword_prefix="##",
            max_input_chars_per_word=64,
        )
    )
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True, strip_accents=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return tokenizer


def choose(kept: list[str], packages: Counter[str], size: int) -> list[str]:
    """Return the words to add: those of the most packages that the kept tokens do not hold whole."""
    known = set(kept)
    added = []
    for word, count in sorted(packages.items(), key=lambda item: (-item[1], item[0])):
        if len(kept) + len(added) >= size or count < 3:
            break
        if word not in known and word.isascii() and word.isalnum() and not word.isdigit() and 1 < len(word) <= 24:
            added.append(word)
    return added


def first_vectors(words: list[str], pieces: list[str]) -> np.ndarray:
    """Return the transformer's vector of each token alone, float32 (tokens, 384)."""
    import torch
    from distill import TEACHER
    from transformers import AutoModel, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(TEACHER)
    model = AutoModel.from_pretrained(TEACHER).eval()
    begin, end = tokenizer.cls_token_id, tokenizer.sep_token_id
    known = tokenizer.get_vocab()
    ids = [[known[piece]] for piece in pieces] + [tokenizer.encode(word, add_special_tokens=False) for word in words]
    rows = np.zeros((len(ids), model.config.hidden_size), np.float32)
    order = sorted(range(len(ids)), key=lambda at: len(ids[at]))
    with torch.inference_mode():
        for start in range(0, len(order), 512):
            batch = order[start : start + 512]
            width = max(len(ids[at]) for at in batch) + 2
            block = torch.zeros((len(batch), width), dtype=torch.long)
            mask = torch.zeros((len(batch), width))
            for row, at in enumerate(batch):
                full = [begin, *ids[at], end]
                block[row, : len(full)] = torch.tensor(full)
                mask[row, : len(full)] = 1
            states = model(input_ids=block, attention_mask=mask).last_hidden_state
            rows[batch] = ((states * mask[:, :, None]).sum(1) / mask.sum(1, keepdim=True)).numpy()
    return rows


def main() -> None:
    """Choose, embed, reduce, weigh and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--size", type=int, default=48_000)
    parser.add_argument("--dimensions", type=int, default=256)
    options = parser.parse_args()
    from distill import TEACHER

    own = json.loads((TEACHER / "tokenizer.json").read_text())["model"]["vocab"]
    kept = [token for token in sorted(own, key=own.get) if _LATIN.fullmatch(token)]
    total, packages = count_words(options.data)
    added = choose(kept, packages, options.size - 1)
    vectors = first_vectors(added, kept)
    vectors -= vectors.mean(axis=0)
    _, _, directions = np.linalg.svd(vectors, full_matrices=False)
    vectors = vectors @ directions[: options.dimensions].T
    vocabulary = ["[UNK]", *kept, *added]
    tokenizer = wordpiece(vocabulary)
    counts = np.ones(len(vocabulary))
    words = list(total)
    for word, encoded in zip(words, tokenizer.encode_batch_fast(words), strict=True):
        counts[encoded.ids] += total[word]
    weights = SIF / (SIF + counts / counts.sum())
    table = np.zeros((len(vocabulary), options.dimensions), np.float32)
    table[1:] = vectors * weights[1:, None]
    write_model(options.data / "start", table, tokenizer)
    rarest = f", the rarest in {packages[added[-1]]} packages: {added[-5:]}" if added else ""
    print(f"{len(kept)} tokens kept, {len(added)} words added{rarest}")


if __name__ == "__main__":
    main()
