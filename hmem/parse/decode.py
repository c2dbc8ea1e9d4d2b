"""Bytes to text: no file is lost over its encoding, and lines end at "\\n" alone."""

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
_HIGH_RUN = re.compile(rb"[\x80-\xff]+")
_HIGH_LINE = re.compile(rb"[^\n]{0,400}[\x80-\xff][^\n]{0,400}")
_MULTIBYTE = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
# Signs that do not stand inside Western words: seen there, the bytes are letters of another code page.
_NOT_WESTERN = re.compile(r"[^\W\d_][¡-©«-´¶-¹»-¿ƒˆ˜‰†‡¤¥¦]+[^\W\d_]|[ƒ\x80-\x9f]")
_RETURNS = re.compile("\r\n?")


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text with "\\n" line ends and without a byte order mark, the codec's name, and what was lost, if anything."""

    text: str
    encoding: str
    warning: str | None = None


def decode(data: bytes) -> Decoded:
    """Return the text of `data`: by its byte order mark, as UTF-8, else in the legacy encoding that fits best.

    Never raises; bytes that stand for nothing become U+FFFD and one warning.
    """
    text, encoding = _decode(data)
    damaged = text.count("�") if encoding != "utf-8" or not _is_utf8(data) else 0
    if "\r" in text:
        text = _RETURNS.sub("\n", text)
    warning = f"{damaged} characters are damaged (read as {encoding})" if damaged else None
    return Decoded(text, encoding, warning)


def _decode(data: bytes) -> tuple[str, str]:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data.decode(encoding, "replace").removeprefix("\ufeff"), encoding.removesuffix("-sig")
    try:
        return data.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        pass
    if _mostly_utf8(data):
        return data.decode("utf-8", "replace"), "utf-8"
    for encoding in _candidates(data):
        try:
            return data.decode(encoding), encoding
        except UnicodeDecodeError:
            continue
    return data.decode("latin-1"), "latin-1"


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _mostly_utf8(data: bytes) -> bool:
    """Whether few bytes of a UTF-8 text are damaged: chance makes valid sequences rarely, never most of them."""
    good = sum(len(match[0]) for match in _MULTIBYTE.finditer(data))
    high = sum(len(match[0]) for match in _HIGH_RUN.finditer(data))
    return good >= 0.8 * high


def _candidates(data: bytes) -> list[str]:
    """Return the legacy encodings to try, best first."""
    sample = _sample(data)
    runs = _HIGH_RUN.findall(sample)
    # Western text has single accented letters between ASCII ones; the detector is at its worst there.
    if sum(map(len, runs)) < 1.5 * len(runs):
        western = sample.decode("cp1252", "replace")
        if "�" not in western and not _NOT_WESTERN.search(western):
            return ["cp1252"]
    # Imported here: 40 ms that only a file in a legacy encoding should cost.
    from charset_normalizer import from_bytes

    best = from_bytes(sample, cp_isolation=list(_LEGACY)).best()
    return [best.encoding, "cp1252"] if best else ["cp1252"]


def _sample(data: bytes) -> bytes:
    """Return lines that hold bytes beyond ASCII, about `_SAMPLE` bytes of them."""
    parts: list[bytes] = []
    size = 0
    for match in _HIGH_LINE.finditer(data):
        parts.append(match[0])
        size += len(match[0])
        if size >= _SAMPLE:
            break
    return b"\n".join(parts)
