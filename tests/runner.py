"""Runs the real command as a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Ran:
    """What a command printed and how it ended."""

    code: int
    out: str
    err: str


def hmem(*args: str | Path, cwd: Path | None = None, stdin: str | bytes = b"", **env: str) -> Ran:
    """Run `hmem ARGS`; a traceback is always a failure of the test."""
    data = stdin.encode("utf-8", "surrogateescape") if isinstance(stdin, str) else stdin
    source = str(Path(__file__).parent.parent)
    done = subprocess.run(
        [sys.executable, "-m", "hmem", *map(str, args)],
        cwd=cwd,
        input=data,
        capture_output=True,
        env={**os.environ, "PYTHONPATH": source, **env},
        check=False,
        timeout=120,
    )
    out, err = (stream.decode("utf-8", "surrogateescape") for stream in (done.stdout, done.stderr))
    assert "Traceback" not in err, err
    assert "bug in hmem" not in err, err
    return Ran(done.returncode, out, err)


def write_tree(root: Path, files: dict[str, str | bytes]) -> Path:
    """Write files below `root` and return it."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8", "surrogateescape"))
    return root
