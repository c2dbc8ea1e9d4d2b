"""What replaces what: from names in `supersedes` and `superseded_by` to documents and chunks.

A name is, in this order: the id of a chunk or of a note of hmem's; the `id` that a document of the same collection
has in its front matter; a path, from the document, from the root of its collection or absolute; the stem of a file
name, or a title, of one document of the collection. Names reach their own collection alone, since a tree that was
cloned must not retire other notes; ids of chunks and notes are known only to who has seen what they name. A note that
`hmem remember` wrote may name any document, as `COLLECTION/PATH`.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from hmem.errors import NoteError
from hmem.paths import absolute_path
from hmem.store.rows import path_bytes, path_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from hmem.search.declarations import Declaration
    from hmem.store.catalog import Catalog

_CHUNK_ID = re.compile(r"[0-9a-f]{16}")
_NOTE_ID: Final = "note-"
_WIKILINK = re.compile(r"!?\[\[([^\[\]|]+)(?:\|[^\[\]]*)?\]\]")


@dataclass(frozen=True, slots=True)
class Target:
    """What a name stands for: a document by id, or one chunk of it by key. `several`: how many it could have been."""

    document: int | None = None
    chunk: int | None = None
    several: int = 0


@dataclass(frozen=True, slots=True)
class Claim:
    """`newer` replaces `older`, documents by id, or only the chunk of it with the key `chunk`."""

    newer: int
    older: int
    chunk: int | None = None


@dataclass(frozen=True, slots=True)
class _Names:
    """The documents of a collection by path, and by what may be the name of several, case folded."""

    paths: Mapping[str, int]
    stems: Mapping[str, Sequence[int]]
    titles: Mapping[str, Sequence[int]]


class Names:
    """Looks names up in one catalog; reads the documents of a collection when a name first needs them."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._places: dict[int, tuple[int, str]] = {}
        self._roots = {collection.id: collection.root for collection in catalog.collections()}
        self._collections = {collection.name: collection.id for collection in catalog.collections()}
        self._own: frozenset[str] | None = None
        self._ids: dict[str, list[int]] | None = None
        self._known: dict[int, _Names] = {}

    def resolve(self, name: str, source: int) -> Target:
        """Return what `name`, written in the document `source`, stands for; never the document itself."""
        match = _WIKILINK.fullmatch(name)
        name = (match[1] if match else name).strip()
        if found := self._chunk(name):
            return found
        collection, path = self._place(source)
        for candidates in self._candidates(name, source, collection, path):
            others = [document for document in dict.fromkeys(candidates) if document != source]
            if others:
                return Target(others[0]) if len(others) == 1 else Target(several=len(others))
        return Target()

    def _candidates(self, name: str, source: int, collection: int, path: str) -> Iterable[Sequence[int]]:
        identified = self._identified(name)
        if name.startswith(_NOTE_ID):  # a copy elsewhere takes nothing from the note that hmem wrote
            own = [document for document in identified if len(identified) > 1 and self._is_own(document)]
            yield own or identified
        else:
            yield self._inside(identified, collection)
        yield self._at(name, collection, path)
        yield self._elsewhere(name, source)
        known = self._names_of(collection)
        folded = name.casefold()
        yield known.stems.get(folded, ()) if "/" not in name else ()
        yield known.titles.get(folded, ())

    def _chunk(self, name: str) -> Target | None:
        if not _CHUNK_ID.fullmatch(name):
            return None
        chunks = self._catalog.chunks_with_id(name, 2)
        return Target(chunks[0].document, chunks[0].key) if len(chunks) == 1 else None

    def _place(self, document: int) -> tuple[int, str]:
        if document not in self._places:
            sql = "SELECT collection, path FROM documents WHERE id = ?"
            ((collection, path),) = self._catalog.rows(sql, (document,))
            self._places[document] = collection, path_text(path)
        return self._places[document]

    def _identified(self, name: str) -> list[int]:
        if self._ids is None:
            ids: defaultdict[str, list[int]] = defaultdict(list)
            for row in self._catalog.attributes("meta.id"):
                ids[row.text].append(row.document)
            self._ids = dict(ids)
        return self._ids.get(name, [])

    def _inside(self, documents: Iterable[int], collection: int) -> list[int]:
        return [document for document in documents if self._place(document)[0] == collection]

    def _at(self, name: str, collection: int, path: str) -> list[int]:
        """Return the documents at the first path that `name` can mean where one is."""
        root = self._roots[collection]
        if name.startswith("/"):
            base = str(root).rstrip("/") + "/"
            paths = [posixpath.normpath(name).removeprefix(base)]
        else:
            nearby = posixpath.normpath(posixpath.join(posixpath.dirname(path), name))
            paths = [nearby, posixpath.normpath(name)]
        for wanted in paths:
            if found := self._documents_at(collection, wanted, f"{wanted}.md"):
                return found
        return []

    def _documents_at(self, collection: int, *paths: str) -> list[int]:
        if known := self._known.get(collection):
            return [known.paths[path] for path in paths if path in known.paths]
        sql = "SELECT id FROM documents WHERE collection = ? AND path IN (?, ?)"
        return [row[0] for row in self._catalog.rows(sql, (collection, *map(path_bytes, paths)))]

    def _elsewhere(self, name: str, source: int) -> list[int]:
        """Return the document at `COLLECTION/PATH`, if hmem wrote what names it."""
        owner, slash, path = name.partition("/")
        collection = self._collections.get(owner)
        if not slash or collection is None or not self._is_own(source):
            return []
        return self._at(path, collection, "")

    def _is_own(self, document: int) -> bool:
        if self._own is None:
            from hmem.notes.ledger import written_places

            try:
                self._own = written_places()
            except NoteError:  # then nothing is trusted
                self._own = frozenset()
        return self.place(document) in self._own

    def _names_of(self, collection: int) -> _Names:
        if collection not in self._known:
            paths: dict[str, int] = {}
            stems: defaultdict[str, list[int]] = defaultdict(list)
            titles: defaultdict[str, list[int]] = defaultdict(list)
            sql = "SELECT id, path, title FROM documents WHERE collection = ? ORDER BY id"
            for document, data, title in self._catalog.rows(sql, (collection,)):
                path = path_text(data)
                paths[path] = document
                self._places[document] = collection, path
                name = path.rpartition("/")[2].casefold()
                stems[name].append(document)
                if "." in name.lstrip("."):
                    stems[name.rpartition(".")[0]].append(document)
                titles[title.casefold()].append(document)
            self._known[collection] = _Names(paths, stems, titles)
        return self._known[collection]

    def place(self, document: int) -> str:
        """Return the absolute path of a document."""
        collection, path = self._place(document)
        return absolute_path(self._roots[collection], path)


