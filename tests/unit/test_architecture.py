"""The structure that the design promises: one direction, no circles, one file per engine."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from runner import SETTLED

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / "hmem").rglob("*.py"))
NAMES = {".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path for path in FILES}

# A module imports from its own layer or from those before it.
LAYERS = (
    ("hmem.errors", "hmem.types", "hmem.version", "hmem.preparation", "hmem.text", "hmem.search.recipe"),
    ("hmem.paths", "hmem.settings", "hmem.chosen", "hmem.config", "hmem.notes.ledger"),
    ("hmem.discover", "hmem.parse", "hmem.chunk", "hmem.represent", "hmem.prepare", "hmem.timeline", "hmem.targets"),
    ("hmem.embed",),
    ("hmem.store", "hmem.references", "hmem.passages", "hmem.report"),
    ("hmem.search", "hmem.workers", "hmem.rules", "hmem.tasks", "hmem.scan", "hmem.survey"),
    ("hmem.ahead", "hmem.plan", "hmem.slices"),
    (
        "hmem.indexer",
        "hmem.indexing",
        "hmem.notes",
        "hmem.rehearsal",
        "hmem.watch.events",
        "hmem.freshness",
        "hmem.status",
        "hmem.keys",
        "hmem.registered",
    ),
    ("hmem.audit",),
    ("hmem.library", "hmem.watch", "hmem.doctor", "hmem.evaluation"),
    ("hmem.render",),
    ("hmem.cli", "hmem.complete", "hmem.mcp", "hmem.resident"),
    ("hmem.__main__", "hmem"),
)

ENGINES = {
    "whoosh": "hmem/store/",
    "usearch": "hmem/store/dense.py",
    "model2vec": "hmem/embed/",
    "watchdog": "hmem/watch/observe.py",
    "typer": "hmem/cli/",
    "rich": ("hmem/render/", "hmem/cli/"),
}


def imports(path: Path, *, deferred: bool) -> set[str]:
    """Return the full names that a file imports, those inside functions too if `deferred`; not those for types."""
    tree = ast.parse(path.read_text("utf-8"))
    found: set[str] = set()

    def visit(nodes: list[ast.stmt]) -> None:
        for node in nodes:
            if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
                continue
            if isinstance(node, ast.Import):
                found.update(alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"relative import in {path}"
                found.update(f"{node.module}.{alias.name}" for alias in node.names)
            elif deferred or not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                for field in ("body", "orelse", "finalbody", "handlers"):
                    visit(
                        [child for child in getattr(node, field, []) if isinstance(child, ast.stmt | ast.excepthandler)]
                    )

    visit(tree.body)
    return found


def module_of(name: str) -> str | None:
    """Return the module of hmem that an imported name belongs to."""
    while name.startswith("hmem"):
        if name in NAMES:
            return name
        name = name.rpartition(".")[0]
    return None


def layer(module: str) -> int:
    best, at = "", -1
    for number, names in enumerate(LAYERS):
        for name in names:
            if (module == name or module.startswith(name + ".")) and len(name) > len(best):
                best, at = name, number
    return at


GRAPH = {
    module: {found for name in imports(path, deferred=False) if (found := module_of(name)) and found != module}
    for module, path in NAMES.items()
}


def test_no_circles():
    state: dict[str, int] = {}

    def visit(module: str, path: list[str]) -> None:
        state[module] = 1
        for other in sorted(GRAPH[module]):
            assert state.get(other) != 1, " -> ".join([*path, module, other])
            if other not in state:
                visit(other, [*path, module])
        state[module] = 2

    for module in sorted(GRAPH):
        if module not in state:
            visit(module, [])


@pytest.mark.parametrize("module", sorted(NAMES))
def test_imports_go_down(module):
    for name in imports(NAMES[module], deferred=True):
        other = module_of(name)
        if other and other != "hmem":
            assert layer(other) <= layer(module), f"{module} imports {other}"


@pytest.mark.parametrize("engine", sorted(ENGINES))
def test_an_engine_has_one_place(engine):
    places = ENGINES[engine]
    for path in FILES:
        if any(name == engine or name.startswith(engine + ".") for name in imports(path, deferred=True)):
            assert path.relative_to(ROOT).as_posix().startswith(places), path


def test_no_private_name_crosses_modules():
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("hmem"):
                private = [alias.name for alias in node.names if alias.name.startswith("_") and alias.name[:2] != "__"]
                assert not private, f"{path}: {private}"


def test_files_stay_short():
    long = {path.name: lines for path in FILES if (lines := path.read_text("utf-8").count("\n")) > 330}
    assert not long


@pytest.mark.parametrize("module", ["hmem", "hmem.errors", "hmem.types", "hmem.config", "hmem.library", "hmem.report"])
def test_light_modules_load_no_engine(module):
    code = f"import sys, {module}; bad = {set(ENGINES) | {'numpy'}} & set(sys.modules); assert not bad, bad"
    assert subprocess.run([sys.executable, "-W", "error", "-c", code], cwd=ROOT, check=False).returncode == 0


def test_a_search_that_finds_nothing_new_loads_no_parser(tmp_path):
    """It walks the trees, which is quick; what only reads, cuts or embeds files would cost as much again."""
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree/a.md").write_text("# Pool\n")
    os.utime(tmp_path / "tree/a.md", (SETTLED, SETTLED))
    heavy = {"hmem.parse", "hmem.chunk", "hmem.prepare", "hmem.workers", "hmem.indexer", "yaml", "watchdog", "usearch"}
    code = f"""
import sys
from pathlib import Path
from hmem.library import KnowledgeBase
with KnowledgeBase.open(create=True) as memory:
    if "index" in sys.argv:
        memory.index([Path({str(tmp_path / "tree")!r})])
    else:
        assert memory.freshen().stale is False
        assert memory.search("pool").hits
        assert not {heavy} & set(sys.modules), {heavy} & set(sys.modules)
"""
    for what in ("index", "search"):
        subprocess.run([sys.executable, "-c", code, what], cwd=ROOT, check=True)
