"""No file is lost over its encoding, and every line ends with a line feed."""

import pytest
from hmem.parse.decode import decode
from hypothesis import given, settings
from hypothesis import strategies as st

RUSSIAN = "Привет мир, это обычный русский текст о базе данных и соединениях. "
WESTERN = "Le café était fermé ; l’élève naïf a déjà mangé. Größe, señor, øre — “voilà”. "


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("utf-8", "plain ascii"),
        ("utf-8", "naïve 日本語 🙂 ﻿in the middle"),
        ("utf-8-sig", "with a mark 日本語"),
        ("utf-16", "mark in the platform's order 日本語"),
        ("utf-32", "rare, but not lost"),
        ("cp1252", "café"),
        ("cp1252", WESTERN),
        ("cp1252", "x" * 300_000 + WESTERN),
        ("cp1251", RUSSIAN),
        ("koi8_r", RUSSIAN),
        ("cp932", "これは日本語のテキストです。接続プールが枯渇しました。"),
        ("cp932", "ソフトウェアのデータベース"),
        ("euc_jp", "これは日本語のテキストです。接続プールが枯渇しました。"),
        ("gb18030", "连接池已耗尽,请检查数据库配置。中文文本测试。"),
        ("big5", "連接池已耗盡,請檢查資料庫配置。中文文本測試。"),
        ("cp949", "이것은 한국어 텍스트입니다. 연결 풀이 고갈되었습니다."),
        ("cp1253", "Αυτό είναι ένα ελληνικό κείμενο για τη βάση δεδομένων. "),
        ("cp1255", "זהו טקסט בעברית על מסד הנתונים והחיבורים. "),
        ("cp1256", "هذا نص باللغة العربية عن قاعدة البيانات. "),
    ],
)
def test_the_text_comes_back(encoding, text):
    decoded = decode(text.encode(encoding))
    assert decoded.text == text
    assert decoded.warning is None


@pytest.mark.parametrize("mark", [b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf"])
def test_a_mark_alone_is_an_empty_text(mark):
    assert decode(mark).text == ""


@pytest.mark.parametrize("order", ["le", "be"])
def test_both_byte_orders_of_utf_16(order):
    data = "﻿a\r\nb".encode(f"utf-16-{order}")
    assert decode(data).text == "a\nb"


def test_a_damaged_byte_does_not_turn_utf_8_into_another_encoding():
    data = RUSSIAN.encode()
    decoded = decode(data[:40] + b"\xff" + data[40:])
    assert decoded.encoding == "utf-8"
    assert decoded.text == RUSSIAN[: len(data[:40].decode())] + "�" + RUSSIAN[len(data[:40].decode()) :]
    assert decoded.warning == "1 damaged characters (read as utf-8)"


def test_a_replacement_character_in_the_file_is_no_damage():
    assert decode("a � b".encode()).warning is None


def test_half_a_utf_16_character_is_reported():
    decoded = decode("ab".encode("utf-16") + b"\x00")
    assert decoded.text == "ab�"
    assert decoded.warning


def test_line_ends_become_line_feeds():
    assert decode(b"a\r\nb\rc\n\r\n\rd").text == "a\nb\nc\n\n\nd"


def test_other_separators_of_lines_stay():
    text = "a\x0b\x0c\x85\u2028b"
    assert decode(text.encode()).text == text


@settings(deadline=None)
@given(st.binary(max_size=400))
def test_any_bytes_have_a_text(data):
    decoded = decode(data)
    assert "\r" not in decoded.text
    decoded.text.encode()  # no lone surrogates
    if not data:
        assert decoded.text == ""


@settings(deadline=None)
@given(st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\r\ufeff"), max_size=200))
def test_utf_8_is_read_as_it_stands(text):
    assert decode(text.encode()).text == text
