from __future__ import annotations

import pytest
from hmem.discover import Changes, Known, WalkResult, diff
from hmem.types import FileState


def state(path: str, size: int = 1, mtime_ns: int = 2, inode: int = 3) -> FileState:
    return FileState(path, size, mtime_ns, inode)


def known(*states: FileState, racy: tuple[str, ...] = ()) -> dict[str, Known]:
    return {item.path: Known(item, number, item.path in racy) for number, item in enumerate(states, 1)}


def test_new_gone_and_same():
    result = WalkResult(files=(state("a"), state("b")))
    assert diff(result, known(state("b"), state("c"))) == Changes(added=(state("a"),), removed=("c",), unchanged=1)


@pytest.mark.parametrize("changed", [state("a", size=9), state("a", mtime_ns=9), state("a", inode=9)])
def test_any_difference_of_the_stat_is_suspect(changed):
    assert diff(WalkResult(files=(changed,)), known(state("a"))) == Changes(suspect=(changed,))


def test_racy_file_is_suspect_whatever_its_stat():
    assert diff(WalkResult(files=(state("a"),)), known(state("a"), racy=("a",))) == Changes(suspect=(state("a"),))


def test_rename_is_an_addition_and_a_removal():
    result = WalkResult(files=(state("b.md"),))
    assert diff(result, known(state("a.md"))) == Changes(added=(state("b.md"),), removed=("a.md",))


def test_part_prunes_only_inside():
    before = known(state("a"), state("a/x"), state("a/y"), state("ab"), state("b"))
    assert diff(WalkResult(files=(state("a/y"),)), before, "a") == Changes(removed=("a", "a/x"), unchanged=1)
    assert diff(WalkResult(), before, "b").removed == ("b",)


def test_unreadable_directories_and_files_keep_their_documents():
    before = known(state("a/x"), state("a/b/y"), state("ab/z"), state("c"), state("d"))
    result = WalkResult(unreadable=("a", "c"))
    assert diff(result, before) == Changes(removed=("ab/z", "d"), kept=("a/b/y", "a/x", "c"))


def test_unreadable_directory_above_the_part_keeps_it():
    assert diff(WalkResult(unreadable=("a",)), known(state("a/b/x")), "a/b").kept == ("a/b/x",)


@pytest.mark.parametrize("result", [WalkResult(root_missing=True), WalkResult(unreadable=("",))])
def test_lost_root_prunes_nothing(result):
    before = known(state("a"), state("b/c"))
    assert diff(result, before) == Changes(kept=("a", "b/c"))
    assert diff(result, before, "b") == Changes(kept=("b/c",))
