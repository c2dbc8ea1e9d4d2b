"""WordPiece for plain words, so that a search need not load a tokenizer library.

Reads the same `tokenizer.json` and gives the same tokens: text with anything but ASCII letters and digits is left to
the library, which is loaded only then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789")


class WordPiece:
    """Greedy longest match, left to right; a word that cannot be covered has no tokens."""

    def __init__(
        self,
        spec: dict[str, Any],
        others: Callable[[Sequence[str]], list[tuple[int, ...]]],
    ) -> None:
        """`spec` is a `tokenizer.json` for which `is_plain` holds; `others` tokenises all other words."""
        model = spec["model"]
        self._whole: dict[str, int] = model["vocab"]
        prefix = model["continuing_subword_prefix"]
        self._prefix = prefix
        self._unknown = self._whole.get(model["unk_token"])
        self._limit = int(model["max_input_chars_per_word"])
        self._longest = max(map(len, self._whole), default=0)
        self._others = others

    def __call__(self, words: Sequence[str]) -> list[tuple[int, ...]]:
        """Return the token ids of each word."""
        plain = [word.isascii() and word.isalnum() for word in words]
        rest = iter(self._others([word for word, is_plain in zip(words, plain, strict=True) if word and not is_plain]))
        return [
            self._cover(word.lower()) if is_plain else (next(rest) if word else ())
            for word, is_plain in zip(words, plain, strict=True)
        ]

    def _cover(self, word: str) -> tuple[int, ...]:
        whole = self._whole.get(word)
        size = len(word)
        if whole is not None and size <= self._limit:
            return (whole,) if whole != self._unknown else ()
        if size > self._limit:
            return ()
        found = []
        start = 0
        while start < size:
            prefix = self._prefix if start else ""
            for end in range(min(size, start + self._longest), start, -1):
                token = self._whole.get(prefix + word[start:end])
                if token is not None:
                    found.append(token)
                    start = end
                    break
            else:
                return ()
        return tuple(found)


def is_plain(spec: dict[str, Any]) -> bool:
    """Tell whether a `tokenizer.json` is one whose tokens `WordPiece` gives."""
    model, normalizer, pre = (spec.get(key) or {} for key in ("model", "normalizer", "pre_tokenizer"))
    return (
        model.get("type") == "WordPiece"
        and normalizer.get("type") == "BertNormalizer"
        and normalizer.get("lowercase") is True
        and pre.get("type") == "BertPreTokenizer"
        # A special token that is a plain word, or has an odd rule, would be cut out of texts before everything else.
        and all(
            not _LETTERS.issuperset(added["content"].lower())
            and not any(added[rule] for rule in ("lstrip", "rstrip", "single_word"))
            and " " not in added["content"]
            for added in spec.get("added_tokens", ())
        )
    )
