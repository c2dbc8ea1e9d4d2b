from __future__ import annotations

import errno
import os
import shutil
import socket
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path

import pytest
from hmem.discover import Reason, WalkOptions, check_root, read_file, walk
from hmem.errors import UsageError

from trees import git, plant


def paths(root: Path, within: str = "", **options) -> list[str]:
    return [state.path for state in walk(root, WalkOptions(**options), within).files]


def reasons(root: Path, within: str = "", **options) -> dict[str, Reason]:
    return {item.path: item.reason for item in walk(root, WalkOptions(**options), within).skipped}


def details(root: Path, **options) -> dict[str, str]:
    return {item.path: item.detail for item in walk(root, WalkOptions(**options)).skipped}


class TestFiles:
    def test_states_are_sorted_and_say_what_stat_says(self, tmp_path):
        plant(tmp_path, "b.md", "a/z.md", "a.md", "a-b/c.md")
        result = walk(tmp_path, WalkOptions())
        assert [state.path for state in result.files] == ["a-b/c.md", "a.md", "a/z.md", "b.md"]
        for state in result.files:
            status = (tmp_path / state.path).stat()
            assert (state.size, state.mtime_ns, state.inode) == (status.st_size, status.st_mtime_ns, status.st_ino)
        assert result.root_id == (tmp_path.stat().st_dev, tmp_path.stat().st_ino)
        assert not (result.root_missing)
        assert not (result.unreadable)
        assert not (result.skipped)

    def test_root_may_be_a_link_to_a_directory(self, tmp_path):
        plant(tmp_path / "real", "a.md", "b/c.md")
        (tmp_path / "link").symlink_to("real")
        assert walk(tmp_path / "link", WalkOptions()) == walk(tmp_path / "real", WalkOptions())

    def test_root_may_be_a_file_or_a_link_to_one(self, tmp_path):
        plant(tmp_path, files={".hidden.md": "text", ".gitignore": "*"})
        (tmp_path / "link.md").symlink_to(".hidden.md")
        assert paths(tmp_path / ".hidden.md") == [".hidden.md"]
        assert paths(tmp_path / "link.md") == ["link.md"]
        state = walk(tmp_path / "link.md", WalkOptions()).files[0]
        assert read_file(tmp_path / "link.md", state, 10) == b"text"

    def test_single_file_is_still_checked_for_secrets_type_and_size(self, tmp_path):
        plant(tmp_path, "id_rsa", "a.zip", "a.md")
        assert reasons(tmp_path / "id_rsa") == {"id_rsa": Reason.SECRET}
        assert reasons(tmp_path / "a.zip") == {"a.zip": Reason.BINARY}
        assert reasons(tmp_path / "a.md", max_filesize=0) == {"a.md": Reason.TOO_LARGE}

    @pytest.mark.parametrize(
        "make", [lambda root: None, lambda root: root.symlink_to("nowhere"), lambda root: root.symlink_to(root)]
    )
    def test_missing_root(self, tmp_path, make):
        make(tmp_path / "root")
        result = walk(tmp_path / "root", WalkOptions(mounts=frozenset({"m"})))
        assert result.root_missing
        assert not result.files

    def test_root_below_a_file_is_missing(self, tmp_path):
        plant(tmp_path, "a")
        assert walk(tmp_path / "a" / "b", WalkOptions()).root_missing

    def test_names_of_every_kind(self, tmp_path):
        names = [
            "a\nb.md",
            "quo\"te'.md",
            "\x1b[31m.md",
            "x" * 252 + ".md",
            "caf\u00e9.md",
            "cafe\u0301.md",
            "-rf.md",
            " .md",
        ]
        raw = b"bad\xff\xfe.md"
        plant(tmp_path, *names)
        (tmp_path / os.fsdecode(raw)).write_text("raw")
        result = walk(tmp_path, WalkOptions())
        assert [state.path for state in result.files] == sorted([*names, os.fsdecode(raw)])
        assert read_file(tmp_path, next(s for s in result.files if "bad" in s.path), 10) == b"raw"

    def test_special_files_are_named_and_not_opened(self, tmp_path):
        os.mkfifo(tmp_path / "fifo.md")
        place = Path(tempfile.mkdtemp())
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(str(place / "s"))
            (place / "s").rename(tmp_path / "socket.md")
        place.rmdir()
        assert details(tmp_path) == {"fifo.md": "FIFO", "socket.md": "socket"}
        assert set(reasons(tmp_path).values()) == {Reason.SPECIAL}
        assert details(tmp_path / "fifo.md") == {"fifo.md": "FIFO"}


