"""Bytes and locks: full or not at all, forced to the disk, named when they are not what was written."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
import xxhash
from hmem.errors import StoreAccessError, StoreDamagedError, StoreLockedError
from hmem.store import files
from hmem.store.lock import FileLock, Lease, is_locked, oldest_lease, read_holder
from hmem.store.translate import translated

from store_faults import failing, hooked, in_child


def names(act) -> list[str]:
    seen: list[str] = []
    with hooked(lambda name, path: seen.append(f"{name} {path.name}")):
        act()
    return seen


def test_write_file_creates_exclusively_for_the_owner(tmp_path):
    path = tmp_path / "x"
    files.write_file(path, [b"ab", memoryview(b"cd"), bytearray(b"e")])
    assert path.read_bytes() == b"abcde"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with pytest.raises(FileExistsError):
        files.write_file(path, b"other")
    (tmp_path / "link").symlink_to(tmp_path / "target")
    with pytest.raises(OSError, match="exists"):
        files.write_file(tmp_path / "link", b"other")


@pytest.mark.parametrize("most", [1, 2, 1000])
def test_short_writes_are_continued(tmp_path, most):
    with hooked(lambda name, path: most if name == "write" else None):
        files.write_file(tmp_path / "x", [b"0123456789", b"", b"abc"])
    assert (tmp_path / "x").read_bytes() == b"0123456789abc"


def test_write_aside_replaces_in_the_order_that_survives_a_crash(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(b"old")
    seen = names(lambda: files.write_aside(path, b"new"))
    assert seen == ["create x.new", "write x.new", "sync x.new", "replace x", f"sync-dir {tmp_path.name}"]
    assert path.read_bytes() == b"new"


def test_write_aside_that_fails_leaves_the_old_content_alone(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(b"old")
    for at in range(4):
        with hooked(failing(at)), pytest.raises(OSError, match="No space"):
            files.write_aside(path, b"new")
        assert path.read_bytes() == b"old"
        assert [entry.name for entry in tmp_path.iterdir()] == ["x"]


def test_seal_trees_stamps_every_file_and_forces_every_name(tmp_path):
    tree = tmp_path / "tree"
    (tree / "inner").mkdir(parents=True)
    (tree / "a").write_bytes(b"1")
    (tree / "inner" / "b").write_bytes(b"")
    (tree / "a").chmod(0o644)
    stamps: list[dict[str, files.FileStamp]] = []
    seen = names(lambda: stamps.extend(files.seal_trees([tree])))
    assert sorted(seen) == sorted(["sync a", "sync b", "sync-dir inner", "sync-dir tree", f"sync-dir {tmp_path.name}"])
    assert sorted(stamps[0]) == ["a", "inner/b"]
    assert stamps[0]["a"].checksum == xxhash.xxh3_128(b"1").hexdigest() == files.checksum(tree / "a")
    assert stamps[0]["a"].size == 1
    assert stat.S_IMODE((tree / "a").stat().st_mode) == 0o600


def test_fault_of_names_each_difference(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(b"0123456789")
    stamp = files.seal(path)
    assert files.fault_of(path, stamp) is None
    assert files.fault_of(path, stamp, deep=True) is None
    copy = tmp_path / "copy"
    copy.write_bytes(b"0123456789")
    assert files.fault_of(copy, stamp) is None
    path.write_bytes(b"0123456788")
    os.utime(path, ns=(stamp.mtime_ns, stamp.mtime_ns))
    assert files.fault_of(path, stamp) == "does not match its checksum"
    path.write_bytes(b"012")
    assert files.fault_of(path, stamp) == "has 3 bytes instead of 10"
    path.unlink()
    assert files.fault_of(path, stamp) == "is missing"
    path.symlink_to(copy)
    assert files.fault_of(path, stamp) == "is not a regular file"


def test_a_change_that_hides_from_stat_is_found_by_a_deep_look(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(b"0123456789")
    real = files.seal(path)
    path.write_bytes(b"0123456788")
    status = path.stat()
    hidden = files.FileStamp(10, real.checksum, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
    assert files.fault_of(path, hidden) is None
    assert files.fault_of(path, hidden, deep=True) == "does not match its checksum"


def test_remove_trees_stays_inside(tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "keep").write_bytes(b"")
    tree = tmp_path / "tree"
    (tree / "deep" / "deeper").mkdir(parents=True)
    (tree / "deep" / "deeper" / "x").write_bytes(b"")
    (tree / "link").symlink_to(outside)
    files.remove_trees([tree, tmp_path / "gone"])
    assert [entry.name for entry in tmp_path.iterdir()] == ["outside"]
    assert (outside / "keep").exists()


def test_system_errors_are_translated():
    for code, hint in ((errno.ENOSPC, "free some space"), (errno.EIO, None)):
        with pytest.raises(StoreAccessError, match=os.strerror(code).lower()) as caught, translated(Path("/x")):
            raise OSError(code, os.strerror(code), "/some/file")
        assert "/some/file" in caught.value.message
        assert (caught.value.hint or "").startswith(hint or "")
    with pytest.raises(StoreDamagedError), translated(Path("/x")):
        raise StoreDamagedError("as it is")


# -- locks


def test_the_second_writer_is_told_who_holds_the_lock(tmp_path):
    first, second = FileLock(tmp_path / "lock"), FileLock(tmp_path / "lock")
    first.acquire(0)
    with pytest.raises(StoreLockedError, match=f"process {os.getpid()} .since 20.*waited 0.. s") as caught:
        second.acquire(0.05)
    assert caught.value.pid == os.getpid()
    assert is_locked(tmp_path / "lock")
    first.release()
    assert not is_locked(tmp_path / "lock")
    assert read_holder(tmp_path / "lock") is None
    with second.holding(0):
        assert read_holder(tmp_path / "lock").pid == os.getpid()


def test_the_lock_of_a_dead_process_is_free(tmp_path):
    def die() -> None:
        FileLock(tmp_path / "lock").acquire(0)
        os.kill(os.getpid(), 9)

    assert in_child(die) == 9
    FileLock(tmp_path / "lock").acquire(0)


def test_a_worker_that_outlives_its_killed_parent_does_not_keep_the_lock(tmp_path):
    ready, stop = os.pipe(), os.pipe()

    def lead() -> None:
        FileLock(tmp_path / "lock").acquire(0)
        os.close(stop[1])
        if os.fork() == 0:
            os.write(ready[1], b"x")
            os.read(stop[0], 1)
            os._exit(0)
        os.read(ready[0], 1)
        os.kill(os.getpid(), 9)

    assert in_child(lead) == 9
    FileLock(tmp_path / "lock").acquire(0)
    for end in (*ready, *stop):
        os.close(end)


def test_a_waiting_writer_gets_its_turn(tmp_path):
    code = (
        "import sys, pathlib; from hmem.store.lock import FileLock\n"
        "lock = FileLock(pathlib.Path(sys.argv[1])); lock.acquire(0); print('held', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "lock")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(StoreLockedError, match=f"process {holder.pid} "):
            FileLock(tmp_path / "lock").acquire(0)
        holder.stdin.close()
        FileLock(tmp_path / "lock").acquire(30)


def test_leases_tell_the_oldest_reader(tmp_path):
    assert oldest_lease(tmp_path, 9) == 9
    old, older, current = Lease(tmp_path, 5), Lease(tmp_path, 3), Lease(tmp_path, 9)
    assert oldest_lease(tmp_path, 9) == 3
    older.close()
    assert oldest_lease(tmp_path, 9) == 5
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["5", "9"]
    old.close()
    assert oldest_lease(tmp_path, 9) == 9
    assert [entry.name for entry in tmp_path.iterdir()] == ["9"]
    current.close()


def test_a_lease_without_room_for_a_file_stands_for_every_generation(tmp_path, monkeypatch):
    (tmp_path / "any").write_bytes(b"")
    real = os.open

    def full(path, flags, mode=0o777):
        if Path(path).name == "7":
            raise OSError(errno.ENOSPC, "no space")
        return real(path, flags, mode)

    monkeypatch.setattr(os, "open", full)
    lease = Lease(tmp_path, 7)
    assert oldest_lease(tmp_path, 9) == 0
    lease.close()
    assert oldest_lease(tmp_path, 9) == 9
    assert (tmp_path / "any").exists()


@pytest.mark.parametrize("name", ["file", "directory"])
def test_where_there_is_a_full_sync_it_is_asked_for(tmp_path, monkeypatch, name):
    asked: list[int] = []
    monkeypatch.setattr(files, "_FULL_SYNC", 51)
    monkeypatch.setattr(files.fcntl, "fcntl", lambda descriptor, command: asked.append(command))
    monkeypatch.setattr(files.os, "fsync", lambda descriptor: pytest.fail("the weaker one"))
    (tmp_path / "x").touch()
    files.seal(tmp_path / "x") if name == "file" else files.sync_dir(tmp_path)
    assert asked == [51]


def test_a_file_system_without_it_gets_the_other_one(tmp_path, monkeypatch):
    synced: list[int] = []
    monkeypatch.setattr(files, "_FULL_SYNC", 51)  # unknown to Linux, refused with EINVAL
    monkeypatch.setattr(files.os, "fsync", synced.append)
    (tmp_path / "x").touch()
    if sys.platform == "darwin":
        pytest.skip("it knows it")
    files.seal(tmp_path / "x")
    assert len(synced) == 1
