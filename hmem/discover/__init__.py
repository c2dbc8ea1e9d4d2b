"""Which files belong to a collection, and which of them changed: options and disk in, file states out."""

from __future__ import annotations

from hmem.discover.content import is_binary, size_limit
from hmem.discover.diff import Changes, Known, diff
from hmem.discover.options import WalkOptions
from hmem.discover.read import content_reason, load, read_file
from hmem.discover.reasons import Reason
from hmem.discover.roots import check_root
from hmem.discover.walk import WalkResult, walk

__all__ = [
    "Changes",
    "Known",
    "Reason",
    "WalkOptions",
    "WalkResult",
    "check_root",
    "content_reason",
    "diff",
    "is_binary",
    "load",
    "read_file",
    "size_limit",
    "walk",
]
