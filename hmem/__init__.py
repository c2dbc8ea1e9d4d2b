"""hmem: a command-line memory over notes, wikis and code.

from hmem import KnowledgeBase

What stands in `__all__` is loaded when it is first used, so that `import hmem` costs nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False  # type checkers know the name; the module that defines it takes longer to load than this one
if TYPE_CHECKING:
    from hmem.errors import HmemError
    from hmem.indexer import IndexOptions
    from hmem.library import KnowledgeBase
    from hmem.search.query import SearchOptions
    from hmem.search.results import Hit, SearchResult
    from hmem.version import __version__

__all__ = ["Hit", "HmemError", "IndexOptions", "KnowledgeBase", "SearchOptions", "SearchResult", "__version__"]

_HOMES = {
    "Hit": "hmem.search.results",
    "HmemError": "hmem.errors",
    "IndexOptions": "hmem.indexer",
    "KnowledgeBase": "hmem.library",
    "SearchOptions": "hmem.search.query",
    "SearchResult": "hmem.search.results",
    "__version__": "hmem.version",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module `hmem` has no attribute `{name}`")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
