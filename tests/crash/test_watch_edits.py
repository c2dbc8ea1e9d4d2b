"""Whatever happens to the files, the watched store ends up equal to one that is built anew."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from runner import write_tree
from watching import contents, opened, watching

FILES = {
    "a.md": "# Pool\n\nThe connection pool.\n",
    "docs/b.md": "# Retry\n\nCall again.\n",
    "docs/deep/c.md": "# Zebra\n\nquokka\n",
    "src/d.py": "def retry(call):\n    return call()\n",
}


@pytest.fixture
def root(tmp_path):
    return write_tree(tmp_path / "tree", FILES)


@pytest.fixture
def live(root):
    with opened() as memory, watching(memory, root) as found:
        found.settle()
        yield found


def in_place(root: Path) -> None:
    (root / "a.md").write_text("# Pool\n\nchanged in place\n")


def append(root: Path) -> None:
    with (root / "docs/b.md").open("a") as file:
        for number in range(20):
            file.write(f"\nline {number}\n")
            file.flush()


def rename_over(root: Path) -> None:
    (root / ".a.md.tmp").write_text("# Pool\n\nwritten aside\n")
    (root / ".a.md.tmp").replace(root / "a.md")


def rename_over_from_outside(root: Path) -> None:
    (root.parent / "aside").write_text("# Pool\n\nfrom outside\n")
    (root.parent / "aside").replace(root / "a.md")


def vim(root: Path) -> None:
    (root / "4913").write_text("")
    (root / "4913").unlink()
    (root / "a.md").rename(root / "a.md~")
    (root / "a.md").write_text("# Pool\n\nas vim saves\n")
    (root / "a.md~").unlink()


def emacs(root: Path) -> None:
    os.link(root / "a.md", root / "a.md~")
    (root / ".#a.md").symlink_to("user@host.1234")
    (root / "a.md").unlink()
    (root / "a.md").write_text("# Pool\n\nas emacs saves\n")
    (root / ".#a.md").unlink()


def same_size_same_time(root: Path) -> None:
    status = (root / "a.md").stat()
    (root / "a.md").write_text((root / "a.md").read_text().replace("connection", "collection"))
    os.utime(root / "a.md", ns=(status.st_atime_ns, status.st_mtime_ns))


def new_tree(root: Path) -> None:
    write_tree(root / "new/very/deep", {"x.md": "# X\n", "y/z.md": "# Z\n"})


def move_in(root: Path) -> None:
    write_tree(root.parent / "outside", {"sub/x.md": "# Moved in\n"})
    (root.parent / "outside").rename(root / "inside")


def move_out(root: Path) -> None:
    (root / "docs").rename(root.parent / "docs-outside")


def move_within(root: Path) -> None:
    (root / "docs").rename(root / "papers")


def move_file(root: Path) -> None:
    (root / "a.md").rename(root / "docs/deep/e.md")


def delete(root: Path) -> None:
    shutil.rmtree(root / "docs")
    (root / "src/d.py").unlink()


def file_becomes_directory(root: Path) -> None:
    (root / "a.md").unlink()
    write_tree(root / "a.md", {"inner.md": "# Inner\n"})


def ignore_file(root: Path) -> None:
    (root / "docs/.gitignore").write_text("deep/\n")


def folder_config(root: Path) -> None:
    (root / ".hmem.toml").write_text('[index]\nexclude = ["src/**"]\n[metadata]\nteam = "payments"\n')


def broken_folder_config(root: Path) -> None:
    (root / ".hmem.toml").write_text("[index\n")
    (root / "a.md").write_text("# Still indexed\n")


def user_config(root: Path) -> None:
    place = Path(os.environ["HMEM_CONFIG_DIR"])
    place.mkdir(parents=True, exist_ok=True)
    (place / "config.toml").write_text('[index]\nexclude = ["docs/deep/**"]\n')


def root_recreated(root: Path) -> None:
    shutil.rmtree(root)
    write_tree(root, {"other.md": "# Another tree\n"})


def root_exchanged(root: Path) -> None:
    write_tree(root.parent / "next", {"next.md": "# The next tree\n"})
    root.rename(root.parent / "previous")
    (root.parent / "next").rename(root)


EDITS = [
    in_place, append, rename_over, rename_over_from_outside, vim, emacs, same_size_same_time, new_tree, move_in,
    move_out, move_within, move_file, delete, file_becomes_directory, ignore_file, folder_config,
    broken_folder_config, user_config, root_recreated, root_exchanged,
]  # fmt: skip


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit.__name__)
def test_an_edit_ends_as_a_rebuild(live, root, edit):
    before = contents(live.memory)
    edit(root)
    assert live.settle() != before
    (root / "later.md").write_text("# Later\n\nwhat was moved or replaced is still followed\n")
    live.settle()


def test_touch_and_chmod_change_nothing(live, root):
    generation = live.memory.status().generation
    for path in root.rglob("*.md"):
        path.touch()
        path.chmod(0o600)
    (root / "docs").chmod(0o700)
    in_place(root)
    live.settle()
    assert live.memory.status().generation == generation + 1
    assert [event.report.updated for event in live.of_kind("indexed")][1:] == [1]


def test_a_root_that_vanishes_keeps_its_documents_until_it_is_back(live, root):
    before = contents(live.memory)
    root.rename(root.parent / "unmounted")
    live.event("warning", "missing")
    assert contents(live.memory) == before
    assert live.memory.collections()[0].missing
    write_tree(root.parent / "unmounted", {"new.md": "# New\n"})
    (root.parent / "unmounted").rename(root)
    live.settle()
    assert not live.memory.collections()[0].missing


def test_a_branch_switch_ends_as_a_rebuild(tmp_path):
    root = tmp_path / "repository"
    git = ["git", "-C", str(root), "-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "commit.gpgsign=false"]
    if shutil.which("git") is None:
        pytest.skip("needs git")
    for branch, numbers in (("one", range(400)), ("two", range(200, 600))):
        write_tree(root, {f"d{n % 20}/f{n}.md": f"# File {n}\n\non branch {branch}\n" for n in numbers})
        if branch == "one":
            subprocess.run([*git, "init", "-q"], check=True)
        subprocess.run([*git, "checkout", "-qb", branch], check=True)
        if branch == "two":
            for n in range(100):
                (root / f"d{n % 20}/f{n}.md").unlink()
        subprocess.run([*git, "add", "-A"], check=True)
        subprocess.run([*git, "commit", "-qm", branch], check=True)
    with opened() as memory, watching(memory, root) as live:
        assert len(live.settle()) == 500
        subprocess.run([*git, "checkout", "-q", "one"], check=True)
        assert len(live.settle()) == 400


def test_collections_that_others_register_and_remove(tmp_path, root):
    other = write_tree(tmp_path / "other", {"x.md": "# X\n"})
    with opened() as memory, opened() as another:
        memory.index([root / "docs"])  # first, so that it is a collection of its own inside the next
        memory.index([root])
        with watching(memory) as live:
            assert {name for name, _ in live.settle()} == {"docs", "tree"}
            (root / "docs/b.md").write_text("# The inner one is followed too\n")
            live.settle()
            another.index([other])
            (other / "x.md").write_text("# Y\n")
            assert ("other", "x.md") in live.settle()
            another.remove(["docs", "other"])
            (other / "x.md").write_text("# Not to be registered again\n")
            in_place(root)
            assert {name for name, _ in live.settle()} == {"tree"}
            (root / "docs/b.md").write_text("# Followed by the outer one\n")
            live.settle()
            assert len(memory.collections()) == 1


def test_two_files_of_one_directory_are_followed_apart(tmp_path):
    root = write_tree(tmp_path / "files", {"a.md": "# A\n", "b.md": "# B\n", "c.md": "# C\n"})
    with opened() as memory, watching(memory, root / "a.md", root / "b.md") as live:
        live.settle()
        memory.remove(["a.md"])
        (root / "b.md").write_text("# B is still followed\n")
        live.settle()
        (root / "aside").write_text("# B written aside\n")
        (root / "aside").replace(root / "b.md")
        live.settle()
        (root / "b.md").unlink()
        live.event("warning", "missing")
        (root / "b.md").write_text("# B is back\n")
        live.settle()


@pytest.mark.parametrize("linked", [False, True])
def test_a_store_inside_the_tree_does_not_trigger_itself(tmp_path, root, monkeypatch, linked):
    place = root / "data"
    if linked:
        place.mkdir()
        (tmp_path / "link").symlink_to(place)
        place = tmp_path / "link"
    monkeypatch.setenv("HMEM_DATA_DIR", str(place))
    with opened() as memory, watching(memory, root) as live:
        for number in range(3):
            (root / "a.md").write_text(f"# Version {number}\n")
            live.event("indexed")
        assert len(contents(memory)) == len(FILES)
        live.until(lambda: live.watcher.waiting == 0 and not live.watcher.busy, "quiet")
        stamp = memory.collections()[0].last_scan_ns
        live.nothing(0.7)
        assert memory.collections()[0].last_scan_ns == stamp
