"""hmem inside somebody else's program: a script without a `__main__` guard, threads, an event loop, its signals."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from runner import SOURCE, write_tree

SCRIPT = """
import asyncio, json, signal, sys, threading
from multiprocessing import active_children
from pathlib import Path

print("the script begins")

import hmem.workers
from hmem import IndexOptions, KnowledgeBase

hmem.workers.PARALLEL_FROM_BYTES = 1  # two files are enough for worker processes
LINES = []
for number in (signal.SIGINT, signal.SIGTERM):
    signal.signal(number, lambda *_: None)
main, before = sys.modules["__main__"], {}


def state():
    handlers = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGCHLD)]
    names = (main.__spec__, main.__file__, sys.modules["__main__"] is main)
    return handlers, signal.pthread_sigmask(signal.SIG_BLOCK, ()), names


def index(store):
    workers = set()

    def look(progress):
        workers.update(child.pid for child in active_children())

    with KnowledgeBase.open(store, create=True) as memory:
        report = memory.index("tree", IndexOptions(jobs=2), progress=look)
        found = memory.search("number seven").hits[0].source
    LINES.append({"store": store, "added": report.added, "found": found, "workers": bool(workers)})


async def in_a_loop():
    await asyncio.to_thread(index, "loop")
    index("blocking")
    with KnowledgeBase.open("loop") as memory:
        found = await asyncio.gather(*(memory.asearch(f"number {n}", top_k=1) for n in ("one", "two", "seven")))
    LINES.append({"async": [result.hits[0].source for result in found]})


before = state()
index("plain")
threads = [threading.Thread(target=index, args=(f"thread{n}",)) for n in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
asyncio.run(in_a_loop())
assert state() == before, (state(), before)
print(json.dumps(LINES))
"""

NUMBERS = ("one", "two", "three", "four", "five", "six", "seven")


def test_a_script_without_a_guard_may_do_anything(tmp_path: Path) -> None:
    write_tree(tmp_path, {f"tree/{name}.md": f"# Number {name}\n\nThis is number {name}.\n" for name in NUMBERS})
    (tmp_path / "script.py").write_text(SCRIPT)
    done = subprocess.run(
        [sys.executable, "-W", "error", "script.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert (done.returncode, done.stderr) == (0, "")
    begins, answer = done.stdout.splitlines()
    assert begins == "the script begins"  # once: no worker ran it again
    found = json.loads(answer)
    assert [line for line in found if "async" in line] == [{"async": ["one.md", "two.md", "seven.md"]}]
    indexed = {line.pop("store"): line for line in found if "store" in line}
    wanted = {"added": 7, "found": "seven.md", "workers": True}
    assert indexed == dict.fromkeys(("plain", "thread0", "thread1", "loop", "blocking"), wanted)
