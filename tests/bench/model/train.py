"""Trains the token table on the pairs: mean pooling, InfoNCE with in-batch negatives, both directions.

    python tests/bench/model/train.py DATA OUT [--epochs 5 ...]

A batch is made of blocks of pairs from one package each, so that a query also meets wrong answers from its own
package, as it does in a search. The loss is summed over the first 256, 128 and 64 dimensions.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from dataset import Pairs, load
from folder import write_model
from safetensors.numpy import load_file
from scipy.sparse import csr_matrix
from tokenizers import Tokenizer
from torch.nn.functional import cross_entropy, normalize
from words import KINDS


def batches(pairs: Pairs, size: int, block: int, rng: np.random.Generator) -> list[np.ndarray]:
    """Return the rows of each batch of one epoch."""
    order = rng.permutation(len(pairs.package))
    order = order[np.argsort(pairs.package[order], kind="stable")]
    blocks = [order[at : at + block] for at in range(0, len(order), block)]
    rng.shuffle(blocks)
    rows = np.concatenate(blocks)
    return [rows[at : at + size] for at in range(0, len(rows) - size + 1, size)]


class Adam:
    """Adam over the rows of a table, touching only the rows that a step names."""

    def __init__(self, table: np.ndarray) -> None:
        self._table = table
        self._first = np.zeros_like(table)
        self._second = np.zeros_like(table)
        self._step = 0

    def step(self, rows: np.ndarray, gradient: np.ndarray, rate: float) -> None:
        """Move `rows` against `gradient` (len(rows), dimensions)."""
        self._step += 1
        first = self._first[rows]
        first += 0.1 * (gradient - first)
        self._first[rows] = first
        second = self._second[rows]
        second += 0.01 * (gradient * gradient - second)
        self._second[rows] = second
        scale = rate * np.sqrt(1 - 0.99**self._step) / (1 - 0.9**self._step)
        np.sqrt(second, out=second)
        second += 1e-8
        first *= scale
        first /= second
        self._table[rows] -= first


def shares(counts: Sequence[csr_matrix]) -> tuple[csr_matrix, np.ndarray]:
    """Return the matrix that pools all texts over the tokens that occur in them, and those tokens."""
    lengths = np.concatenate([np.diff(matrix.indptr) for matrix in counts])
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    data = np.concatenate([matrix.data for matrix in counts])
    tokens, columns = np.unique(np.concatenate([matrix.indices for matrix in counts]), return_inverse=True)
    data = data / np.repeat(np.add.reduceat(data, indptr[:-1]), lengths)
    return csr_matrix((data, columns.astype(np.int32), indptr), shape=(len(lengths), len(tokens))), tokens


def loss_of(
    queries: torch.Tensor, texts: torch.Tensor, blocked: torch.Tensor, options: argparse.Namespace
) -> torch.Tensor:
    """Return InfoNCE in both directions, over nested dimensions; `blocked` (n, n) marks what is no negative."""
    wanted = torch.arange(len(queries))
    total = torch.zeros(())
    for dimensions in options.nested:
        scores = normalize(queries[:, :dimensions]) @ normalize(texts[:, :dimensions]).T / options.temperature
        scores = scores.masked_fill(blocked, -1e4)
        total = total + cross_entropy(scores, wanted) + cross_entropy(scores.T, wanted)
    return total / (2 * len(options.nested))


class Schedule:
    """How far the training is, by steps or by the clock, whichever is further, and the learning rate there."""

    def __init__(self, rate: float, steps: int, minutes: float) -> None:
        self._rate = rate
        self._steps = steps
        self._seconds = 60 * minutes
        self._began = time.time()

    def done(self, step: int) -> float:
        """Return the share that is done, 1 at the end."""
        clock = (time.time() - self._began) / self._seconds if self._seconds else 0.0
        return max(step / self._steps, clock)

    def rate(self, done: float) -> float:
        """Return the learning rate: a short warm-up, then a linear fall to zero."""
        return self._rate * min(1, done / 0.05 + 0.01, (1 - done) / 0.95)


def train(pairs: Pairs, table: np.ndarray, options: argparse.Namespace) -> None:
    """Change `table` (tokens, dimensions) float32 in place."""
    rng = np.random.default_rng(options.seed)
    optimizer = Adam(table)
    schedule = Schedule(options.rate, int(options.epochs * (len(pairs.package) // options.batch)), options.minutes)
    queue: list[np.ndarray] = []
    mean, step = 0.0, 0
    while (done := schedule.done(step)) < 1:
        queue = queue or batches(pairs, options.batch, options.block, rng)
        rows = queue.pop()
        pool, tokens = shares([pairs.queries[rows], pairs.texts[rows]])
        vectors = torch.from_numpy(pool @ table[tokens]).requires_grad_()
        source = torch.from_numpy(pairs.source[rows])
        blocked = (source[:, None] == source[None, :]) & ~torch.eye(len(rows), dtype=torch.bool)
        loss = loss_of(vectors[: len(rows)], vectors[len(rows) :], blocked, options)
        loss.backward()
        optimizer.step(tokens, pool.T @ vectors.grad.numpy(), schedule.rate(done))
        mean += (loss.item() - mean) / min(step + 1, 50)
        if step % 50 == 0:
            print(f"step {step} done {done:.2f} loss {mean:.3f} CPU {time.process_time():.0f} s", flush=True)
        step += 1


def arguments() -> argparse.ArgumentParser:
    """Return the parser of the options, with the recipe's values as defaults."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--start", type=Path, help="where to begin instead of DATA/start")
    parser.add_argument("--epochs", type=float, default=5)
    parser.add_argument("--batch", type=int, default=1024)
    parser.add_argument("--block", type=int, default=32)
    parser.add_argument("--rate", type=float, default=0.004)
    parser.add_argument("--limit", type=int, default=2500, help="pairs of one package")
    parser.add_argument("--crops", type=int, default=1, help="0 leaves out pairs of a passage and the rest of its text")
    parser.add_argument("--questions", type=int, default=1, help="0 leaves out languages and question words")
    parser.add_argument("--temperature", type=float, default=0.05)
    parser.add_argument("--nested", type=int, nargs="+", default=[256, 128, 64], help="leading dimensions of the loss")
    parser.add_argument("--kinds", default=",".join(KINDS), help="train on pairs of these kinds only")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=2, help="1 where other work shares the cores")
    parser.add_argument("--minutes", type=float, default=0, help="end the schedule after this time at the latest")
    return parser


def read_start(folder: Path) -> tuple[Tokenizer, np.ndarray]:
    """Return the tokenizer and the float32 table of `folder`, scaled to a mean row of length 1."""
    table = load_file(folder / "model.safetensors")["embeddings"].astype(np.float32)
    return Tokenizer.from_file(str(folder / "tokenizer.json")), table / np.linalg.norm(table, axis=1).mean()


def main() -> None:
    """Train and write a float32 model."""
    options = arguments().parse_args()
    torch.manual_seed(options.seed)
    torch.set_num_threads(options.threads)
    tokenizer, table = read_start(options.start or options.data / "start")
    pairs = load(options.data, tokenizer, options)
    kinds = {name: int((pairs.kind == number).sum()) for number, name in enumerate(KINDS)}
    print(f"{len(pairs.package)} pairs of {len(np.unique(pairs.package))} packages: {kinds}", flush=True)
    train(pairs, table, options)
    write_model(options.out, table, tokenizer)


if __name__ == "__main__":
    main()