class TestSizes:
    def test_code_and_text_have_different_limits(self, tmp_path):
        for name, size in {"a.py": 1 << 20, "b.py": (1 << 20) + 1, "c.md": 16 << 20, "d.md": (16 << 20) + 1}.items():
            plant(tmp_path, name)
            os.truncate(tmp_path / name, size)
        assert paths(tmp_path) == ["a.py", "c.md"]
        assert reasons(tmp_path) == {"b.py": Reason.TOO_LARGE, "d.md": Reason.TOO_LARGE}
        assert details(tmp_path)["b.py"] == "1048577 bytes, the limit is 1048576"

    def test_own_limit_holds_for_all(self, tmp_path):
        plant(tmp_path, files={"a.py": "12345", "b.md": "1234"})
        assert paths(tmp_path, max_filesize=4) == ["b.md"]

    def test_two_gigabytes_of_nothing_are_not_read(self, tmp_path):
        plant(tmp_path, "sparse.txt")
        os.truncate(tmp_path / "sparse.txt", 2 << 30)
        assert reasons(tmp_path) == {"sparse.txt": Reason.TOO_LARGE}

    def test_known_binary_names_are_not_even_opened(self, tmp_path):
        plant(tmp_path, "a.png", "b.PDF", "c.md")
        assert paths(tmp_path) == ["c.md"]


class TestIgnoreFiles:
    def test_nested_file_holds_in_its_directory(self, tmp_path):
        plant(tmp_path, "web/out/x.js", "out/y.js", files={"web/.gitignore": "out"})
        assert paths(tmp_path) == ["out/y.js"]
        assert details(tmp_path)["web/out/"] == "web/.gitignore:1: out"

    def test_anchored_pattern_leaves_deeper_namesakes(self, tmp_path):
        plant(tmp_path, "coverage/a.js", "src/coverage/b.js", files={".gitignore": "/coverage\n"})
        assert paths(tmp_path) == ["src/coverage/b.js"]

    def test_allow_list(self, tmp_path):
        plant(tmp_path, "main.go", "a/b/c.go", "a/b/c.txt", "d.md", files={".gitignore": "*\n!*/\n!*.go\n"})
        assert paths(tmp_path) == ["a/b/c.go", "main.go"]

    def test_allow_list_does_not_bring_dependencies_in(self, tmp_path):
        plant(tmp_path, "a.js", "node_modules/m/b.js", files={".hmemignore": "*\n!*/\n!*.js\n"})
        assert paths(tmp_path) == ["a.js"]

    def test_file_below_an_ignored_directory_cannot_come_back(self, tmp_path):
        plant(tmp_path, "d/a.md", "b.md", files={".gitignore": "d/\n!d/a.md\n"})
        assert paths(tmp_path) == ["b.md"]

    def test_hmemignore_over_ignore_over_gitignore(self, tmp_path):
        files = {".gitignore": "a.md\nb.md\nc.md", ".ignore": "!b.md\n!c.md", ".hmemignore": "c.md\nd.md"}
        plant(tmp_path, "a.md", "b.md", "c.md", "d.md", "e.md", files=files)
        assert paths(tmp_path) == ["b.md", "e.md"]

    def test_info_exclude_and_files_above_the_root(self, tmp_path):
        git(plant(tmp_path / "repo"), "init", "-q")
        files = {".gitignore": "/notes/drafts/\n*.tmp.md", ".git/info/exclude": "private.md", ".hmemignore": "h.md"}
        plant(
            tmp_path / "repo",
            "notes/drafts/a.md",
            "notes/b.md",
            "notes/private.md",
            "notes/c.tmp.md",
            "notes/h.md",
            files=files,
        )
        plant(tmp_path, files={".gitignore": "*"})
        assert paths(tmp_path / "repo" / "notes") == ["b.md"]
        assert details(tmp_path / "repo" / "notes")["private.md"] == ".git/info/exclude:1: private.md"

    def test_files_above_a_root_outside_of_repositories_do_not_hold(self, tmp_path):
        plant(tmp_path, "notes/a.md", files={".gitignore": "*"})
        assert paths(tmp_path / "notes") == ["a.md"]

    def test_root_that_is_itself_ignored_is_walked(self, tmp_path):
        git(plant(tmp_path / "repo", "out/a.md", files={".gitignore": "/out/"}), "init", "-q")
        assert paths(tmp_path / "repo" / "out") == ["a.md"]

    def test_nested_repository_starts_anew(self, tmp_path):
        plant(tmp_path, "r/a.md", "r/b.md", "r/c.md", "c.md", files={".gitignore": "a.md", ".ignore": "c.md"})
        git(tmp_path / "r", "init", "-q")
        plant(tmp_path, files={"r/.git/info/exclude": "/b.md"})
        assert paths(tmp_path) == ["r/a.md"]
        assert details(tmp_path)["r/b.md"] == "r/.git/info/exclude:1: /b.md"

    def test_not_wanted(self, tmp_path):
        plant(tmp_path, "a.md", "node_modules/b.md", files={".gitignore": "a.md", ".git/HEAD": "x"})
        assert paths(tmp_path, ignore_files=False) == ["a.md", "node_modules/b.md"]

    @pytest.mark.parametrize("make", [os.mkfifo, Path.mkdir, lambda path: path.symlink_to("/etc/passwd")])
    def test_what_is_no_file_has_no_rules_and_is_reported(self, tmp_path, make):
        plant(tmp_path, "a.md")
        make(tmp_path / ".gitignore")
        result = walk(tmp_path, WalkOptions(hidden=True))
        assert [state.path for state in result.files] == ["a.md"]
        assert (".gitignore", Reason.BAD_IGNORE_FILE) in [(item.path, item.reason) for item in result.skipped]

    def test_absurdly_large_file_is_reported(self, tmp_path):
        plant(tmp_path, "a.md")
        (tmp_path / ".ignore").write_text("a.md\n" * 300_000)
        assert paths(tmp_path) == ["a.md"]
        assert ".ignore" in reasons(tmp_path)

    def test_pattern_and_name_in_different_normal_forms(self, tmp_path):
        plant(tmp_path, "cafe\u0301/x/a.md", files={".gitignore": "caf\u00e9/x/"})
        assert paths(tmp_path) == []

    def test_rules_in_a_directory_with_a_decomposed_name(self, tmp_path):
        plant(tmp_path, "cafe\u0301/x/a.md", files={"cafe\u0301/.gitignore": "/x"})
        assert paths(tmp_path) == []


