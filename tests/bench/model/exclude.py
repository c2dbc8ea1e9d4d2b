"""Keeps the benchmarks out of the training data: by package name, by path and by content.

Names and paths: the 63 repositories of the semble benchmark and tldr-pages, also where another package carries a copy
(`vendor/`, `node_modules/`, `_vendor/` ...). It refuses too much rather than too little. Content: a text that shares
word windows with a development set or with a benchmark repository at hand is dropped.
"""

from __future__ import annotations

import gzip
import json
import re
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

REPOSITORIES = [
    "requests",
    "flask",
    "click",
    "pydantic",
    "fastapi",
    "aiohttp",
    "httpx",
    "starlette",
    "model2vec",
    "axios",
    "express",
    "redux",
    "zod",
    "vitest",
    "trpc",
    "gin",
    "chi",
    "cobra",
    "serde",
    "tokio",
    "axum",
    "rack",
    "rails",
    "sinatra",
    "guzzle",
    "monolog",
    "laravel",
    "gson",
    "jackson",
    "commons-lang",
    "redis",
    "libuv",
    "curl",
    "fmt",
    "abseil",
    "nlohmann-json",
    "telescope.nvim",
    "lazy.nvim",
    "mini.nvim",
    "phoenix",
    "ecto",
    "plug",
    "pandoc",
    "aeson",
    "xmonad",
    "cats",
    "circe",
    "http4s",
    "ktor",
    "exposed",
    "kotlinx-coroutines",
    "alamofire",
    "snapkit",
    "vapor",
    "dapper",
    "newtonsoft-json",
    "messagepack-csharp",
    "zls",
    "zig-clap",
    "nvm",
    "bats-core",
    "bash-it",
    "tldr",
]

# Other names under which a package registry carries the same repositories.
_ALIASES = [
    "spf13",
    "gin-gonic",
    "go-chi",
    "guzzlehttp",
    "illuminate",
    "nlohmann",
    "json-modern-cpp",
    "fmtlib",
    "abseil-cpp",
    "libcurl",
    "hiredis",
    "commons-lang3",
    "lang3",
    "newtonsoft",
    "messagepack",
    "telescope",
    "lazy",
    "mini",
    "actionpack",
    "actionview",
    "activerecord",
    "activesupport",
    "activemodel",
    "actionmailer",
    "actioncable",
    "activejob",
    "activestorage",
    "railties",
    "serde_json",
    "serde_derive",
    "serde_core",
    "tokio_util",
    "tokio-util",
    "tokio-macros",
    "axum-core",
    "bats",
    "libkotlinx-coroutines",
    "pydantic_core",
    "pydantic-core",
    "jackson-core",
    "jackson-databind",
    "jackson-annotations",
    "fasterxml",
    "libuv1",
    "c-ares-uv",
    "asyncpg-uv",
    "uv-uv",
    "tldr-pages",
    "nodejs-deps-uv",
    "reduxjs",
    "colinhacks",
]

_DENIED = frozenset(REPOSITORIES) | frozenset(_ALIASES)
_VERSION = re.compile(r"[-_.]?v?\d+(\.\d+)*([-+.~_].*)?$")
_PREFIX = re.compile(r"^(golang-[a-z]+-|librust-|libghc-|python3?-|ruby-|node-|php-|lua-|lib|haskell-|elixir-|erlang-)")
_WINDOW = 8


def denied_package(name: str) -> bool:
    """Tell whether a registry package is one of the benchmark's repositories or a part or extension of one."""
    name = name.lower().lstrip("@")
    bare = _PREFIX.sub("", name)
    parts = set(re.split(r"[-/+_]", bare)) | {bare, name} | {_VERSION.sub("", bare)}
    parts |= {part.removesuffix("-dev") for part in parts} | {part.rstrip("0123456789.") for part in parts}
    joined = {denied for denied in _DENIED if "-" in denied and denied in name}
    return bool(parts & _DENIED or joined)


def denied_path(path: str) -> bool:
    """Tell whether a path inside a package leads through a copy of one of the repositories."""
    for part in path.lower().split("/"):
        stem = _VERSION.sub("", part.rsplit(".", 1)[0] if part.count(".") == 1 else part)
        if part in _DENIED or stem in _DENIED:
            return True
    return False


def windows(words: Sequence[str], numbers: np.ndarray, ends: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return a code for every window of eight words, and the number of the text that it lies in.

    The texts are joined: text i is `words[n] for n in numbers[ends[i - 1]:ends[i]]`.
    """
    codes = np.array([_code(word) for word in words], np.uint64)[numbers]
    count = max(0, len(codes) - _WINDOW + 1)
    total = np.zeros(count, np.uint64)
    for offset in range(_WINDOW):
        total = total * np.uint64(0x9E3779B97F4A7C15) + codes[offset : offset + count]
    text = np.searchsorted(ends, np.arange(count), side="right")
    inside = np.arange(count) + _WINDOW <= ends[text]
    return total[inside], text[inside]


def _code(word: str) -> int:
    data = word.encode("utf-8", "replace")
    return zlib.crc32(data) | (zlib.adler32(data[::-1]) << 32)


def shared(known: np.ndarray, words: Sequence[str], numbers: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """Tell for each text whether two of its windows, and a tenth of them, are among the sorted codes `known`."""
    found, text = windows(words, numbers, ends)
    at = np.minimum(np.searchsorted(known, found), len(known) - 1)
    hits = np.bincount(text, known[at] == found, minlength=len(ends))
    return (hits >= 2) & (hits * 10 >= np.bincount(text, minlength=len(ends)))


def benchmark_texts(text_sets: Path, code: Path) -> Iterator[str]:
    """Yield the texts of the development sets (all but LIMIT's, which are made up) and of the code repositories."""
    for corpus in sorted(text_sets.glob("*/corpus.jsonl.gz")):
        if not corpus.parent.name.startswith("limit-"):
            with gzip.open(corpus, "rt") as lines:
                for line in lines:
                    yield json.loads(line)["text"]
        if not corpus.parent.name.startswith("limit-"):
            with gzip.open(corpus.parent / "queries.jsonl.gz", "rt") as lines:
                for line in lines:
                    yield json.loads(line)["text"]
    for path in sorted(code.rglob("*")) if code.is_dir() else ():
        if path.is_file() and not path.is_symlink() and path.stat().st_size < 1_000_000:
            data = path.read_bytes()
            if b"\0" not in data[:4096]:
                yield data.decode("utf-8", "replace")
