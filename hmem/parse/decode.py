"""Bytes to text: no file is lost over its encoding, and lines end with a line feed alone."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # begins with the mark of UTF-16, so it is tried before
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_LEGACY = (
    "cp1252", "cp1251", "koi8_r", "cp1250", "cp1253", "cp1255", "cp1256",
    "cp932", "euc_jp", "gb18030", "big5", "cp949",
)  # fmt: skip
# The detector's time grows with its input and does not get surer beyond a few thousand bytes.
_SAMPLE = 8192
_CONTEXT = 40
_HIGH_RUN = re.compile(rb"[\x80-\xff]+")
_MULTIBYTE = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
# Signs that do not stand inside Western words: seen there, the bytes are letters of another code page.
_NOT_WESTERN = re.compile(r"[^\W\d_][¡-©«-´¶-¹»-¿ƒˆ˜‰†‡¤¥¦]+[^\W\d_]|[ƒ\x80-\x9f]")
_RETURNS = re.compile("\r\n?")
_DAMAGED = "\ufffd"


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text with line feeds for line ends and no byte order mark, the codec's name, and what was lost, if anything."""

    text: str
    encoding: str
    warning: str | None = None


def decode(data: bytes) -> Decoded:
    """Return the text of `data`: by its byte order mark, as UTF-8, else in the legacy encoding that fits best.

    Never raises; bytes that stand for nothing become U+FFFD and one warning.
    """
    encoding, errors = _encoding(data)
    try:
        text, warning = data.decode(encoding, "strict"), None
    except UnicodeDecodeError:
        text = data.decode(encoding, errors)
        warning = f"{text.count(_DAMAGED)} damaged characters (read as {encoding})"
    if "\r" in text:
        text = _RETURNS.sub("\n", text)
    return Decoded(text, encoding.removesuffix("-sig"), warning)


def _encoding(data: bytes) -> tuple[str, str]:
    """Return the codec of `data` and how it treats the bytes that it cannot read."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return encoding, "replace"
    if _reads_as(data, "utf-8") or _mostly_utf8(data):
        return "utf-8", "replace"
    return next((encoding for encoding in _legacy_candidates(data) if _reads_as(data, encoding)), "latin-1"), "strict"


def _reads_as(data: bytes, encoding: str) -> bool:
    try:
        data.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def _mostly_utf8(data: bytes) -> bool:
    """Whether few bytes of a UTF-8 text are damaged: chance makes valid sequences rarely, never most of them."""
    good = sum(len(match[0]) for match in _MULTIBYTE.finditer(data))
    high = sum(len(match[0]) for match in _HIGH_RUN.finditer(data))
    return good >= 0.8 * high


def _legacy_candidates(data: bytes) -> list[str]:
    """Return the legacy encodings to try, best first."""
    sample = _sample(data)
    runs = _HIGH_RUN.findall(sample)
    # Western text has single accented letters between ASCII ones; the detector is at its worst there.
    if sum(map(len, runs)) < 1.5 * len(runs):
        western = sample.decode("cp1252", "replace")
        if _DAMAGED not in western and not _NOT_WESTERN.search(western):
            return ["cp1252"]
    # Imported here: 40 ms that only a file in a legacy encoding should cost.
    from charset_normalizer import from_bytes

    best = from_bytes(sample, cp_isolation=list(_LEGACY)).best()
    return [best.encoding, "cp1252"] if best else ["cp1252"]


def _sample(data: bytes) -> bytes:
    """Return about `_SAMPLE` bytes: those beyond ASCII with some before them, and the one after, their second half."""
    parts: list[bytes] = []
    end = size = 0
    for match in _HIGH_RUN.finditer(data):
        start = max(end, match.start() - _CONTEXT)
        if start > end:
            parts.append(b"\n")
        end = min(match.end(), match.start() + _SAMPLE) + 1
        parts.append(data[start:end])
        size += end - start
        if size >= _SAMPLE:
            break
    return b"".join(parts)
