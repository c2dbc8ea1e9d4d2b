"""The server: one thread that waits with everything loaded, and a fork of it for each command."""

from __future__ import annotations

import gc
import os
import selectors
import signal
import socket
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from hmem.errors import HmemError, UsageError
from hmem.resident.client import MAX_SOCKET_PATH
from hmem.resident.protocol import ACCEPTED, ENDED, MAX_REQUEST, SOCKET_NAME, WRITING, Request, body_of, kind, length_of
from hmem.resident.streams import Held, text_stream

if TYPE_CHECKING:
    from hmem.config import Settings

TICK_SECONDS = 1.0
REQUEST_SECONDS = 1.0
"""As long a child waits for a whole request."""

_BLOCK = 1 << 16


def serve(directory: Path, settings: Settings, *, idle: float | None = None, parent: int | None = None) -> None:
    """Answer commands for the store in `directory` until SIGTERM, Ctrl-C, `idle` seconds without one, or the end.

    The end is that of `parent` (a pipe), of the socket (another server took its place, or the store is gone), or of
    this copy of hmem (a file of it changed). Raises UsageError for a path that no socket can have, OSError.
    """
    path = directory / SOCKET_NAME
    if len(os.fsencode(path)) > MAX_SOCKET_PATH:
        raise UsageError(f"the path is too long for a socket: `{path}`", hint="use a store with a shorter path")
    _load(settings)
    stamp = _code_stamp()
    gc.collect()
    gc.freeze()  # or each child copies what its first collection touches
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    listener = _listen(path)
    own = path.lstat().st_ino
    last = time.monotonic()
    try:
        with listener, selectors.DefaultSelector() as selector:
            selector.register(listener, selectors.EVENT_READ)
            if parent is not None:
                selector.register(parent, selectors.EVENT_READ)
            while _inode(path) == own and (idle is None or time.monotonic() - last < idle):
                for key, _ in selector.select(TICK_SECONDS):
                    if key.fileobj is not listener:
                        return
                    if _code_stamp() != stamp:
                        return
                    last = time.monotonic()
                    _accept(listener)
    finally:
        signal.signal(signal.SIGCHLD, before)
        if _inode(path) == own:
            path.unlink(missing_ok=True)


def _load(settings: Settings) -> None:
    """Import what commands need and load the model; without a model they answer by words, as ever."""
    import hmem.cli.commands.get
    import hmem.cli.commands.related
    import hmem.cli.commands.search
    import hmem.cli.searching
    import hmem.freshness
    import hmem.references
    import hmem.render.lines
    import hmem.render.markdown
    import hmem.render.records
    import hmem.render.table
    import hmem.search.engine
    import hmem.search.related
    import hmem.search.session
    import hmem.survey  # noqa: F401
    from hmem.embed import load_encoder

    with suppress(HmemError):
        load_encoder(settings["model"]).encode(["warm"])


def _code_stamp() -> int:
    """Return when a loaded file of hmem changed last, in nanoseconds: what runs here must be what lies there."""
    files = [module.__file__ for name, module in list(sys.modules.items()) if name.partition(".")[0] == "hmem"]
    try:
        return max(os.stat(file).st_mtime_ns for file in files if file)  # noqa: PTH116
    except OSError:
        return -1


def _inode(path: Path) -> int | None:
    try:
        return path.lstat().st_ino
    except OSError:
        return None


def _listen(path: Path) -> socket.socket:
    """Return a socket that only this user can connect to; it takes its place at once, over an older one."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    aside = path.with_name(f"{path.name}-{os.getpid()}")
    try:
        with suppress(FileNotFoundError):
            aside.unlink()
        mask = os.umask(0o177)
        try:
            listener.bind(str(aside))
        finally:
            os.umask(mask)
        listener.listen(64)
        aside.replace(path)
    except BaseException:
        listener.close()
        with suppress(OSError):
            aside.unlink()
        raise
    return listener


def _accept(listener: socket.socket) -> None:
    """Fork a child for the caller at the door; where that fails the caller helps itself."""
    with suppress(OSError):
        connection, _ = listener.accept()
        with connection:
            if os.fork() == 0:
                listener.close()
                _answer(connection)


def _answer(connection: socket.socket) -> NoReturn:
    """Run the command of `connection` in this child, which ends with it."""
    try:
        for name in (signal.SIGCHLD, signal.SIGTERM):
            signal.signal(name, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        connection.settimeout(REQUEST_SECONDS)
        if _is_own(connection) and _record(connection, b"") == kind():
            connection.sendall(ACCEPTED)
            _run(_received(connection), connection)
    except BaseException:
        os._exit(1)  # the caller sees that nothing was said, or that the end is missing
    os._exit(0)


def _record(connection: socket.socket, record: bytes) -> bytes:
    """Return the record that begins with `record`, without its length. Raises OSError."""
    while (wanted := length_of(record)) is None or len(record) < wanted:
        more = connection.recv(_BLOCK)
        if not more or len(record) > MAX_REQUEST:
            raise ConnectionError("no whole record")
        record += more
    return body_of(record)


def _received(connection: socket.socket) -> Request:
    """Return the request, and make the caller's streams ours. Raises OSError, ValueError."""
    record, descriptors, _, _ = socket.recv_fds(connection, _BLOCK, 3)
    if len(descriptors) != 3:
        raise ConnectionError("no streams")
    for target, descriptor in enumerate(descriptors):
        os.dup2(descriptor, target)
        os.close(descriptor)
    request = Request.from_bytes(_record(connection, record))
    connection.settimeout(None)
    return request


def _is_own(connection: socket.socket) -> bool:
    """Tell whether the caller is this user, where the system can say; else the directory's mode has to do."""
    option = getattr(socket, "SO_PEERCRED", None)
    if option is None:
        return True
    credentials = connection.getsockopt(socket.SOL_SOCKET, option, 12)
    return int.from_bytes(credentials[4:8], sys.byteorder) == os.geteuid()


def _run(request: Request, connection: socket.socket) -> None:
    os.chdir(request.directory)
    os.environ.clear()
    os.environ.update(request.environment)
    time.tzset()
    held = Held(lambda: connection.sendall(WRITING))
    (out, err) = request.streams
    sys.stdin = os.fdopen(0, encoding=out[0], errors="replace", closefd=False)
    sys.stdout = sys.__stdout__ = text_stream(held, 1, *out)  # type: ignore[misc]
    sys.stderr = sys.__stderr__ = text_stream(held, 2, *err)  # type: ignore[misc]
    sys.argv = ["hmem", *request.words]
    code = _exit_code()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    with suppress(BrokenPipeError):
        held.release()
    connection.sendall(ENDED + bytes([code & 0xFF]))


def _exit_code() -> int:
    from hmem.cli.quick import run

    try:
        return run()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
