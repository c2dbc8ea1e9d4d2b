"""Definitions of languages that describe: schemas, queries, builds, infrastructure, hardware, styles."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from hmem.parse.patterns.notation import FUNCTION, NAME, SCOPE, TOP, TYPE, VALUE, Rules

if TYPE_CHECKING:
    from collections.abc import Mapping

_SQL_NAME = r"\s++(?i:if\s++not\s++exists\s++)?([\w.\"`\[\]]++)"
_CREATE = (
    r"(?i:create)\s++(?i:or\s++replace\s++)?(?i:(?:temp|temporary|unique|materialized|global|local|unlogged|external|"
    r"recursive|concurrently|clustered|nonclustered)\s++)*+"
)
_SQL: Rules = (
    (TYPE, _CREATE + r"(?i:table|view|type|domain|schema|database)" + _SQL_NAME),
    (FUNCTION, _CREATE + r"(?i:function|procedure|trigger|aggregate|package(?:\s++body)?)" + _SQL_NAME),
    (VALUE, _CREATE + r"(?i:index|sequence|role|policy|extension)" + _SQL_NAME),
)
_PROTO: Rules = (
    (TYPE, r"(?:message|service|enum|struct|union|exception|interface|table|oneof)\s++" + NAME),
    (FUNCTION, r"rpc\s++" + NAME),
    (SCOPE, r"(?:package|namespace(?:\s++\w++)?)\s++([\w.]++)\s*+;"),
    (VALUE, r"const\s++\w++\s++" + NAME),
)
_GRAPHQL: Rules = (
    (TYPE, r"(?:type|interface|input|enum|union|scalar)\s++" + NAME),
    (SCOPE, r"extend\s++\w++\s++" + NAME),
    (FUNCTION, r"(?:query|mutation|subscription|fragment|directive)\s++@?" + NAME),
)
_HCL: Rules = (
    (TYPE, r"(?:resource|data)\s++\"([\w-]++)\"\s++\"([\w-]++)\""),
    (TYPE, r"(?:module|provider|job|group|task|source|build)\s++\"([\w.-]++)\""),
    (VALUE, r"(?:variable|output)\s++\"([\w-]++)\""),
    (VALUE, r"([\w-]++)\s*+=(?!=)"),
)
_NIX: Rules = (
    (FUNCTION, r"([^\W\d][\w'-]*+(?:\.[\w'-]++)*+)\s*+=\s*+(?:\{[^}=]*+\}|[\w'-]++)\s*+:(?!:)"),
    (VALUE, r"([^\W\d][\w'-]*+(?:\.[\w'-]++)*+)\s*+=(?!=)"),
)
_MAKE: Rules = (
    (FUNCTION, TOP + r"define\s++([\w.-]++)"),
    (VALUE, TOP + r"(?:export\s++|override\s++)*+([\w.-]++)\s*+(?:[:?+!]|::)?="),
    (FUNCTION, TOP + r"(?!\.PHONY)([\w./%$(){}-]++)(?:\s++[\w./%$(){}-]++)*+\s*+::?(?!=)"),
)
_JUST: Rules = (
    (VALUE, TOP + r"(?:export\s++)?" + NAME + r"\s*+:="),
    (FUNCTION, TOP + r"@?([^\W\d][\w-]*+)(?:\s[^:]*+)?:(?!=)"),
)
_CMAKE: Rules = (
    (FUNCTION, r"(?i:function|macro)\s*+\(\s*+([\w.-]++)"),
    (TYPE, r"(?i:add_library|add_executable|add_custom_target|project)\s*+\(\s*+([\w.:+-]++)"),
    (VALUE, r"(?i:set|option)\s*+\(\s*+([\w.-]++)"),
)
_DOCKERFILE: Rules = (
    (TYPE, r"(?i:from)\s++\S++\s++(?i:as)\s++([\w.-]++)"),
    (VALUE, r"(?i:arg|env)\s++" + NAME),
)
_CSS: Rules = (
    (FUNCTION, r"@(?:mixin|function|keyframes)\s++([\w-]++)"),
    (VALUE, r"(--[\w-]++|[$@][\w-]++)\s*+:(?!\s*+\{)"),
    (TYPE, r"[.#%]([^\W\d][\w-]*+)(?=[^;]*[{,]\s*+$)"),
)
_VERILOG: Rules = (
    (TYPE, r"(?:virtual\s++)?(?:module|interface|class|package|program)\s++(?:automatic\s++|static\s++)?" + NAME),
    (FUNCTION, r"(?:virtual\s++|static\s++)*+(?:function|task)\s++(?:[^;(=]*[\s\]])?" + NAME + r"\s*+[;(]"),
    (VALUE, r"(?:parameter|localparam)\s++(?:[^=,]*[\s\]])?" + NAME + r"\s*+="),
)
_VHDL: Rules = (
    (TYPE, r"(?i:entity|component|package(?:\s++body)?|type|record)\s++" + NAME + r"\s++(?i:is)\b"),
    (SCOPE, r"(?i:architecture)\s++" + NAME),
    (FUNCTION, r"(?i:(?:pure|impure)\s++)?(?i:function|procedure)\s++" + NAME),
)
_ASSEMBLY: Rules = ((FUNCTION, TOP + r"(?!\.?L\d)([.\w$@]++):(?!:)"), (VALUE, r"\.(?:set|equ)\s++([.\w$]++)"))

RULES: Final[Mapping[str, Rules]] = MappingProxyType(
    {
        "assembly": _ASSEMBLY,
        "cmake": _CMAKE,
        "css": _CSS,
        "dockerfile": _DOCKERFILE,
        "graphql": _GRAPHQL,
        "hcl": _HCL,
        "just": _JUST,
        "make": _MAKE,
        "nix": _NIX,
        "proto": _PROTO,
        "sql": _SQL,
        "verilog": _VERILOG,
        "vhdl": _VHDL,
    }
)
