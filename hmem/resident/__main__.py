"""`python -m hmem.resident DIRECTORY`: a server beside a watcher, which ends when its stdin does."""

from __future__ import annotations

import signal
import sys
from contextlib import suppress
from pathlib import Path


def main() -> None:
    """Serve the store in the directory that the first argument names."""
    from hmem.config import load
    from hmem.errors import HmemError
    from hmem.resident.server import serve

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to the watcher too, which ends this by its pipe
    with suppress(HmemError, OSError):
        serve(Path(sys.argv[1]), load(), parent=0)


if __name__ == "__main__":
    main()
