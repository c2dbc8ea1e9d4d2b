"""Definitions of functional languages: the families of ML and Lisp, and Erlang."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from hmem.parse.patterns.notation import FUNCTION, LOWER_NAME, NAME, SCOPE, TOP, TYPE, UPPER_NAME, VALUE, Rules

if TYPE_CHECKING:
    from collections.abc import Mapping

_HASKELL: Rules = (
    (SCOPE, TOP + r"module\s++([\w.]++)"),
    (TYPE, TOP + r"(?:data|newtype|type)(?:\s++(?:family|instance))?\s++(?:[^=]*?=>\s*+)?" + UPPER_NAME),
    (TYPE, TOP + r"class\s++(?:[^=]*=>\s*+)?" + UPPER_NAME),
    (  # the class and the first type it is given: `ToJSON.Map`
        SCOPE,
        r"(?:deriving\s++(?:\w++\s++)?)?instance\b(?:[^=]*=>)?[^=A-Z]*+([A-Z][\w'.]*+)[\s(\[]*+([A-Z][\w'.]*+)?",
    ),
    (VALUE, TOP + r"pattern\s++" + UPPER_NAME),
    (FUNCTION, TOP + r"foreign\s++import\b.*?\s([a-z_][\w']*+)\s*+::"),
    (FUNCTION, TOP + LOWER_NAME + r"(?:\s*+,\s*+[\w']++)*+\s*+(?:::|$)"),
    (FUNCTION, TOP + r"\(([^\w\s()]++)\)\s*+::"),
    (VALUE, r"(?:[{,]\s*+)?" + LOWER_NAME + r"\s*+::"),
)
_ELM: Rules = (
    (SCOPE, TOP + r"(?:port\s++)?module\s++([\w.]++)"),
    (TYPE, TOP + r"type\s++(?:alias\s++)?" + UPPER_NAME),
    (FUNCTION, TOP + r"(?:port\s++)?" + LOWER_NAME + r"\s*+:(?!:)"),
)
_ML_NAME = r"([a-z_][\w']*+|\([^\w\s()]++\))"
_OCAML: Rules = (
    (TYPE, r"(?:type|and)\s++(?:nonrec\s++)?(?:(?:[+-]?'\w++|\([^()]*+\))\s++)?([a-z_][\w']*+)\s*+(?:=|$)"),
    (TYPE, r"(?:class|exception)\s++(?:(?:type|virtual)\s++)*+(?:\[[^\]]*+\]\s*+)?([\w']++)"),
    (SCOPE, r"module\s++(?:type\s++|rec\s++)*+([A-Z][\w']*+)"),
    (FUNCTION, r"(?:let|and)\s++(?:rec\s++|inline\s++)*+" + _ML_NAME + r"\s++(?![=:])(?:\S++\s++)*?[^=]*+="),
    (FUNCTION, r"(?:val|external|method)\s++(?:(?:private|virtual)\s++)*+" + _ML_NAME),
    (VALUE, TOP + r"let\s++(?:rec\s++)?" + _ML_NAME + r"\s*+[=:]"),
)
_FSHARP: Rules = (
    (TYPE, r"(?:type|and|exception)\s++(?:(?:private|internal|public)\s++)?([A-Z]\w*+)"),
    (SCOPE, r"(?:module|namespace)\s++(?:(?:private|internal|public|rec)\s++)*+([\w.]++)"),
    (
        FUNCTION,
        r"(?:static\s++)?(?:member|override|abstract|default)\s++(?:(?:private|inline|member)\s++)*+(?:\w++\.)?(\w++)",
    ),
    (
        FUNCTION,
        r"(?:let|and)\s++(?:(?:rec|inline|private|internal|public|mutable)\s++)*+(?:``([^`]++)``|"
        + NAME
        + r")(?:<[^=]*>)?(?:\s*+\(|\s++(?![=:]))",
    ),
    (VALUE, r"let\s++(?:(?:private|internal|public|mutable)\s++)*+" + NAME + r"\s*+[=:]"),
)
_ERLANG: Rules = (
    (SCOPE, TOP + r"-module\(\s*+'?([\w@]++)"),
    (TYPE, TOP + r"-(?:record\(\s*+|type\s++|opaque\s++)([a-z][\w@]*+)"),
    (FUNCTION, TOP + r"-callback\s++([a-z][\w@]*+)"),
    (VALUE, TOP + r"-define\(\s*+([\w@]++)"),
    (FUNCTION, TOP + r"([a-z][\w@]*+)\(.*\).*->"),
    (FUNCTION, TOP + r"([a-z][\w@]*+)\([^)]*+$"),
)
_PROLOG: Rules = ((FUNCTION, TOP + r"([a-z]\w*+)(?:\(.*\))?\s*+(?::-|-->)"), (SCOPE, TOP + r":-\s*+module\(\s*+(\w++)"))

_LISP_NAME = r"\s++(?:\^\S++\s++)*+'?\(?([^\s()\[\]{}\"';]++)"
_CLOJURE: Rules = (
    (SCOPE, r"\((?:in-)?ns" + _LISP_NAME),
    (TYPE, r"\(def(?:record|type|protocol|interface|struct)" + _LISP_NAME),
    (FUNCTION, r"\(def(?:n-?|macro|multi|method|test|task|-spec)" + _LISP_NAME),
    (VALUE, r"\((?:s/)?def(?:once|ault)?" + _LISP_NAME),
)
_LISP: Rules = (
    (
        TYPE,
        r"\((?:cl-)?(?:defstruct|defclass|deftype|define-condition|define-record-type|define-struct|struct)"
        + _LISP_NAME,
    ),
    (SCOPE, r"\((?:defpackage|in-package|define-module|define-library)\s++[:#'\"(]*+([\w./-]++)"),
    (
        FUNCTION,
        r"\((?:cl-)?(?:defun\*?|defmacro|defsubst|defmethod|defgeneric|defalias|define-(?:minor|derived|globalized-minor)-mode|"
        r"define-inline|define-advice|define-syntax(?:-rule)?|define-macro|ert-deftest|define\*?(?=\s++\()|fn(?=\s++\w)|macro)"
        + _LISP_NAME,
    ),
    (
        VALUE,
        r"\((?:defvar(?:-local)?|defcustom|defconst|defface|defgroup|defparameter|defconstant|define|def|global|local)"
        + _LISP_NAME,
    ),
)

RULES: Final[Mapping[str, Rules]] = MappingProxyType(
    {
        "clojure": _CLOJURE,
        "elisp": _LISP,
        "elm": _ELM,
        "erlang": _ERLANG,
        "fsharp": _FSHARP,
        "haskell": _HASKELL,
        "lisp": _LISP,
        "ocaml": _OCAML,
        "prolog": _PROLOG,
    }
)