class TestGlobs:
    def test_exclude_outranks_ignore_files_both_ways(self, tmp_path):
        plant(tmp_path, "a.md", "b.md", "d/a.md", files={".hmemignore": "b.md\n!a.md"})
        assert paths(tmp_path, exclude=("/a.md", "!b.md")) == ["b.md", "d/a.md"]
        assert details(tmp_path, exclude=("/a.md",))["a.md"] == "/a.md"

    def test_include_narrows(self, tmp_path):
        plant(
            tmp_path,
            "a.md",
            "a.py",
            "docs/b.rst",
            "docs/c/d.txt",
            "src/e.md",
            "secret.pem",
            files={".gitignore": "/a.md"},
        )
        assert paths(tmp_path, include=("*.md",)) == ["src/e.md"]
        assert paths(tmp_path, include=("docs",)) == ["docs/b.rst", "docs/c/d.txt"]
        assert paths(tmp_path, include=("docs/**/*.txt", "*.pem")) == ["docs/c/d.txt"]
        assert paths(tmp_path, include=("docs/", "!docs/c")) == ["docs/b.rst"]
        assert reasons(tmp_path, include=("*.md",))["a.py"] == Reason.NOT_INCLUDED

    def test_nested_collections_are_left_to_themselves(self, tmp_path):
        plant(tmp_path, "a/b/c.md", "a/d.md", "e.md")
        assert paths(tmp_path, exclude_paths=frozenset({"a/b", "e.md"})) == ["a/d.md"]
        assert reasons(tmp_path, exclude_paths=frozenset({"a/b"})) == {"a/b/": Reason.NESTED}


