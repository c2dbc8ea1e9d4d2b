"""Measures a model alone (dense, nDCG@10) on the development sets, through hmem's own encoder and text preparation.

    python tests/bench/model/evaluate.py MODEL [MODEL ...] --text TEXT_SETS [--code CODE --labels LABELS]

Text sets: one vector per document (title and text). Code: one vector per piece of at most 1,500 characters, its bare
text; a file counts once, at its best piece; means over repositories, then languages. MODEL is a model2vec folder or
`wordllama` (the weights that the package carries, for comparison only).
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from hmem.embed import Encoder, load_encoder
from hmem.text import model_words

DISCOUNT = 1 / np.log2(np.arange(2, 12))
SETS = ("cosqa-dev", "anthropic-codebase-chunks", "scifact", "cacm", "chroma-chunking", "cranfield")
PIECE = 1_500


def ndcg(ranked: list[bool], relevant: int) -> float:
    """Return binary nDCG@10 of a ranking given as hits in order, for a query with `relevant` answers."""
    gain = sum(weight for weight, hit in zip(DISCOUNT, ranked[:10], strict=False) if hit)
    return float(gain / DISCOUNT[: min(10, relevant)].sum())


def records(path: Path) -> list[dict]:
    """Return the objects of a compressed file of JSON lines."""
    with gzip.open(path, "rt") as lines:
        return [json.loads(line) for line in lines]


@dataclass(frozen=True)
class TextSet:
    """A set with its texts prepared: names of the documents, and for each query those that answer it."""

    names: list[str]
    documents: list[str]
    queries: list[str]
    wanted: list[set[str]]


@cache
def text_set(folder: Path) -> TextSet:
    """Read a set; queries without an answer are left out."""
    documents, queries = (records(folder / f"{name}.jsonl.gz") for name in ("corpus", "queries"))
    relevant: dict[str, set[str]] = defaultdict(set)
    for line in (folder / "qrels.tsv").read_text().splitlines():
        query, document, grade = line.split("\t")
        if float(grade) > 0:
            relevant[query].add(document)
    asked = [query for query in queries if query["id"] in relevant]
    return TextSet(
        [document["id"] for document in documents],
        [model_words(f"{document.get('title') or ''}\n{document['text']}") for document in documents],
        [model_words(query["text"]) for query in asked],
        [relevant[query["id"]] for query in asked],
    )


def text_score(encoder: Encoder, folder: Path) -> float:
    """Return the mean nDCG@10 of one text set."""
    known = text_set(folder)
    scores = encoder.encode(known.queries) @ encoder.encode(known.documents).T
    found = []
    for wanted, row in zip(known.wanted, scores, strict=True):
        best = np.argsort(-row, kind="stable")[:10]
        found.append(ndcg([known.names[at] in wanted for at in best], len(wanted)))
    return float(np.mean(found))


def pieces(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield (first line, last line, text) of pieces of whole lines, at most `PIECE` characters where lines allow."""
    lines = text.split("\n")
    first, size, held = 1, 0, []
    for number, line in enumerate(lines, 1):
        if held and size + len(line) + 1 > PIECE:
            yield first, number - 1, "\n".join(held)
            first, size, held = number, 0, []
        held.append(line[:5000])
        size += len(line) + 1
    if held:
        yield first, len(lines), "\n".join(held)


def code_scores(encoder: Encoder, code: Path, labels: Path) -> dict[str, float]:
    """Return the mean nDCG@10 per language, per category (`@semantic` ...) and over languages (`mean`)."""
    targets = {}
    for line in (labels / "targets.jsonl").read_text().splitlines():
        record = json.loads(line)
        targets[record["id"]] = record["targets"]
    queries: dict[str, list[dict[str, str]]] = defaultdict(list)
    for line in (labels / "queries.jsonl").read_text().splitlines():
        record = json.loads(line)
        queries[record["repo"]].append(record)
    languages: dict[str, list[float]] = defaultdict(list)
    categories: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for repository in json.loads((labels / "repos.json").read_text()):
        found = _repository(encoder, code / repository["name"], queries[repository["name"]], targets)
        languages[repository["language"]].append(float(np.mean(list(found.values()))))
        for query in queries[repository["name"]]:
            categories["@" + query["category"]][repository["language"]].append(found[query["id"]])
    result = {name: float(np.mean(values)) for name, values in languages.items()}
    result["mean"] = float(np.mean(list(result.values())))
    for name, by_language in categories.items():
        result[name] = float(np.mean([np.mean(values) for values in by_language.values()]))
    return result


