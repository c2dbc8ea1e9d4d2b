"""Discovery against git itself and against plain models."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from hmem.discover import Changes, Known, WalkOptions, WalkResult, diff, is_binary, walk
from hmem.types import FileState
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from trees import git

relaxed = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])

# One byte per character: there git and hmem agree on what `?` and `[…]` take.
PLAIN_NAMES = "a b ab abc foo bar foo.c a.c b.h A #x !y [z] a-b a] .h * q? a\\b"
NAMES = st.sampled_from([*PLAIN_NAMES.split(), "x y", "t ", "a\nb"])
WILD = r"* ** *** / / **/ /** ? [ab] [!a] [^b] [a-c] [c-a] []a] [!]a] [a-] [-a] [\]] [a/b] [[:alpha:]] [[:x:]] [a"
LITERAL = r"a b foo x .c . ! # - \* \a \ "
PIECES = st.sampled_from([*WILD.split(), *LITERAL.split(), " ", "\\ "])
PATTERNS = st.one_of(
    NAMES.map(lambda name: name.replace("\n", "?")),
    st.builds(
        lambda sign, pieces, end: sign + "".join(pieces) + end,
        st.sampled_from(["", "", "", "!"]),
        st.lists(PIECES, min_size=1, max_size=5),
        st.sampled_from(["", "", "", "/", " ", "\t", "\r"]),
    ),
)
RULES = st.lists(PATTERNS, min_size=1, max_size=4).map("\n".join)
PATHS = st.lists(NAMES, min_size=1, max_size=4).map("/".join)
TREES = st.lists(PATHS, min_size=1, max_size=14)


def build(root: Path, paths: list[str], rules: dict[str, str]) -> None:
    """Make the files that fit together, and the rule files in the directories that there are then."""
    for path in paths:
        place = root / path
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.touch()
        except (FileExistsError, NotADirectoryError, IsADirectoryError):
            continue
    for path, text in rules.items():
        if (root / path).parent.is_dir():
            (root / path).write_text(text, newline="")


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    root = tmp_path_factory.mktemp("repository")
    git(root, "init", "-q")
    return root


def clear(root: Path) -> None:
    for entry in root.iterdir():
        if entry.is_dir() and entry.name != ".git":
            shutil.rmtree(entry)
        elif entry.name != ".git":
            entry.unlink()


@given(
    paths=TREES,
    rules=st.dictionaries(
        st.one_of(st.just(".gitignore"), PATHS.map(lambda path: path + "/.gitignore")), RULES, max_size=4
    ),
    exclude=st.one_of(st.just(""), RULES),
    start=st.one_of(st.just(""), PATHS),
)
@settings(relaxed, max_examples=120)
def test_walk_finds_what_git_does_not_ignore(repository, paths, rules, exclude, start):
    clear(repository)
    build(repository, paths, {**rules, ".git/info/exclude": exclude})
    root = repository / start if (repository / start).is_dir() else repository
    listed = git(root, "ls-files", "-z", "--others", "--exclude-standard")
    expected = sorted(os.fsdecode(path) for path in listed.split(b"\0") if path)
    found = [state.path for state in walk(root, WalkOptions(hidden=True, secrets=True)).files]
    if (
        root == repository or expected
    ):  # git shows nothing of a directory that is ignored as a whole; it was asked for here
        assert found == expected


RULE_FILES = st.sampled_from([".gitignore", ".ignore", ".hmemignore"])


@given(
    paths=TREES.map(lambda paths: [*paths, "node_modules/a.md", "foo/build/a", "foo/package.json"]),
    rules=st.dictionaries(st.one_of(RULE_FILES, st.builds("{}/{}".format, PATHS, RULE_FILES)), RULES, max_size=4),
    include=st.lists(PATTERNS, max_size=2).map(tuple),
    exclude=st.lists(PATTERNS, max_size=2).map(tuple),
    hidden=st.booleans(),
    number=st.integers(0, 30),
)
@settings(relaxed, max_examples=80)
def test_part_is_cut_from_the_whole(tmp_path, paths, rules, include, exclude, hidden, number):
    shutil.rmtree(tmp_path)
    tmp_path.mkdir()
    build(tmp_path, paths, rules)
    options = WalkOptions(include=include, exclude=exclude, hidden=hidden)
    whole = walk(tmp_path, options)
    places = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*"))
    part = places[number % len(places)]
    cut = walk(tmp_path, options, part)

    def inside(path: str) -> bool:
        return path == part or path.startswith(part + "/")

    assert [state for state in whole.files if inside(state.path)] == list(cut.files)
    skipped = [(item, item.path.removesuffix("/")) for item in whole.skipped]
    assert [item for item, path in skipped if inside(path) or part.startswith(path + "/")] == list(cut.skipped)


@given(paths=TREES, rules=st.dictionaries(PATHS.map(lambda path: path + "/.gitignore"), RULES, max_size=3))
@settings(relaxed, max_examples=40)
def test_every_file_is_found_or_accounted_for(tmp_path, paths, rules):
    shutil.rmtree(tmp_path)
    tmp_path.mkdir()
    build(tmp_path, paths, rules)
    result = walk(tmp_path, WalkOptions())
    found = {state.path for state in result.files}
    skipped = {item.path.removesuffix("/") for item in result.skipped}
    for path in (path for path in tmp_path.rglob("*") if path.is_file()):
        relative = path.relative_to(tmp_path)
        ways = {str(relative), *(str(parent) for parent in relative.parents)}
        assert (str(relative) in found) != bool(ways & skipped)
    assert list(result.files) == sorted(result.files, key=lambda state: state.path)


STATES = st.builds(FileState, PATHS, st.integers(0, 2), st.integers(0, 2), st.integers(0, 1))


def by_path(states):
    return {state.path: state for state in states}


@given(
    disk=st.lists(STATES, max_size=12).map(by_path),
    stored=st.lists(STATES, max_size=12).map(by_path),
    racy=st.sets(PATHS, max_size=3),
    unreadable=st.sets(PATHS, max_size=2),
    missing=st.booleans(),
    part=st.one_of(st.just(""), PATHS),
)
def test_diff_follows_the_plain_rules(disk, stored, racy, unreadable, missing, part):
    def under(path: str, top: str) -> bool:
        return (path + "/").startswith(top + "/" if top else "")

    disk = {} if missing else {path: state for path, state in disk.items() if under(path, part)}
    known = {path: Known(state, 1, path in racy) for path, state in stored.items()}
    result = WalkResult(
        files=tuple(disk[path] for path in sorted(disk)), unreadable=tuple(unreadable), root_missing=missing
    )
    lost = {path for path in known if path not in disk and under(path, part)}
    kept = {path for path in lost if missing or any(under(path, top) for top in unreadable)}
    same = {path for path in disk if path in known and known[path].state == disk[path] and path not in racy}
    assert diff(result, known, part) == Changes(
        added=tuple(disk[path] for path in sorted(disk.keys() - known.keys())),
        suspect=tuple(disk[path] for path in sorted((disk.keys() & known.keys()) - same)),
        removed=tuple(sorted(lost - kept)),
        unchanged=len(same),
        kept=tuple(sorted(kept)),
    )


@given(st.binary(max_size=300))
def test_a_nul_is_text_only_after_a_byte_order_mark(data):
    marked = data.startswith((b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff"))
    assert is_binary(data + b"\0") or marked


@given(
    st.text(st.characters(exclude_categories=["Cs", "Cc", "Cn"]), min_size=1),
    st.sampled_from(["utf-8", "utf-16", "utf-32"]),
)
def test_unicode_text_is_never_binary(text, encoding):
    assert not is_binary(text.encode(encoding))
