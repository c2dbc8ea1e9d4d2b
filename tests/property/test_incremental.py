"""After any edits an incremental index answers as one that is built anew from the same files."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
from hmem.embed import load_encoder
from hmem.library import KnowledgeBase
from hmem.search.query import SearchOptions
from hypothesis import HealthCheck, given, settings

NAMES = ("a.md", "b.py", "docs/c.md", "docs/wiki/d.md", "src/e.rs", "f.txt")
TEXTS = (
    "# Pool\n\nThe connection pool is exhausted.\n",
    "---\nservice: billing\npriority: 2\n---\n# Retry\n\nCall again after a timeout.\n",
    "---\nservice: search\n---\nzebra quokka\n",
    "def retry(call):\n    return call()\n\n\nclass Pool:\n    size = 3\n",
    "pub fn connect(url: &str) -> Pool {\n    Pool::new(url)\n}\n",
    "",
    "\x00binary",
)
QUERIES = ("connection pool", "retry", "zebra", "Pool", "timeout billing")

names = st.sampled_from(NAMES)
edits = st.one_of(
    st.tuples(st.just("write"), names, st.sampled_from(TEXTS)),
    st.tuples(st.just("delete"), names),
    st.tuples(st.just("move"), names, names),
    st.tuples(st.just("touch"), names),
    st.tuples(st.just("index")),
)


def apply(root: Path, edit: tuple[str, ...]) -> None:
    path = root / edit[1]
    if edit[0] == "write":
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(edit[2])
    elif edit[0] == "delete":
        path.unlink(missing_ok=True)
    elif edit[0] == "move" and path.exists():
        target = root / edit[2]
        target.parent.mkdir(parents=True, exist_ok=True)
        path.rename(target)
    elif edit[0] == "touch" and path.exists():
        path.touch()


def answers(memory: KnowledgeBase) -> list[Any]:
    """Everything that a user can see: documents, chunks, and for every arm and the default the hits with scores."""
    seen: list[Any] = [
        (owner.name, row.path, row.kind, row.lang, row.title, row.metadata, row.tags)
        for owner, row in memory.documents()
    ]
    with memory.session() as search:
        for query in QUERIES:
            for arms in (None, ("bm25",), ("document",), ("dense",)):
                hits = search(SearchOptions(query, arms=arms)).hits
                seen.append([(hit.chunk_id, hit.start_line, round(hit.score, 5)) for hit in hits])
    return seen


ENCODER = load_encoder()


def opened(place: Path) -> KnowledgeBase:
    memory = KnowledgeBase.open(place, create=True)
    memory._encoder = ENCODER  # loaded once for all examples
    return memory


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(edits, min_size=1, max_size=14))
def test_incremental_equals_rebuild(steps):
    place = Path(tempfile.mkdtemp())
    try:
        root = place / "tree"
        root.mkdir()
        with opened(place / "incremental") as incremental, opened(place / "fresh") as fresh:
            incremental.index([root])
            for step in steps:
                if step[0] == "index":
                    incremental.index()
                else:
                    apply(root, step)
            incremental.index()
            fresh.index([root])
            assert answers(incremental) == answers(fresh)
    finally:
        shutil.rmtree(place)
