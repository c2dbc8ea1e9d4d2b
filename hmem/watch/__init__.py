"""Following changes: file events are only hints, the same scan as `hmem index` decides."""

from __future__ import annotations

from hmem.watch.events import WatchEvent, watching
from hmem.watch.watcher import Watcher

__all__ = ["WatchEvent", "Watcher", "watching"]
