"""Directory trees for tests."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

GIT_ENVIRONMENT = {
    **{key: value for key, value in os.environ.items() if not key.startswith("GIT_")},
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "A",
    "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_COMMITTER_NAME": "A",
    "GIT_COMMITTER_EMAIL": "a@example.org",
    "HOME": os.devnull,
}


def plant(root: Path, *paths: str, files: Mapping[str, str] | None = None) -> Path:
    """Make `files` (path to text) and `paths` (holding "x"; one that ends with "/" is a directory) below `root`."""
    root.mkdir(parents=True, exist_ok=True)
    for path, text in {**dict.fromkeys(paths, "x"), **(files or {})}.items():
        place = root / path
        if path.endswith("/"):
            place.mkdir(parents=True, exist_ok=True)
        else:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, newline="")
    return root


def git(directory: Path, *arguments: str) -> bytes:
    """Run git without any configuration of this machine and return what it prints."""
    command = ["git", "-c", "init.defaultBranch=main", *arguments]
    return subprocess.run(command, cwd=directory, env=GIT_ENVIRONMENT, check=True, capture_output=True).stdout
