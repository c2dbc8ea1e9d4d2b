"""A watcher, readers and an editor on one store for a while: errors, save-to-searchable times, memory, the end state.

    python tests/bench/soak.py --changes 5000 --minutes 10 --readers 8 --chunks 20000

Everything runs as processes of its own, on a store and a tree in a temporary directory. Exits 1 if anything failed.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

SOURCE = Path(__file__).parents[2]
sys.path.insert(0, str(SOURCE))

from hmem.library import KnowledgeBase  # noqa: E402
from hmem.search.query import SearchOptions  # noqa: E402

HMEM = (sys.executable, "-m", "hmem")
CHUNKS_PER_FILE = 4
NEVER = 60.0
"""Seconds after which a saved word counts as never found."""
WORDS = [f"{a}{b}{c}" for a in "bdfgklmnprst" for b in ("a", "e", "i", "o", "u", "ar", "en") for c in "bdfgklmnprst"]


@dataclass
class Figures:
    """What was seen; seconds and MiB."""

    changes: int = 0
    commits: int = 0
    to_commit: list[float] = field(default_factory=list)
    to_searchable: list[float] = field(default_factory=list)
    never_seen: int = 0
    searches: int = 0
    search_seconds: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    memory: list[tuple[float, float]] = field(default_factory=list)
    load: list[float] = field(default_factory=list)
    is_equal: bool = False


def body(dice: random.Random, title: str) -> str:
    """Return a file of about `CHUNKS_PER_FILE` chunks."""
    sections = [
        f"## {dice.choice(WORDS)} {dice.choice(WORDS)}\n\n{' '.join(dice.choices(WORDS, k=130))}.\n"
        for _ in range(CHUNKS_PER_FILE)
    ]
    return f"# {title}\n\n" + "\n".join(sections)


def plant(root: Path, files: int, dice: random.Random) -> None:
    for number in range(files):
        path = root / f"d{number % 40}/f{number}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(body(dice, f"File {number}"))


class Editor(threading.Thread):
    """Makes random changes at an even pace; some saves carry a word that occurs nowhere else, to be searched for."""

    def __init__(self, root: Path, changes: int, seconds: float, dice: random.Random) -> None:
        super().__init__()
        self.root, self.changes, self.seconds, self.dice = root, changes, seconds, dice
        self.done = 0
        self.probes: list[tuple[str, float]] = []

    def run(self) -> None:
        begun = time.monotonic()
        files = sorted(self.root.rglob("*.md"))
        for number in range(self.changes):
            time.sleep(max(0.0, begun + self.seconds * number / self.changes - time.monotonic()))
            self.change(number, files)
            self.done += 1

    def change(self, number: int, files: list[Path]) -> None:
        kind = self.dice.choices(("save", "aside", "new", "delete", "move", "touch"), (40, 25, 12, 8, 10, 5))[0]
        path = self.dice.choice(files)
        if kind in ("save", "aside", "new"):
            word = f"probe{number}x{self.dice.randrange(10**6)}"
            if kind == "new" or not path.exists():
                path = self.root / f"d{self.dice.randrange(40)}/n{number}.md"
                files.append(path)
            text = body(self.dice, f"Changed {number} {word}")
            if kind == "aside":
                aside = path.with_suffix(".tmp~")
                aside.write_text(text)
                aside.replace(path)
            else:
                path.write_text(text)
            self.probes.append((word, time.monotonic()))
        elif path.exists():
            if kind == "delete":
                path.unlink()
                files.remove(path)
            elif kind == "move":
                target = path.with_name(f"m{number}.md")
                path.rename(target)
                files[files.index(path)] = target
            else:
                path.touch()


def read_for(seconds: float, seed: int) -> None:
    """Search in a loop; print counts and whatever went wrong as JSON. Run as a process."""
    dice = random.Random(seed)
    asked, times, errors = 0, [], []
    with KnowledgeBase.open() as memory:
        memory.encoder()
        ended = time.monotonic() + seconds
        while time.monotonic() < ended:
            begun = time.monotonic()
            try:
                result = memory.search(SearchOptions(" ".join(dice.choices(WORDS, k=3))))
                errors += list(result.degraded)
            except Exception as error:
                errors.append(f"{type(error).__name__}: {error}")
            times.append(time.monotonic() - begun)
            asked += 1
            time.sleep(0.25)
    print(json.dumps({"asked": asked, "times": times, "errors": errors[:20]}))


def probe(editor: Editor, figures: Figures, stop: threading.Event) -> None:
    """Search for the newest saved word again and again until it is found; then for the then newest."""
    with KnowledgeBase.open() as memory:
        memory.encoder()
        last = None
        while not stop.is_set():
            if not editor.probes or editor.probes[-1][0] == last:
                time.sleep(0.01)
                continue
            last, saved = editor.probes[-1]
            while time.monotonic() - saved < NEVER:
                result = memory.search(SearchOptions(last, arms=("bm25",), top_k=1))
                if any(last in hit.text for hit in result.hits):
                    figures.to_searchable.append(time.monotonic() - saved)
                    break
                time.sleep(0.03)
            else:
                figures.never_seen += _is_there(editor.root, last)


def _is_there(root: Path, word: str) -> bool:
    """Whether the word is still on the disk: a later change may have overwritten it before it was indexed."""
    return any(word in path.read_text() for path in root.rglob("*.md"))


def memory_of(process: int) -> tuple[float, float]:
    """Return the resident memory of a process in MiB, all of it and without mapped files (model and index)."""
    lines = (line.split() for line in Path(f"/proc/{process}/status").read_text().splitlines())
    found = {words[0]: int(words[1]) / 1024 for words in lines if words[0] in ("VmRSS:", "RssAnon:")}
    return found["VmRSS:"], found["RssAnon:"]


@contextmanager
def watcher(figures: Figures) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen([*HMEM, "watch", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    watching = threading.Event()

    def listen() -> None:
        for line in process.stdout or ():
            event = json.loads(line)
            if event["event"] == "watching":
                watching.set()
            elif event["event"] == "indexed":
                figures.commits += 1
                figures.to_commit.append(event["seconds"])
            elif event["event"] in ("warning", "error") and "vanished while" not in event["message"]:
                figures.errors.append(f"watcher: {event['message']}")

    listener = threading.Thread(target=listen)
    listener.start()
    watching.wait(120)
    yield process
    process.send_signal(signal.SIGTERM)
    code = process.wait(60)
    listener.join()
    if code:
        figures.errors.append(f"watcher: exit {code}")
    if text := (process.stderr.read() if process.stderr else "").strip():
        figures.errors.append(f"watcher: {text}")


def is_equal_to_rebuild(place: Path, root: Path) -> bool:
    """Compare every document and chunk of the store with one that is built anew."""
    with KnowledgeBase.open() as memory, KnowledgeBase.open(place / "fresh", create=True) as fresh:
        memory.index()
        fresh.index([root])
        return _contents(memory) == _contents(fresh)


def _contents(memory: KnowledgeBase) -> dict[str, list[tuple[str, str]]]:
    with memory.snapshot() as snapshot:
        return {
            row.path: [(chunk.chunk_id, chunk.text) for chunk in snapshot.catalog.chunks_of(row.id)]
            for row in snapshot.catalog.documents().values()
        }


def soak(place: Path, given: argparse.Namespace) -> Figures:
    figures, dice, seconds = Figures(), random.Random(given.seed), given.minutes * 60
    root = place / "tree"
    plant(root, given.chunks // CHUNKS_PER_FILE, dice)
    subprocess.run([*HMEM, "index", str(root), "--quiet"], check=True)
    with watcher(figures) as process:
        reader = [sys.executable, __file__, "--read", str(seconds)]
        readers = [
            subprocess.Popen([*reader, str(n)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            for n in range(given.readers)
        ]
        editor, stop = Editor(root, given.changes, seconds, dice), threading.Event()
        prober = threading.Thread(target=probe, args=(editor, figures, stop))
        editor.start()
        prober.start()
        while editor.is_alive():
            editor.join(2)
            figures.memory.append(memory_of(process.pid))
            figures.load.append(os.getloadavg()[0])
        figures.changes = editor.done
        time.sleep(5)  # the last changes
        stop.set()
        prober.join()
        for child in readers:
            out, err = child.communicate()
            if child.returncode or err:
                figures.errors.append(f"reader: exit {child.returncode}: {err.strip()}")
                continue
            counts = json.loads(out)
            figures.searches += counts["asked"]
            figures.search_seconds += counts["times"]
            figures.errors += [f"reader: {text}" for text in counts["errors"]]
        figures.memory.append(memory_of(process.pid))
    doctor = subprocess.run([*HMEM, "doctor", "--json"], capture_output=True, text=True, check=False)
    if doctor.returncode:
        figures.errors.append(f"doctor: {doctor.stdout}{doctor.stderr}")
    figures.is_equal = is_equal_to_rebuild(place, root)
    return figures


def spread(seconds: list[float]) -> str:
    if len(seconds) < 2:
        return "not measured"
    cuts = statistics.quantiles(seconds, n=20)
    return f"p50 {cuts[9]:.2f} s, p95 {cuts[18]:.2f} s, worst {max(seconds):.2f} s ({len(seconds)} measured)"


def course(values: Sequence[float]) -> str:
    """Return the median of each tenth, and how the last compares with the second: the first one warms up."""
    size = max(1, len(values) // 10)
    tenths = [statistics.median(values[at : at + size]) for at in range(0, size * min(10, len(values)), size)]
    growth = tenths[-1] / tenths[min(1, len(tenths) - 1)] - 1
    return f"{' '.join(f'{value:.0f}' for value in tenths)} MiB by tenths of the time ({growth:+.1%} from the second)"


def show(figures: Figures, given: argparse.Namespace) -> None:
    print(f"{given.chunks:,} chunks, {given.readers} readers, {figures.changes:,} changes in {given.minutes:g} minutes")
    print(f"errors               {len(figures.errors)}")
    print(f"save to commit       {spread(figures.to_commit)}, {figures.commits:,} commits")
    print(f"save to searchable   {spread(figures.to_searchable)}, {figures.never_seen} never")
    print(f"searches             {figures.searches:,}, {spread(figures.search_seconds)}")
    for name, values in zip(("resident", "of that own"), zip(*figures.memory, strict=True), strict=True):
        print(f"{name:20} {course(values)}")
    print(f"load of the machine  {statistics.median(figures.load):.1f} on {os.cpu_count()} cores")
    print(f"equals a rebuild     {'yes' if figures.is_equal else 'NO'}")
    for text in figures.errors[:20]:
        print(f"error: {text}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--changes", type=int, default=5000)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--readers", type=int, default=8)
    parser.add_argument("--chunks", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--read", nargs=2, metavar=("SECONDS", "SEED"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.read:
        read_for(float(given.read[0]), int(given.read[1]))
        return 0
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        os.environ.update(
            HMEM_DATA_DIR=str(place / "data"), HMEM_CONFIG_DIR=str(place / "config"), PYTHONPATH=str(SOURCE)
        )
        figures = soak(place, given)
    show(figures, given)
    return 1 if figures.errors or figures.never_seen or not figures.is_equal else 0


if __name__ == "__main__":
    sys.exit(main())
