"""JSON on one line that every parser reads and no terminal obeys."""

from __future__ import annotations

import json
import math
import re
from typing import Any

# What JSON itself allows in a string: DEL, C1 controls, bidirectional overrides, line separators, lone surrogates.
_UNSAFE = re.compile("[\x7f-\x9f\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def to_text(value: object) -> str:
    """Return `value` as JSON on one line; signs that UTF-8 or a terminal cannot take are escaped, NaN becomes null."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    except ValueError:
        text = json.dumps(_finite(value), ensure_ascii=False)
    return _UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    return [_finite(item) for item in value] if isinstance(value, list | tuple) else value
