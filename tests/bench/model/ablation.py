"""What each ingredient of the recipe is worth: short trainings that differ in one thing, each measured alone.

    python tests/bench/model/ablation.py DATA --text-sets DIR --code DIR --labels DIR [--steps 150] [--only NAME,…]

Every run has the same number of steps, one thread, and at most 300 pairs of a package. Measured like `evaluate.py`: the
mean over the text sets, and the bare bodies of code. `full` runs with several seeds for the spread.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch
from average import average
from dataset import Pairs, load
from evaluate import SETS, code_scores, text_score
from export import quantise
from folder import write_model
from hmem.embed import load_encoder
from tokenizers import Tokenizer
from train import arguments, read_start, train
from vocabulary import wordpiece

PROSE, CODE = "section,sentence,entry", "comment,name,file"


@dataclass(frozen=True)
class Variant:
    """A training that differs from the recipe by `options`; `whole_words` False leaves the added words out."""

    options: dict[str, object] = field(default_factory=dict)
    from_transformer: bool = True
    whole_words: bool = True


VARIANTS = {
    "full": Variant(),
    "full, second seed": Variant({"seed": 1}),
    "full, third seed": Variant({"seed": 2}),
    "random first vectors instead of the transformer's": Variant(from_transformer=False),
    "no pairs from code": Variant({"kinds": PROSE}),
    "no pairs from prose": Variant({"kinds": CODE}),
    "no added words in the vocabulary": Variant(whole_words=False),
    "batches of 256, four times the steps": Variant({"batch": 256}),
    "negatives from anywhere, no blocks of a package": Variant({"block": 1}),
    "no passages as queries": Variant({"crops": 0}),
    "no languages and question words in queries": Variant({"questions": 0}),
    "temperature 0.1": Variant({"temperature": 0.1}),
    "temperature 0.025": Variant({"temperature": 0.025}),
    "loss over 256 dimensions alone": Variant({"nested": [256]}),
    "half the learning rate": Variant({"rate": 0.002}),
}


class Bench:
    """Trains and measures variants; keeps pairs that the next one can use too."""

    def __init__(self, given: argparse.Namespace) -> None:
        self._given = given
        self._pairs: tuple[str, Pairs] | None = None
        self.tables: dict[str, np.ndarray] = {}
        self.tokenizer, self.start = read_start(given.data / "start")

    def train(self, name: str, variant: Variant) -> dict[str, float]:
        """Return the figures of a variant."""
        options = arguments().parse_args([str(self._given.data), "-", "--limit", "300", "--threads", "1"])
        vars(options).update(variant.options)
        torch.manual_seed(options.seed)
        tokenizer, table = self.tokenizer, self.start.copy()
        if not variant.whole_words:
            tokenizer, table = self._pieces_only()
        if not variant.from_transformer:
            table = np.random.default_rng(0).normal(size=table.shape).astype(np.float32) / 16
        pairs = self._load(tokenizer, options)
        steps = self._given.steps * 1024 // options.batch
        options.epochs = steps / (len(pairs.package) // options.batch)
        start = time.process_time()
        train(pairs, table, options)
        seconds = time.process_time() - start
        self.tables[name] = table
        return self.measure(table, tokenizer) | {"seconds": seconds}

    def measure(self, table: np.ndarray, tokenizer: Tokenizer | None = None) -> dict[str, float]:
        """Return the figures of a table as the package would carry it."""
        rows, factors = quantise(table)
        with tempfile.TemporaryDirectory() as place:
            write_model(Path(place), rows, tokenizer or self.tokenizer, weights=factors)
            encoder = load_encoder(place)
            found = {name: text_score(encoder, self._given.text_sets / name) for name in SETS}
            code = code_scores(encoder, self._given.code, self._given.labels)["mean"]
        return found | {"text": float(np.mean(list(found.values()))), "code": code}

    def _load(self, tokenizer: Tokenizer, options: argparse.Namespace) -> Pairs:
        key = json.dumps([tokenizer.get_vocab_size(), options.kinds, options.crops, options.questions])
        if self._pairs is None or self._pairs[0] != key:
            self._pairs = key, load(self._given.data, tokenizer, options)
        return self._pairs[1]

    def _pieces_only(self) -> tuple[Tokenizer, np.ndarray]:
        """Return tokenizer and table of the transformer's own tokens, which come first."""
        order = sorted(self.tokenizer.get_vocab().items(), key=lambda item: item[1])
        last = max(at for token, at in order if token.startswith("##"))
        kept = [token for token, at in order if at <= last]
        return wordpiece(kept), self.start[: len(kept)].copy()


def main() -> None:
    """Print one line per variant."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--text-sets", type=Path, required=True)
    parser.add_argument("--code", type=Path, required=True)
    parser.add_argument("--labels", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=150, help="of 1,024 pairs")
    parser.add_argument("--only", help="numbers of variants, comma-separated")
    given = parser.parse_args()
    torch.set_num_threads(1)
    bench = Bench(given)
    chosen = list(VARIANTS) if given.only is None else [list(VARIANTS)[int(at)] for at in given.only.split(",")]
    show("no training", bench.measure(bench.start))
    for name in chosen:
        show(name, bench.train(name, VARIANTS[name]))
    full = [table for name, table in bench.tables.items() if name.startswith("full")]
    if len(full) > 1:
        show(f"average of {len(full)} seeds", bench.measure(average(full, [1.0] * len(full))))
        parts = [*full, bench.start]
        weights = [0.9 / len(full)] * len(full) + [0.1]
        show("that with a tenth of the first vectors", bench.measure(average(parts, weights)))


def show(name: str, figures: dict[str, float]) -> None:
    """Print a line."""
    print(f"{name:52s} " + "  ".join(f"{key} {value:.4f}" for key, value in figures.items()), flush=True)


if __name__ == "__main__":
    main()
