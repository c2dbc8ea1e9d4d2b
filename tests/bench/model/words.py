"""Prepares the pairs as the encoder will see them, without what the benchmarks hold: one array file per package.

    python tests/bench/model/words.py DATA TEXT_SETS CODE [--jobs 2]

DATA/words/<package>.npz holds `words` (distinct prepared words), `query`/`text` (numbers into `words`, joined),
`query_ends`/`text_ends`, and `kind` and `lang` per pair.
"""

from __future__ import annotations

import argparse
import gzip
import json
import zlib
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
from exclude import benchmark_texts, shared, windows
from hmem.text import model_words

KINDS = ("section", "sentence", "comment", "name", "file", "entry")
LONGEST = 1_500  # characters of a text that are kept: the length of hmem's chunks of code
_known = np.zeros(1, np.uint64)


class Joined:
    """Texts as numbers of words, joined; `ends` says where each ends."""

    def __init__(self, numbers: dict[str, int]) -> None:
        self._numbers = numbers
        self.words: list[int] = []
        self.ends: list[int] = []

    def add(self, words: Iterable[str]) -> None:
        """Append a text."""
        numbers = self._numbers
        self.words += [numbers.setdefault(word, len(numbers)) for word in words]
        self.ends.append(len(self.words))

    def arrays(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the numbers and the ends."""
        return np.array(self.words, np.int32), np.array(self.ends, np.int64)


def benchmark_windows(texts: list[str]) -> np.ndarray:
    """Return the sorted codes of the windows of `texts`."""
    numbers: dict[str, int] = {}
    joined = Joined(numbers)
    for text in texts:
        joined.add(model_words(text).split())
    return np.unique(windows(list(numbers), *joined.arrays())[0])


def read_pairs(path: Path) -> list[tuple[int, str, list[str], list[str]]]:
    """Return kind, language, query words and text words of the distinct pairs of one package."""
    found, seen = [], set()
    with gzip.open(path, "rt") as lines:
        for line in lines:
            pair = json.loads(line)
            text = pair["text"][:LONGEST]
            key = zlib.crc32((pair["query"] + "\0" + text[:300]).encode("utf-8", "replace"))
            if key not in seen:
                seen.add(key)
                query, answer = model_words(pair["query"]).split(), model_words(text).split()
                if query and len(answer) >= 5:
                    found.append((KINDS.index(pair["kind"]), pair["lang"], query[:60], answer))
    return found


def prepare(path: Path, target: Path) -> tuple[int, int]:
    """Write the arrays of one package; return how many pairs were kept, and dropped as known to a benchmark."""
    pairs = read_pairs(path)
    numbers: dict[str, int] = {}
    everything = Joined(numbers)
    for _, _, _, words in pairs:
        everything.add(words)
    if not pairs:
        return 0, 0
    dropped = shared(_known, list(numbers), *everything.arrays())
    kept = [pair for pair, drop in zip(pairs, dropped.tolist(), strict=True) if not drop]
    queries, texts = Joined(numbers), Joined(numbers)
    for _, _, query, words in kept:
        queries.add(query)
        texts.add(words)
    (query, query_ends), (text, text_ends) = queries.arrays(), texts.arrays()
    np.savez(
        target,
        words=np.array([word.encode()[:64] for word in numbers]),
        lang=np.array([lang for _, lang, _, _ in kept], "U16"),
        kind=np.array([kind for kind, _, _, _ in kept], np.int8),
        query=query,
        query_ends=query_ends,
        text=text,
        text_ends=text_ends,
    )
    return len(kept), len(pairs) - len(kept)


def _prepare(paths: tuple[Path, Path]) -> tuple[str, int, int]:
    return (paths[0].name, *prepare(*paths))


def known_windows(options: argparse.Namespace) -> np.ndarray:
    """Return the sorted windows of all benchmark texts, from DATA/known.npy once they are there."""
    path = options.data / "known.npy"
    if not path.exists():
        texts = list(benchmark_texts(options.text_sets, options.code))
        parts = [texts[at : at + 200] for at in range(0, len(texts), 200)]
        with ProcessPoolExecutor(options.jobs) as pool:
            np.save(path, np.unique(np.concatenate(list(pool.map(benchmark_windows, parts)))))
    return np.load(path)


def main() -> None:
    """Prepare every package that has pairs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("text_sets", type=Path)
    parser.add_argument("code", type=Path)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    global _known
    _known = known_windows(options)
    folder = options.data / "words"
    folder.mkdir(exist_ok=True)
    work = []
    for path in sorted((options.data / "pairs").glob("*.jsonl.gz")):
        target = folder / f"{path.name.removesuffix('.jsonl.gz')}.npz"
        if not target.exists():
            work.append((path, target))
    with ProcessPoolExecutor(options.jobs) as pool, (options.data / "kept.tsv").open("a") as log:
        for name, kept, dropped in pool.map(_prepare, work, chunksize=4):
            log.write(f"{name}\t{kept}\t{dropped}\n")
            log.flush()


if __name__ == "__main__":
    main()
