"""Runs a command with a terminal of its own as all three streams."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path

from runner import SOURCE

ESCAPE = re.compile(r"\x1b\]8;[^\x1b]*\x1b\\|\x1b\[[0-9;?]*[a-zA-Z]")


def on_terminal(*args: str, cwd: Path, columns: int = 80, **env: str) -> tuple[int, str]:
    """Run `hmem ARGS`; return its exit code and what the terminal got. An empty variable is taken out."""
    main, side = pty.openpty()
    fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    settings = {**os.environ, "PYTHONPATH": str(SOURCE), "TERM": "xterm-256color", **env}
    settings = {name: value for name, value in settings.items() if value}
    process = subprocess.Popen(
        [sys.executable, "-m", "hmem", *args], stdin=side, stdout=side, stderr=side, cwd=cwd, env=settings
    )
    os.close(side)
    data = b""
    while True:
        try:
            piece = os.read(main, 65536)
        except OSError:  # the other side is closed
            break
        if not piece:
            break
        data += piece
    os.close(main)
    return process.wait(), data.decode().replace("\r\n", "\n")
