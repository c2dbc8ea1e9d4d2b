"""Lists the packages that a model was trained on: registry, package and version, pairs kept and dropped, licence.

    python tests/bench/model/licences.py DATA > tests/bench/model/trained-on.tsv

Licences are the short names that the package itself states (Debian's machine-readable copyright file, `license` of
package.json, the wheel's metadata); "see copyright" where the file is not machine-readable.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import tarfile
import zipfile
from pathlib import Path

from archives import package_of

_SHORT = re.compile(r"^License: *(\S.*)$", re.M)


def stated(archive: Path) -> str:
    """Return the licence that a package states."""
    if archive.suffix == ".deb":
        shell = f"dpkg-deb --fsys-tarfile '{archive}' | tar -xO --wildcards './usr/share/doc/*/copyright' 2>/dev/null"
        return _debian(subprocess.run(["sh", "-c", shell], capture_output=True, check=False).stdout)
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as opened:
            name = next(name for name in opened.namelist() if name.endswith(".dist-info/METADATA"))
            text = opened.read(name).decode("utf-8", "replace").split("\n\n")[0]
        found = re.findall(r"^(?:License-Expression: |Classifier: License :: (?:OSI Approved :: )?)(.+)$", text, re.M)
        return ", ".join(found) or "".join(re.findall(r"^License: (.{1,60})$", text, re.M)[:1]) or "see package"
    if archive.suffix == ".tgz":
        with tarfile.open(archive) as opened:
            name = next(one for one in opened.getnames() if re.fullmatch(r"[^/]+/package\.json", one))
            handle = opened.extractfile(name)
            licence = json.load(handle).get("license") if handle else None
        return licence if isinstance(licence, str) else "see package"
    for packaging in archive.parent.glob(f"{archive.name.split('.orig')[0]}-*.debian.tar.*"):
        with tarfile.open(packaging) as opened:
            handle = opened.extractfile("debian/copyright")
            return _debian(handle.read() if handle else b"")
    return "see copyright"


def _debian(copyright_file: bytes) -> str:
    names = _SHORT.findall(copyright_file.decode("utf-8", "replace"))
    return ", ".join(dict.fromkeys(name.strip() for name in names)) or "see copyright"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    data = parser.parse_args().data
    kept = dict(
        (name.removesuffix(".jsonl.gz"), counts)
        for name, *counts in (line.split("\t") for line in (data / "kept.tsv").read_text().splitlines())
    )
    print("registry\tpackage\tkept\tdropped\tlicence")
    for pattern, registry in (
        ("deb/*.deb", "debian"),
        ("dsc/*.orig*.tar.*z*", "debian source"),
        ("npm/*.tgz", "npm"),
        ("pypi/*.whl", "pypi"),
    ):
        for archive in sorted(data.glob(pattern)):
            package = package_of(archive)
            if package in kept and (data / "words" / f"{package}.npz").exists():
                try:
                    licence = stated(archive)
                except (OSError, KeyError, StopIteration, ValueError, tarfile.TarError, zipfile.BadZipFile):
                    licence = "see package"
                name = package.replace("%3a", ":").split(".orig.tar")[0]
                print("\t".join([registry, name, *kept[package], licence[:160]]), flush=True)


if __name__ == "__main__":
    main()
