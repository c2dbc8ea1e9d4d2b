"""What the model costs: loading beside `import tokenizers, numpy`, chunks a second on one core, bytes in the package.

    python tests/bench/model/cost.py TREE [--model FOLDER] [--runs 15]

Loading: CPU time inside fresh processes, in turn, without the interpreter's own start, up to the first vector.
Encoding: whole lines of the files below TREE, joined to chunks of just under 1,500 characters, CPU time of one thread
from an empty memo, without and with the preparation of the text.
"""

from __future__ import annotations

import os

os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1", RAYON_NUM_THREADS="1")

import argparse
import statistics
import subprocess
import sys
import time
from pathlib import Path

from evaluate import pieces
from hmem.embed import load_encoder
from hmem.embed.sources import resolve
from hmem.text import model_words

TIMED = "import time\nstart = time.process_time()\n{}\nprint(time.process_time() - start)"
YARDSTICK = "import tokenizers, numpy"
LOADING = "from hmem.embed import load_encoder\nload_encoder({!r}).encode(['connection pool exhausted'])"
MOST = 20_000


def milliseconds(code: str) -> float:
    """Return the CPU time of `code` in a fresh process."""
    done = subprocess.run([sys.executable, "-c", TIMED.format(code)], capture_output=True, text=True, check=True)
    return 1000 * float(done.stdout)


def chunks(tree: Path) -> list[str]:
    """Return at most `MOST` texts of 1,000 to 1,500 characters from the files below `tree`."""
    found: list[str] = []
    for path in sorted(tree.rglob("*")):
        if path.is_file() and path.stat().st_size < 1_000_000 and b"\0" not in (data := path.read_bytes())[:8192]:
            found += [text for _, _, text in pieces(data.decode("utf-8", "replace")) if 1000 <= len(text) <= 1500]
        if len(found) >= MOST:
            break
    return found[:MOST]


def rate(count: int, work) -> float:
    """Return how many of `count` things a CPU second of `work()` handles."""
    start = time.process_time()
    work()
    return count / (time.process_time() - start)


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tree", type=Path)
    parser.add_argument("--model")
    parser.add_argument("--runs", type=int, default=15)
    options = parser.parse_args()
    runs = [(milliseconds(YARDSTICK), milliseconds(LOADING.format(options.model))) for _ in range(options.runs)]
    base, load = map(statistics.median, zip(*runs, strict=True))
    print(f"load: {load:.0f} ms, `{YARDSTICK}`: {base:.0f} ms, ratio {load / base:.2f} (medians of {options.runs})")
    texts = chunks(options.tree)
    prepared = [model_words(text) for text in texts]
    encoder = load_encoder(options.model)
    print(f"encode: {rate(len(texts), lambda: encoder.encode(prepared, damped=True)):,.0f} chunks/s")
    encoder = load_encoder(options.model)
    both = rate(len(texts), lambda: encoder.encode([model_words(text) for text in texts], damped=True))
    mean = sum(map(len, texts)) / len(texts)
    print(f"prepare and encode: {both:,.0f} chunks/s ({len(texts):,} chunks, {mean:,.0f} characters on average)")
    files = [path for path in resolve(options.model).iterdir() if path.is_file()]
    print(f"size: {sum(path.stat().st_size for path in files) / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
