"""Documented definitions of source code: what a comment says, the name, and the code without the comment."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Documented:
    """A definition: `name` may be qualified, `comment` is free of comment signs, `body` free of the comment."""

    name: str
    comment: str
    body: str


LANGUAGES = {
    "py": "python", "go": "go", "rs": "rust", "js": "javascript", "mjs": "javascript", "jsx": "javascript",
    "ts": "typescript", "tsx": "typescript", "c": "c", "h": "c", "cc": "c++", "cpp": "c++", "cxx": "c++", "hpp": "c++",
    "java": "java", "kt": "kotlin", "scala": "scala", "swift": "swift", "cs": "c#", "php": "php", "rb": "ruby",
    "pl": "perl", "pm": "perl", "lua": "lua", "hs": "haskell", "ml": "ocaml", "mli": "ocaml", "ex": "elixir",
    "exs": "elixir", "erl": "erlang", "zig": "zig", "sh": "bash", "bash": "bash", "el": "emacs lisp", "vim": "vim",
    "r": "r", "jl": "julia", "m": "objective c", "dart": "dart", "tcl": "tcl", "clj": "clojure", "nim": "nim",
}  # fmt: skip
_LINE_COMMENT = {
    "python": "#", "ruby": "#", "perl": "#", "bash": "#", "elixir": "#", "r": "#", "julia": "#", "tcl": "#", "nim": "#",
    "lua": "--", "haskell": "--", "erlang": "%", "emacs lisp": ";", "clojure": ";", "vim": '"', "ocaml": "(*",
}  # fmt: skip
_NAMED = re.compile(
    r"\b(?:func|fn|fun|def|defp|defmodule|defmacro|defun|defmethod|function|class|struct|interface|trait|enum|type|"
    r"module|sub|object|protocol|extension|macro_rules!|impl|namespace|package|proc|union|record|typedef struct|const|"
    r"val|var|let|data|newtype)\s+(?:\([^)]*\)\s*)?([A-Za-z_][\w.:?!'-]*)"
)
_CALLED = re.compile(r"([A-Za-z_~][\w:]*)\s*\(")
_OTHER_NAME = re.compile(r"([A-Za-z_][\w.]*)\s*(?:::|=|:)")
_ATTRIBUTE = re.compile(r"^\s*(@\w|#\[|\[[A-Z]|template\s*<|\)\])")
_TAGS = re.compile(r"</?[a-zA-Z][^>\n]{0,80}>|\{@\w+ ([^}]*)\}")
_CLOSER = re.compile(
    r"^\s*(\}|\)|\]|end\b|esac|fi\b|done\b|\{|else|catch|rescue|ensure|finally|except|elif|when\b|where\b)"
)


def documented(source: str, language: str) -> Iterator[Documented]:
    """Yield the documented definitions of a file."""
    if language == "python":
        yield from _python(source)
    else:
        yield from _commented(source.split("\n"), _LINE_COMMENT.get(language, "//"))


def _python(source: str) -> Iterator[Documented]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    lines = source.split("\n")
    stack: list[tuple[ast.AST, tuple[str, ...]]] = [(tree, ())]
    while stack:
        node, scope = stack.pop()
        inner = scope
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            inner = (*scope, node.name)
            comment = ast.get_docstring(node)
            if comment:
                first = node.body[0]
                kept = lines[node.lineno - 1 : first.lineno - 1] + lines[first.end_lineno : node.end_lineno]
                yield Documented(".".join(inner), comment, "\n".join(kept))
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            stack.extend((child, inner) for child in ast.iter_child_nodes(node))


def _commented(lines: list[str], sign: str) -> Iterator[Documented]:
    at = 0
    while at < len(lines):
        comment, after = _comment_at(lines, at, sign)
        if after == at:
            at += 1
            continue
        start = after
        while after < len(lines) and _ATTRIBUTE.match(lines[after]) and after - start < 8:
            after += 1
        if after < len(lines) and lines[after].strip() and len(comment.split()) >= 3:
            body = _block(lines, start, after)
            name = _name(lines[after])
            if name and len(body) > 30:
                yield Documented(name, comment, body)
        at = start


def _comment_at(lines: list[str], at: int, sign: str) -> tuple[str, int]:
    """Return the text of the comment that begins at line `at`, and the line after it (`at` if there is none)."""
    line = lines[at].strip()
    closing = {"/*": "*/", "(*": "*)", "{-": "-}", "--[[": "]]"}
    for opening, end in closing.items():
        if line.startswith(opening):
            last = at
            while last < len(lines) - 1 and end not in lines[last] and last - at < 120:
                last += 1
            text = "\n".join(part.strip().lstrip("/*(-{[").rstrip("*/)-}]").strip() for part in lines[at : last + 1])
            return _cleaned(text), last + 1
    if not line.startswith(sign) or line.startswith("#!"):
        return "", at
    last = at
    while last < len(lines) and lines[last].strip().startswith(sign):
        last += 1
    strip = sign[0] + "!| "
    return _cleaned("\n".join(part.strip().lstrip(strip).strip() for part in lines[at:last])), last


def _cleaned(comment: str) -> str:
    """Return the prose of a comment: up to the first `@param` or the like, without tags."""
    kept = []
    for line in comment.split("\n"):
        if line.startswith(("@param", "@return", "\\param", "@throws", ":param", "@see", "@since", "@author")):
            break
        kept.append(_TAGS.sub(lambda match: match[1] or " ", line))
    return "\n".join(kept).strip()


def _block(lines: list[str], start: int, defined: int) -> str:
    """Return the lines of the definition: to the next line that is not indented deeper and closes nothing."""
    indent = _indent(lines[defined])
    end = defined + 1
    while end < len(lines) and end - defined < 60:
        line = lines[end]
        if line.strip() and _indent(line) <= indent and not _CLOSER.match(line):
            break
        end += 1
    return "\n".join(lines[start:end]).rstrip()


def _indent(line: str) -> int:
    return len(line.expandtabs(4)) - len(line.lstrip())


def _name(line: str) -> str:
    for pattern in (_NAMED, _CALLED, _OTHER_NAME):
        if match := pattern.search(line):
            return match[1]
    return ""
