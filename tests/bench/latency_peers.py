"""The half of `latency.py` that runs in the peers' environment: reads a task on stdin, prints latencies as JSON.

Imports nothing of hmem. bm25s ranks the texts of hmem's chunks with Snowball stems; semble indexes the trees.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import bm25s
import semble
import Stemmer

sys.path.insert(0, str(Path(__file__).parent))
from timing import timed

TOP = 10


def main() -> None:
    task = json.loads(sys.stdin.read())
    queries = task["queries"]
    texts = [json.loads(line) for line in Path(task["chunks"]).read_text(encoding="utf-8").splitlines()]
    stemmer = Stemmer.Stemmer("english")
    lexical = bm25s.BM25(k1=2.0, b=0.5)
    lexical.index(bm25s.tokenize(texts, stemmer=stemmer, show_progress=False), show_progress=False)

    def by_words(query: str) -> object:
        tokens = bm25s.tokenize([query], stemmer=stemmer, show_progress=False)
        return lexical.retrieve(tokens, corpus=texts, k=TOP, show_progress=False)

    every = [semble.ContentType.CODE, semble.ContentType.DOCS, semble.ContentType.CONFIG]
    hybrid = semble.SembleIndex.from_path(task["trees"], content=every)

    def by_both(query: str) -> object:
        return hybrid.search(query, top_k=TOP)

    found = {}
    for name, search, chunks in (("bm25s", by_words, len(texts)), ("semble", by_both, len(hybrid.chunks))):
        search("warm up")
        found[name] = {"chunks": chunks, **{kind: timed(search, chosen) for kind, chosen in queries.items()}}
    print(json.dumps(found))


if __name__ == "__main__":
    main()
