"""How each language writes the start of a definition.

A rule is a kind and a pattern for a line without its indentation, anchored at its start. Its groups, joined with
".", are the name (`receiver.method` in Go). Within a language the first rule that matches wins. Repeated parts are possessive
(`*+`, `++`) or bounded by a delimiter, so that no line makes matching exponential.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from hmem.types import DefinitionKind

if TYPE_CHECKING:
    from collections.abc import Mapping

Rule = tuple[DefinitionKind, str]

_T, _F, _V, _S = DefinitionKind.TYPE, DefinitionKind.FUNCTION, DefinitionKind.VALUE, DefinitionKind.SCOPE
_N = r"([^\W\d]\w*+)"  # a name, captured
_J = r"([^\W\d$]?[\w$]++)"  # a name of JavaScript
_LOWER = r"([a-z_][\w']*+)"
_UPPER = r"([A-Z][\w']*+)"
_AT = r"(?:@[\w.:]++(?:\([^()]*+\))?\s++)*+"  # annotations on the same line


def _words(words: str) -> str:
    """Any number of modifiers, each followed by blanks and perhaps an argument in parentheses or brackets."""
    return rf"(?:(?:{'|'.join(words.split())})\b(?:\([^()]*+\)|\[[^\[\]]*+\])?\s++)*+"


_JAVA = _AT + _words("public protected private abstract static final sealed non-sealed strictfp default synchronized "
                     "native transient volatile")
_CSHARP = r"(?:\[[^\[\]]*+\]\s*+)*+" + _words("public private protected internal static abstract sealed partial readonly "
                                              "ref unsafe virtual override async extern new const volatile required file "
                                              "explicit implicit fixed event")
_KOTLIN = _AT + _words("public private protected internal open abstract final sealed data inline value annotation enum "
                       "inner override suspend operator infix tailrec external expect actual const lateinit companion")
_SCALA = _AT + _words("private protected final sealed abstract implicit lazy override case inline opaque transparent open "
                      "infix erased")
_SWIFT = _AT + _words("public private internal fileprivate open package static final override mutating nonmutating lazy "
                      "weak unowned indirect required convenience dynamic optional nonisolated distributed prefix postfix "
                      "infix isolated") + r"(?:class\s++(?=func|var|let))?+"
_SCRIPT = r"(?:@[\w.]++(?:\([^()]*+\))?\s++)*+" + _words("export default declare async abstract public private protected "
                                                        "static readonly override accessor")
_PHP = _words("abstract final readonly public private protected static var")
_RUST = r"(?:pub(?:\([^()]*+\))?\s++)?+(?:(?:default|const|async|unsafe|auto|extern(?:\s++\"[^\"]*+\")?)\s++)*+"
_ZIG = r"(?:(?:pub|export|extern(?:\s++\"[^\"]*+\")?|inline|noinline|threadlocal|comptime)\s++)*+"
_TYPED = r"[^\W\d][\w.]*+(?:\s*+<[^()=;]*>)?(?:\[[\],]*+)?\??\s++"  # the type before a name in Java, C# and Dart
_TEMPLATE = r"(?:template\s*+<[^;{]*>\s*+)?"
_ATTRIBUTE = r"(?:(?:[A-Z][A-Z0-9_]{3,}(?:\([^()]*+\))?|alignas\([^()]*+\)|\[\[[^\[\]]*+\]\]|__\w++\(\([^()]*+\)\))\s++)*"
_C_NAME = r"((?:[^\W\d]\w*+(?:<[^<>()]*+>)?::)*+(?:~?[^\W\d]\w*+|operator\s*+(?:\(\)|[^\s\w(]++|[\w ]++)))"
_C_RETURN = r"(?![^(]*+(?:<<|\breturn\b|\belse\b|\bthrow\b|\bnew\b|\bdelete\b|\bcase\b|\bgoto\b|\busing\b|\btypedef\b))" \
            r"[^\W\d][^()=;\"'{}#?+/|!%-]*?[\s*&>]"

_C: Final[tuple[Rule, ...]] = (
    (_T, _TEMPLATE + r"(?:typedef\s++)?(?:struct|class|union|enum(?:\s++(?:class|struct))?)\s++" + _ATTRIBUTE
     + r"([^\W\d]\w*+(?:::\w++)*+)\s*+(?:<[^;(){]*>\s*+)?(?:final\b\s*+)?(?:$|\{|:(?!:)|//|/\*)"),
    (_T, r"typedef\b[^;]*?\(\s*+\*\s*+(\w++)\s*+\)\s*+\("),
    (_T, r"typedef\b[^;]*?\b([^\W\d]\w*+)\s*+(?:\[[^\[\]]*+\]\s*+)*+;"),
    (_T, _TEMPLATE + r"using\s++([^\W\d]\w*+)\s*+="),
    (_T, _TEMPLATE + r"concept\s++([^\W\d]\w*+)\s*+="),
    (_S, r"(?:inline\s++)?namespace\s++([^\W\d][\w:]*+)"),
    (_F, r"#\s*+define\s++([^\W\d]\w*+)\("),
    (_V, r"#\s*+define\s++([^\W\d]\w*+)\s++\S"),
    (_F, _TEMPLATE + _C_RETURN + _C_NAME + r"\s*+\([^;]*$"),
    (_F, _TEMPLATE + _C_RETURN + _C_NAME + r"\s*+\(.*\{.*\}\s*+$"),
    (_F, r"((?:[^\W\d]\w*+(?:<[^<>()]*+>)?::)++~?[^\W\d]\w*+)\s*+\([^;]*$"),
    (_V, r"(?:(?:static|inline|extern|const|constexpr|volatile|thread_local|ABSL_CONST_INIT)\s++)++[^()=;\"']*?[\s*&]([^\W\d]\w*+)"
         r"\s*+(?:\[[^\]]*+\]\s*+)*+(?:=|\{)"),
)
_C_LIKE_TYPED: Final[tuple[Rule, ...]] = (
    (_F, r"(?:<[^()=;]*>\s*+)?" + _TYPED + _N + r"\s*+(?:<[^()=;]*>\s*+)?\("),
)
_SCRIPT_RULES: Final[tuple[Rule, ...]] = (
    (_T, _SCRIPT + r"(?:class|interface|(?:const\s++)?enum)\s++" + _J),
    (_T, _SCRIPT + r"type\s++" + _J + r"\s*+(?:<|=)"),
    (_S, _SCRIPT + r"(?:namespace|module)\s++([\w$.]++)\s*+\{"),
    (_F, _SCRIPT + r"function\b\s*+\*?\s*+" + _J),
    (_F, _SCRIPT + r"(?:const|let|var)\s++" + _J + r"\s*+(?::[^=]*+(?:=>[^=]*+)*+)?=\s*+(?:async\b\s*+)?"
     r"(?:function\b|(?:[\w$]++|\(.*\)(?:\s*+:.*)?)\s*+=>|(?:<.*>\s*+)?\((?:[^()]*[,{])?$)"),
    (_F, r"(?:[\w$]++\.)++" + _J + r"\s*+=\s*+(?:async\b\s*+)?(?:function\b|[\w$]++\s*+=>|\(.*\)\s*+=>)"),
    (_F, _SCRIPT + _J + r"\s*+[:=]\s*+(?:async\b\s*+)?(?:function\b|(?:[\w$]++|\(.*\)(?:\s*+:.*)?)\s*+=>(?!.*;$))"),
    (_F, _SCRIPT + r"(?:[gs]et\s++)?\*?\s*+(#?[\w$]++)\s*+(?:<.*>\s*+)?\([^;]*\)\s*+(?::[^;]*)?\{(?:.*\})?$"),
    (_F, r"(?:(?:async|static|public|private|protected|override|abstract|[gs]et)\s++)++\*?(#?[\w$]++)\s*+(?:<.*>\s*+)?\("),
    (_V, _SCRIPT + r"(?:const|let|var)\s++" + _J),
    (_V, r"(?:(?:public|private|protected|static|readonly|declare|override)\s++)++(#?[\w$]++)\s*+[?!]?[:=;]"),
)
_LISP_NAME = r"\s++(?:\^\S++\s++)*+'?([^\s()\[\]{}\"';]++)"

_RULES: Final[Mapping[str, tuple[Rule, ...]]] = MappingProxyType({
    "bash": (
        (_F, r"function\s++([\w:.@+-]++)"),
        (_F, r"([\w:.@+-]++)\s*+\(\s*+\)"),
        (_F, r"@test\s++[\"'](.+?)[\"']\s*+\{"),
        (_F, r"alias\s++(?:-\w\s++)*+([\w:.@+-]++)="),
        (_V, r"(?:(?:export|readonly|declare|typeset)\s++(?:-\w++\s++)*+)?([^\W\d]\w*+)="),
    ),
    "c": _C,
    "cpp": _C,
    "objective-c": (
        (_T, r"@(?:interface|implementation|protocol)\s++" + _N + r"(?!\s*+;)"),
        (_F, r"[-+]\s*+\([^()]*+(?:\([^()]*+\)[^()]*+)*+\)\s*+" + _N),
        *_C,
    ),
    "csharp": (
        (_T, _CSHARP + r"(?:class|struct|interface|enum|record(?:\s++(?:class|struct))?)\s++" + _N),
        (_T, _CSHARP + r"delegate\s++[^(;=]*?\s" + _N + r"\s*+[<(]"),
        (_S, r"namespace\s++([\w.]++)"),
        (_F, _CSHARP + _C_LIKE_TYPED[0][1]),
        (_F, _CSHARP + r"[^;=(]*?\b(operator\s*+[^\s\w(]++)\s*+\("),
        (_F, r"(?:(?:public|private|protected|internal|static)\s++)++" + _N + r"\s*+\("),
        (_F, r"(?:(?:public|private|protected|internal|static|override|virtual|async)\s++)++\([^()]*+\)\??\s++" + _N + r"\s*+\("),
        (_V, r"(?:(?:public|private|protected|internal|static|readonly|const|abstract|virtual|override|new|required|event)\s++)++"
         + _TYPED + _N + r"\s*+(?:=|;|\{|$)"),
    ),
    "elixir": (
        (_T, r"(?:defmodule|defprotocol)\s++([\w.]++)"),
        (_S, r"defimpl\s++([\w.]++)(?:.*\bfor:\s*+\[?([\w.]++))?"),
        (_T, r"@(?:type|typep|opaque)\s++" + _N),
        (_F, r"@(?:callback|macrocallback)\s++" + _N),
        (_F, r"def(?:p|macrop?|guardp?|delegate|n|np)?\s++([^\W\d]\w*+[?!]?)"),
        (_V, r"@(?!(?:doc|moduledoc|typedoc|spec|impl|behaviour|derive|deprecated|dialyzer|compile|external_resource|"
             r"optional_callbacks|enforce_keys|after_compile|before_compile|on_load|since|tag|moduletag|describetag)\b)"
         + _LOWER + r"\s++[^\s=|&)]"),
    ),
    "go": (
        (_F, r"func\s++\((?:\s*+\w++\s)?\s*+\*?\s*+(\w++)[^()]*+\)\s*+" + _N),
        (_F, r"func\s++" + _N),
        (_T, r"type\s++" + _N),
        (_V, r"(?:const|var)\s++" + _N),
    ),
    "haskell": (
        (_S, r"module\s++([\w.]++)"),
        (_T, r"(?:data|newtype|type)(?:\s++(?:family|instance))?\s++(?:[^=]*?=>\s*+)?" + _UPPER),
        (_T, r"class\s++(?:[^=]*=>\s*+)?" + _UPPER),
        (_S, r"(?:deriving\s++(?:\w++\s++)?)?instance\b(?:[^=]*=>)?[^=A-Z]*+([A-Z][\w'.]*+)[\s(\[]*+([A-Z][\w'.]*+)?"),
        (_V, r"pattern\s++" + _UPPER),
        (_F, r"foreign\s++import\b.*?\s([a-z_][\w']*+)\s*+::"),
        (_F, _LOWER + r"(?:\s*+,\s*+[\w']++)*+\s*+(?:::|$)"),
        (_F, r"\(([^\w\s()]++)\)\s*+::"),
    ),
    "java": (
        (_T, _JAVA + r"(?:class|interface|enum|record|@interface)\s++" + _N),
        (_S, r"package\s++([\w.]++)"),
        (_F, _JAVA + _C_LIKE_TYPED[0][1]),
        (_F, _AT + r"(?:(?:public|protected|private)\s++)++" + _N + r"\s*+\("),
        (_F, r"([A-Z]\w*+)\s*+\([^;]*\)[^;]*\{$"),
        (_V, _AT + r"(?:(?:public|protected|private|static|final|volatile|transient)\s++)++" + _TYPED + _N + r"\s*+(?:=|;|$)"),
    ),
    "javascript": _SCRIPT_RULES,
    "typescript": _SCRIPT_RULES,
    "vue": _SCRIPT_RULES,
    "svelte": _SCRIPT_RULES,
    "kotlin": (
        (_T, _KOTLIN + r"(?:fun\s++(?=interface))?(?:class|interface|object|typealias)\s++" + _N),
        (_F, _KOTLIN + r"fun\s++(?:[^(=]*[.>\s])?(?:`([^`]++)`|" + _N + r")\s*+\("),
        (_V, _KOTLIN + r"va[lr]\s++(?:<[^=]*?>\s*+)?(?:[\w<>?*,\s]++\.)*+" + _N),
    ),
    "lua": (
        (_T, r"---@class\s++(?:\([^()]*+\)\s*+)?([\w.]++)"),
        (_F, r"(?:local\s++)?function\s++([\w.:]++)"),
        (_F, r"(?:local\s++)?([\w.:]++)\s*+=\s*+function\b"),
        (_V, r"local\s++" + _N + r"\s*+(?:<\w++>\s*+)?="),
        (_V, r"([^\W\d]\w*+(?:\.\w++)*+)\s*+=(?!=)"),
    ),
    "php": (
        (_T, _PHP + r"(?:class|interface|trait|enum)\s++" + _N),
        (_F, _PHP + r"function\s++&?\s*+" + _N + r"\s*+\("),
        (_V, _PHP + r"const\s++(?:\??[\w\\|]++\s++)?" + _N + r"\s*+="),
        (_V, r"define\(\s*+['\"](\w++)"),
        (_V, r"(?:(?:public|private|protected|static|readonly|var)\s++)++(?:\??[\w\\|&()]++\s++)?\$(\w++)\s*+[=;{]"),
    ),
    "python": (
        (_T, r"(?:cdef\s++)?class\s++" + _N),
        (_F, r"(?:async\s++)?def\s++" + _N),
        (_F, r"(?:cpdef|cdef)\s++[^()=:]*?" + _N + r"\s*+\("),
        (_T, r"type\s++" + _N + r"\s*+(?:\[[^=]*+\]\s*+)?="),
        (_V, _N + r"(?:\s++=\s|\s*+:\s*+[^=:]++=\s)"),
    ),
    "ruby": (
        (_T, r"(?:class|module)\s++((?:::)?[A-Z]\w*+(?:::[A-Z]\w*+)*+)"),
        (_T, r"([A-Z]\w*+)\s*+=\s*+(?:Struct|Class|Module|Data)\."),
        (_F, r"(?:(?:private|protected|public|module_function|private_class_method|memoize|helper_method)\s++)?def\s++"
             r"(?:[^\W\d]\w*+\.)?+([^\W\d]\w*+[?!=]?(?!\w)|[^\s\w(;]++)"),
        (_F, r"(?:define_method|alias_method|alias|def_delegator|task|scope|delegate)\b[\s(]++:?([^\W\d]\w*+[?!]?)"),
        (_V, r"(?:attr_(?:accessor|reader|writer)|mattr_accessor|cattr_accessor)\b[\s(]++:([^\W\d]\w*+)"),
        (_V, r"([A-Z]\w*+)\s*+(?:\|\|)?=(?![=~>])"),
    ),
    "rust": (
        (_T, _RUST + r"(?:struct|enum|union|trait|type)\s++(?:r#)?" + _N),
        (_F, r"(?:pub(?:\([^()]*+\))?\s++)?+macro(?:_rules!)?\s++" + _N),
        (_F, _RUST + r"fn\s++(?:r#)?" + _N),
        (_S, r"(?:default\s++)?(?:unsafe\s++)?impl\b[^{]*\sfor\s++[&*]?(?:'\w++\s++)?(?:(?:mut|dyn|const)\s++)?(?:\w++::)*+" + _N),
        (_S, r"(?:default\s++)?(?:unsafe\s++)?impl\b(?:\s*+<[^{]*?>)?\s++(?:\w++::)*+" + _N),
        (_S, r"(?:pub(?:\([^()]*+\))?\s++)?+mod\s++" + _N + r"\s*+\{"),
        (_V, r"(?:pub(?:\([^()]*+\))?\s++)?+(?:const|static)\s++(?:mut\s++)?" + _N + r"\s*+:"),
    ),
    "scala": (
        (_T, _SCALA + r"(?:package\s++(?=object))?(?:class|trait|object|enum|type)\s++" + _N),
        (_F, _SCALA + r"def\s++(`[^`]++`|[^\s(\[:={]++)"),
        (_F, _SCALA + r"given\s++" + _N + r"\s*+[\[(:]"),
        (_V, _SCALA + r"va[lr]\s++" + _N),
    ),
    "swift": (
        (_T, _SWIFT + r"(?:class|struct|enum|protocol|actor|typealias|associatedtype|macro|precedencegroup)\s++" + _N),
        (_S, _SWIFT + r"extension\s++([\w.]++)"),
        (_F, _SWIFT + r"func\s++(`[^`]++`|[^\s(<]++)"),
        (_F, _SWIFT + r"(init|deinit|subscript)\b[?!]?\s*+[(<{]"),
        (_V, _SWIFT + r"(?:let|var)\s++" + _N),
    ),
    "zig": (
        (_T, _ZIG + r"const\s++" + _N + r"\s*+(?::[^=]*+)?=\s*+(?:packed\s++|extern\s++)?(?:struct|enum|union|opaque|error)\b"),
        (_F, _ZIG + r"fn\s++" + _N),
        (_F, r"test\s++\"([^\"]++)\""),
        (_V, _ZIG + r"(?:const|var)\s++" + _N),
    ),
})


@dataclass(frozen=True, slots=True)
class Matcher:
    """All rules of one language in one pattern. `owners` maps the last matched group to (kind, first, last)."""

    pattern: re.Pattern[str]
    owners: Mapping[int, tuple[DefinitionKind, int, int]]

    def match(self, line: str) -> tuple[DefinitionKind, str] | None:
        """The kind and name that an unindented line defines, if any."""
        match = self.pattern.match(line)
        if match is None or match.lastindex is None:
            return None
        kind, first, last = self.owners[match.lastindex]
        return kind, ".".join(name for name in match.groups()[first - 1 : last] if name)


@lru_cache(maxsize=None)
def matcher_for(lang: str) -> Matcher | None:
    """The compiled rules of `lang`, or None for a language without any."""
    rules = _RULES.get(lang)
    if rules is None:
        return None
    owners: dict[int, tuple[DefinitionKind, int, int]] = {}
    first = 1
    for kind, source in rules:
        last = first + re.compile(source).groups - 1
        owners |= {group: (kind, first, last) for group in range(first, last + 1)}
        first = last + 1
    return Matcher(re.compile("|".join(source for _, source in rules)), MappingProxyType(owners))
