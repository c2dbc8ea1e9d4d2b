"""Opens packages as they were downloaded and yields the files worth reading, without unpacking to disk."""

from __future__ import annotations

import gzip
import subprocess
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

_LIMIT = 400_000
_TOTAL = 80_000_000


def package_of(archive: Path) -> str:
    """Return the package's name with its version, as the model card lists it."""
    name = archive.name
    for ending in (".deb", ".dsc", ".tgz", ".whl"):
        name = name.removesuffix(ending)
    return name.split("-py3-")[0].split("-cp3")[0].split("-py2.")[0]


def files(archive: Path) -> Iterator[tuple[str, bytes]]:
    """Yield (path, bytes) of the text files of a .deb, .whl, .tgz or .orig.tar archive, at most 80 MB in all."""
    total = 0
    for path, data in _open(archive):
        if path.endswith(".gz"):
            try:
                path, data = path[:-3], gzip.decompress(data)
            except (OSError, EOFError):
                continue
        dictionary = path.endswith((".dict.dz", ".index"))
        if dictionary or (len(data) <= _LIMIT and b"\0" not in data[:2000]):
            total += len(data)
            yield path, data
        if total > _TOTAL:
            return


def _open(archive: Path) -> Iterator[tuple[str, bytes]]:
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as opened:
            for entry in opened.infolist():
                if entry.file_size <= _LIMIT:
                    yield entry.filename, opened.read(entry)
        return
    if archive.suffix == ".deb":
        command = ["dpkg-deb", "--fsys-tarfile", archive]
        with (
            subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process,
            tarfile.open(fileobj=process.stdout, mode="r|") as opened,
        ):
            yield from _members(opened)
        return
    with tarfile.open(archive, mode="r:*") as opened:
        yield from _members(opened)


def _members(opened: tarfile.TarFile) -> Iterator[tuple[str, bytes]]:
    for member in opened:
        limit = _LIMIT * (40 if member.name.endswith((".dict.dz", ".index")) else 1)
        if member.isreg() and 100 < member.size <= limit:
            handle = opened.extractfile(member)
            if handle:
                yield member.name.removeprefix("./"), handle.read()
