"""From text to the rows of an embedding table, without truncation and safe to share between threads."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tokenizers import Tokenizer

from hmem.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

# Components that treat every run between blanks on its own, so the ids of a text are those of its runs, joined.
_SPLITTING = frozenset({"BertPreTokenizer", "Whitespace", "WhitespaceSplit"})
_LOCAL = frozenset({"NoneType", "BertNormalizer", "Lowercase", "NFC", "NFD", "NFKC", "NFKD", "StripAccents"})
# Words held before the memo starts over; some 40 MB at worst.
_MEMO_WORDS = 1 << 18


class TokenReader:
    """Turns texts into token ids; unknown tokens are left out.

    Text between blanks is tokenised once and remembered where the tokenizer allows it: indexing source code meets
    the same words again and again.
    """

    def __init__(self, path: Path) -> None:
        """Load a `tokenizer.json`; ModelError if it cannot be used."""
        try:
            self._tokenizer = Tokenizer.from_file(str(path))
        except Exception as error:  # the library raises plain Exception
            raise ModelError(f"cannot read the model's tokenizer: `{path}`: {error}") from error
        # Set once and never again: changing them per call would make concurrent calls disturb each other.
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._unknown = _unknown_id(self._tokenizer)
        self._by_word = _splits_at_blanks(self._tokenizer)
        self._memo: dict[str, tuple[int, ...]] = {}

    @property
    def vocabulary_size(self) -> int:
        """Number of tokens, i.e. one more than the highest id of a gapless vocabulary."""
        return int(self._tokenizer.get_vocab_size())

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

    def _tokenise(self, texts: Sequence[str]) -> list[tuple[int, ...]]:
        if not texts:
            return []
        legal = [text.encode("utf-8", "replace").decode("utf-8") for text in texts]  # lone surrogates are refused
        encoded = self._tokenizer.encode_batch_fast(legal, add_special_tokens=False)
        unknown = self._unknown
        return [tuple(token for token in one.ids if token != unknown) for one in encoded]


def _splits_at_blanks(tokenizer: Tokenizer) -> bool:
    added = tokenizer.get_added_tokens_decoder().values()
    return (
        type(tokenizer.pre_tokenizer).__name__ in _SPLITTING
        and type(tokenizer.normalizer).__name__ in _LOCAL
        and not any(" " in token.content or token.lstrip or token.rstrip for token in added)
    )


def _unknown_id(tokenizer: Tokenizer) -> int | None:
    model = tokenizer.model
    if hasattr(model, "unk_token"):  # WordPiece, WordLevel, BPE
        token = model.unk_token
        return None if token is None else tokenizer.token_to_id(token)
    found = json.loads(tokenizer.to_str())["model"].get("unk_id")  # Unigram
    return None if found is None else int(found)
