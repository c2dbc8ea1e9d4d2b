"""Trains the token table on the pairs: mean pooling, InfoNCE with in-batch negatives, both directions.

    python tests/bench/model/train.py DATA OUT [--epochs 5 ...]

A batch is made of blocks of pairs from one package each, so that a query also meets wrong answers from its own
package, as it does in a search. The loss is summed over the first 256, 128 and 64 dimensions.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from folder import write_model
from safetensors.numpy import load_file
from scipy.sparse import csr_matrix
from tokenizers import Tokenizer
from torch.nn.functional import cross_entropy, normalize
from words import KINDS

TEMPERATURE = 0.05
NESTED = (256, 128, 64)
QUESTIONS = (
    "how to",
    "how do i",
    "how does work",
    "how is implemented",
    "where is defined",
    "where is handled",
    "what is",
    "what does do",
    "which function",
    "example of",
    "why",
    "how can i",
)


@dataclass
class Pairs:
    """Token counts of queries and texts (pairs, tokens), each pair's package, source and kind."""

    queries: csr_matrix
    texts: csr_matrix
    package: np.ndarray
    source: np.ndarray
    kind: np.ndarray


def _tokens(ids: np.ndarray, ends: np.ndarray, starts: np.ndarray, lengths: np.ndarray, pieces: np.ndarray):
    """Expand word numbers to token ids; return tokens and the row ends."""
    counts = lengths[ids]
    total = np.concatenate([[0], np.cumsum(counts)])
    out = pieces[np.repeat(starts[ids] - total[:-1], counts) + np.arange(total[-1])]
    return out, total[ends]


def _counts(tokens: np.ndarray, ends: np.ndarray, width: int) -> csr_matrix:
    indptr = np.concatenate([[0], ends])
    matrix = csr_matrix((np.ones(len(tokens), np.float32), tokens.astype(np.int32), indptr), shape=(len(ends), width))
    matrix.sum_duplicates()
    return matrix


def asked(langs: np.ndarray, width: int, tokenizer: Tokenizer, rng: np.random.Generator) -> csr_matrix:
    """Return counts to add to queries, so that they look like what people type.

    A quarter of those about code name the language, a quarter of all begin like a question.
    """
    rows, columns = [], []
    for row, lang in enumerate(langs.tolist()):
        extra = f"{lang} " if lang and rng.random() < 0.25 else ""
        if rng.random() < 0.25:
            extra += QUESTIONS[rng.integers(len(QUESTIONS))]
        ids = tokenizer.encode(extra).ids if extra else []
        rows += [row] * len(ids)
        columns += ids
    return csr_matrix((np.ones(len(rows), np.float32), (rows, columns)), shape=(len(langs), width))


PROSE = [KINDS.index(kind) for kind in ("section", "sentence", "entry")]


