"""The pairs of all packages as token counts, as the training takes them."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix, vstack
from tokenizers import Tokenizer
from words import KINDS

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


def load(data: Path, tokenizer: Tokenizer, options: argparse.Namespace) -> Pairs:
    """Read the pairs of all packages; at most `options.limit` of a package are kept, evenly spread."""
    rng = np.random.default_rng(options.seed)
    limit = options.limit
    chosen = [KINDS.index(name) for name in options.kinds.split(",")]
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
        if options.crops:
            arrays = crop(arrays, rng)
        kinds = arrays["kind"]
        q = _counts(*_tokens(arrays["query"], arrays["query_ends"], starts, lengths, pieces), width)
        t = _counts(*_tokens(arrays["text"], arrays["text_ends"], starts, lengths, pieces), width)
        rows = np.flatnonzero(np.isin(kinds, chosen))
        most = limit * 5 if path.name.startswith("dict-") else limit
        if len(rows) > most:
            rows = rows[np.linspace(0, len(rows) - 1, most).astype(int)]
        usable = (np.diff(q.indptr)[rows] > 0) & (np.diff(t.indptr)[rows] > 2)
        rows = rows[usable]
        q = q[rows]
        queries.append(q + asked(arrays["lang"][rows], width, tokenizer, rng) if options.questions else q)
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
