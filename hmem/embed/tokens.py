"""From text to the rows of an embedding table, without truncation and safe to share between threads."""

from __future__ import annotations

import json
from functools import cached_property
from typing import TYPE_CHECKING, Any

from hmem.embed.wordpiece import WordPiece, is_plain
from hmem.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from tokenizers import Tokenizer

# Components that treat every run between blanks on its own, so the ids of a text are those of its runs, joined.
_SPLITTING = frozenset({"BertPreTokenizer", "Whitespace", "WhitespaceSplit"})
_LOCAL = frozenset({"BertNormalizer", "Lowercase", "NFC", "NFD", "NFKC", "NFKD", "StripAccents"})
# Words held before the memo starts over; some 40 MB at worst.
_MEMO_WORDS = 1 << 18


class TokenReader:
    """Turns texts into token ids; unknown tokens are left out.

    Text between blanks is tokenised once and remembered where the tokenizer allows it: indexing source code meets
    the same words again and again.
    """

    def __init__(self, path: Path) -> None:
        """Load a `tokenizer.json`; ModelError if it cannot be used."""
        self._library = _Library(path)
        try:
            spec = json.loads(path.read_bytes())
            self.vocabulary_size = _vocabulary_size(spec)
            self._by_word = _splits_at_blanks(spec)
            self._tokenise: Callable[[Sequence[str]], list[tuple[int, ...]]] = (
                WordPiece(spec, self._library) if is_plain(spec) else self._library
            )
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise ModelError(f"cannot read the model's tokenizer: `{path}`: {error!r}") from error
        if self._tokenise is self._library:
            self._library.check()
        self._memo: dict[str, tuple[int, ...]] = {}

    def read(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the known token ids of each text, in order; empty for a text of which nothing is known."""
        if not self._by_word:
            return [list(ids) for ids in self._tokenise(texts)]
        split = [text.split(" ") for text in texts]
        memo = self._remember(set().union(*split))
        return [[token for word in words for token in memo[word]] for words in split]

    def _remember(self, words: set[str]) -> dict[str, tuple[int, ...]]:
        """Return a memo that holds at least `words`."""
        memo = self._memo
        if len(memo) + len(words) > _MEMO_WORDS:
            # A new dict, as another thread may be reading the old one.
            self._memo = memo = {}
        missing = [word for word in words if word not in memo]
        memo.update(zip(missing, self._tokenise(missing), strict=True))
        return memo


class _Library:
    """The tokenizers library, loaded when first needed."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __call__(self, texts: Sequence[str]) -> list[tuple[int, ...]]:
        if not texts:
            return []
        legal = [text.encode("utf-8", "replace").decode("utf-8") for text in texts]  # lone surrogates are refused
        tokenizer, unknown = self._loaded
        encoded = tokenizer.encode_batch_fast(legal, add_special_tokens=False)
        return [tuple(token for token in one.ids if token != unknown) for one in encoded]

    def check(self) -> None:
        """Load now, to fail now."""
        _ = self._loaded

    @cached_property
    def _loaded(self) -> tuple[Tokenizer, int | None]:
        from tokenizers import Tokenizer

        try:
            tokenizer = Tokenizer.from_file(str(self._path))
        except Exception as error:  # the library raises plain Exception
            raise ModelError(f"cannot read the model's tokenizer: `{self._path}`: {error}") from error
        # Set once and never again: changing them per call would make concurrent calls disturb each other.
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return tokenizer, _unknown_id(tokenizer)


def _vocabulary_size(spec: dict[str, Any]) -> int:
    """Return one more than the highest token id, added tokens included."""
    vocabulary = spec["model"]["vocab"]
    ids = vocabulary.values() if isinstance(vocabulary, dict) else range(len(vocabulary))
    return int(1 + max((*ids, *(added["id"] for added in spec.get("added_tokens", ())))))


def _splits_at_blanks(spec: dict[str, Any]) -> bool:
    pre, normalizer = spec.get("pre_tokenizer") or {}, spec.get("normalizer")
    return (
        pre.get("type") in _SPLITTING
        and (normalizer is None or normalizer["type"] in _LOCAL)
        and not any(
            " " in added["content"] or added["lstrip"] or added["rstrip"] for added in spec.get("added_tokens", ())
        )
    )


def _unknown_id(tokenizer: Tokenizer) -> int | None:
    model = tokenizer.model
    if hasattr(model, "unk_token"):  # WordPiece, WordLevel, BPE
        token = model.unk_token
        return None if token is None else tokenizer.token_to_id(token)
    found = json.loads(tokenizer.to_str())["model"].get("unk_id")  # Unigram
    return None if found is None else int(found)
