"""Queries that nobody should type and everybody does: three hundred, each a text that must neither crash nor act."""

# ruff: noqa: E501 - a table
from __future__ import annotations

from itertools import product

OPERATORS = ["AND", "OR", "NOT", "a AND b", "a AND", "AND AND", "a OR", "NOT a", "a NEAR b", "a TO b", "+a -b", "-pool", "a~2",
             "a^5", "title:pool", "path:", ":", "::", "a:b:c", "pool*", "*pool", "*", "?", "po?l", "[a TO b]", "{a TO b]",
             "(pool", "pool)", "()", "((()))", "a&&b", "a||b", "!a", "<pool", ">=pool", "pool=", "@pool", "@@", "#4471", "$HOME",
             "`id`", "$(id)", "${IFS}", "%s%n", "{0}", "{{x}}", "\\", "\\\\", "/", "//", "../../etc/passwd", "--help", "-k", "-"]  # fmt: skip
QUOTES = ['"', '""', '"""', '"pool', 'pool"', '"pool" "', '" "', '"pool""pool"', 'a"b"c', '"\\"', "'", "''", "'pool'", "“pool”",
          "«pool»", '"connection pool"', '"CONNECTION   POOL"', '"pool', '""pool""', '"' * 999]  # fmt: skip
REGEX = [
    ".*",
    "^pool$",
    "(a+)+$",
    "[a-",
    "a{1,99999}",
    "(?i)pool",
    "\\d+",
    "\\b",
    "[[:alpha:]]",
    "(?P<n>x)",
    "x|",
    "$^",
    "a**",
]
SQL = ["'; DROP TABLE documents; --", "1 OR 1=1", "pool' OR 'a'='a", "\" OR \"\"=\"", "%", "_", "pool%", "UNION SELECT * FROM chunks",
       "MATCH 'a'", "rowid:1", "NULL", "null", "NaN", "inf", "-0", "1e999"]  # fmt: skip
MARKUP = ["[bold]x[/bold]", "[/]", "[/foo]", "[red", "[link=file:///etc/passwd]x[/link]", ":smile:", "[[Note]]", "[x](y)", "<b>", "<!--",
          "&lt;", "```", "~~~", "# pool", "- [x] done", "list[int]", 're.compile("[a-z]+")', "\\[bold]", "{% raw %}", "---"]  # fmt: skip
CONTROL = [f"pool{chr(code)}pool" for code in (*range(1, 33), 0x7F, *range(0x80, 0xA0))] + [
    "\x1b[31mred\x1b[0m", "\x1b]8;;http://x\x1b\\l\x1b]8;;\x1b\\", "\x1b]0;title\x07", "\x9b2J", "\x1bP1$r\x1b\\", "a\x00b", "\x00", "\r\n",
    "pool\r", "\n\n", "\t", " ", "\v\f", "\x1b", "\x1b[2J\x1b[H", "\x1b[?1049h"]  # fmt: skip
UNICODE = ["", "é", "e\u0301", "ﬁle", "Ⅷ", "ＰＯＯＬ", "İ", "ß", "ǅ", "\u202epool", "\u2066x\u2069", "\u200b", "\ufeff", "\u00ad", "\u2028",
           "😀", "👨\u200d👩\u200d👧", "🇩🇪", "\U0010ffff", "\ud800", "\udcff", "\udfff\ud800", "שלום", "مرحبا", "привет", "γειά",
           "连接池", "データベース", "한국어", "ไทย", "हिन्दी", "a\u0300" * 500, "\u0600", "½", "²", "٣", "𝕡𝕠𝕠𝕝", "ı", "\uffff", "\ufffd"]  # fmt: skip
LONG = ["a" * 10_000, "pool " * 2_000, "a b " * 2_500, "x" * 9_999 + "y", "((" * 5_000, "é" * 10_000, "连" * 10_000, "a-" * 5_000, "getHTTP" * 1_400,
        "1" * 10_000, " " * 10_000, "\\" * 10_000, "a.b/c::" * 1_400]  # fmt: skip
CODES = ["404", "1.0.21", "DEC-0054", "0x80070005", "C", "C++", "C#", ".NET", "F#", "R", "a/b", "@scope/pkg", "Class::method", "x->y", "a.b.c",
         "snake_case", "kebab-case", "getHTTPResponse2", "__init__", "_", "$x", "a=b", "1,000.5", "2025-03-31", "12:30"]  # fmt: skip
MIXED = [
    left + right for left, right in product(['"', "[b]", "\x1b[1m", "\\"], ["pool", "-1", "é", "😀", "*", "NOT", ":"])
]

QUERIES = [*OPERATORS, *QUOTES, *REGEX, *SQL, *MARKUP, *CONTROL, *UNICODE, *LONG, *CODES, *MIXED]
