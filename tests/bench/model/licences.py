"""Lists the packages that a model was trained on: registry, package, version, licence, pairs.

    python tests/bench/model/licences.py DATA > hmem/embed/builtin/sources.tsv
    python tests/bench/model/licences.py --check hmem/embed/builtin/sources.tsv

Licences are the short names that the package itself states: Debian's copyright file, `license` of package.json, the
wheel's metadata. Where that file names none by a short name, the licences whose text it holds. `--check` exits 1 if a
source is one of the benchmark's repositories, or comes from npm or PyPI and states no free licence. All of Debian main
is free by Debian's rules, also where the copyright file lies in another package.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

from archives import package_of
from exclude import denied_package

UNKNOWN = "not stated"
_SHORT = re.compile(r"^License: *(\S.*)$", re.M)
_CLASSIFIED = re.compile(r"^(?:License-Expression: |Classifier: License :: (?:OSI Approved :: )?)(.+)$", re.M)
_TEXTS = (
    ("GPL", r"gnu general public licen[cs]e|common-licenses/gpl"),
    ("LGPL", r"gnu (lesser|library) general public licen[cs]e|common-licenses/lgpl"),
    ("GFDL", r"gnu free documentation licen[cs]e|common-licenses/gfdl"),
    ("Apache-2.0", r"apache licen[cs]e,?\s*version 2|common-licenses/apache-2"),
    ("Artistic", r"artistic licen[cs]e|common-licenses/artistic"),
    ("MPL", r"mozilla public licen[cs]e"),
    ("EPL", r"eclipse public licen[cs]e"),
    ("BSD", r"redistribution and use in source and binary forms|common-licenses/bsd"),
    ("MIT", r"permission is hereby granted, free of charge|\bmit licen[cs]e"),
    ("ISC", r"permission to use, copy, modify,? and(/or)? distribute this software"),
    ("public domain", r"public domain"),
)
_FREE = re.compile(
    r"apache|\bmit\b|mit-0|\bbsd|gpl|\bisc\b|artistic|mpl|epl|cc0|cc-by|zlib|unlicen[cs]e|psf|python|public domain|"
    r"blueoak|biopython",
    re.I,
)
_OWN_FILE = re.compile(r"^[^/]+/(licenses?/)?(LICEN[CS]E|COPYING)[^/]*$", re.I)


def by_text(text: str) -> str:
    """Return the names of the licences whose text, or a reference to it, occurs in `text`."""
    plain = " ".join(text.lower().split())
    return ", ".join(name for name, pattern in _TEXTS if re.search(pattern, plain)) or UNKNOWN


def stated(archive: Path) -> str:
    """Return the licence that a package states."""
    if archive.suffix == ".deb":
        shell = f"dpkg-deb --fsys-tarfile '{archive}' | tar -xO --wildcards './usr/share/doc/*/copyright' 2>/dev/null"
        return _debian(subprocess.run(["sh", "-c", shell], capture_output=True, check=False).stdout)
    if archive.suffix == ".whl":
        return _wheel(archive)
    if archive.suffix == ".tgz":
        with tarfile.open(archive) as opened:
            name = next(one for one in opened.getnames() if re.fullmatch(r"[^/]+/package\.json", one))
            handle = opened.extractfile(name)
            licence = json.load(handle).get("license") if handle else None
        return licence if isinstance(licence, str) else UNKNOWN
    for packaging in archive.parent.glob(f"{archive.name.split('.orig')[0]}-*.debian.tar.*"):
        with tarfile.open(packaging) as opened:
            handle = opened.extractfile("debian/copyright")
            return _debian(handle.read() if handle else b"")
    with tarfile.open(archive) as opened:
        files = [member for member in opened.getmembers() if member.isreg() and _OWN_FILE.match(member.name)]
        return by_text("\n".join(_text(opened, member) for member in files))


def _text(opened: tarfile.TarFile, member: tarfile.TarInfo) -> str:
    handle = opened.extractfile(member)
    return handle.read().decode("utf-8", "replace") if handle else ""


def _wheel(archive: Path) -> str:
    with zipfile.ZipFile(archive) as opened:
        names = opened.namelist()
        metadata = next(name for name in names if name.endswith(".dist-info/METADATA"))
        text = opened.read(metadata).decode("utf-8", "replace").split("\n\n")[0]
        licences = "\n".join(opened.read(name).decode("utf-8", "replace") for name in names if _OWN_FILE.match(name))
    short = re.findall(r"^License: (.{1,60})$", text, re.M)[:1]
    return ", ".join(_CLASSIFIED.findall(text) or short) or by_text(licences)


def _debian(copyright_file: bytes) -> str:
    text = copyright_file.decode("utf-8", "replace")
    return ", ".join(dict.fromkeys(name.strip() for name in _SHORT.findall(text))) or by_text(text)


def sources(data: Path) -> Iterator[tuple[str, str, str, str, str]]:
    """Yield registry, package, version, licence and number of pairs of each package that gave any."""
    kept = dict(line.split("\t")[:2] for line in (data / "kept.tsv").read_text().splitlines())
    for pattern, registry in (
        ("deb/*.deb", "debian"),
        ("dsc/*.orig*.tar.*z*", "debian source"),
        ("npm/*.tgz", "npm"),
        ("pypi/*.whl", "pypi"),
    ):
        for archive in sorted(data.glob(pattern)):
            package = package_of(archive)
            count = kept.get(f"{package}.jsonl.gz", "0")
            if count != "0":
                try:
                    licence = stated(archive)
                except (OSError, KeyError, StopIteration, ValueError, tarfile.TarError, zipfile.BadZipFile):
                    licence = UNKNOWN
                yield (registry, *_version(package, registry), licence[:160], count)


def _version(package: str, registry: str) -> tuple[str, str]:
    plain = package.replace("%3a", ":").split(".orig.tar")[0]
    if registry.startswith("debian"):
        name, _, rest = plain.partition("_")
        return name, rest.split("_")[0]
    match = re.fullmatch(r"(.+?)-(\d.*)", plain)
    return (match[1], match[2]) if match else (plain, "")


def is_problem(registry: str, package: str, licence: str) -> bool:
    """Tell whether a source is forbidden, or nothing says that its licence is free."""
    return denied_package(package) or (not registry.startswith("debian") and not _FREE.search(licence))


def check(listing: Path) -> int:
    """Print what is wrong with a listing and how much has no stated licence; return the exit code."""
    lines = [line.split("\t") for line in listing.read_text("utf-8").splitlines()[1:]]
    bad = [fields for fields in lines if is_problem(fields[0], fields[1], fields[3])]
    for fields in bad:
        print("\t".join(fields))
    unstated = [fields for fields in lines if fields[3] == UNKNOWN]
    pairs, of = (sum(int(fields[4]) for fields in some) for some in (unstated, lines))
    print(f"{len(lines)} sources, {len(bad)} forbidden or not free")
    print(f"{len(unstated)} state no licence in the package itself: {pairs:,} of {of:,} pairs")
    return 1 if bad else 0


def main() -> None:
    """Print the table, or check one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, nargs="?")
    parser.add_argument("--check", type=Path)
    options = parser.parse_args()
    if options.check:
        sys.exit(check(options.check))
    print("registry\tpackage\tversion\tlicence\tpairs")
    for fields in sources(options.data):
        print("\t".join(fields), flush=True)


if __name__ == "__main__":
    main()
