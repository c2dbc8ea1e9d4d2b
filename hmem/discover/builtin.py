"""Which directories are left out without being asked: version control, dependencies, caches, build output. Pure.

Policy. A name that nobody gives to a directory of their own writing (`node_modules`, `__pycache__`) is enough. A name
that people do use (`build`, `dist`, `out`, `target`, `vendor`, `bin`) needs a witness: the manifest of a tool that
writes there beside it, or a tool's mark inside it. `build`, `out` and `vendor` beside a manifest stay if they hold
a README, prose or a manifest of their own, for then somebody works in them. Each directory left out is reported with
the reason; `!name/` in `.hmemignore`, an exclude glob `!name/` or `--no-ignore` takes it back in. Version control data
stays out always.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hmem.discover.wordlist import word_set

if TYPE_CHECKING:
    from collections.abc import Collection, Set

VERSION_CONTROL = frozenset({".git", ".hg", ".svn", ".bzr", ".jj", ".pijul", ".sl", "_darcs", "CVS", ".fslckout"})

_DEPENDENCIES = word_set(
    """
    node_modules bower_components jspm_packages site-packages elm-stuff .bundle .eggs .gradle .m2 .npm .yarn
    .pnpm-store .stack-work .cargo .rustup .venv venv virtualenv .virtualenv .tox .nox .direnv .terraform
    """
)
_CACHES = word_set(
    """
    __pycache__ htmlcov .cache .mypy_cache .pytest_cache .ruff_cache .hypothesis .ipynb_checkpoints .parcel-cache .turbo
    .sass-cache .nyc_output .serverless .ccls-cache .clangd .vs __MACOSX lost+found .Trash .trash $RECYCLE.BIN
    .Spotlight-V100 .fseventsd .TemporaryItems
    """
) | {"System Volume Information"}
_OUTPUT = word_set(
    """
    dist-newstyle .next .nuxt .output .svelte-kit .docusaurus .dart_tool .build DerivedData
    """
)

_NODE = ("package.json",)
_PYTHON = ("pyproject.toml", "setup.py", "setup.cfg")
_GRADLE = ("build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts")
_NATIVE = ("CMakeLists.txt", "meson.build", "configure.ac", "SConstruct")
_DOTNET = ("*.csproj", "*.fsproj", "*.vbproj")

# Names that a tool writes to, with the manifests (`*.x`: any such file) that show the tool is in use.
_BESIDE: dict[str, tuple[str, ...]] = {
    "target": ("Cargo.toml", "pom.xml", "build.sbt", "build.properties", "project.clj", "deps.edn"),
    "dist": (*_NODE, *_PYTHON, "*.cabal"),
    "bin": _DOTNET,
    "obj": _DOTNET,
    "Pods": ("Podfile",),
    "Carthage": ("Cartfile",),
    "deps": ("mix.exs", "rebar.config"),
    "_build": ("mix.exs", "rebar.config", "dune-project", "conf.py"),
    "_site": ("_config.yml", "_config.yaml"),
    "zig-out": ("build.zig",),
    "zig-cache": ("build.zig",),
}
# The same for names that also hold work of one's own: only when nothing inside speaks against it. `dist` needs no
# manifest: nobody keeps sources there and nothing that explains them.
_BESIDE_UNLESS_WRITTEN: dict[str, tuple[str, ...]] = {
    "build": (*_NODE, *_PYTHON, *_GRADLE, *_NATIVE, "pubspec.yaml", "Podfile"),
    "out": (*_NODE, *_GRADLE, *_NATIVE, *_DOTNET),
    "vendor": ("go.mod", "composer.json"),
}
_WRITTEN = word_set(
    """
    package.json tsconfig.json pyproject.toml setup.py Makefile CMakeLists.txt build.gradle go.mod Dockerfile assets
    javascript javascripts stylesheets
    """
)
_PROSE = (".md", ".markdown", ".rst", ".adoc", ".org", ".wiki", ".txt")

# Marks that tools leave in the directories they own.
_MARKS = {
    "pyvenv.cfg": "Python virtual environment",
    "conda-meta": "conda environment",
    "CMakeCache.txt": "CMake build",
    "meson-private": "Meson build",
    ".ninja_log": "Ninja build",
    "doctrees": "Sphinx build",
}
# The same in directories of one name.
_MARKS_IN: dict[str, dict[str, str]] = {
    "vendor": {"modules.txt": "Go dependencies", "autoload.php": "Composer dependencies"},
    "bundle": {"ruby": "Bundler dependencies"},
    "coverage": {"lcov.info": "coverage report", "lcov-report": "coverage report"},
}

CACHE_TAG = "CACHEDIR.TAG"
CACHE_TAG_SIGNATURE = b"Signature: 8a477f597d28d172789f06886806bc55"  # https://bford.info/cachedir/


def ignored_by_name(name: str, siblings: Collection[str]) -> str | None:
    """Return what the directory `name` among `siblings` is if that is known without opening it, else None."""
    if name in _DEPENDENCIES:
        return "dependencies"
    if name in _CACHES:
        return "cache"
    if name in _OUTPUT:
        return "build output"
    if name.endswith(".egg-info"):
        return "package metadata"
    manifest = _witness(_BESIDE.get(name, ()), siblings)
    return f"build output beside {manifest}" if manifest else None


def ignored_by_content(name: str, siblings: Collection[str], inside: Set[str]) -> str | None:
    """Return what the directory `name`, holding the names `inside`, is if its content shows it, else None.

    A cache tag is for the caller to check: the name alone does not count, its first bytes must be the signature.
    """
    for marks in (_MARKS, _MARKS_IN.get(name, {})):
        found = min(marks.keys() & inside, default=None)
        if found is not None:
            return marks[found]
    manifest = _witness(_BESIDE_UNLESS_WRITTEN.get(name, ()), siblings)
    if (manifest is None and name != "dist") or _is_written(inside):
        return None
    return f"build output beside {manifest}" if manifest else "build output"


def _witness(manifests: tuple[str, ...], siblings: Collection[str]) -> str | None:
    for manifest in manifests:
        if manifest.startswith("*"):
            found = min((name for name in siblings if name.endswith(manifest[1:])), default=None)
            if found:
                return found
        elif manifest in siblings:
            return manifest
    return None


def _is_written(inside: Set[str]) -> bool:
    """Return whether a directory holds what people write: a manifest, a README, prose."""
    return bool(_WRITTEN & inside) or any(
        name.lower().startswith("readme") or name.lower().endswith(_PROSE) for name in inside
    )