class TestBuiltIn:
    def test_hidden_only_when_wanted_and_version_control_never(self, tmp_path):
        plant(tmp_path, ".a.md", ".d/b.md", "c.md", ".git/config", ".hg/x")
        assert paths(tmp_path) == ["c.md"]
        assert reasons(tmp_path)[".d/"] == Reason.HIDDEN
        assert paths(tmp_path, hidden=True) == [".a.md", ".d/b.md", "c.md"]
        assert paths(tmp_path, hidden=True, ignore_files=False) == [".a.md", ".d/b.md", "c.md"]

    @pytest.mark.parametrize(
        "path",
        [
            "node_modules/x.js",
            "a/__pycache__/x.txt",
            ".venv/x.py",
            "venv/x.py",
            ".tox/x.py",
            "x.egg-info/y.txt",
            ".terraform/x",
        ],
    )
    def test_dependencies_and_caches_by_name(self, tmp_path, path):
        plant(tmp_path, path, "keep.md")
        assert paths(tmp_path, hidden=True) == ["keep.md"]

    @pytest.mark.parametrize(
        ("path", "witness"),
        [
            ("target/x.rs", "Cargo.toml"),
            ("dist/x.js", "package.json"),
            ("build/lib/x.py", "pyproject.toml"),
            ("build/x.c", "build/CMakeCache.txt"),
            ("env/lib/x.py", "env/pyvenv.cfg"),
            ("vendor/x.go", "vendor/modules.txt"),
            ("obj/x.cs", "App.csproj"),
            ("out/x.js", "package.json"),
        ],
    )
    def test_build_output_needs_a_witness(self, tmp_path, path, witness):
        plant(tmp_path, f"with/{path}", f"with/{witness}", f"without/{path.replace('dist', 'target')}")
        result = walk(tmp_path, WalkOptions())
        assert f"with/{path}" not in [state.path for state in result.files]
        assert f"without/{path.replace('dist', 'target')}" in [state.path for state in result.files]
        assert (f"with/{path.partition('/')[0]}/", Reason.BUILT_IN) in [
            (item.path, item.reason) for item in result.skipped
        ]

    def test_prose_in_a_directory_called_build_stays(self, tmp_path):
        plant(tmp_path, "docs/build/how.md", "build/README.md", "build/x.js", "package.json")
        assert paths(tmp_path) == ["build/README.md", "build/x.js", "docs/build/how.md", "package.json"]

    def test_cache_tag_counts_with_its_signature_only(self, tmp_path):
        signature = "Signature: 8a477f597d28d172789f06886806bc55\n"
        plant(
            tmp_path,
            "a/x.md",
            "b/x.md",
            "b/CACHEDIR.TAG",
            files={"a/CACHEDIR.TAG": signature, "CACHEDIR.TAG": signature},
        )
        assert paths(tmp_path) == ["CACHEDIR.TAG", "b/CACHEDIR.TAG", "b/x.md"]

    def test_can_be_taken_back_in(self, tmp_path):
        plant(tmp_path, "a/node_modules/x.js", "b/node_modules/x.js", files={"a/.hmemignore": "!node_modules/"})
        assert paths(tmp_path) == ["a/node_modules/x.js"]
        assert paths(tmp_path, exclude=("!b/node_modules",)) == ["a/node_modules/x.js", "b/node_modules/x.js"]
        assert reasons(tmp_path)["b/node_modules/"] == Reason.BUILT_IN

    def test_gitignore_cannot_take_it_back_in(self, tmp_path):
        plant(tmp_path, "node_modules/x.js", files={".gitignore": "!node_modules/"})
        assert paths(tmp_path) == []


class TestSecrets:
    def test_left_out_unless_wanted(self, tmp_path):
        plant(tmp_path, "a.pem", ".env", ".env.example", ".ssh/config", "credentials.go")
        assert paths(tmp_path, hidden=True) == [".env.example", "credentials.go"]
        assert reasons(tmp_path) == {
            "a.pem": Reason.SECRET, ".env": Reason.SECRET, ".env.example": Reason.HIDDEN, ".ssh/": Reason.SECRET,
        }  # fmt: skip
        assert paths(tmp_path, hidden=True, secrets=True) == [
            ".env",
            ".env.example",
            ".ssh/config",
            "a.pem",
            "credentials.go",
        ]

    def test_no_tree_can_bring_them_back(self, tmp_path):
        plant(tmp_path, "a.pem", files={".hmemignore": "!a.pem"})
        assert paths(tmp_path, include=("*.pem",)) == []
        assert paths(tmp_path, exclude=("!a.pem",), ignore_files=False, hidden=True) == [".hmemignore"]


