"""Stores a trained table as the package carries it: int8 rows, one float32 factor per token.

python tests/bench/model/export.py TRAINED OUT
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from folder import write_model
from safetensors.numpy import load_file
from tokenizers import Tokenizer


def quantise(table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return int8 rows and the factors (rows,) float32 whose product is nearest to `table`; the mean factor is 1."""
    factors = np.abs(table).max(axis=1) / 127
    rows = np.rint(table / np.maximum(factors, 1e-12)[:, None]).astype(np.int8)
    return rows, (factors / factors.mean()).astype(np.float32)


def main() -> None:
    """Convert a folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trained", type=Path)
    parser.add_argument("out", type=Path)
    options = parser.parse_args()
    table = load_file(options.trained / "model.safetensors")["embeddings"]
    rows, factors = quantise(table)
    write_model(options.out, rows, Tokenizer.from_file(str(options.trained / "tokenizer.json")), weights=factors)


if __name__ == "__main__":
    main()
