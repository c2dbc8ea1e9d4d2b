"""Every file of a store, damaged in every way: `hmem doctor` names it, a search says so, `--repair` mends it.

`DAMAGE_TABLE=FILE` writes what was seen as a Markdown table.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

import pytest
from hmem.store.rows import row_checksum

from privileges import permissions_hold
from runner import Ran, hmem_here, write_tree

pytestmark = pytest.mark.crash

TREE = {
    "pool.md": "---\nservice: billing\n---\n# Pool\n\nThe connection pool is exhausted, says the pool.\n",
    "retry.py": "def retry_with_backoff(call):\n    return call()\n",
    "notes/deploy.md": "# Deployment\n\nCanary first, then everybody.\n",
}
LATER = {"notes/zebra.md": "# Zebra\n\nquokka and zebra near the pool\n"}
OTHER_LATER = {"notes/other.md": "# Another\n\nnothing of a quokka here\n"}
OTHER = {"other.md": "# Other\n\nThe pool of another store.\n", "x.py": "def other_pool():\n    pass\n"}
QUERIES = ("connection pool", "zebra", "retry_with_backoff")
SIDE = re.compile(r"lock|watch\.lock|leases/.*")
"""Files that hold nothing: they come back by themselves, and no answer depends on them."""


@dataclass(frozen=True)
class Place:
    """A store with the tree that it indexes."""

    data: Path
    tree: Path

    @property
    def store(self) -> Path:
        return self.data / "stores/default"

    def run(self, *args: str) -> Ran:
        return hmem_here(*args, HMEM_DATA_DIR=str(self.data))

    def answers(self) -> list[list[tuple]]:
        return [hits(self.run("search", query, "--json", "--no-refresh", "-k", "50").out) for query in QUERIES]


def hits(text: str) -> list[tuple]:
    found = json.loads(text)
    keys = ("source", "chunk_id", "text", "start_line", "end_line", "score")
    return [tuple(hit[key] for key in keys) for hit in found["results"]]


def build(place: Path, tree: dict[str, str], later: dict[str, str]) -> Place:
    found = Place(place / "data", write_tree(place / "tree", tree))
    assert found.run("index", str(found.tree)).code == 0
    write_tree(found.tree, later)
    assert found.run("index").code == 0
    return found


@pytest.fixture(scope="module")
def healthy(tmp_path_factory) -> Place:
    return build(tmp_path_factory.mktemp("healthy"), TREE, LATER)


@pytest.fixture(scope="module")
def other(tmp_path_factory) -> Place:
    return build(tmp_path_factory.mktemp("other"), OTHER, OTHER_LATER)


@pytest.fixture(scope="module")
def truth(healthy) -> list[list[tuple]]:
    return healthy.answers()


@pytest.fixture
def damaged(healthy, tmp_path) -> Iterator[Place]:
    """A copy of the healthy store, of the same tree."""
    place = Place(tmp_path / "data", healthy.tree)
    shutil.copytree(healthy.data, place.data)
    yield place
    for path in place.data.rglob("*"):
        path.chmod(0o700)


def roles(store: Path) -> dict[str, Path]:
    """Return the files by what they are for: `2-lexical/chunks/lengths` instead of a name with random parts."""
    found = {}
    for path in sorted(store.rglob("*")):
        if path.is_file():
            name = path.relative_to(store).as_posix()
            found[re.sub(r"^segments/0*(\d+)-\w+-", r"\1-", name)] = path
    return found


def missing(path: Path, _: Path) -> None:
    path.unlink()


def empty(path: Path, _: Path) -> None:
    path.write_bytes(b"")


def truncated(path: Path, _: Path) -> None:
    os.truncate(path, path.stat().st_size * 2 // 3)


def flipped(path: Path, _: Path) -> None:
    data = bytearray(path.read_bytes())
    if data:
        data[len(data) // 2] ^= 0x10
    path.write_bytes(data)


def swapped(path: Path, twin: Path) -> None:
    shutil.copy(twin, path)


def unreadable(path: Path, _: Path) -> None:
    path.chmod(0)


def older(path: Path, _: Path) -> None:
    change_format(path, -1)


def newer(path: Path, _: Path) -> None:
    change_format(path, 1)


def change_format(path: Path, step: int) -> None:
    """Make a file one of an older or newer format, where it has one of its own; of a segment the catalog says it."""
    if path.name == "catalog.sqlite":
        with closing(sqlite3.connect(path)) as connection:
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            connection.execute(f"PRAGMA user_version = {version + step}")
            connection.commit()
    elif path.name == "collections.json":
        content = json.loads(path.read_bytes())
        path.write_text(json.dumps({**content, "format": content["format"] + step}))
    elif "segments" in path.parts:
        change_part(path, step)


def change_part(path: Path, step: int) -> None:
    directory = next(part for part in path.parts if re.fullmatch(r"\d+-\w+-(lexical|dense)", part))
    catalog = path.parents[len(path.parts) - path.parts.index("segments") - 1] / "catalog.sqlite"
    with closing(sqlite3.connect(catalog)) as connection:
        names = [row[1] for row in connection.execute("PRAGMA table_info(parts)") if row[1] != "checksum"]
        select = f"SELECT {', '.join(names)} FROM parts WHERE directory = ?"
        row = connection.execute(select, (directory,)).fetchone()
        values = dict(zip(names, row, strict=True))
        versions = json.loads(values["versions"])
        for key, value in versions.items():
            versions[key] = f"{step}-{value}" if isinstance(value, str) else value + step
        values["versions"] = json.dumps(versions, separators=(",", ":"))
        connection.execute(
            "UPDATE parts SET versions = ?, checksum = ? WHERE directory = ?",
            (values["versions"], row_checksum(list(values.values())), directory),
        )
        connection.commit()


DAMAGES = (missing, empty, truncated, flipped, swapped, unreadable, older, newer)
SEEN: dict[str, dict[str, str]] = {}


@pytest.fixture(scope="module", autouse=True)
def table() -> Iterator[None]:
    yield
    place = os.environ.get("DAMAGE_TABLE")
    if place:
        names = [damage.__name__ for damage in DAMAGES]
        lines = [f"| file | {' | '.join(names)} |", f"|---|{'---|' * len(names)}"]
        lines += [f"| `{role}` | {' | '.join(row.get(name, '') for name in names)} |" for role, row in SEEN.items()]
        Path(place).write_text("\n".join(lines) + "\n")


@contextmanager
def permissions_of(damage):
    with permissions_hold() if damage is unreadable else nullcontext():
        yield


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
def test_named_answered_mended(healthy, other, truth, damaged, faults, damage):
    known = {hit[:5] for found in truth for hit in found}
    twins = roles(other.store)
    for role, original in roles(healthy.store).items():
        if role not in twins:
            assert SIDE.fullmatch(role) or "_pairs" in role, role
        shutil.rmtree(damaged.data)
        shutil.copytree(healthy.data, damaged.data)
        path = damaged.store / original.relative_to(healthy.store)
        before = path.read_bytes()
        damage(path, twins.get(role, other.store / "catalog.sqlite"))
        is_same = path.exists() and damage not in (unreadable, older, newer) and path.read_bytes() == before
        has_format = damage not in (older, newer) or not SIDE.fullmatch(role)
        faults.inject()
        with permissions_of(damage):
            seen = check_one(damaged, role, truth, known, is_harmless=is_same or not has_format)
        faults.survive()
        SEEN.setdefault(role, {})[damage.__name__] = seen if has_format else "-"


def check_one(damaged: Place, role: str, truth, known, *, is_harmless: bool) -> str:
    """Look, search, repair, look again and search again; return in a word how the search went."""
    doctor = damaged.run("doctor", "--json")
    named = [problem["message"] for problem in json.loads(doctor.out)["problems"]] if doctor.out else [doctor.err]
    if is_harmless or SIDE.fullmatch(role):
        assert doctor.code in (0, 1), doctor.err
    else:
        assert doctor.code == 1, (role, doctor)
        assert any(names(role, text) for text in named), (role, named)
    outcome = search_all(damaged, role, truth, known)
    repaired = damaged.run("doctor", "--repair")
    assert repaired.code == 0, (role, repaired)
    again = damaged.run("doctor", "--json")
    assert again.code == 0, (role, again)
    assert damaged.answers() == truth, role
    return outcome if doctor.code else "harmless"


def search_all(damaged: Place, role: str, truth, known) -> str:
    outcomes = set()
    for query, wanted in zip(QUERIES, truth, strict=True):
        ran = damaged.run("search", query, "--json", "--no-refresh", "-k", "50")
        if ran.code == 2:
            assert ran.err.startswith("error: ") or ran.err.count("is unavailable") >= 3, (role, ran)
            assert "hmem doctor --repair" in ran.err or "`hmem index" in ran.err or "update" in ran.err
            outcomes.add("refused")
            continue
        found = hits(ran.out)
        assert {hit[:5] for hit in found} <= known, (role, query)
        if found == wanted:
            outcomes.add("same")
        else:
            assert "warning: " in ran.err, (role, query, ran)
            states = {arm["status"] for arm in json.loads(ran.out)["arms"].values()}
            assert states & {"unavailable", "failed"}, (role, query, states)
            outcomes.add("degraded")
    return next(word for word in ("refused", "degraded", "same") if word in outcomes)


def names(role: str, text: str) -> bool:
    """Whether a problem's text leads to the file: its own name, or the index that it is a part of."""
    if role == "catalog.sqlite":
        return "catalog" in text or "store has format" in text or "document" in text or "chunk" in text
    if role == "collections.json":
        return "list of collections" in text
    arm, _, inner = role.partition("/")
    return inner in text or "segment" in text or {"lexical": "postings", "dense": "vectors"}[arm.split("-")[1]] in text
