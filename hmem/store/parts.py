"""The files of one arm of a segment: written once, sealed, and opened only if they are what was sealed."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from hmem.errors import ArmUnavailableError, StoreDamagedError
from hmem.preparation import postings_versions
from hmem.store import files
from hmem.store.dense import DenseSegment, write_dense
from hmem.store.lexical import LexicalBuilder, LexicalSegment, merge_lexical
from hmem.store.segments import DENSE, LEXICAL, Part, Segment
from hmem.store.translate import REPAIR

if TYPE_CHECKING:
    from numpy.typing import NDArray

CHUNKS = "chunks"
DOCUMENTS = "documents"
TERMS = "terms"
PAIRS = "pairs"
CHUNK_FIELDS = (TERMS, PAIRS)
DOCUMENT_FIELDS = (TERMS,)

_VECTORS = "vectors.usearch"


@dataclass(frozen=True, slots=True)
class PartWriter:
    """Makes the directories of parts below `root`, named after the `generation` that will show them.

    A part may be used only once its segment is sealed.
    """

    root: Path
    generation: int

    def lexical(self, chunks: LexicalBuilder, documents: LexicalBuilder) -> Part:
        """Write both lexical indexes: of chunks and of whole documents. Raises OSError."""
        directory = self._make(LEXICAL)
        for name, builder in ((CHUNKS, chunks), (DOCUMENTS, documents)):
            files.make_dir(directory / name)
            builder.write(directory / name)
        return Part(LEXICAL, directory.name, postings_versions(), {}, np.ones(chunks.documents, np.bool_))

    def merged_lexical(self, segments: Sequence[Segment]) -> Part:
        """Write the lexical indexes of what is alive in `segments`, in order. Raises ArmUnavailableError, OSError."""
        directory = self._make(LEXICAL)
        for name in (CHUNKS, DOCUMENTS):
            files.make_dir(directory / name)
            sources = []
            for segment in segments:
                dead = segment.dead_chunks if name == CHUNKS else segment.dead_documents
                sources.append((open_lexical(self.root, segment.parts[LEXICAL], name), np.flatnonzero(~dead)))
            merge_lexical(directory / name, sources)
            for source, _ in sources:
                source.close()
        count = sum(segment.live for segment in segments)
        return Part(LEXICAL, directory.name, segments[0].parts[LEXICAL].versions, {}, np.ones(count, np.bool_))

    def dense(
        self, keys: NDArray[np.int64], vectors: NDArray[np.float32], covered: NDArray[np.bool_], model: str
    ) -> Part:
        """Write the vectors (n, dimensions) of `keys` (n,), the covered chunks of the segment. Raises OSError."""
        directory = self._make(DENSE)
        write_dense(directory / _VECTORS, keys, vectors)
        versions: dict[str, str | int] = {"model": model, "dimensions": int(vectors.shape[1])}
        return Part(DENSE, directory.name, versions, {}, covered)

    def seal(self, segment: Segment) -> None:
        """Force the files of a new segment's parts to the disk and keep their stamps. Raises OSError."""
        trees = files.seal_trees(self.root / part.directory for part in segment.parts.values())
        for part, stamps in zip(list(segment.parts.values()), trees, strict=True):
            segment.parts[part.arm] = replace(part, files=stamps)

    def _make(self, arm: str) -> Path:
        directory = self.root / f"{self.generation:08d}-{os.urandom(4).hex()}-{arm}"
        files.make_dir(directory)
        return directory


def is_outdated(segment: Segment) -> bool:
    """Return whether a segment lacks postings of this version's text analysis."""
    return LEXICAL not in segment.parts or segment.parts[LEXICAL].versions != postings_versions()


def check_files(root: Path, part: Part, *, below: str = "", deep: bool = False) -> None:
    """Raise `ArmUnavailableError` unless the files of `part` (those `below` a folder) are what was sealed."""
    for name, stamp in part.files.items():
        if name.startswith(below) and (fault := files.fault_of(root / part.directory / name, stamp, deep=deep)):
            raise ArmUnavailableError(f"`{part.directory}/{name}` {fault}", hint=REPAIR)


def restamped(root: Path, part: Part) -> Part | None:
    """Return `part` with the stamps that its files have now if they are the same bytes elsewhere: a copied store.

    Without it every reader would compare their checksums. None if there is nothing to change.
    """
    stamps = {}
    for name, stamp in part.files.items():
        path = root / part.directory / name
        if not files.is_untouched(path, stamp):
            if files.fault_of(path, stamp):
                return None
            stamps[name] = files.seal(path)
    return replace(part, files={**part.files, **stamps}) if stamps else None


def open_lexical(root: Path, part: Part, name: str) -> LexicalSegment:
    """Open the index of `chunks` or `documents` in a part. Raises `ArmUnavailableError`."""
    check_files(root, part, below=f"{name}/")
    try:
        return LexicalSegment.open(root / part.directory / name)
    except (StoreDamagedError, OSError) as error:
        raise ArmUnavailableError(f"`{part.directory}/{name}` cannot be used: {error}", hint=REPAIR) from error


def open_dense(root: Path, part: Part, keys: NDArray[np.int64]) -> DenseSegment:
    """Open the vectors of a part, which belong to `keys`. Raises `ArmUnavailableError`."""
    check_files(root, part)
    try:
        return DenseSegment.open(root / part.directory / _VECTORS, keys)
    except (StoreDamagedError, OSError) as error:
        raise ArmUnavailableError(f"`{part.directory}` cannot be used: {error}", hint=REPAIR) from error