class TestLinks:
    def test_never_followed_each_named(self, tmp_path):
        plant(tmp_path / "root", "a.md", "d/b.md")
        plant(tmp_path / "outside", "secret.md")
        root = tmp_path / "root"
        links = {
            "in.md": "a.md",
            "in": "d",
            "out": "../outside",
            "out.md": "../outside/secret.md",
            "gone": "nowhere",
            "loop": "loop",
            "d/up": "..",
        }
        for name, target in links.items():
            (root / name).symlink_to(target)
        assert paths(root) == ["a.md", "d/b.md"]
        assert reasons(root) == {
            "in.md": Reason.SYMLINK, "in": Reason.SYMLINK, "d/up": Reason.SYMLINK, "loop": Reason.SYMLINK_BROKEN,
            "out": Reason.SYMLINK_OUTSIDE, "out.md": Reason.SYMLINK_OUTSIDE, "gone": Reason.SYMLINK_BROKEN,
        }  # fmt: skip
        assert details(root)["out"] == "-> ../outside"

    def test_part_below_a_link_is_nowhere(self, tmp_path):
        plant(tmp_path / "outside", "a.md")
        plant(tmp_path / "root", "b.md")
        (tmp_path / "root" / "link").symlink_to("../outside")
        assert paths(tmp_path / "root", "link/a.md") == []
        assert reasons(tmp_path / "root", "link/a.md") == {"link": Reason.SYMLINK_OUTSIDE}

    def test_hard_links_are_files_of_their_own(self, tmp_path):
        plant(tmp_path, "a.md")
        (tmp_path / "b.md").hardlink_to(tmp_path / "a.md")
        assert paths(tmp_path) == ["a.md", "b.md"]


class TestRepositories:
    @pytest.fixture
    def repo(self, tmp_path):
        repo = plant(tmp_path / "work" / "repo", "a.md")
        git(repo, "init", "-q")
        git(repo, "add", ".")
        git(repo, "commit", "-qm", "one")
        return repo

    def test_worktree_inside_its_own_tree(self, repo):
        git(repo, "worktree", "add", "-q", "-b", "x", "trees/x")
        assert paths(repo) == ["a.md"]
        assert details(repo)["trees/x/"] == f"of {repo}"
        assert paths(repo / "trees") == []
        assert paths(repo / "trees" / "x") == ["a.md"]

    def test_worktree_beside_its_main_tree(self, repo):
        git(repo, "worktree", "add", "-q", "-b", "x", "../before")
        assert paths(repo.parent) == ["repo/a.md"]
        assert reasons(repo.parent)["before/"] == Reason.WORKTREE

    def test_worktrees_of_a_repository_elsewhere_count_once(self, repo, tmp_path):
        for name in ("p", "q"):
            git(repo, "worktree", "add", "-q", "-b", name, str(tmp_path / "trees" / name))
        assert paths(tmp_path / "trees") == ["p/a.md"]
        assert paths(tmp_path / "trees", "q") == []
        assert paths(tmp_path / "trees", "p") == ["p/a.md"]

    @pytest.mark.parametrize("place", [".git", ".bare"])
    def test_worktrees_of_a_bare_repository_count_once_on_its_branch(self, repo, tmp_path, place):
        work = plant(tmp_path / "bare")
        git(tmp_path, "clone", "-q", "--bare", str(repo), str(work / place))
        if place != ".git":
            plant(work, files={".git": f"gitdir: ./{place}\n"})
        git(work, "worktree", "add", "-q", "-b", "feature", "feature")
        git(work, "worktree", "add", "-q", "main")
        assert paths(work) == ["main/a.md"]

    def test_submodules_and_clones_are_indexed(self, repo):
        git(repo, "clone", "-q", ".", "clone")
        git(repo, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(repo), "sub")
        assert paths(repo) == ["a.md", "clone/a.md", "sub/a.md"]
        assert paths(repo, hidden=True) == [".gitmodules", "a.md", "clone/a.md", "sub/a.md"]

    @pytest.mark.parametrize("text", ["", "gitdir:", "gitdir: /nowhere", "gitdir: \0", "nonsense", "gitdir: ../fifo"])
    def test_odd_pointers_do_no_harm(self, tmp_path, text):
        plant(tmp_path, "a/b.md", files={"a/.git": text})
        os.mkfifo(tmp_path / "fifo")
        assert paths(tmp_path) == ["a/b.md"]


