"""A hub with one small model, served from this machine, as much of it as `huggingface_hub` asks for."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread

from model_samples import write_model

ID = "someone/tiny"
_COMMIT = "0123456789abcdef0123456789abcdef01234567"


@dataclass
class Hub:
    """Where it answers, and every path that was asked for with its `Authorization`."""

    address: str
    asked: list[tuple[str, str | None]] = field(default_factory=list)


@contextmanager
def serving(*, dimensions: int) -> Iterator[Hub]:
    """Serve the model `ID` on a free port of this machine while the block runs."""
    with TemporaryDirectory() as place:
        folder = write_model(Path(place), dimensions=dimensions)
        (folder / "pytorch_model.bin").write_bytes(b"not wanted")
        server = ThreadingHTTPServer(("127.0.0.1", 0), _Answer)
        server.folder = folder  # type: ignore[attr-defined]
        server.hub = Hub(f"http://127.0.0.1:{server.server_port}")  # type: ignore[attr-defined]
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server.hub  # type: ignore[attr-defined]
        finally:
            server.shutdown()
            thread.join()
            server.server_close()


class _Answer(BaseHTTPRequestHandler):
    def do_HEAD(self) -> None:
        self._answer(with_body=False)

    def do_GET(self) -> None:
        self._answer(with_body=True)

    def _answer(self, *, with_body: bool) -> None:
        folder: Path = self.server.folder  # type: ignore[attr-defined]
        self.server.hub.asked.append((self.path, self.headers["Authorization"]))  # type: ignore[attr-defined]
        path = self.path.split("?")[0]
        body = b"" if ID not in path else self._body(folder, path)
        self.send_response(200 if body else 404)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("X-Repo-Commit", _COMMIT)
        self.send_header("ETag", f'"{hashlib.sha1(body).hexdigest()}"')
        self.end_headers()
        if with_body:
            self.wfile.write(body)

    def _body(self, folder: Path, path: str) -> bytes:
        if "/tree/" in path:
            files = [
                {"type": "file", "path": file.name, "size": file.stat().st_size} for file in sorted(folder.iterdir())
            ]
            return json.dumps([{**file, "oid": ""} for file in files]).encode()
        if path.startswith("/api/"):
            files = [{"rfilename": file.name} for file in sorted(folder.iterdir())]
            return json.dumps({"id": ID, "sha": _COMMIT, "siblings": files}).encode()
        file = folder / path.rpartition("/")[2]
        return file.read_bytes() if file.exists() else b""

    def log_message(self, *_: object) -> None:
        """Say nothing."""
