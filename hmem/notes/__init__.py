"""Notes that hmem itself writes: `hmem remember` and `hmem forget`."""

from hmem.notes.files import Draft, Note
from hmem.notes.remember import forget, remember

__all__ = ["Draft", "Note", "forget", "remember"]