class TestPart:
    def test_file_directory_and_nothing(self, tmp_path):
        plant(tmp_path, "a/b/c.md", "a/d.md", "ab.md", "a.md")
        assert paths(tmp_path, "a") == ["a/b/c.md", "a/d.md"]
        assert paths(tmp_path, "a/b/") == ["a/b/c.md"]
        assert paths(tmp_path, "./a/d.md") == ["a/d.md"]
        assert paths(tmp_path, "a/none") == paths(tmp_path, "none/x") == paths(tmp_path, "a.md/x") == []

    def test_rules_of_the_whole_hold(self, tmp_path):
        plant(tmp_path, "a/b/c.md", "a/b/d.md", "node_modules/x.md", ".h/x.md", files={"a/.gitignore": "d.md"})
        assert paths(tmp_path, "a/b") == ["a/b/c.md"]
        assert reasons(tmp_path, "node_modules/x.md") == {"node_modules/": Reason.BUILT_IN}
        assert reasons(tmp_path, ".h/x.md") == {".h/": Reason.HIDDEN}

    def test_must_lie_inside(self, tmp_path):
        with pytest.raises(ValueError, match="not inside"):
            walk(tmp_path, WalkOptions(), "a/../../b")


@contextmanager
def unprivileged():
    """Lose the right to read everything, which tests often have."""
    if os.geteuid() == 0:
        os.seteuid(65534)
        try:
            yield
        finally:
            os.seteuid(0)
    else:
        yield


@pytest.fixture
def open_place():
    """A directory that another user can reach."""
    place = Path(tempfile.mkdtemp())
    place.chmod(0o755)
    yield place
    subprocess.run(["chmod", "-R", "u+rwx", str(place)], check=True)
    shutil.rmtree(place)


class TestUnreadable:
    def walk(self, root):
        with unprivileged():
            return walk(root, WalkOptions())

    def test_directory(self, open_place):
        plant(open_place, "a/b.md", "c.md")
        (open_place / "a").chmod(0)
        result = self.walk(open_place)
        assert [state.path for state in result.files] == ["c.md"]
        assert result.unreadable == ("a",)
        assert [(s.path, s.reason, s.detail) for s in result.skipped] == [("a/", "unreadable", "Permission denied")]

    def test_directory_that_may_be_listed_but_not_entered(self, open_place):
        plant(open_place, "a/b.md", "a/c/d.md")
        (open_place / "a").chmod(0o444)
        assert self.walk(open_place).unreadable == ("a/b.md", "a/c")

    def test_root(self, open_place):
        plant(open_place, "root/a.md")
        (open_place / "root").chmod(0)
        result = self.walk(open_place / "root")
        assert result.unreadable == ("",)
        assert not result.root_missing

    def test_ignore_file(self, open_place):
        plant(open_place, "a.md", files={".gitignore": "*"})
        (open_place / ".gitignore").chmod(0)
        result = self.walk(open_place)
        assert [state.path for state in result.files] == ["a.md"]
        assert (".gitignore", Reason.BAD_IGNORE_FILE) in [(item.path, item.reason) for item in result.skipped]


class Meddler:
    """Calls `act` right after the n-th directory has been listed."""

    def __init__(self, monkeypatch, number, act):
        self.left = number
        self.act = act
        self.real = os.scandir
        monkeypatch.setattr(os, "scandir", self)

    def __call__(self, *arguments):
        listing = self.real(*arguments)
        self.left -= 1
        return self.after(listing) if self.left == 0 else listing

    @contextmanager
    def after(self, listing):
        with listing:
            entries = list(listing)
            monkeypatched, os.scandir = os.scandir, self.real
            try:
                self.act()
            finally:
                os.scandir = monkeypatched
        yield iter(entries)


