"""Which language a file is in and what kind of document that makes it, from its name and its first line."""

from __future__ import annotations

import re

from hmem.parse.languages import language_for_path
from hmem.types import Kind

_EXTENSIONS = {
    "markdown": "md markdown mdown mkd mkdn mdwn mdx mdc qmd rmd",
    "rst": "rst",
    "asciidoc": "adoc asciidoc",
    "org": "org",
    "mediawiki": "wiki mediawiki mw wikitext",
    "text": "txt text",
    "json": "json jsonl ndjson json5 jsonc geojson ipynb webmanifest",
    "yaml": "yaml yml",
    "toml": "toml",
    "ini": "ini cfg conf properties desktop",
    "csv": "csv tsv",
    "xml": "xml xsd xsl xslt svg plist rss atom",
    "log": "log",
}
_LANGUAGES = {extension: lang for lang, names in _EXTENSIONS.items() for extension in names.split()}
_PROSE = frozenset(("markdown", "text"))
_WIKI = frozenset(("rst", "asciidoc", "org", "mediawiki"))
_PROSE_NAMES = re.compile(
    r"(?:readme|license|licence|copying|authors|contributors|contributing|changelog|changes|history|news|notice|todo|"
    r"install|faq|thanks|credits|patents|security|maintainers|upgrading)(?:[-_][\w.-]*|\.(?:[0-9]+|lesser|mit|bsd|apache|first|old))?",
    re.I,
)
# Lists that other programs read, not prose, though they are named `.txt`.
_LIST_NAMES = re.compile(r"(?:requirements|constraints)[\w.-]*|robots|humans|ads|cmakelists|sources|top_level", re.I)
PROSE = _PROSE | _WIKI


def language_of(path: str, head: str, root: str = "") -> tuple[str, Kind]:
    """Return the language and kind of the file at `path`, relative to `root`, which begins with `head`.

    Prose is a `wiki` page in a wiki syntax or under a directory named `wiki`, else a `note`.
    """
    name = path.rsplit("/", 1)[-1]
    stem, _, extension = name.rpartition(".")
    known = _LANGUAGES.get(extension.lower()) if stem else None
    if known == "text" and _LIST_NAMES.fullmatch(stem):
        code = language_for_path(path, head)
        return (code, Kind.CODE) if code else ("text", Kind.TEXT)
    if known is None:
        code = language_for_path(path, head)
        if code is not None:
            return code, Kind.CODE
        known = "text" if _PROSE_NAMES.fullmatch(name) else None
    if known in _WIKI:
        return known, Kind.WIKI
    if known in _PROSE:
        folders = f"{root}/{path}".replace("\\", "/").lower().split("/")[:-1]
        return known, Kind.WIKI if "wiki" in folders else Kind.NOTE
    return known or "text", Kind.TEXT
