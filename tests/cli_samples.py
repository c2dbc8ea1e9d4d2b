"""What the tests of the command line index."""

from __future__ import annotations

FILES = {
    "notes/pool.md": "---\nservice: billing\npriority: 3\ntags: [db, incident]\n---\n# Pool\n\n## Exhaustion\n\n"
    "The connection pool is exhausted when every connection is checked out.\n\n## Fix\n\nRaise `max_connections`.\n",
    "notes/deploy.md": "---\nservice: search\npriority: 1\n---\n# Deployment\n\nCanary first, then everybody.\n",
    "notes/names with spaces/ünï.md": "# Unicode path\n\nzebra crossing\n",
    "src/retry.py": '"""Retries."""\n\n\ndef retry_with_backoff(call, attempts=3):\n'
    '    """Call again after a timeout."""\n'
    "    for attempt in range(attempts):\n        call(attempt)\n",
}