@cache
def _pieces_of(root: Path) -> tuple[list[tuple[str, int, int]], list[str]]:
    places, texts = [], []
    for path in sorted(root.rglob("*")):
        if path.is_file() and not path.is_symlink() and path.stat().st_size < 1_000_000:
            data = path.read_bytes()
            if b"\0" not in data[:8192]:
                name = path.relative_to(root).as_posix()
                for first, last, text in pieces(data.decode("utf-8", "replace")):
                    places.append((name, first, last))
                    texts.append(model_words(text))
    return places, texts


def _repository(encoder: Encoder, root: Path, queries: list[dict[str, str]], targets: dict) -> dict[str, float]:
    places, texts = _pieces_of(root)
    vectors = encoder.encode(texts)
    scores = encoder.encode([model_words(query["text"]) for query in queries]) @ vectors.T
    found = {}
    for query, row in zip(queries, scores, strict=True):
        best, files = [], set()
        for at in np.argsort(-row, kind="stable"):
            if places[at][0] not in files:
                files.add(places[at][0])
                best.append(places[at])
            if len(best) == 10:
                break
        hits = set()
        for target in targets[query["id"]]:
            rank = next((rank for rank, place in enumerate(best) if _meets(place, target)), None)
            if rank is not None:
                hits.add(rank)
        found[query["id"]] = ndcg([rank in hits for rank in range(10)], len(targets[query["id"]]))
    return found


def _meets(place: tuple[str, int, int], target: dict) -> bool:
    path, first, last = place
    wanted = target["path"]
    if not (path == wanted or path.endswith("/" + wanted) or wanted.endswith("/" + path)):
        return False
    start = target["start_line"]
    return start is None or (first <= (target["end_line"] or start) and last >= start)


def wordllama(folder: Path) -> Encoder:
    """Return WordLlama's 256 dimensions as an encoder, written to `folder` first."""
    import wordllama
    from folder import write_model
    from safetensors.numpy import load_file
    from tokenizers import Tokenizer

    package = Path(wordllama.__file__).parent
    (table,) = load_file(package / "weights" / "l2_supercat_256.safetensors").values()
    tokenizer = Tokenizer.from_file(str(package / "tokenizers" / "l2_supercat_tokenizer_config.json"))
    write_model(folder, table, tokenizer)
    return load_encoder(str(folder))


def table(title: str, columns: Sequence[str], rows: dict[str, dict[str, float]]) -> str:
    """Return a Markdown table, one row per model."""
    lines = [f"| {title} | {' | '.join(columns)} |", "|---" * (len(columns) + 1) + "|"]
    for name, found in rows.items():
        lines.append(f"| {name} | {' | '.join(f'{found[column]:.3f}'.lstrip('0') for column in columns)} |")
    return "\n".join(lines)


def main() -> None:
    """Print the table of sets, and that of languages."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="+")
    parser.add_argument("--text", type=Path, required=True)
    parser.add_argument("--code", type=Path)
    parser.add_argument("--labels", type=Path)
    options = parser.parse_args()
    text: dict[str, dict[str, float]] = {}
    code: dict[str, dict[str, float]] = {}
    for model in options.models:
        name = Path(model).name
        encoder = wordllama(Path("/tmp/wordllama-256")) if model == "wordllama" else load_encoder(model)
        text[name] = {corpus: text_score(encoder, options.text / corpus) for corpus in SETS}
        if options.code:
            code[name] = code_scores(encoder, options.code, options.labels)
            text[name]["code"] = code[name].pop("mean")
        print(name, text[name], code.get(name, ""), file=sys.stderr, flush=True)
    print(table("model", list(next(iter(text.values()))), text))
    if code:
        names = sorted(next(iter(code.values())))
        for start in range(0, len(names), 11):
            print("\n" + table("code", names[start : start + 11], code))


if __name__ == "__main__":
    main()
