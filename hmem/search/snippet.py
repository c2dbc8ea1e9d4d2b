"""The part of a chunk to show: the line that matches best, and where the query's words stand in it. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from hmem.text import STOP_WORDS, contains_phrase, normalise, parse_query, query_terms, terms, words

PHRASE_SCORE = 100.0
"""What a whole quoted phrase in a line counts; single terms count their weight, at most a few."""

_FENCES = ("---", "+++")
"""What encloses front matter."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a chunk: its number in the file, its text without the line end, and the (start, end) of matches."""

    number: int
    text: str
    spans: tuple[tuple[int, int], ...] = ()


class Highlighter:
    """Finds a query's words in texts: a word matches if it shares a term with the query. Safe to share.

    Stop words help to choose a line but are not marked, unless the query has nothing else.
    """

    def __init__(self, query: str, *, marks: bool = True) -> None:
        """Analyse `query` as a search does. Without `marks` lines have no spans, which is quicker."""
        self._marks = marks
        parsed = parse_query(query)
        self._phrases = parsed.phrases
        found = query_terms(parsed.text)
        self._weights = {term.term: term.weight for term in found}
        telling = {term.term for term in found if term.word not in STOP_WORDS}
        self._marked = telling or set(self._weights)

    def spans(self, text: str) -> tuple[tuple[int, int], ...]:
        """Return where matching words stand in `text`, ascending, not overlapping."""
        found = []
        at = 0
        plain = normalise(text)
        # Words come from the normalised text. Where that differs, a word is shown only if it stands there unchanged.
        for word in words(text) if plain == text else words(plain):
            start = text.find(word, at)
            if start < 0:
                continue
            at = start + len(word)
            if any(term in self._marked for term in terms(word)):
                found.append((start, at))
        return tuple(found)

    def score(self, text: str) -> float:
        """Return how much of the query `text` holds: the weight of the distinct terms, and its phrases."""
        found = {term for word in set(words(text)) for term in terms(word)}
        weight = sum(weight for term, weight in self._weights.items() if term in found)
        return weight + PHRASE_SCORE * sum(contains_phrase(text, phrase) for phrase in self._phrases)

    def best(self, text: str, start_line: int = 1) -> Line:
        """Return the line of `text` that matches best, the first of equals; without one the body's first."""
        lines = text.split("\n")
        scores = [self.score(line) for line in lines]
        top = max(scores)
        at = scores.index(top) if top > 0 else _first_telling(lines)
        return self.line(lines, at, start_line)

    def window(self, text: str, start_line: int, max_lines: int) -> tuple[Line, ...]:
        """Return up to `max_lines` lines around the best one, which is among them; blank lines at the ends are cut."""
        lines = text.removesuffix("\n").split("\n")
        best = min(self.best(text, start_line).number - start_line, len(lines) - 1)
        first = max(0, min(best - max_lines // 3, len(lines) - max_lines))
        last = min(len(lines), first + max(1, max_lines))
        while first < best and not lines[first].strip():
            first += 1
        while last - 1 > best and not lines[last - 1].strip():
            last -= 1
        return tuple(self.line(lines, at, start_line) for at in range(first, last))

    def line(self, lines: list[str], at: int, start_line: int) -> Line:
        """Return line `at` (from 0) of a chunk that starts at `start_line`, without a carriage return."""
        text = lines[at].removesuffix("\r")
        return Line(start_line + at, text, self.spans(text) if self._marks else ())


def _first_telling(lines: list[str]) -> int:
    """Return the first line with a word, after the front matter if the text starts with one."""
    mark = lines[0].strip()
    end = next((at for at, line in enumerate(lines[1:], 1) if line.strip() == mark), -1) if mark in _FENCES else -1
    with_words = [at for at, line in enumerate(lines) if words(line)]
    return next((at for at in with_words if at > end), with_words[0] if with_words else 0)
