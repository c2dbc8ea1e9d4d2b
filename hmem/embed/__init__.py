"""Static embeddings: text in, unit vectors out, offline, without a neural network at run time."""

from hmem.embed.compose import Part, compose
from hmem.embed.model import Encoder, load_encoder

__all__ = ["Encoder", "Part", "compose", "load_encoder"]
