"""Writes a development set as what `hmem index` and `hmem eval` read, so that anybody can measure it from a shell.

    python tests/bench/labels.py --data FOLDER [--trees FOLDER] SET DIRECTORY

SET is a text set or, with `--trees`, a language of the code set. DIRECTORY/tree is there to be indexed afterwards, with
DIRECTORY/labels.jsonl to be measured on.
"""

from __future__ import annotations

import argparse
import json
import shutil
from collections.abc import Iterator
from pathlib import Path

from corpora import TEXT_SETS, Corpus, Question, Target, code_corpora, data_folder, text_corpus


def label(target: Target, folder: str) -> str:
    """Return a target as `hmem eval` reads it: a path below the working directory, with its lines if it has any."""
    path = f"{folder}/{target.path}"
    return path if target.start_line is None else f"{path}:{target.start_line}-{target.end_line or target.start_line}"


def row(question: Question, folder: str) -> dict[str, object]:
    tags = [tag for tag in (question.category, question.language) if tag]
    return {"query": question.text, "relevant": [label(target, folder) for target in question.targets], "tags": tags}


def text_rows(corpus: Corpus, tree: Path) -> Iterator[dict[str, object]]:
    """Write the documents to `tree` and yield the rows."""
    corpus.prepare(tree)
    for question in corpus.questions:
        yield row(question, tree.name)


def code_rows(corpus: Corpus, tree: Path) -> Iterator[dict[str, object]]:
    """Copy what is indexed of a repository to `tree` and yield the rows."""
    assert corpus.base is not None
    root = corpus.prepare(tree)
    place = tree / corpus.name
    shutil.copytree(root, place / root.relative_to(corpus.base), dirs_exist_ok=True)
    for question in corpus.questions:
        yield row(question, f"{tree.name}/{corpus.name}")


def main() -> None:
    """Write one set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", metavar="SET")
    parser.add_argument("directory", type=Path)
    parser.add_argument("--data")
    parser.add_argument("--trees", type=Path)
    given = parser.parse_args()
    data, tree = data_folder(given.data), given.directory / "tree"
    given.directory.mkdir(parents=True)
    if given.name in TEXT_SETS:
        rows = list(text_rows(text_corpus(data, given.name), tree))
    else:
        corpora = [found for found in code_corpora(data, given.trees or Path()) if found.language == given.name]
        rows = [found for corpus in corpora for found in code_rows(corpus, tree)]
    if not rows:
        raise SystemExit(f"neither a text set nor a language with working trees: {given.name}")
    text = "".join(json.dumps(found, ensure_ascii=False) + "\n" for found in rows)
    (given.directory / "labels.jsonl").write_text(text, encoding="utf-8")
    print(f"{len(rows):,} queries; now `cd {given.directory}; hmem index tree; hmem eval labels.jsonl`")


if __name__ == "__main__":
    main()
