"""Runs the command line: as a process of its own, or here, which is ten times as quick."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

SOURCE = Path(__file__).parent.parent


@dataclass(frozen=True, slots=True)
class Ran:
    """What a command printed and how it ended."""

    code: int
    out: str
    err: str


def hmem(*args: str | Path, cwd: Path | None = None, stdin: str | bytes = b"", **env: str) -> Ran:
    """Run `hmem ARGS` as a process; a traceback is always a failure of the test."""
    done = subprocess.run(
        [sys.executable, "-m", "hmem", *map(str, args)],
        cwd=cwd,
        input=_bytes(stdin),
        capture_output=True,
        env={**os.environ, "PYTHONPATH": str(SOURCE), **env},
        check=False,
        timeout=120,
    )
    return _checked(done.returncode, done.stdout, done.stderr)


def hmem_here(*args: str | Path, cwd: Path | None = None, stdin: str | bytes = b"", **env: str) -> Ran:
    """Run `hmem ARGS` in this process, with streams that are not a terminal."""
    from hmem.cli.quick import run

    out, err = _Stream(), _Stream()
    with (
        mock.patch.multiple(sys, argv=["hmem", *map(str, args)], stdin=_Input(stdin), stdout=out, stderr=err),
        mock.patch.dict(os.environ, env),
        _directory(cwd),
    ):
        try:
            code: object = run()
        except SystemExit as end:
            code = end.code
        out.flush()
        err.flush()
    return _checked(int(code or 0), out.buffer.getvalue(), err.buffer.getvalue())


class _Stream(io.TextIOWrapper):
    def __init__(self) -> None:
        super().__init__(io.BytesIO(), encoding="utf-8")


class _Input(io.TextIOWrapper):
    def __init__(self, data: str | bytes) -> None:
        super().__init__(io.BytesIO(_bytes(data)), encoding="utf-8")


@contextmanager
def _directory(path: Path | None):
    before = Path.cwd()
    os.chdir(path or before)
    try:
        yield
    finally:
        os.chdir(before)


def _bytes(data: str | bytes) -> bytes:
    return data.encode("utf-8", "surrogateescape") if isinstance(data, str) else data


def _checked(code: int, out: bytes, err: bytes) -> Ran:
    texts = (stream.decode("utf-8", "surrogateescape") for stream in (out, err))
    ran = Ran(code, *texts)
    assert "Traceback" not in ran.err, ran.err
    assert "bug in hmem" not in ran.err, ran.err
    return ran


SETTLED = 1_740_787_200
"""2025-03-01 00:00 UTC: a file of that time is not one that may still be changing."""


def write_tree(root: Path, files: dict[str, str | bytes], *, mtime: int | None = None) -> Path:
    """Write files below `root`, last changed at `mtime` if that is given, and return it."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8", "surrogateescape"))
        if mtime is not None:
            os.utime(path, (mtime, mtime))
    return root
