"""Downloads the packages of `packages.txt` by name, with each registry's own client; nothing is installed or run.

python tests/bench/model/download.py DATA [--packages FILE]
"""

from __future__ import annotations

import argparse
import subprocess
from pathlib import Path

from exclude import denied_package

PACKAGES = Path(__file__).parent / "packages.txt"
_SOURCES = "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian {} main\n"


def listed(packages: Path) -> dict[str, list[str]]:
    """Return the package names of a list by registry (`deb-doc`, `deb-code`, `deb-src`, `npm`, `pypi`)."""
    found: dict[str, list[str]] = {}
    for line in packages.read_text().split("\n"):
        if line.strip():
            registry, name = line.split()
            if denied_package(name):
                raise SystemExit(f"{name} is one of the benchmark's repositories")
            found.setdefault(registry, []).append(name)
    return found


def download(data: Path, packages: Path = PACKAGES) -> None:
    """Fetch every package into a folder of `data` per kind; a package that is not served is left out."""
    for kind, names in listed(packages).items():
        folder = data / {"deb-doc": "deb", "deb-code": "deb", "deb-src": "dsc"}.get(kind, kind)
        folder.mkdir(parents=True, exist_ok=True)
        source = _source_options(data) if kind == "deb-src" else []
        command = {
            "deb-doc": ["apt-get", "download", "-q"],
            "deb-code": ["apt-get", "download", "-q"],
            "deb-src": ["apt-get", *source, "source", "-q", "--download-only"],
            "npm": ["npm", "pack", "--silent", "--ignore-scripts"],
            "pypi": ["pip", "download", "-q", "--no-deps", "--only-binary", ":all:"],
        }[kind]
        for name in names:
            subprocess.run([*command, name], cwd=folder, check=False, stdout=subprocess.DEVNULL)


def _source_options(data: Path) -> list[str]:
    """Return apt options that see the source packages, without touching the machine's own settings."""
    folder = data / "apt"
    (folder / "lists" / "partial").mkdir(parents=True, exist_ok=True)
    release = dict(line.split("=", 1) for line in Path("/etc/os-release").read_text().splitlines() if "=" in line)
    (folder / "sources.list").write_text(_SOURCES.format(release["VERSION_CODENAME"]))
    options = [
        f"Dir::Etc::sourcelist={folder / 'sources.list'}",
        "Dir::Etc::sourceparts=-",
        f"Dir::State::lists={folder / 'lists'}",
    ]
    flags = [part for option in options for part in ("-o", option)]
    subprocess.run(["apt-get", *flags, "update", "-q"], check=True, stdout=subprocess.DEVNULL)
    return flags


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--packages", type=Path, default=PACKAGES)
    options = parser.parse_args()
    download(options.data, options.packages)
