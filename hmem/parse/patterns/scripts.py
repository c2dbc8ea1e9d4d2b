"""Definitions of scripting languages, shells and languages whose blocks end with a word or an indentation."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from hmem.parse.patterns.notation import (
    FUNCTION,
    LOWER_NAME,
    NAME,
    SCOPE,
    TOP,
    TYPE,
    VALUE,
    Rules,
    modifiers,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

_SHELL_NAME = r"([\w:.@+-]++)"
_BASH: Rules = (
    (FUNCTION, r"function\s++" + _SHELL_NAME),
    (FUNCTION, _SHELL_NAME + r"\s*+\(\s*+\)"),
    (FUNCTION, r"@test\s++[\"'](.+?)[\"']\s*+\{"),
    (FUNCTION, r"alias\s++(?:-\w\s++)*+" + _SHELL_NAME + "="),
    (VALUE, r"(?:(?:export|readonly|declare|typeset)\s++(?:-\w++\s++)*+)?" + NAME + "="),
)
_FISH: Rules = ((FUNCTION, r"function\s++" + _SHELL_NAME), (VALUE, TOP + r"set\s++(?:-\w++\s++)*+" + NAME))
_POWERSHELL: Rules = (
    (TYPE, r"(?i:class|enum)\s++" + NAME),
    (FUNCTION, r"(?i:function|filter|workflow)\s++(?:\w++:)?([\w-]++)"),
    (VALUE, TOP + r"(?:\[[\w.\[\]]++\]\s*+)?\$(?:\w++:)?(\w++)\s*+="),
)

_PYTHON: Rules = (
    (TYPE, r"(?:cdef\s++)?class\s++" + NAME),
    (FUNCTION, r"(?:async\s++)?def\s++" + NAME),
    (FUNCTION, r"(?:cpdef|cdef)\s++[^()=:]*?" + NAME + r"\s*+\("),
    (TYPE, r"type\s++" + NAME + r"\s*+(?:\[[^=]*\]\s*+)?="),
    (VALUE, NAME + r"(?:\s++=\s|\s*+:\s*+[^=:]++=\s)"),
)
_STARLARK: Rules = ((FUNCTION, r"name\s*+=\s*+[\"']([\w./+-]++)[\"']"), *_PYTHON)

_RUBY_NAME = r"([^\W\d]\w*+(?:[?!]|=(?=[\s(]))?)"
_RUBY: Rules = (
    (TYPE, r"(?:class|module)\s++((?:::)?[A-Z]\w*+(?:::[A-Z]\w*+)*+)"),
    (TYPE, r"([A-Z]\w*+)\s*+=\s*+(?:Struct|Class|Module|Data)\."),
    (
        FUNCTION,
        modifiers("private protected public module_function private_class_method memoize helper_method")
        + rf"def\s++(?:[^\W\d]\w*+\.)?+(?:{_RUBY_NAME}|([^\s\w(;]++))",
    ),
    (FUNCTION, r"(?:define_method|alias_method|alias|def_delegator|task|scope)\b[\s(]++:?" + _RUBY_NAME),
    (VALUE, r"(?:attr_(?:accessor|reader|writer)|[mc]attr_accessor)\b[\s(]++:" + NAME),
    (VALUE, r"([A-Z]\w*+)\s*+(?:\|\|)?=(?![=~>])"),
)

_ELIXIR: Rules = (
    (TYPE, r"(?:defmodule|defprotocol)\s++([\w.]++)"),
    (SCOPE, r"defimpl\s++([\w.]++)(?:.*\bfor:\s*+\[?([\w.]++))?"),
    (TYPE, r"@(?:type|typep|opaque)\s++" + NAME),
    (FUNCTION, r"@(?:macro)?callback\s++" + NAME),
    (FUNCTION, r"def(?:p|macrop?|guardp?|delegate|np?)?\s++([^\W\d]\w*+[?!]?)"),
    (  # a module attribute that is set, other than those that only instruct the compiler or document
        VALUE,
        r"@(?!(?:doc|moduledoc|typedoc|spec|impl|behaviour|derive|deprecated|dialyzer|compile|external_resource|"
        r"optional_callbacks|enforce_keys|after_compile|before_compile|on_load|since|tag|moduletag|describetag)\b)"
        + LOWER_NAME
        + r"\s++[^\s=|&)]",
    ),
)

_LUA: Rules = (
    (TYPE, r"---@class\s++(?:\([^()]*+\)\s*+)?([\w.]++)"),
    (FUNCTION, r"(?:local\s++)?function\s++([\w.:]++)"),
    (FUNCTION, r"(?:local\s++)?([\w.:]++)\s*+=\s*+function\b"),
    (VALUE, r"local\s++" + NAME + r"\s*+(?:<\w++>\s*+)?="),
    (VALUE, r"([^\W\d]\w*+(?:\.\w++)*+)\s*+=(?!=)"),
)
_PERL: Rules = (
    (TYPE, r"(?:package|class|role)\s++([\w:]++)"),
    (FUNCTION, r"(?:sub|method|has)\s++'?([\w:]++)(?!\s*+(?:\([^()]*+\)\s*+)?;)"),
    (VALUE, r"use\s++constant\s++(?:\{\s*+)?" + NAME),
    (VALUE, TOP + r"(?:our|my)\s++[$@%]" + NAME + r"\s*+="),
)
_R: Rules = (
    (TYPE, r"(?:set(?:Ref)?Class|R6Class)\(\s*+[\"']([\w.]++)"),
    (TYPE, r"([\w.]++)\s*+(?:<-|=)\s*+(?:R6::)?(?:R6Class|setRefClass|setClass)\("),
    (FUNCTION, r"set(?:Generic|Method)\(\s*+[\"']([\w.]++)"),
    (FUNCTION, r"`?([\w.%<\[-]++)`?\s*+(?:<-|=)\s*+(?:function\b|\\\()"),
    (VALUE, TOP + r"([\w.]++)\s*+<-"),
)
_JULIA: Rules = (
    (TYPE, r"(?:mutable\s++)?struct\s++" + NAME),
    (TYPE, r"(?:abstract|primitive)\s++type\s++" + NAME),
    (SCOPE, r"(?:bare)?module\s++" + NAME),
    (FUNCTION, r"(?:@\w++\s++)?(?:function|macro)\s++([\w.!]++)"),
    (FUNCTION, r"(?:@\w++\s++)?([^\W\d][\w.!]*+)\([^=]*\)\s*+(?:where\s[^=]*+)?=(?!=)"),
    (VALUE, r"const\s++" + NAME),
)
_MATLAB: Rules = (
    (TYPE, r"classdef\s++(?:\([^()]*+\)\s*+)?" + NAME),
    (FUNCTION, r"function\s++(?:[^=(]*=\s*+)?([\w.]++)"),
)
_VIM: Rules = (
    (FUNCTION, r"(?:export\s++)?(?:fu(?:nction|nc|n)?!?|def!?)\s++([\w:#.]++)"),
    (FUNCTION, r"com(?:mand|man|m)?!?\s++(?:-\S++\s++)*+([A-Z]\w*+)"),
    (SCOPE, r"aug(?:roup)?\s++(?!END\b)([\w.-]++)"),
    (VALUE, r"let\s++([gs]:[\w#]++)\s*+="),
)
_TCL: Rules = ((FUNCTION, r"(?:proc|method)\s++([\w:]++)"), (SCOPE, r"namespace\s++eval\s++([\w:]++)"))
_AWK: Rules = ((FUNCTION, r"func(?:tion)?\s++" + NAME),)
_BATCH: Rules = ((FUNCTION, r":([^\W\d]\w*+)"), (VALUE, r"(?i:set)\s++\"?" + NAME + "="))
_NIM: Rules = (
    (
        TYPE,
        r"(?:type\s++)?([A-Z]\w*+)\*?(?:\[[^\]]*+\])?\s*+(?:\{\.[^{}]*+\}\s*+)?=\s*+(?:(?:ref\s++)?object|enum|concept|distinct)",
    ),
    (FUNCTION, r"(?:proc|func|method|iterator|template|macro|converter)\s++`?([^\W\d]\w*+)"),
    (VALUE, r"(?:const|let|var)\s++" + NAME),
)
_PASCAL: Rules = (
    (TYPE, r"(\w++)\s*+=\s*+(?i:packed\s++)?(?i:class|record|interface|object)\b"),
    (FUNCTION, r"(?i:class\s++)?(?i:procedure|function|constructor|destructor)\s++([\w.]++)"),
    (SCOPE, r"(?i:unit|program|library)\s++([\w.]++)"),
)
_FORTRAN: Rules = (
    (TYPE, r"(?i:type)(?:\s*+,[^:]*+)?\s*+::\s*+" + NAME),
    (SCOPE, r"(?i:module|program|submodule)\s++(?!(?i:procedure)\b)" + NAME),
    (FUNCTION, r"(?i:(?!end)[\w*()= ]{0,80}?\b(?:subroutine|function))\s++" + NAME),
)
_ADA: Rules = (
    (TYPE, r"(?i:type|subtype|protected|task)\s++(?i:body\s++|type\s++)?" + NAME),
    (SCOPE, r"(?i:package)\s++(?i:body\s++)?([\w.]++)"),
    (FUNCTION, r"(?i:overriding\s++)?(?i:procedure|function|entry)\s++" + NAME),
)
_BASIC: Rules = (
    (
        TYPE,
        r"(?i:(?:public|private|friend|protected|partial|shared|mustinherit)\s++)*+(?i:class|module|structure|interface|enum)\s++"
        + NAME,
    ),
    (
        FUNCTION,
        r"(?i:(?:public|private|friend|protected|shared|overrides|overridable|async)\s++)*+(?i:sub|function|property)\s++(?i:get\s++|let\s++)?"
        + NAME,
    ),
)

RULES: Final[Mapping[str, Rules]] = MappingProxyType(
    {
        "ada": _ADA,
        "awk": _AWK,
        "bash": _BASH,
        "batch": _BATCH,
        "crystal": _RUBY,
        "elixir": _ELIXIR,
        "fish": _FISH,
        "fortran": _FORTRAN,
        "julia": _JULIA,
        "lua": _LUA,
        "matlab": _MATLAB,
        "nim": _NIM,
        "pascal": _PASCAL,
        "perl": _PERL,
        "powershell": _POWERSHELL,
        "python": _PYTHON,
        "r": _R,
        "ruby": _RUBY,
        "starlark": _STARLARK,
        "tcl": _TCL,
        "vim": _VIM,
        "visualbasic": _BASIC,
    }
)
