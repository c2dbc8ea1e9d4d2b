"""Whether the system still lets this user watch one more directory. Linux only: elsewhere there is no such limit.

The observer swallows the error for everything below a root, so that changes there would go unnoticed; and how many
watches other processes took cannot be asked. One more is tried instead.
"""

from __future__ import annotations

import ctypes
import errno
import os
from pathlib import Path

_PLACES = (Path("/proc/sys/fs/inotify/max_user_watches"), Path("/proc/sys/user/max_inotify_watches"))
_CLOSE_ON_EXEC = 0o2000000
_DELETE_SELF = 0x400


def is_exhausted() -> bool:
    """Return whether no more directory can be watched."""
    library = ctypes.CDLL(None, use_errno=True)
    if not hasattr(library, "inotify_init1"):
        return False
    descriptor = library.inotify_init1(_CLOSE_ON_EXEC)
    if descriptor < 0:  # no more instances: that fails loudly for the observer too
        return False
    try:
        watch = library.inotify_add_watch(descriptor, b"/", _DELETE_SELF)
        return bool(watch < 0 and ctypes.get_errno() == errno.ENOSPC)
    finally:
        os.close(descriptor)


def limit() -> int | None:
    """Return how many directories a user can watch, None if the system does not say."""
    found = []
    for place in _PLACES:
        try:
            found.append(int(place.read_text()))
        except (OSError, ValueError):
            continue
    return min(found, default=None)