def claims_of(declared: Mapping[int, Declaration], names: Names) -> list[Claim]:
    """Return every claim that counts: those of `claims_made` but the ones that go round in a circle and say nothing."""
    found = claims_made(declared, names)
    circular = in_circles((claim.newer, claim.older) for claim in found)
    return [claim for claim in found if not {claim.newer, claim.older} <= circular]


def claims_made(declared: Mapping[int, Declaration], names: Names) -> list[Claim]:
    """Return what documents in force say that they supersede, as far as the names stand for something."""
    found = []
    for document, declaration in declared.items():
        targets = [names.resolve(name, document) for name in declaration.supersedes] if declaration.in_force else []
        found += [Claim(document, each.document, each.chunk) for each in targets if each.document is not None]
    return found


def in_circles(edges: Iterable[tuple[int, int]]) -> set[int]:
    """Return the nodes of a directed graph that lie on circles, or between two of them."""
    pairs = list(dict.fromkeys(edges))
    return _behind_circles(pairs) & _behind_circles([(older, newer) for newer, older in pairs])


def _behind_circles(edges: Sequence[tuple[int, int]]) -> set[int]:
    """Return the nodes that a circle leads to: those left once nodes that nothing leads to are taken off in turn."""
    following: defaultdict[int, list[int]] = defaultdict(list)
    incoming: Counter[int] = Counter()
    for source, end in edges:
        following[source].append(end)
        incoming[end] += 1
    free = [node for node in following if not incoming[node]]
    while free:
        for node in following.pop(free.pop(), ()):
            incoming[node] -= 1
            if not incoming[node]:
                free.append(node)
    return {node for node, count in incoming.items() if count}
