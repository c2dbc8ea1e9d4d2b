"""One vector per chunk from separately encoded parts (body, title, folders, scopes)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

from hmem.embed.model import normalised

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from hmem.embed.model import Encoder


class Part(Protocol):
    """A text, prepared for the model, and how much it counts."""

    @property
    def weight(self) -> float:
        """Factor of the part's unit vector in the sum."""

    @property
    def text(self) -> str:
        """Text prepared for the model."""


def compose(encoder: Encoder, parts_per_chunk: Sequence[Sequence[Part]]) -> NDArray[np.float32]:
    """Return one vector per chunk, shape (n, dimensions), float32, unit length or all zero.

    Every part is encoded, damped, and normalised apart, then the weighted sum is normalised. A part of which the model
    knows nothing adds nothing. Equal texts (titles and folders repeat from chunk to chunk) are encoded once.
    """
    numbers: dict[str, int] = {}
    for parts in parts_per_chunk:
        for part in parts:
            numbers.setdefault(part.text, len(numbers))
    vectors = encoder.encode(list(numbers), damped=True)
    out = np.zeros((len(parts_per_chunk), encoder.dimensions), np.float32)
    for place in range(max(map(len, parts_per_chunk), default=0)):
        rows = [row for row, parts in enumerate(parts_per_chunk) if place < len(parts)]
        chosen = [parts_per_chunk[row][place] for row in rows]
        weights = np.array([part.weight for part in chosen], np.float32)
        out[rows] += weights[:, None] * vectors[[numbers[part.text] for part in chosen]]
    return normalised(out)
