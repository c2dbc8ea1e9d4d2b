"""Programming and data languages: how a file is recognised and how its comments and strings are written.

Definition patterns are in `patterns`; this table only says what a file is and which of its lines are prose.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


@dataclass(frozen=True, slots=True)
class Syntax:
    r"""Comments and strings of a language.

    `line` opens a comment up to the line end. `comments` and `strings` are (open, close) pairs that may span lines;
    a backslash hides a closing mark of strings only. `quotes` delimit strings that end with their line. `escape`
    is a pattern for tokens that would else be misread (character literals, `\"` outside strings); it comes first.
    """

    line: tuple[str, ...] = ()
    comments: tuple[tuple[str, str], ...] = ()
    strings: tuple[tuple[str, str], ...] = ()
    quotes: str = "\"'"
    escape: str = ""


@dataclass(frozen=True, slots=True)
class Language:
    """One row of the table. `data` marks formats that hold values rather than a program (json, html …)."""

    name: str
    extensions: tuple[str, ...]
    names: tuple[str, ...]
    interpreters: tuple[str, ...]
    syntax: Syntax
    data: bool


_BLOCK = ("/*", "*/")
_TRIPLE = ('"""', '"""')
_CHAR = r"'(?:\\[^\n]{1,9}|[^'\\\n])'"  # a character literal; a lone ' is a lifetime, a type variable or a prime

_C = Syntax(("//",), (_BLOCK,))
_SLASH_TRIPLE = Syntax(("//",), (_BLOCK,), (_TRIPLE,), '"', _CHAR)
_CMAKE_COMMENT = r"#\[(=*+)\[[\s\S]*?(?:\]\1\]|\Z)"  # a bracket comment of any level
# A regular expression of JavaScript: a slash where an operand is due.
_REGEX = (
    r"/(?![*/])(?:(?<=[(,=:\[!&|?{};+>] /)|(?<=[(,=:\[!&|?{;]/)|(?<=return /))"
    r"(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*+\])++/"
)
_SCRIPT = Syntax(("//",), (_BLOCK,), (("`", "`"),), "\"'", _REGEX)
_HASH = Syntax(("#",))
_SHELL = Syntax(("#",), (), (), "\"'", r"\\.|[^\s;&|(]#")
_PYTHON = Syntax(("#",), (), (_TRIPLE, ("'''", "'''")))
_RUBY = Syntax(("#",), (("\n=begin", "\n=end"),), (), "\"'`")
_LISP = Syntax((";",), (("#|", "|#"),), (('"', '"'),), "", r"\\.|\?\\?.")
_ML = Syntax((), (("(*", "*)"),), (), '"', _CHAR)
_DASH = Syntax(("--",), (_BLOCK,))
_MARKUP = Syntax((), (("<!--", "-->"),), (), "")
_NONE = Syntax((), (), (), "")


def _language(
    name: str, extensions: str = "", names: str = "", interpreters: str = "", syntax: Syntax = _HASH, data: bool = False
) -> Language:
    return Language(name, tuple(extensions.split()), tuple(names.split()), tuple(interpreters.split()), syntax, data)


_TABLE: Final = (
    _language(
        "bash",
        "sh bash zsh ksh bats ebuild command",
        ".bashrc .bash_profile .bash_aliases .profile .zshrc .zprofile .zshenv .kshrc pkgbuild apkbuild",
        "sh bash zsh ksh dash ash bats",
        _SHELL,
    ),
    _language("c", "c h", "", "tcc", _C),
    _language("cpp", "cc cpp cxx c++ hh hpp hxx h++ ipp inl tcc tpp ixx cppm cu cuh ino", "", "", _C),
    _language("csharp", "cs csx cake", "", "", _C),
    _language("elixir", "ex exs", "mix.lock", "elixir", Syntax(("#",), (), (_TRIPLE, ("'''", "'''")))),
    _language("go", "go", "", "", Syntax(("//",), (_BLOCK,), (("`", "`"),), '"', _CHAR)),
    _language("haskell", "hs hsc hs-boot", "", "runhaskell runghc", Syntax(("--",), (("{-", "-}"),), (), '"', _CHAR)),
    _language("java", "java jav", "", "", _SLASH_TRIPLE),
    _language("javascript", "js mjs cjs jsx es6", "jakefile", "node nodejs bun", _SCRIPT),
    _language("kotlin", "kt kts ktm", "", "kotlin", _SLASH_TRIPLE),
    _language(
        "lua",
        "lua rockspec luau nse",
        ".luacheckrc",
        "lua luajit",
        Syntax(("--",), (("--[[", "]]"), ("--[=[", "]=]")), (("[[", "]]"), ("[=[", "]=]"))),
    ),
    _language("php", "php phtml php3 php4 php5 phps", "", "php", Syntax(("//", "#"), (_BLOCK,))),
    _language("python", "py pyi pyx pxd pyw pyde", "sconstruct sconscript wscript", "python pypy ipython", _PYTHON),
    _language(
        "ruby",
        "rb rake gemspec ru erb rbi podspec jbuilder thor cr",
        "rakefile gemfile guardfile vagrantfile podfile brewfile capfile fastfile dangerfile",
        "ruby jruby rake",
        _RUBY,
    ),
    _language("rust", "rs", "", "rust-script", Syntax(("//",), (_BLOCK,), (('r#"', '"#'),), '"', _CHAR)),
    _language("scala", "scala sc sbt mill", "", "scala amm", _SLASH_TRIPLE),
    _language("swift", "swift", "", "swift", Syntax(("//",), (_BLOCK,), (_TRIPLE,), '"')),
    _language("typescript", "ts tsx mts cts", "", "deno ts-node tsx", _SCRIPT),
    _language("zig", "zig zon", "", "", Syntax(("//", "\\\\"), (), (), '"', _CHAR)),
    # Beyond the code benchmark.
    _language("ada", "adb ads", "", "", Syntax(("--",), (), (), '"', _CHAR)),
    _language("assembly", "asm s nasm", "", "", Syntax((";", "//", "#"), (_BLOCK,))),
    _language("awk", "awk gawk", "", "awk gawk mawk", Syntax(("#",), (), (), '"')),
    _language("batch", "bat cmd", "", "", Syntax(("rem ", "REM ", "::"), (), (), '"')),
    _language("clojure", "clj cljs cljc edn bb", "", "bb clojure", _LISP),
    _language("cmake", "cmake", "cmakelists.txt", "", Syntax(("#",), (("#[[", "]]"),), (), '"', _CMAKE_COMMENT)),
    _language("crystal", "", "", "crystal", _RUBY),
    _language("css", "css scss sass less styl pcss", "", "", Syntax(("//",), (_BLOCK,))),
    _language("d", "d di", "", "rdmd", _C),
    _language("dart", "dart", "", "dart", Syntax(("//",), (_BLOCK,), (_TRIPLE, ("'''", "'''")))),
    _language("dockerfile", "dockerfile containerfile", "dockerfile containerfile", "", _SHELL),
    _language("elisp", "el", ".emacs _emacs cask", "emacs", _LISP),
    _language("elm", "elm", "", "", Syntax(("--",), (("{-", "-}"),), (_TRIPLE,), '"', _CHAR)),
    _language("erlang", "erl hrl escript", "rebar.config", "escript", Syntax(("%",), (), (), '"', r"\$\\?.")),
    _language("fish", "fish", "", "fish", _SHELL),
    _language("fortran", "f f77 f90 f95 f03 f08 for", "", "", Syntax(("!",))),
    _language("fsharp", "fs fsi fsx", "", "", Syntax(("//",), (("(*", "*)"),), (_TRIPLE,), '"', _CHAR)),
    _language("glsl", "glsl vert frag comp geom hlsl wgsl metal", "", "", _C),
    _language("graphql", "graphql gql graphqls", "", "", Syntax(("#",), (), (_TRIPLE,), '"')),
    _language(
        "groovy", "groovy gradle gvy nf", "jenkinsfile", "groovy", Syntax(("//",), (_BLOCK,), (_TRIPLE, ("'''", "'''")))
    ),
    _language("hcl", "tf tfvars hcl nomad", "", "", Syntax(("#", "//"), (_BLOCK,), (), '"')),
    _language("julia", "jl", "", "julia", Syntax(("#",), (("#=", "=#"),), (_TRIPLE,), '"', _CHAR)),
    _language("just", "just", "justfile .justfile", "just", _SHELL),
    _language("lisp", "lisp lsp cl asd scm ss rkt sld fnl hy", "", "sbcl guile racket", _LISP),
    _language("make", "mk mak make am", "makefile gnumakefile kbuild", "make", _SHELL),
    _language("matlab", "mlx", "", "octave", Syntax(("%",), (("%{", "%}"),), (), '"')),
    _language("nim", "nim nims nimble", "", "nim", Syntax(("#",), (("#[", "]#"),), (_TRIPLE,), '"')),
    _language("nix", "nix", "", "", Syntax(("#",), (_BLOCK,), (("''", "''"),), '"')),
    _language("objective-c", "mm", "", "", _C),
    _language("ocaml", "ml mli mll mly", "", "ocaml", _ML),
    _language("pascal", "pas pp dpr lpr", "", "", Syntax(("//",), (("{", "}"), ("(*", "*)")), (), "'")),
    _language(
        "perl",
        "pm pl t pod psgi",
        "cpanfile makefile.pl",
        "perl",
        Syntax(("#",), (("\n=head", "\n=cut"), ("\n=pod", "\n=cut")), (), "\"'"),
    ),
    _language("powershell", "ps1 psm1 psd1", "", "pwsh powershell", Syntax(("#",), (("<#", "#>"),))),
    _language("prolog", "pro prolog plt", "", "swipl", Syntax(("%",), (_BLOCK,))),
    _language("proto", "proto thrift fbs capnp", "", "", Syntax(("//", "#"), (_BLOCK,))),
    _language("r", "r", ".rprofile", "rscript", _HASH),
    _language("solidity", "sol", "", "", _C),
    _language("sql", "sql ddl dml psql pgsql plsql", "", "", _DASH),
    _language("starlark", "bzl bazel star", "build workspace tiltfile buck", "", _PYTHON),
    _language("svelte", "svelte", "", "", Syntax(("//",), (_BLOCK, ("<!--", "-->")), (("`", "`"),), '"')),
    _language("tcl", "tcl tk", "", "tclsh wish", Syntax(("#",), (), (), '"')),
    _language("verilog", "v sv svh vh", "", "", Syntax(("//",), (_BLOCK,), (), '"')),
    _language("vhdl", "vhd vhdl", "", "", Syntax(("--",), (), (), '"')),
    _language("vim", "vim", ".vimrc _vimrc .gvimrc vimrc", "vim nvim", Syntax(('"',), (), (), "'")),
    _language("visualbasic", "vb bas vba", "", "", Syntax(("'",), (), (), '"')),
    _language("vue", "vue astro", "", "", Syntax(("//",), (_BLOCK, ("<!--", "-->")), (("`", "`"),), '"')),
    # Formats that hold values or pages, not programs.
    _language("csv", "csv tsv", syntax=_NONE, data=True),
    _language("html", "html htm xhtml hbs ejs njk jinja jinja2 mustache", syntax=_MARKUP, data=True),
    _language(
        "ini",
        "ini cfg conf properties desktop service editorconfig",
        ".editorconfig .gitconfig .npmrc .gitattributes",
        "",
        Syntax(("#", ";"), (), (), ""),
        True,
    ),
    _language(
        "json",
        "json jsonc json5 jsonl ndjson geojson ipynb webmanifest",
        ".babelrc .eslintrc .prettierrc",
        "",
        _NONE,
        True,
    ),
    _language("toml", "toml", "cargo.lock poetry.lock uv.lock pipfile", "", _HASH, True),
    _language(
        "xml",
        "xml xsd xsl xslt svg plist csproj fsproj vbproj props targets resx wsdl rss atom",
        syntax=_MARKUP,
        data=True,
    ),
    _language("yaml", "yaml yml", ".clang-format .clang-tidy", "", _HASH, True),
)

LANGUAGES: Final[Mapping[str, Language]] = MappingProxyType({row.name: row for row in _TABLE})


def _index(rows: Iterable[Language], column: str) -> dict[str, str]:
    return {key: row.name for row in rows for key in getattr(row, column)}


_BY_EXTENSION: Final = _index(_TABLE, "extensions")
_BY_NAME: Final = _index(_TABLE, "names")
_BY_INTERPRETER: Final = _index(_TABLE, "interpreters")

_TEMPLATE_EXTENSIONS: Final = frozenset({"in", "tmpl", "tpl", "template", "j2", "dist", "example", "sample", "orig"})
_SUFFIXED_NAMES: Final = ("dockerfile.", "containerfile.", "makefile.", "jenkinsfile.")  # Dockerfile.dev and so on
_PROSE_EXTENSIONS: Final = frozenset({"md", "txt", "rst", "adoc"})
_CPP_HEAD: Final = re.compile(
    r"^\s*(?:namespace|class|template|using|public:|private:|constexpr|extern\s+\"C\"|#include <\w+>$)|\w::\w", re.M
)
_OBJC_HEAD: Final = re.compile(r"^\s*(?:@interface|@implementation|@protocol|@class|@import|#import)\b", re.M)
_XML_HEAD: Final = re.compile(r"\s*<(?:\?xml|!DOCTYPE)")
# Extensions that several languages share: the first pattern found in the head decides, None always fits.
_AMBIGUOUS: Final[Mapping[str, tuple[tuple[re.Pattern[str] | None, str], ...]]] = MappingProxyType(
    {
        "h": ((_OBJC_HEAD, "objective-c"), (_CPP_HEAD, "cpp"), (None, "c")),
        "inc": ((re.compile(r"<\?php"), "php"), (re.compile(r"#include|::|//|/\*"), "cpp"), (None, "php")),
        "m": (
            (_OBJC_HEAD, "objective-c"),
            (re.compile(r"^\s*(?:%|function\b|classdef\b)", re.M), "matlab"),
            (None, "objective-c"),
        ),
        "pl": ((re.compile(r"^\s*:-|^\w+\(.*\)\s*:-", re.M), "prolog"), (None, "perl")),
        "ts": ((_XML_HEAD, "xml"), (None, "typescript")),
    }
)
_SHEBANG: Final = re.compile(r"#!\s*+(?:\S*/)?(\S+)(?:[ \t]++(.*))?")


def _interpreter(head: str) -> str | None:
    """Return the language that a `#!` line names, with or without `env`, its options and a version."""
    match = _SHEBANG.match(head.lstrip("\ufeff"))
    if match is None:
        return None
    program = match[1]
    if program == "env":
        words = (word for word in (match[2] or "").split() if not word.startswith("-") and "=" not in word)
        program = next(words, "").rsplit("/", 1)[-1]
    return _BY_INTERPRETER.get(program.lower().rstrip("0123456789.-"))


def _by_extension(extension: str, head: str) -> str | None:
    for pattern, name in _AMBIGUOUS.get(extension, ()):
        if pattern is None or pattern.search(head):
            return name
    return _BY_EXTENSION.get(extension)


def language_for_path(path: str, head: str) -> str | None:
    """Return the language of a file by its name, extension or first line; None for prose and anything unknown.

    `path` uses `/`. `head` is the start of the decoded text (a few thousand characters are enough): it tells C from
    C++ headers and the like, and holds the `#!` line of files without an extension.
    """
    base = path.rsplit("/", 1)[-1].lower()
    if base in _BY_NAME and not head.startswith("#!"):
        return _BY_NAME[base]
    stem, dot, extension = base.rpartition(".")
    if dot and stem and extension in _TEMPLATE_EXTENSIONS:
        stem, dot, extension = stem.rpartition(".")
    found = _by_extension(extension, head[:8192]) if dot and stem else None
    if found is None and extension not in _PROSE_EXTENSIONS and base.startswith(_SUFFIXED_NAMES):
        found = _BY_NAME[base.partition(".")[0]]
    return found or _interpreter(head) or _BY_NAME.get(base)
