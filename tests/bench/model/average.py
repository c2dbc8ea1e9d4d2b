"""Averages the tables of several trainings that began at the same table: often better than each of them.

python tests/bench/model/average.py OUT TRAINED[:WEIGHT] TRAINED[:WEIGHT] ...
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from folder import write_model
from safetensors.numpy import load_file
from tokenizers import Tokenizer


def average(tables: list[np.ndarray], weights: list[float]) -> np.ndarray:
    """Return the weighted mean of tables, each scaled to a mean row of length 1 first."""
    scaled = [table / np.linalg.norm(table, axis=1).mean() for table in tables]
    return sum(weight * table for weight, table in zip(weights, scaled, strict=True)) / sum(weights)


def main() -> None:
    """Read, average, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("trained", nargs="+", help="folder, or folder:weight (1)")
    options = parser.parse_args()
    parts = [(Path(name), float(weight or 1)) for name, _, weight in (part.partition(":") for part in options.trained)]
    tables = [load_file(folder / "model.safetensors")["embeddings"].astype(np.float32) for folder, _ in parts]
    tokenizer = Tokenizer.from_file(str(parts[0][0] / "tokenizer.json"))
    write_model(options.out, average(tables, [weight for _, weight in parts]), tokenizer)


if __name__ == "__main__":
    main()
