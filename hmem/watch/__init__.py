"""Following changes: file events are only hints, the same scan as `hmem index` decides.

Nothing is imported here: a search asks `events` whether a watcher is alive and must not load watchdog for that.
"""
