"""Builds weak pairs (what somebody might ask, the text that answers) from downloaded packages.

    python tests/bench/model/pairs.py DATA [--jobs 2]

Writes DATA/pairs/<package>.jsonl.gz with objects {kind, lang, query, text}. Kinds: `section` heading → text,
`sentence` one sentence → the rest of its section, `comment` comment → code, `name` name → code, `file` path → piece
of the file, `entry` a word → its definition.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import zlib
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from archives import files, package_of
from exclude import denied_package, denied_path
from prose import Section, html_sections, man_sections, markup_sections
from sources import LANGUAGES, Documented, documented

TEXT_LIMIT = 1_800
_PER_PACKAGE = {"section": 2_500, "sentence": 2_000, "comment": 2_000, "name": 700, "file": 300, "entry": 40_000}
_READ = 12_000_000  # bytes of a package that are looked at, in random order
_HTML = (".html", ".htm", ".xhtml")
_MARKUP = (".md", ".rst", ".txt", ".markdown", ".adoc", ".asciidoc", ".pod", ".rdoc", ".info", ".org", ".texi", ".mdx")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z0-9\"'`(\[])")
_MAN = re.compile(r"/man/man\d/")
_LETTERS = re.compile(r"[A-Za-z]")
_DULL = re.compile(
    r"^(copyright|licen[cs]e|author|credits|table of contents|contents|index|see also|references?|navigation|thanks|"
    r"bugs?|history|search|menu|todo|changelog)\b",
    re.I,
)
_LEGAL = re.compile(
    r"permission is hereby granted|redistribution and use|without warranty|licensed under|all rights reserved", re.I
)

Pair = tuple[str, str, str, str]


def section_pairs(section: Section, rng: random.Random) -> Iterator[Pair]:
    """Yield heading → text and sentence → rest."""
    text = section.text.strip()
    path = [part for part in section.path if part and not part.isdigit()]
    if len(text) < 80 or _LEGAL.search(text[:2000]) or (path and _DULL.match(path[-1].lstrip("0123456789. "))):
        return
    if path:
        query = path[-1]
        if len(path) > 1 and rng.random() < 0.6:
            query = f"{path[0]} {query}" if rng.random() < 0.5 else f"{path[-2]} {query}"
        yield "section", "", query[:250], text[:TEXT_LIMIT]
    sentences = [part for part in _SENTENCE.split(text[:4000]) if part.strip()]
    if len(sentences) >= 3:
        chosen = 0 if rng.random() < 0.5 else rng.randrange(len(sentences))
        query = sentences[chosen]
        if 25 <= len(query) <= 400:
            start = max(0, chosen - rng.randrange(6)) if chosen else 1
            rest = " ".join(sentences[start:chosen] + sentences[chosen + 1 :])
            if len(rest) > 100:
                yield "sentence", "", query, rest[:TEXT_LIMIT]


def code_pairs(found: Documented, language: str, rng: random.Random) -> Iterator[Pair]:
    """Yield comment → code, name → code."""
    comment = " ".join(found.comment.split("\n\n")[0].split())
    whole = " ".join(found.comment.split())
    if _LEGAL.search(whole) or len(found.body) < 40 or found.body.count("\n") < 1:
        return
    first = _SENTENCE.split(comment)[0]
    query = (first if rng.random() < 0.7 else whole)[:300]
    if len(query.split()) >= 3:
        yield "comment", language, query, found.body[:TEXT_LIMIT]
    if rng.random() < 0.3:
        # Without the line that holds the name, or every answer would repeat its question.
        lines = found.body.split("\n")
        body = "\n".join(lines[1:] if rng.random() < 0.5 else lines)
        if len(body) > 60:
            yield (
                "name",
                language,
                found.name,
                f"{body}\n{whole}"[:TEXT_LIMIT] if rng.random() < 0.3 else body[:TEXT_LIMIT],
            )


def file_pairs(path: str, text: str, language: str, rng: random.Random) -> Iterator[Pair]:
    """Yield the path's last parts → a piece of the file."""
    parts = path.rsplit(".", 1)[0].split("/")[-3:]
    if len(text) > 600:
        at = rng.randrange(max(1, len(text) - 1200))
        yield "file", language, " ".join(parts), text[at : at + 1500]


