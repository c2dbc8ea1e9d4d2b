"""CI job `slot-budget`: do all pools together fit into the server? Written the week after INC-258."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

SHARE_ALLOWED = 0.9


def client_connections(configs: list[Path], processes: dict[str, int]) -> int:
    """Multiply each service's pool_max by the number of its processes."""
    total = 0
    for path in configs:
        pool_max = tomllib.loads(path.read_text())["db"]["pool_max"]
        total += pool_max * processes[path.stem]
    return total


def verdict(wanted: int, limit: int) -> str | None:
    """Return a complaint when more than nine tenths of the limit would be used."""
    if wanted > limit * SHARE_ALLOWED:
        return f"{wanted} connections wanted, {limit} available, at most {limit * SHARE_ALLOWED:.0f} allowed"
    return None


def main(argv: list[str]) -> int:
    limit = int(argv[1])
    processes = {name: int(count) for name, _, count in (item.partition("=") for item in argv[2:])}
    configs = [Path("src") / name / f"{name}.toml" for name in processes]
    complaint = verdict(client_connections(configs, processes), limit)
    if complaint:
        sys.stderr.write(f"slot-budget: {complaint}\n")
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv))
