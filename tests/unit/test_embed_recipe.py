"""The recipe of the built-in model keeps the benchmarks out, and the package carries what it says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hmem.embed.sources import BUILT_IN_FOLDER

from bench.model.exclude import REPOSITORIES, denied_package, denied_path, shared, windows

RECIPE = Path(__file__).parents[1] / "bench" / "model"


def joined(texts: list[str]) -> tuple[list[str], np.ndarray, np.ndarray]:
    numbers: dict[str, int] = {}
    flat = [numbers.setdefault(word, len(numbers)) for text in texts for word in text.split()]
    return list(numbers), np.array(flat), np.cumsum([len(text.split()) for text in texts])


@pytest.mark.parametrize("name", REPOSITORIES)
def test_every_repository_is_denied(name):
    assert denied_package(name)
    assert denied_path(f"usr/share/x/vendor/{name}/src/a.py")


@pytest.mark.parametrize(
    "name",
    [
        "golang-github-spf13-cobra-dev",
        "golang-github-gin-gonic-gin-dev",
        "librust-serde-json-dev",
        "librust-tokio-1-dev",
        "libghc-aeson-dev",
        "haskell-pandoc",
        "ruby-rack",
        "php-guzzlehttp-psr7",
        "php-monolog",
        "libcommons-lang3-java",
        "jackson-databind",
        "python3-requests",
        "node-express",
        "@reduxjs/toolkit",
        "kotlinx-coroutines",
        "nlohmann-json3-dev",
        "node-zod",
    ],
)
def test_other_names_of_them_are_denied(name):
    assert denied_package(name)


@pytest.mark.parametrize("name", ["python3-numpy", "golang-1.19-doc", "librust-rand-dev", "git", "libssl-doc"])
def test_others_are_not(name):
    assert not denied_package(name)


def test_no_listed_package_is_denied():
    lines = [line.split() for line in (RECIPE / "packages.txt").read_text().splitlines()]
    assert len(lines) > 1000
    assert [name for _, name in lines if denied_package(name)] == []


@pytest.mark.parametrize(
    ("path", "denied"),
    [
        ("pip/_vendor/requests/api.py", True),
        ("node_modules/express/lib/router.js", True),
        ("rust-1.63/vendor/serde_json/src/lib.rs", True),
        ("rust-1.63/vendor/tokio-1.2.0/src/lib.rs", True),
        ("usr/lib/python3/dist-packages/numpy/core.py", False),
    ],
)
def test_paths(path, denied):
    assert denied_path(path) is denied


def test_windows_do_not_cross_texts():
    words, numbers, ends = joined(["a b c d e f g h i", "j k l", "a b c d e f g h"])
    codes, text = windows(words, numbers, ends)
    assert text.tolist() == [0, 0, 2]
    assert codes[0] == codes[2] != codes[1]


def test_copied_text_is_found_and_own_text_is_not():
    rng = np.random.default_rng(0)
    texts = [" ".join(f"w{number}" for number in rng.integers(0, 500, 120)) for _ in range(20)]
    known = np.unique(windows(*joined(texts[:10]))[0])
    mixed = [" ".join([*texts[15].split()[:60], *texts[3].split()[:40]]), " ".join(texts[4].split()[:8])]
    found = shared(known, *joined([*texts, *mixed]))
    assert found.tolist() == [True] * 10 + [False] * 10 + [True, False]


def check(listing: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, RECIPE / "licences.py", "--check", listing]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_no_source_is_forbidden_and_every_licence_is_free(tmp_path):
    done = check(BUILT_IN_FOLDER / "sources.tsv")
    assert done.returncode == 0, done.stdout
    listing = tmp_path / "sources.tsv"
    listing.write_text(
        "registry\tpackage\tversion\tlicence\tpairs\n"
        "npm\texpress\t4.0\tMIT\t3\npypi\tfoo\t1\tProprietary\t3\ndebian\tgit-doc\t1\tnot stated\t3\n"
    )
    done = check(listing)
    assert done.returncode == 1
    assert [line.split("\t")[1] for line in done.stdout.splitlines() if "\t" in line] == ["express", "foo"]


def test_the_package_carries_a_card_and_no_more_than_it_may():
    assert sum(path.stat().st_size for path in BUILT_IN_FOLDER.iterdir()) <= 16_000_000
    card = (BUILT_IN_FOLDER / "README.md").read_text()
    assert re.search(r"^license: apache-2\.0$", card, re.MULTILINE)
    for heading in ("## Data", "## Figures", "## Limits"):
        assert heading in card
