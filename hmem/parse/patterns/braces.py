"""Definitions of the languages with braces: the families of C, Java and JavaScript, and what descends from them."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from hmem.parse.patterns.notation import (
    ANNOTATIONS,
    FREE_NAME,
    FUNCTION,
    NAME,
    NOT_STATEMENT,
    SCOPE,
    TOP,
    TYPE,
    VALUE,
    Rules,
    modifiers,
    some_modifiers,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

_TEMPLATE = r"(?:template\s*+<[^;{]*>\s*+)?"
_C_ATTRIBUTES = (
    r"(?:(?:[A-Z][A-Z0-9_]{3,}(?:\([^()]*+\))?|alignas\([^()]*+\)|\[\[[^\[\]]*+\]\]|__\w++(?:\(\([^()]*+\)\))?)\s++)*"
)
_C_QUALIFIED = r"(?:[^\W\d]\w*+(?:<[^<>()]*+>)?::)"
_C_FUNCTION_NAME = rf"{NOT_STATEMENT}({_C_QUALIFIED}*+(?:~?[^\W\d]\w*+|operator\s*+(?:\(\)|[^\s\w(]++)))"
# What comes before a function's name: a type, not a statement and not part of an expression.
_C_RETURN_TYPE = (
    r"(?![^(]*?(?:<<|\b(?:return|else|throw|new|delete|case|goto|using|typedef)\b|\boperator\s++\w))"
    r"[^\W\d][^()=;\"'{}#?+/|!%-]*?[\s*&>]"
)
_C: Rules = (
    (
        TYPE,
        _TEMPLATE
        + r"(?:(?:typedef|static|extern|const)\s++)*+(?:struct|class|union|enum(?:\s++(?:class|struct))?)\s++"
        + _C_ATTRIBUTES
        + r"([^\W\d]\w*+(?:::\w++)*+)\s*+(?:<[^;(){]*>\s*+)?(?:final\b\s*+)?(?:$|\{|:(?!:)|//|/\*)",
    ),
    (TYPE, r"typedef\b[^;]*?\(\s*+\*\s*+(\w++)\s*+\)\s*+\("),
    (TYPE, r"typedef\b[^;]*?\b([^\W\d]\w*+)\s*+(?:\[[^\[\]]*+\]\s*+)*+;"),
    (TYPE, TOP + r"\}\s*+(?:__\w++\(\([^()]*+\)\)\s*+)?([^\W\d]\w*+)\s*+;"),
    (TYPE, _TEMPLATE + r"(?:using|concept)\s++([^\W\d]\w*+)\s*+="),
    (SCOPE, r"(?:inline\s++)?namespace\s++([^\W\d][\w:]*+)"),
    (FUNCTION, r"#\s*+define\s++([^\W\d]\w*+)\("),
    (VALUE, r"#\s*+define\s++([^\W\d]\w*+)\s++\S"),
    (FUNCTION, _TEMPLATE + r"(?:explicit\s++|constexpr\s++)*+(operator\s++[^\W\d][\w:<>*& ]*+)\("),
    (FUNCTION, _TEMPLATE + _C_RETURN_TYPE + _C_FUNCTION_NAME + r"\s*+\((?:[^;]*|.*\{.*\}\s*+)$"),
    (FUNCTION, TOP + rf"({_C_QUALIFIED}++~?[^\W\d]\w*+)\s*+\([^;]*$"),
    (
        VALUE,
        r"(?:(?:static|inline|extern|const|constexpr|constinit|volatile|thread_local)\s++)++[^()=;\"']*?[\s*&]"
        r"([^\W\d]\w*+)\s*+(?:\[[^\]]*+\]\s*+)*+[={]",
    ),
)
_OBJECTIVE_C: Rules = (
    (TYPE, r"@(?:interface|implementation|protocol)\s++" + NAME + r"(?!\s*+;)"),
    (FUNCTION, r"[-+]\s*+\([^()]*+(?:\([^()]*+\)[^()]*+)*+\)\s*+" + NAME),
    (VALUE, r"@property\b.*?\b(\w++)\s*+;"),
    *_C,
)

# The type before a name in Java, C# and Dart.
_TYPED = NOT_STATEMENT + r"[^\W\d][\w.]*+(?:\s*+<[^()=;]*>)?(?:\[[\],]*+)?\??\s++"
_TYPED_FUNCTION = r"(?:<[^()=;]*>\s*+)?" + _TYPED + FREE_NAME + r"\s*+(?:<[^()=;]*>\s*+)?\("

_CS = r"(?:\[[^\[\]]*+\]\s*+)*+" + modifiers(
    "public private protected internal static abstract sealed partial readonly ref unsafe virtual override async "
    "extern new const volatile required file explicit implicit fixed event"
)
_CS_MEMBER = some_modifiers(
    "public private protected internal static readonly const abstract virtual override sealed new required event async"
)
_CSHARP: Rules = (
    (TYPE, _CS + r"(?:class|struct|interface|enum|record(?:\s++(?:class|struct))?)\s++" + NAME),
    (TYPE, _CS + r"delegate\s++[^(;=]*?\s" + NAME + r"\s*+[<(]"),
    (SCOPE, r"namespace\s++([\w.]++)"),
    (FUNCTION, _CS + _TYPED_FUNCTION),
    (FUNCTION, _CS + r"[^;=(]*?\b(operator\s*+[^\s\w(]++)\s*+\("),
    (FUNCTION, some_modifiers("public private protected internal static") + NAME + r"\s*+\("),
    (FUNCTION, _CS_MEMBER + r"\([^()]*+\)\??\s++" + FREE_NAME + r"\s*+\("),
    (VALUE, _CS_MEMBER + _TYPED + NAME + r"\s*+(?:=|;|\{|$)"),
)

_JV = ANNOTATIONS + modifiers(
    "public protected private abstract static final sealed non-sealed strictfp default synchronized native transient "
    "volatile"
)
_JAVA: Rules = (
    (TYPE, _JV + r"(?:class|interface|enum|record|@interface)\s++" + NAME),
    (SCOPE, r"package\s++([\w.]++)"),
    (FUNCTION, _JV + _TYPED_FUNCTION),
    (FUNCTION, ANNOTATIONS + some_modifiers("public protected private") + NAME + r"\s*+\("),
    (FUNCTION, r"([A-Z]\w*+)\s*+\([^;]*\)[^;]*\{$"),
    (
        VALUE,
        ANNOTATIONS
        + some_modifiers("public protected private static final volatile transient")
        + _TYPED
        + NAME
        + r"\s*+(?:=|;|$)",
    ),
)
_GROOVY: Rules = (
    *_JAVA,
    (FUNCTION, _JV + r"def\s++" + NAME + r"\s*+\("),
    (FUNCTION, r"(?:task|stage)\b[\s(]++['\"]?([\w.-]++)"),
    (VALUE, _JV + r"def\s++" + NAME + r"\s*+="),
)
_DT = ANNOTATIONS + modifiers("abstract base final sealed interface static const late external factory covariant mixin")
_DART: Rules = (
    (TYPE, _DT + r"(?:class|mixin|enum|typedef)\s++" + NAME),
    (SCOPE, r"extension\s++(?:type\s++)?(?!on\b)" + NAME),
    (FUNCTION, _DT + _TYPED_FUNCTION),
    (FUNCTION, r"(?:(?:const|factory)\s++)++([A-Z][\w.]*+)\s*+\("),
    (FUNCTION, _DT + _TYPED + r"(?:get|set)\s++" + NAME),
    (VALUE, r"(?:(?:static|final|const|late|var)\s++)++(?:" + _TYPED + ")?" + NAME + r"\s*+[=;]"),
)

_KT = ANNOTATIONS + modifiers(
    "public private protected internal open abstract final sealed data inline value annotation enum inner override "
    "suspend operator infix tailrec external expect actual const lateinit companion"
)
_KOTLIN: Rules = (
    (TYPE, _KT + r"(?:fun\s++(?=interface))?(?:class|interface|object|typealias)\s++" + NAME),
    (FUNCTION, _KT + r"fun\s++(?:[^(=]*[.>\s])?(?:`([^`]++)`|" + NAME + r")\s*+\("),
    (VALUE, _KT + r"va[lr]\s++(?:<[^=]*?>\s*+)?(?:[\w<>?*,\s]++\.)*+" + NAME),
)
_SC = ANNOTATIONS + modifiers(
    "private protected final sealed abstract implicit lazy override case inline opaque transparent open infix erased"
)
_SCALA: Rules = (
    (TYPE, _SC + r"(?:package\s++(?=object))?(?:class|trait|object|enum|type)\s++" + NAME),
    (FUNCTION, _SC + r"def\s++(`[^`]++`|[^\s(\[:={]++)"),
    (FUNCTION, _SC + r"given\s++" + NAME + r"\s*+[\[(:]"),
    (VALUE, _SC + r"va[lr]\s++" + NAME),
)
_SW = (
    ANNOTATIONS
    + modifiers(
        "public private internal fileprivate open package static final override mutating nonmutating lazy weak unowned "
        "indirect required convenience dynamic optional nonisolated distributed prefix postfix infix isolated"
    )
    + r"(?:class\s++(?=func|var|let))?+"
)
_SWIFT: Rules = (
    (TYPE, _SW + r"(?:class|struct|enum|protocol|actor|typealias|associatedtype|macro|precedencegroup)\s++" + NAME),
    (SCOPE, _SW + r"extension\s++([\w.]++)"),
    (FUNCTION, _SW + r"func\s++(`[^`]++`|[^\s(<]++)"),
    (FUNCTION, _SW + r"(init|deinit|subscript)\b[?!]?\s*+[(<{]"),
    (VALUE, _SW + r"(?:let|var)\s++" + NAME),
)

_GO: Rules = (
    (FUNCTION, r"func\s++\((?:\s*+\w++\s)?\s*+\*?\s*+(\w++)[^()]*+\)\s*+" + NAME),
    (FUNCTION, r"func\s++" + NAME),
    (TYPE, r"type\s++" + NAME),
    (VALUE, r"(?:const|var)\s++(?!_\b)" + NAME),
)
_PUB = r"(?:pub(?:\([^()]*+\))?\s++)?+"
_RS = _PUB + r"(?:(?:default|const|async|unsafe|auto|extern(?:\s++\"[^\"]*+\")?)\s++)*+"
_IMPL = r"(?:default\s++)?(?:unsafe\s++)?impl\b"
_RUST: Rules = (
    (TYPE, _RS + r"(?:struct|enum|union|trait|type)\s++(?:r#)?" + NAME),
    (FUNCTION, _PUB + r"macro(?:_rules!)?\s++" + NAME),
    (FUNCTION, _RS + r"fn\s++(?:r#)?" + NAME),
    (SCOPE, _IMPL + r"[^{]*\sfor\s++[&*]?(?:'\w++\s++)?(?:(?:mut|dyn|const)\s++)?(?:\w++::)*+" + NAME),
    (SCOPE, _IMPL + r"(?:\s*+<[^{]*?>)?\s++(?:\w++::)*+" + NAME),
    (SCOPE, _PUB + r"mod\s++" + NAME + r"\s*+\{"),
    (VALUE, _PUB + r"(?:const|static)\s++(?:mut\s++)?(?!_\b)" + NAME + r"\s*+:"),
)
_ZG = r"(?:(?:pub|export|extern(?:\s++\"[^\"]*+\")?|inline|noinline|threadlocal|comptime)\s++)*+"
_ZIG: Rules = (
    (
        TYPE,
        _ZG
        + r"const\s++"
        + NAME
        + r"\s*+(?::[^=]*+)?=\s*+(?:packed\s++|extern\s++)?(?:struct|enum|union|opaque|error)\b",
    ),
    (TYPE, _ZG + r"fn\s++" + NAME + r"\(.*\)\s*+type\s*+\{"),
    (FUNCTION, _ZG + r"fn\s++" + NAME),
    (FUNCTION, r"test\s++\"([^\"]++)\""),
    (VALUE, _ZG + r"(?:const|var)\s++" + NAME),
)

_JS_NAME = r"([^\W\d][\w$]*+|\$[\w$]*+)"
_JS = ANNOTATIONS + modifiers("export default declare async abstract public private protected static readonly override")
_ARROW = r"(?:[\w$]++|\(.*\)(?:\s*+:.*)?)\s*+=>"
_JAVASCRIPT: Rules = (
    (TYPE, _JS + r"(?:class|interface|(?:const\s++)?enum)\s++" + _JS_NAME),
    (TYPE, _JS + r"type\s++" + _JS_NAME + r"\s*+(?:<|=|$)"),
    (SCOPE, _JS + r"(?:namespace|module)\s++([\w$.]++)\s*+\{"),
    (FUNCTION, _JS + r"function\b\s*+\*?\s*+" + _JS_NAME),
    (  # const name = (…) =>, the parameters perhaps on lines of their own
        FUNCTION,
        _JS
        + r"(?:const|let|var)\s++"
        + _JS_NAME
        + r"\s*+(?::[^=]*+(?:=>[^=]*+)*+)?=\s*+(?:async\b\s*+)?"
        + rf"(?:function\b|{_ARROW}|(?:<.*>\s*+)?\((?:[^()]*[,{{])?$)",
    ),
    (
        FUNCTION,
        r"(?:[\w$]++\.)++" + _JS_NAME + r"\s*+=\s*+(?:async\b\s*+)?(?:function\b|[\w$]++\s*+=>|\(.*\)\s*+=>)",
    ),
    (FUNCTION, _JS + _JS_NAME + rf"\s*+[:=]\s*+(?:async\b\s*+)?(?:function\b|{_ARROW}(?!.*[;<]$))"),
    (
        FUNCTION,
        _JS
        + r"(?:[gs]et\s++)?\*?\s*+"
        + NOT_STATEMENT
        + r"(#?[\w$]++)\s*+(?:<.*>\s*+)?\([^;]*\)\s*+(?::[^;]*)?\{(?:.*\})?$",
    ),
    (
        FUNCTION,
        some_modifiers("async static public private protected override abstract get set")
        + r"\*?(#?[\w$]++)\s*+(?:<.*>\s*+)?\(",
    ),
    (VALUE, _JS + r"(?:const|let|var)\s++" + _JS_NAME),
    (
        VALUE,
        some_modifiers("public private protected static readonly declare override") + r"(#?[\w$]++)\s*+[?!]?[:=;]",
    ),
)

_PH = modifiers("abstract final readonly public private protected static var")
_PHP: Rules = (
    (TYPE, _PH + r"(?:class|interface|trait|enum)\s++" + NAME),
    (FUNCTION, _PH + r"function\s++&?\s*+" + NAME + r"\s*+\("),
    (VALUE, _PH + r"const\s++(?:\??[\w\\|]++\s++)?" + NAME + r"\s*+="),
    (VALUE, r"define\(\s*+['\"](\w++)"),
    (
        VALUE,
        some_modifiers("public private protected static readonly var") + r"(?:\??[\w\\|&()]++\s++)?\$(\w++)\s*+[=;{]",
    ),
)
_SOLIDITY: Rules = (
    (TYPE, r"(?:abstract\s++)?(?:contract|interface|library|struct|enum|type)\s++" + NAME),
    (FUNCTION, r"(?:function|modifier|event|error)\s++" + NAME),
    (FUNCTION, r"(constructor|receive|fallback)\s*+\("),
)

RULES: Final[Mapping[str, Rules]] = MappingProxyType(
    {
        "c": _C,
        "cpp": _C,
        "objective-c": _OBJECTIVE_C,
        "glsl": _C,
        "d": _C,
        "csharp": _CSHARP,
        "java": _JAVA,
        "groovy": _GROOVY,
        "dart": _DART,
        "kotlin": _KOTLIN,
        "scala": _SCALA,
        "swift": _SWIFT,
        "go": _GO,
        "rust": _RUST,
        "zig": _ZIG,
        "javascript": _JAVASCRIPT,
        "typescript": _JAVASCRIPT,
        "vue": _JAVASCRIPT,
        "svelte": _JAVASCRIPT,
        "php": _PHP,
        "solidity": _SOLIDITY,
    }
)
