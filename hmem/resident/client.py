"""Ask a resident server to run this command. Imports little: what it takes here, a search takes longer."""

from __future__ import annotations

import os
import sys

from hmem.cli.words import read
from hmem.resident.protocol import ACCEPTED, ENDED, SOCKET_NAME, SWITCH, WRITING, Request, kind, record_of

COMMANDS = frozenset({"search", "related", "get"})
"""Commands that read; all others run as processes of their own."""

ACCEPT_SECONDS = 0.5
"""As long as a server that is alive takes to fork; one that hangs costs no more."""

ANSWER_SECONDS = 20.0
"""As long as a search may take until it begins to write; then this process searches itself."""

MAX_SOCKET_PATH = 100
"""Longer paths do not fit into the address of a socket everywhere."""

EXIT_ERROR = 2
_UNSUITED = ("request", "batch", "refresh")
"""Flags of commands that may read stdin, which stays with the terminal, or take all the cores to index."""

_STANDARD = (0, 1, 2)


def answered(words: list[str]) -> int | None:
    """Let a server run the command line `words` and return its exit code; None if nothing was done."""
    if words[:1] == [] or words[0] not in COMMANDS or os.environ.get(SWITCH) == "0":
        return None
    # The server's child reads the words anew; a saved search among them changes nothing of what matters here.
    values = read([word for word in words[1:] if not word.startswith("@")])
    if values is None or any(values.get(name) for name in _UNSUITED):
        return None
    try:
        path = _socket_of(values.get("store"))
        return None if path is None else _ask(path, words)
    except OSError:
        return None


def _socket_of(store: object) -> str | None:
    """Return the socket of a store, if there is one of this user."""
    from hmem.errors import HmemError
    from hmem.paths import store_dir

    try:
        path = os.path.join(store_dir(None if store is None else str(store)), SOCKET_NAME)  # noqa: PTH118
    except HmemError:
        return None
    if len(os.fsencode(path)) > MAX_SOCKET_PATH or os.lstat(path).st_uid != os.geteuid():
        return None
    return path


def _ask(path: str, words: list[str]) -> int | None:
    import socket

    out, err = sys.stdout, sys.stderr
    if out is None or err is None or sys.stdin is None:
        return None
    streams = ((out.encoding, out.errors or "strict"), (err.encoding, err.errors or "strict"))
    record = Request(words, os.getcwd(), os.environ, streams).to_bytes()  # noqa: PTH109
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(ACCEPT_SECONDS)
        connection.connect(path)
        connection.sendall(record_of(kind()))
        if connection.recv(1) != ACCEPTED:
            return None
        sent = socket.send_fds(connection, [record], list(_STANDARD))
        connection.sendall(record[sent:])
        connection.settimeout(ANSWER_SECONDS)
        first = connection.recv(1)
        if first == b"":
            return None
        connection.settimeout(None)
        if first == WRITING:
            first = connection.recv(1)
        code = connection.recv(1)
    if first == ENDED and code:
        return code[0]
    sys.stderr.write("error: the resident server ended in the midst of an answer\nhint: run the command again\n")
    return EXIT_ERROR