class TestChangeDuringTheWalk:
    def test_file_and_directory_vanish(self, tmp_path, monkeypatch):
        plant(tmp_path, "a/b.md", "c.md", "d.md")

        def act():
            shutil.rmtree(tmp_path / "a")
            (tmp_path / "c.md").unlink()

        Meddler(monkeypatch, 1, act)
        result = walk(tmp_path, WalkOptions())
        assert [state.path for state in result.files] == ["d.md"]
        assert not (result.skipped)
        assert not (result.unreadable)

    def test_directory_becomes_a_link_out(self, tmp_path, monkeypatch):
        plant(tmp_path, "root/a/b.md", "outside/secret.md")

        def act():
            shutil.rmtree(tmp_path / "root/a")
            (tmp_path / "root/a").symlink_to(tmp_path / "outside")

        Meddler(monkeypatch, 1, act)
        assert paths(tmp_path / "root") == []

    def test_root_is_replaced(self, tmp_path, monkeypatch):
        plant(tmp_path, "root/a/b.md", "root/c.md")

        def act():
            (tmp_path / "root").rename(tmp_path / "moved")
            plant(tmp_path, "root/other.md")

        Meddler(monkeypatch, 1, act)
        assert walk(tmp_path / "root", WalkOptions()).unreadable == ("",)

    def test_directory_fails_while_it_is_listed(self, tmp_path, monkeypatch):
        plant(tmp_path, "a/b.md", "c.md")

        def act():
            raise OSError(errno.EIO, "input/output error")

        Meddler(monkeypatch, 2, act)
        result = walk(tmp_path, WalkOptions())
        assert [state.path for state in result.files] == ["c.md"]
        assert result.unreadable == ("a",)


class TestMounts:
    def test_other_device_is_noted(self):
        if not os.path.ismount("/dev/shm"):
            pytest.skip("no mount point that may be looked at")
        assert walk(Path("/dev"), WalkOptions(), "shm").mounts == ("shm",)

    def test_former_mount_point_prunes_nothing(self, tmp_path):
        plant(tmp_path, "m/", "n/", "x/y.md")
        result = walk(tmp_path, WalkOptions(mounts=frozenset({"m", "gone"})))
        assert result.unreadable == ("m",)
        assert result.mounts == ("m",)

    def test_part_leaves_other_mounts_alone(self, tmp_path):
        plant(tmp_path, "m/", "x/y.md")
        result = walk(tmp_path, WalkOptions(mounts=frozenset({"m"})), "x")
        assert result.mounts == ("m",)
        assert result.unreadable == ()


@pytest.fixture
def deep():
    """A tree of 1,000 levels whose paths are longer than the system takes at once."""
    place = Path(tempfile.mkdtemp())
    at = os.open(place, os.O_RDONLY)
    name = "level-0123"
    for _ in range(1000):
        os.mkdir(name, dir_fd=at)
        below = os.open(name, os.O_RDONLY, dir_fd=at)
        os.close(at)
        at = below
    descriptor = os.open("deep.md", os.O_CREAT | os.O_WRONLY, dir_fd=at)
    os.write(descriptor, b"text")
    os.close(descriptor)
    os.symlink("deep.md", "link.md", dir_fd=at)
    os.close(at)
    yield place
    subprocess.run(["rm", "-rf", str(place)], check=True)


def test_deep_tree_is_walked_and_read(deep):
    result = walk(deep, WalkOptions())
    assert [state.path for state in result.files] == ["level-0123/" * 1000 + "deep.md"]
    assert [item.path.rpartition("/")[2] for item in result.skipped] == ["link.md"]
    assert read_file(deep, result.files[0], 10) == b"text"


class TestRoots:
    @pytest.mark.parametrize("place", ["/", "~", "/home", "link"])
    def test_refused_without_yes(self, tmp_path, monkeypatch, place):
        monkeypatch.setenv("HOME", str(tmp_path))
        (tmp_path / "link").symlink_to(tmp_path)
        path = {"~": tmp_path, "link": tmp_path / "link"}.get(place, Path(place))
        with pytest.raises(UsageError) as caught:
            check_root(path, yes=False)
        assert "--yes" in caught.value.hint
        check_root(path, yes=True)

    def test_directories_below_are_fine(self, tmp_path, monkeypatch):
        monkeypatch.setenv("HOME", str(tmp_path))
        check_root(plant(tmp_path / "notes"), yes=False)
