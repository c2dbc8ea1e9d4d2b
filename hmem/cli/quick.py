"""`hmem search` by the short way, without Typer; all other command lines are Typer's."""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # `typing` takes longer to load than all of this
if TYPE_CHECKING:
    from hmem.cli.words import Values


def run() -> int:
    """Run the command line; return its exit code, or raise SystemExit with it."""
    if sys.argv[1:2] == ["search"]:
        from hmem.cli.words import read

        if (values := read(sys.argv[2:])) is not None:
            return _search(values)
    from hmem.cli.app import run

    return run()


def _search(values: Values) -> int:
    from hmem.cli.boundary import guarded
    from hmem.cli.console import prepare_streams

    prepare_streams()
    return guarded(lambda: _answer(values))


def _answer(values: Values) -> int:
    from hmem.cli.given import Given
    from hmem.cli.searching import run_search

    query, store, request, batch = (values.pop(name, None) for name in ("query", "store", "request", "batch"))
    return run_search(Given(**values), query, store, request=request, batch=batch)  # type: ignore[arg-type]