def dictionary_pairs(index: str, data: bytes) -> Iterator[Pair]:
    """Yield headword → definition of a dictd dictionary."""
    digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    values = {digit: value for value, digit in enumerate(digits)}

    def number(text: str) -> int:
        total = 0
        for digit in text:
            total = total * 64 + values[digit]
        return total

    for line in index.split("\n"):
        fields = line.split("\t")
        if len(fields) >= 3 and not fields[0].startswith("00-"):
            start, length = number(fields[1]), number(fields[2])
            text = data[start : start + length].decode("utf-8", "replace")
            _, _, body = text.partition("\n")
            if len(body) > 60:
                yield "entry", "", fields[0], " ".join(body.split())[:TEXT_LIMIT]


def file_to_pairs(path: str, data: bytes, rng: random.Random) -> Iterator[Pair]:
    """Yield the pairs of one file by its name."""
    lower = path.lower()
    if lower.endswith(_HTML):
        for section in html_sections(data):
            yield from section_pairs(section, rng)
        return
    text = data.decode("utf-8", "replace")
    extension = lower.rsplit(".", 1)[-1] if "." in lower.rsplit("/", 1)[-1] else ""
    if _MAN.search(path):
        for section in man_sections(text):
            yield from section_pairs(section, rng)
    elif lower.endswith(_MARKUP) or lower.rsplit("/", 1)[-1].startswith("readme"):
        if not re.search(r"changelog|license|copying|authors|news", lower.rsplit("/", 1)[-1]):
            for section in markup_sections(text):
                yield from section_pairs(section, rng)
    elif extension in LANGUAGES and ".min." not in lower and len(text) / (text.count("\n") + 1) < 200:
        language = LANGUAGES[extension]
        for found in documented(text, language):
            yield from code_pairs(found, language, rng)
        yield from file_pairs(path, text, language, rng)
        if extension in ("pm", "pl"):
            for section in markup_sections(text[text.find("\n=head") :] if "\n=head" in text else ""):
                yield from section_pairs(section, rng)


def usable(pair: Pair) -> bool:
    """Keep what is mostly written in Latin letters and long enough to say something."""
    _, _, query, text = pair
    sample = text[:400]
    return (
        len(query) >= 3
        and _LETTERS.search(query) is not None
        and len(text.split()) >= 6
        and sum(map(str.isascii, sample)) >= 0.9 * len(sample)
        and len(_LETTERS.findall(sample)) >= 0.45 * len(sample)
    )


def build(archive: Path, folder: Path) -> str:
    """Write the pairs of one package."""
    package = package_of(archive)
    target = folder / f"{package}.jsonl.gz"
    if target.exists() or denied_package(re.split(r"[_]", package)[0]):
        return ""
    rng = random.Random(zlib.crc32(package.encode()))
    contents = [(path, data) for path, data in files(archive) if not denied_path(path)]
    rng.shuffle(contents)
    left = dict(_PER_PACKAGE)
    kept: list[Pair] = []
    by_path = dict(contents)
    read = 0
    for path, data in contents:
        code = path.rsplit(".", 1)[-1].lower() in LANGUAGES
        if not left["comment" if code else "section"] or read > _READ:
            continue
        read += len(data)
        if path.endswith(".index") and path[:-6] + ".dict.dz" in by_path:
            found = dictionary_pairs(data.decode("utf-8", "replace"), gzip.decompress(by_path[path[:-6] + ".dict.dz"]))
        else:
            found = file_to_pairs(path, data, rng)
        for pair in found:
            if left[pair[0]] > 0 and usable(pair):
                left[pair[0]] -= 1
                kept.append(pair)
    with gzip.open(target, "wt", compresslevel=1) as out:
        for kind, language, query, text in kept:
            out.write(json.dumps({"kind": kind, "lang": language, "query": query, "text": text}) + "\n")
    return f"{package} {len(kept)}"


def main() -> None:
    """Build the pairs of every downloaded package."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    folder = options.data / "pairs"
    folder.mkdir(exist_ok=True)
    archives = sorted(
        path
        for pattern in ("deb/*.deb", "dsc/*.orig*.tar.*", "npm/*.tgz", "pypi/*.whl")
        for path in options.data.glob(pattern)
        if path.suffix != ".asc"
    )
    random.Random(0).shuffle(archives)
    with ProcessPoolExecutor(options.jobs) as pool:
        for number, done in enumerate(pool.map(_guarded, archives, [folder] * len(archives), chunksize=4)):
            if number % 50 == 0:
                print(number, len(archives), done, flush=True)


def _guarded(archive: Path, folder: Path) -> str:
    try:
        return build(archive, folder)
    except Exception as error:  # a broken archive must not end the run
        return f"{archive.name}: {error!r}"


if __name__ == "__main__":
    main()
