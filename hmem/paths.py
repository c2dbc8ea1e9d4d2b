"""Where hmem keeps things; every place can be moved by an environment variable, as tests do."""

from __future__ import annotations

import os
from pathlib import Path

from hmem.errors import UsageError

DEFAULT_STORE = "default"


def data_dir() -> Path:
    """Return `$HMEM_DATA_DIR`, else the platform's user data directory for hmem."""
    if moved := os.environ.get("HMEM_DATA_DIR"):
        return Path(moved).absolute()
    from platformdirs import user_data_path

    return user_data_path("hmem", appauthor=False)


def config_dir() -> Path:
    """Return `$HMEM_CONFIG_DIR`, else the platform's user configuration directory for hmem."""
    if moved := os.environ.get("HMEM_CONFIG_DIR"):
        return Path(moved).absolute()
    from platformdirs import user_config_path

    return user_config_path("hmem", appauthor=False)


def store_dir(store: str | None = None) -> Path:
    """Return the directory of `store`: a name below the data directory, or itself if it has a path separator.

    None means `$HMEM_STORE`, else the store named `default`.
    """
    name = store or os.environ.get("HMEM_STORE") or DEFAULT_STORE
    if "/" in name or os.sep in name:
        return Path(name).expanduser().absolute()
    if name in {".", ".."} or "\0" in name:
        raise UsageError(f"not a store name: `{name}`", hint="use a plain name, or a path with a `/`")
    return data_dir() / "stores" / name


def real(path: str | os.PathLike[str]) -> Path:
    """Return `path` absolute with every symbolic link resolved; it need not exist."""
    return Path(os.path.realpath(Path(path).expanduser()))


def relative_inside(path: Path, root: Path) -> str | None:
    """Return `path` relative to `root` with `/` ("" for the root itself), or None if it lies outside."""
    try:
        relative = path.relative_to(root)
    except ValueError:
        return None
    return "" if relative == Path() else relative.as_posix()


def absolute_path(root: Path, path: str) -> str:
    """Return the absolute path of the document at `path` in a collection; the root of one file is the file itself."""
    if path in ("", root.name) and not root.is_dir():
        return str(root)
    return f"{root}/{path}" if str(root) != "/" else f"/{path}"
