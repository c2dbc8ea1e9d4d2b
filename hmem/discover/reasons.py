"""Why something in a collection is not indexed: the stable words of `Skipped.reason`."""

from __future__ import annotations

from enum import StrEnum


class Reason(StrEnum):
    """What left a file or directory out, in the order in which the checks are made; `detail` says the particulars."""

    NESTED = "nested collection or store"
    VERSION_CONTROL = "version control"
    SYMLINK = "symlink"  # detail: where it points; never followed, a target inside is indexed in its own place
    SYMLINK_OUTSIDE = "symlink out of the collection"
    SYMLINK_BROKEN = "broken symlink"
    SPECIAL = "not a regular file"
    SECRET = "secret"
    EXCLUDED = "excluded"
    IGNORED = "ignored"  # detail: the ignore file, line and pattern
    HIDDEN = "hidden"
    BUILT_IN = "built-in ignore"  # detail: what the directory looks like
    WORKTREE = "git worktree"  # detail: the tree that is indexed instead
    NOT_INCLUDED = "not included"
    BINARY = "binary"
    TOO_LARGE = "too large"
    UNREADABLE = "unreadable"
    BAD_IGNORE_FILE = "unreadable ignore file"
