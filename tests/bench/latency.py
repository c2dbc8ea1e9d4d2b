"""Warm latency of whole searches at several sizes, beside bm25s and semble over the same repositories, in one run.

    python tests/bench/latency.py --data FOLDER --trees FOLDER [--peers PYTHON] [--sizes 10000,100000] [--json FILE]

The trees are taken in the order of their names until a store has as many chunks as a size asks for, and once more
under another name where one round is not enough. hmem searches with all of its parts and builds ten hits; bm25s ranks
the texts of the same chunks; semble cuts the same files its own way and runs on hmem's model. `--peers` is the Python
of an environment with `semble`, `bm25s` and `PyStemmer`; without it hmem is measured alone.

Queries are those of the benchmark for these repositories, as they were written and, glued together, of 20 words each.
Each is timed once over cold caches (`first`) and three times more (`again`). Milliseconds; the load of the machine
stands beside them, for a busy one makes all of this slower.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from corpora import data_folder
from stores import settings_for
from timing import timed

WORDS = 20
QUERIES = 60


def queries_of(data: Path, names: set[str]) -> dict[str, list[str]]:
    """Return queries about the repositories `names`, evenly spread, as written and of WORDS words each."""
    rows = [json.loads(line) for line in (data / "code" / "queries.jsonl").read_text(encoding="utf-8").splitlines()]
    texts = [row["text"] for row in rows if row["repo"] in names]
    written = texts[:: max(1, len(texts) // QUERIES)][:QUERIES]
    words = " ".join(texts).split()
    step = max(WORDS, len(words) // QUERIES)
    long = [" ".join(words[at : at + WORDS]) for at in range(0, len(words) - WORDS, step)][:QUERIES]
    return {"as written": written, f"{WORDS} words": long}


def rounds(trees: Path) -> Iterator[tuple[str, Path]]:
    """Yield repositories with the names that they get, once and then again."""
    found = sorted(tree for tree in trees.iterdir() if tree.is_dir())
    for number in range(1, 10):
        for tree in found:
            yield tree.name if number == 1 else f"{tree.name}-{number}", tree


def grow(place: Path, trees: Path, sizes: Sequence[int]) -> Iterator[tuple[int, Path, set[str]]]:
    """Yield (chunks, directory, names of repositories) of a store that grows from size to size, open to be searched."""
    from hmem.indexer import IndexOptions
    from hmem.library import KnowledgeBase

    wanted = list(sizes)
    names: set[str] = set()
    with KnowledgeBase.open(place / "store", create=True, settings=settings_for(None)) as memory:
        chunks = 0
        for name, tree in rounds(trees):
            copy = place / "trees" / name
            shutil.copytree(tree, copy, symlinks=True, ignore=shutil.ignore_patterns(".git"))
            chunks += memory.index([copy], IndexOptions(name=name, yes=True)).chunks
            names.add(tree.name)
            if chunks >= wanted[0]:
                yield chunks, place, names
                wanted.pop(0)
            if not wanted:
                return


def own(place: Path, queries: dict[str, list[str]]) -> dict[str, object]:
    """Return the latency of hmem, and write the texts of its chunks for bm25s."""
    from hmem.library import KnowledgeBase
    from hmem.search.query import SearchOptions

    with KnowledgeBase.open(place / "store", settings=settings_for(None)) as memory:
        with memory.snapshot() as snapshot, (place / "chunks.jsonl").open("w", encoding="utf-8") as file:
            for (text,) in snapshot.catalog.rows("SELECT text FROM chunks ORDER BY id"):
                file.write(json.dumps(text) + "\n")
        with memory.session() as search:

            def run(query: str) -> object:
                return search(SearchOptions(query))

            run("warm up")
            return {name: timed(run, chosen) for name, chosen in queries.items()}


def peers(place: Path, queries: dict[str, list[str]], python: str) -> dict[str, object]:
    """Return the latency of the peers, measured in a process of their own environment."""
    import hmem.embed

    model = Path(hmem.embed.__file__).parent / "builtin"
    task = json.dumps({"trees": str(place / "trees"), "chunks": str(place / "chunks.jsonl"), "queries": queries})
    env = {**os.environ, "SEMBLE_MODEL_NAME": str(model), "HF_HUB_OFFLINE": "1"}
    script = Path(__file__).with_name("latency_peers.py")
    done = subprocess.run([python, str(script)], input=task, capture_output=True, text=True, env=env, check=False)
    if done.returncode:
        raise SystemExit(f"the peers failed:\n{done.stderr}")
    return json.loads(done.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data")
    parser.add_argument("--trees", type=Path, required=True)
    parser.add_argument("--peers", help="the Python of an environment with semble, bm25s and PyStemmer")
    parser.add_argument("--sizes", default="10000,100000")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    data = data_folder(given.data)
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for chunks, place, names in grow(Path(folder), given.trees, [int(size) for size in given.sizes.split(",")]):
            queries = queries_of(data, names)
            load = os.getloadavg()[0]
            figures = {"hmem": {"chunks": chunks, **own(place, queries)}}
            if given.peers:
                figures |= peers(place, queries, given.peers)
            found[f"{chunks} chunks"] = {"load": [round(load, 1), round(os.getloadavg()[0], 1)], **figures}
            print(json.dumps(found[f"{chunks} chunks"], indent=1), file=sys.stderr, flush=True)
    text = json.dumps(found, indent=1)
    print(text)
    if given.json:
        given.json.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
