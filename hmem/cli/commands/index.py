"""`hmem index`: register directories and bring the store up to date with the disk."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hmem.cli import options as shared
from hmem.cli.console import hint, warn, write
from hmem.errors import UsageError
from hmem.render.json_text import to_text
from hmem.settings import parse_size

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hmem.library import KnowledgeBase
    from hmem.report import IndexReport

EPILOG = "Example: hmem index ~/notes ~/src/api --meta team=payments --exclude 'drafts/**'"
Globs = list[str] | None


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("index", short_help="Register directories and bring them up to date.", epilog=EPILOG)(index)


def index(
    paths: shared.Paths = None,
    store: shared.Store = None,
    name: Annotated[str | None, typer.Option("--name", metavar="NAME", help="Name of the new collection.")] = None,
    meta: Annotated[Globs, typer.Option("--meta", metavar="KEY=VALUE", help="Default metadata (repeat).")] = None,
    include: Annotated[Globs, typer.Option("--include", metavar="GLOB", help="Only matching files (repeat).")] = None,
    exclude: Annotated[Globs, typer.Option("--exclude", metavar="GLOB", help="No matching files (repeat).")] = None,
    no_ignore: Annotated[bool | None, typer.Option("--no-ignore/--ignore", help="Do not read ignore files.")] = None,
    hidden: Annotated[bool | None, typer.Option("--hidden/--no-hidden", help="Index hidden files.")] = None,
    secrets: Annotated[bool | None, typer.Option("--secrets/--no-secrets", help="Index keys and credentials.")] = None,
    max_filesize: Annotated[
        str | None, typer.Option("--max-filesize", metavar="SIZE", help="Largest file, such as 2M.")
    ] = None,
    rebuild: Annotated[bool, typer.Option("--rebuild", help="Read and embed everything again.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would change, change nothing.")] = False,
    prune_missing: Annotated[
        bool, typer.Option("--prune-missing", help="Forget what lies under missing or unreadable places.")
    ] = False,
    strict: Annotated[bool | None, typer.Option("--strict", help="Exit 2 if a file could not be read.")] = None,
    jobs: Annotated[int | None, typer.Option("--jobs", min=1, metavar="N", help="Worker processes.")] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Index even `/` or the home directory.")] = False,
    lock_timeout: shared.LockTimeout = None,
    verbose: shared.Verbose = False,
    quiet: shared.Quiet = False,
    as_json: shared.AsJson = False,
) -> None:
    """Register each PATH that is new, then bring it up to date; without PATH, all collections."""
    from hmem.cli.progress import shown_progress
    from hmem.cli.signals import terminated_in_order
    from hmem.indexer import IndexOptions
    from hmem.library import KnowledgeBase

    wanted = IndexOptions(
        name=name,
        metadata=tuple(meta or ()),
        flags={
            key: value
            for key, value in {
                "include": None if include is None else tuple(include),
                "exclude": None if exclude is None else tuple(exclude),
                "no_ignore": no_ignore,
                "hidden": hidden,
                "secrets": secrets,
                "max_filesize": None if max_filesize is None else _size(max_filesize),
            }.items()
            if value is not None
        },
        rebuild=rebuild,
        dry_run=dry_run,
        prune_missing=prune_missing,
        jobs=jobs,
        yes=yes,
        lock_timeout=lock_timeout,
    )
    with (
        terminated_in_order(),
        _trial(store) if dry_run else KnowledgeBase.open(store, create=True, rebuild=rebuild) as memory,
    ):
        with shown_progress(hidden=quiet or verbose) as progress:
            report = memory.index(shared.as_paths(paths), wanted, progress=progress)
        _tell(report, verbose=verbose, quiet=quiet)
        if as_json:
            write(to_text(report.to_json()))
        is_strict = memory.settings["index.strict"] if strict is None else strict
    if is_strict and (report.unreadable or report.missing):
        raise typer.Exit(2)


@contextmanager
def _trial(store: str | None) -> Iterator[KnowledgeBase]:
    """Yield the store for a dry run; where there is none yet, an empty one that nobody sees."""
    from tempfile import TemporaryDirectory

    from hmem.errors import NotIndexedError
    from hmem.library import KnowledgeBase

    try:
        memory = KnowledgeBase.open(store)
    except NotIndexedError:
        with TemporaryDirectory() as place, KnowledgeBase.open(Path(place) / "store", create=True) as memory:
            yield memory
        return
    with memory:
        yield memory


def _size(text: str) -> int:
    try:
        return parse_size(text)
    except ValueError as error:
        raise UsageError(f"bad value for `--max-filesize`: `{text}`", hint=str(error)) from None


def _tell(report: IndexReport, *, verbose: bool, quiet: bool) -> None:
    from hmem.render.report import skipped_lines, summary_lines

    for note in report.unreadable:
        warn(f"cannot read `{note.path}` in {note.collection}: {note.reason}")
    for note in report.warnings:
        warn(f"`{note.path}` in {note.collection}: {note.reason}")
    for name in report.missing:
        warn(f"the root of {name} is missing or unmounted; its documents are kept")
    if report.missing:
        hint("`hmem remove COLLECTION` forgets it, `hmem index --prune-missing` drops what is gone")
    if not report.collections:
        hint("no collection yet; `hmem index PATH` adds one")
    if verbose:
        for line in skipped_lines(report):
            typer.echo(line, err=True)
    if not quiet:
        for line in summary_lines(report):
            typer.echo(line, err=True)
