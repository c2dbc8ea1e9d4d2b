"""Time the whole path on one directory: index, cold search, warm search per arm; sizes and peak memory.

    python tests/bench/speed.py DIRECTORY [--queries FILE] [--runs 9]

Everything happens in a store of its own in a temporary place. Cold figures are whole processes, beside
`python -c "import numpy"` in the same run; quote the ratios, machines differ. Prints one JSON object.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

QUERIES = (
    "how are connections pooled",
    "parse the configuration file",
    "retry after a timeout",
    "HTTP request headers",
    "error handling middleware",
    "serialize a value to json",
    "escape html in templates",
    "open a file for writing",
)


def command(*args: str) -> list[str]:
    return [sys.executable, "-m", "hmem", *args]


def timed(args: list[str], env: dict[str, str]) -> tuple[float, float]:
    """Return wall seconds and peak memory in MiB of one process (its largest child included)."""
    before = time.perf_counter()
    process = subprocess.Popen(args, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - before
    if status:
        raise SystemExit(f"{args} failed: {process.stderr.read().decode()}")
    process.stderr.close()
    process.returncode = 0
    return seconds, usage.ru_maxrss / 1024


def spread(values: list[float], scale: float = 1000.0) -> dict[str, float]:
    ordered = sorted(value * scale for value in values)
    return {
        "min": round(ordered[0], 2),
        "median": round(statistics.median(ordered), 2),
        "p95": round(ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))], 2),
    }


def tree_size(path: Path) -> int:
    return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())


def index(directory: Path, env: dict[str, str], jobs: int | None) -> dict[str, object]:
    extra = ["--jobs", str(jobs)] if jobs else []
    started = time.perf_counter()
    process = subprocess.Popen(
        command("index", str(directory), "--yes", "--json", "-q", *extra), env=env, stdout=subprocess.PIPE
    )
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    seconds = time.perf_counter() - started
    if status:
        raise SystemExit("indexing failed")
    report = json.loads(output)
    store = Path(env["HMEM_DATA_DIR"]) / "stores" / "default"
    return {
        "files": report["added"],
        "chunks": report["chunks"],
        "text_bytes": report["bytes_read"],
        "seconds": round(seconds, 2),
        "files_per_s": round(report["added"] / seconds),
        "chunks_per_s": round(report["chunks"] / seconds),
        "mb_per_s": round(report["bytes_read"] / seconds / 1e6, 2),
        "store_bytes": tree_size(store),
        "store_per_text": round(tree_size(store) / max(report["bytes_read"], 1), 2),
        "peak_mib_largest_process": round(usage.ru_maxrss / 1024),
    }


def cold(queries: list[str], env: dict[str, str], runs: int) -> dict[str, object]:
    numpy_times, search_times, memory = [], [], 0.0
    for number in range(runs + 1):
        seconds, _ = timed([sys.executable, "-c", "import numpy"], env)
        numpy_times.append(seconds)
        seconds, peak = timed(command("search", "--", queries[number % len(queries)]), env)
        search_times.append(seconds)
        memory = max(memory, peak)
    numpy_times, search_times = numpy_times[1:], search_times[1:]
    return {
        "import_numpy_ms": spread(numpy_times),
        "search_ms": spread(search_times),
        "ratio_of_medians": round(statistics.median(search_times) / statistics.median(numpy_times), 2),
        "peak_mib": round(memory),
    }


def warm(queries: list[str]) -> dict[str, object]:
    from hmem.library import KnowledgeBase
    from hmem.search.query import SearchOptions

    found: dict[str, object] = {}
    with KnowledgeBase.open() as memory, memory.session() as search:
        for name, fields in {
            "default": {},
            "bm25": {"arms": ("bm25",)},
            "document": {"arms": ("document",)},
            "dense": {"arms": ("dense",)},
        }.items():
            for query in queries:
                search(SearchOptions(query, **fields))
            times = []
            for query in queries * 5:
                before = time.perf_counter()
                search(SearchOptions(query, **fields))
                times.append(time.perf_counter() - before)
            found[name] = spread(times)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--queries", type=Path, help="one query a line")
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--jobs", type=int)
    args = parser.parse_args()
    queries = args.queries.read_text().splitlines() if args.queries else list(QUERIES)
    with tempfile.TemporaryDirectory() as place:
        os.environ |= {"HMEM_DATA_DIR": f"{place}/data", "HMEM_CONFIG_DIR": f"{place}/config"}
        env = dict(os.environ)
        figures = {
            "machine": {
                "python": platform.python_version(),
                "system": platform.platform(),
                "cores": os.cpu_count(),
            },
            "index": index(args.directory, env, args.jobs),
            "cold": cold(queries, env, args.runs),
            "warm_ms": warm(queries),
            "own_peak_mib": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
        }
    print(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main()