def crop(arrays: dict[str, np.ndarray], rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Return more pairs from the longer texts of prose: a passage as query, what is around it as text."""
    ends = arrays["text_ends"]
    starts = np.concatenate([[0], ends[:-1]])
    rows = np.flatnonzero(np.isin(arrays["kind"], PROSE) & (ends - starts >= 50))
    queries, texts = [], []
    for row in rows.tolist():
        words = arrays["text"][starts[row] : ends[row]]
        length = int(rng.integers(6, 26))
        at = int(rng.integers(len(words) - length))
        queries.append(words[at : at + length])
        texts.append(np.concatenate([words[:at], words[at + length :]]))
    empty = [np.zeros(0, np.int32)]
    return {
        "query": np.concatenate([arrays["query"], *(queries or empty)]),
        "query_ends": _longer(arrays["query_ends"], queries),
        "text": np.concatenate([arrays["text"], *(texts or empty)]),
        "text_ends": _longer(ends, texts),
        "kind": np.concatenate([arrays["kind"], arrays["kind"][rows]]),
        "lang": np.concatenate([arrays["lang"], arrays["lang"][rows]]),
        "source": np.concatenate([arrays["source"], arrays["source"][rows]]),
    }


def _longer(ends: np.ndarray, more: list[np.ndarray]) -> np.ndarray:
    return np.concatenate([ends, ends[-1] + np.cumsum([len(words) for words in more], dtype=np.int64)])


def sources(kinds: np.ndarray) -> np.ndarray:
    """Number the texts that pairs come from: a sentence follows its section, a name the comment of its definition."""
    return np.cumsum(~np.isin(kinds, [KINDS.index("sentence"), KINDS.index("name")]))


def load(data: Path, tokenizer: Tokenizer, limit: int, crops: bool, rng: np.random.Generator) -> Pairs:
    """Read all packages; at most `limit` pairs of a package are kept, evenly spread."""
    from scipy.sparse import vstack

    width = tokenizer.get_vocab_size()
    queries, texts, package, source, kind = [], [], [], [], []
    offset = 0
    memo: dict[bytes, list[int]] = {}
    for number, path in enumerate(sorted((data / "words").glob("*.npz"))):
        arrays = dict(np.load(path))
        if not len(arrays["kind"]):
            continue
        words = arrays["words"].tolist()
        missing = [word for word in words if word not in memo]
        encoded = tokenizer.encode_batch_fast([word.decode("utf-8", "replace") for word in missing])
        memo.update((word, [token for token in one.ids if token]) for word, one in zip(missing, encoded, strict=True))
        lists = [memo[word] for word in words]
        lengths = np.array([len(tokens) for tokens in lists])
        starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
        pieces = np.array([token for tokens in lists for token in tokens], np.int32)
        arrays["source"] = offset + sources(arrays["kind"])
        offset = int(arrays["source"][-1]) + 1
        if crops:
            arrays = crop(arrays, rng)
        kinds = arrays["kind"]
        q = _counts(*_tokens(arrays["query"], arrays["query_ends"], starts, lengths, pieces), width)
        t = _counts(*_tokens(arrays["text"], arrays["text_ends"], starts, lengths, pieces), width)
        rows = np.arange(len(kinds))
        most = limit * 5 if path.name.startswith("dict-") else limit
        if len(rows) > most:
            rows = np.linspace(0, len(rows) - 1, most).astype(int)
        usable = (np.diff(q.indptr)[rows] > 0) & (np.diff(t.indptr)[rows] > 2)
        rows = rows[usable]
        queries.append(q[rows] + asked(arrays["lang"][rows], width, tokenizer, rng))
        texts.append(t[rows])
        package.append(np.full(len(rows), number))
        source.append(arrays["source"][rows])
        kind.append(kinds[rows])
    return Pairs(
        vstack(queries, "csr"),
        vstack(texts, "csr"),
        np.concatenate(package),
        np.concatenate(source),
        np.concatenate(kind),
    )


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


def loss_of(queries: torch.Tensor, texts: torch.Tensor, blocked: torch.Tensor) -> torch.Tensor:
    """Return InfoNCE in both directions, over nested dimensions; `blocked` (n, n) marks what is no negative."""
    wanted = torch.arange(len(queries))
    total = torch.zeros(())
    for dimensions in NESTED:
        scores = normalize(queries[:, :dimensions]) @ normalize(texts[:, :dimensions]).T / TEMPERATURE
        scores = scores.masked_fill(blocked, -1e4)
        total = total + cross_entropy(scores, wanted) + cross_entropy(scores.T, wanted)
    return total / (2 * len(NESTED))


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
        loss = loss_of(vectors[: len(rows)], vectors[len(rows) :], blocked)
        loss.backward()
        optimizer.step(tokens, pool.T @ vectors.grad.numpy(), schedule.rate(done))
        mean += (loss.item() - mean) / min(step + 1, 50)
        if step % 50 == 0:
            print(f"step {step} done {done:.2f} loss {mean:.3f} CPU {time.process_time():.0f} s", flush=True)
        step += 1


def main() -> None:
    """Train and write a float32 model."""
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
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=2, help="1 where other work shares the cores")
    parser.add_argument("--minutes", type=float, default=0, help="end the schedule after this time at the latest")
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    torch.set_num_threads(options.threads)
    start = options.start or options.data / "start"
    tokenizer = Tokenizer.from_file(str(start / "tokenizer.json"))
    table = load_file(start / "model.safetensors")["embeddings"].astype(np.float32)
    table /= np.linalg.norm(table, axis=1).mean()
    pairs = load(options.data, tokenizer, options.limit, bool(options.crops), np.random.default_rng(options.seed))
    kinds = {name: int((pairs.kind == number).sum()) for number, name in enumerate(KINDS)}
    print(f"{len(pairs.package)} pairs of {len(np.unique(pairs.package))} packages: {kinds}", flush=True)
    train(pairs, table, options)
    write_model(options.out, table, tokenizer)


if __name__ == "__main__":
    main()
