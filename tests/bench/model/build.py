"""Makes the built-in model from nothing but package names: download, pairs, words, vocabulary, train, store, measure.

    python tests/bench/model/build.py DATA --text-sets DIR --code DIR --labels DIR [--into hmem/embed/builtin]

Two trainings, the second from where the first ended, in other batches. The model is their weighted mean with a tenth of
the table that the first began with.
Needs `requirements.txt` of this folder in an environment of its own, apt, npm and about 12 GB below DATA. Every step
is seeded; one that is done already is not done again. With two free cores it takes about an hour and a half.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[2]


def step(script: str, *arguments: object) -> None:
    """Run one script of the recipe; a failure ends the build."""
    print(f"-- {script} {' '.join(map(str, arguments))}", flush=True)
    command = [sys.executable, str(HERE / script), *map(str, arguments)]
    subprocess.run(command, check=True, env={**os.environ, "PYTHONPATH": str(ROOT), "HF_HUB_OFFLINE": "1"})


def main() -> None:
    """Run all steps."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--text-sets", type=Path, required=True)
    parser.add_argument("--code", type=Path, required=True, help="the code repositories, one folder each")
    parser.add_argument("--labels", type=Path, required=True, help="folder of queries.jsonl, targets.jsonl, repos.json")
    parser.add_argument("--packages", type=Path, default=HERE / "packages.txt")
    parser.add_argument("--epochs", type=float, default=5, help="of each training")
    parser.add_argument("--into", type=Path, help="where to put the model, e.g. hmem/embed/builtin")
    options = parser.parse_args()
    data = options.data
    data.mkdir(parents=True, exist_ok=True)
    step("download.py", data, "--packages", options.packages)
    step("pairs.py", data)
    step("words.py", data, options.text_sets, options.code)
    step("vocabulary.py", data)
    first, second, whole = data / "first", data / "second", data / "whole"
    epochs = ("--epochs", options.epochs)
    step("train.py", data, first, *epochs)
    step("train.py", data, second, "--start", first, "--seed", 1, *epochs)
    step("average.py", whole, f"{first}:0.65", f"{second}:0.25", f"{data / 'start'}:0.1")
    model = options.into or data / "model"
    step("export.py", whole, model)
    step("evaluate.py", model, "--text", options.text_sets, "--code", options.code, "--labels", options.labels)


if __name__ == "__main__":
    main()
