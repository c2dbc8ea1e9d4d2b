from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

import pytest
from hmem.discover import Reason, content_reason, is_binary, load, read_file, size_limit
from hmem.types import FileState, Skipped

from trees import plant

KEY = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAA\n-----END OPENSSH PRIVATE KEY-----\n"


def state(path: str) -> FileState:
    return FileState(path, 0, 0, 0)


def open_descriptors() -> set[str]:
    return {path.name for path in Path("/dev/fd").iterdir()}


class TestReadFile:
    def test_bytes_as_they_are(self, tmp_path):
        (tmp_path / "a").mkdir()
        (tmp_path / "a" / "b.md").write_bytes(b"\xff\r\n\0")
        assert read_file(tmp_path, state("a/b.md"), 4) == b"\xff\r\n\0"

    def test_empty_file(self, tmp_path):
        plant(tmp_path, files={"a.md": ""})
        assert read_file(tmp_path, state("a.md"), 0) == b""

    def test_link_in_the_place_of_the_file(self, tmp_path):
        plant(tmp_path, "outside.md", "root/")
        (tmp_path / "root" / "a.md").symlink_to("../outside.md")
        with pytest.raises(OSError, match=r"a\.md") as caught:
            read_file(tmp_path / "root", state("a.md"), 10)
        assert caught.value.errno == errno.ELOOP

    def test_link_in_the_place_of_a_directory(self, tmp_path):
        plant(tmp_path, "root/a/b/c.md", "outside/b/c.md")
        shutil.rmtree(tmp_path / "root/a")
        (tmp_path / "root/a").symlink_to("../outside")
        with pytest.raises(OSError, match="a"):
            read_file(tmp_path / "root", state("a/b/c.md"), 10)

    def test_fifo_in_the_place_of_the_file_does_not_block(self, tmp_path):
        os.mkfifo(tmp_path / "a.md")
        with pytest.raises(OSError, match="not a regular file"):
            read_file(tmp_path, state("a.md"), 10)

    @pytest.mark.parametrize("path", ["gone.md", "gone/a.md", "a.md/b.md"])
    def test_vanished(self, tmp_path, path):
        plant(tmp_path, "a.md")
        with pytest.raises((FileNotFoundError, NotADirectoryError)):
            read_file(tmp_path, state(path), 10)

    def test_limit_holds_whatever_the_walk_saw(self, tmp_path):
        plant(tmp_path, files={"a.md": "x" * 11})
        assert len(read_file(tmp_path, state("a.md"), 11)) == 11
        with pytest.raises(OSError, match="too large") as caught:
            read_file(tmp_path, state("a.md"), 10)
        assert caught.value.errno == errno.EFBIG

    def test_file_that_grows_while_it_is_read(self, tmp_path, monkeypatch):
        path = plant(tmp_path, "a.md") / "a.md"
        real = os.read

        def growing(descriptor, count):
            data = real(descriptor, min(count, 100))
            with path.open("ab") as file:
                file.write(b"x" * 100)
            return data

        monkeypatch.setattr(os, "read", growing)
        with pytest.raises(OSError, match="too large"):
            read_file(tmp_path, state("a.md"), 1000)

    def test_no_descriptor_is_left_open(self, tmp_path):
        plant(tmp_path, "a/b.md")
        before = open_descriptors()
        for path in ("a/b.md", "a/gone.md", "gone/b.md", "a/b.md/c"):
            try:
                read_file(tmp_path, state(path), 0)
            except OSError:
                continue
        assert open_descriptors() == before


class TestLoad:
    def test_bytes_or_why_not(self, tmp_path):
        plant(tmp_path, files={"a.md": "text", "b": "a\0b", "c": KEY, "d.md": "12345678901"})
        assert load(tmp_path, state("a.md"), 1000) == b"text"
        assert load(tmp_path, state("b"), 1000) == Skipped("b", Reason.BINARY)
        assert load(tmp_path, state("c"), 1000) == Skipped("c", Reason.SECRET)
        assert load(tmp_path, state("c"), 1000, secrets=True) == KEY.encode()
        assert load(tmp_path, state("d.md"), 10) == Skipped("d.md", Reason.TOO_LARGE, "more than 10 bytes")
        with pytest.raises(FileNotFoundError):
            load(tmp_path, state("e.md"), 10)

    def test_only_the_head_of_a_binary_file_is_read(self, tmp_path, monkeypatch):
        (tmp_path / "a").write_bytes(b"\0" * (8 << 20))
        real, counts = os.read, []

        def counting(descriptor, count):
            data = real(descriptor, count)
            counts.append(len(data))
            return data

        monkeypatch.setattr(os, "read", counting)
        assert load(tmp_path, state("a"), 16 << 20) == Skipped("a", Reason.BINARY)
        assert counts == [8192]


class TestBinary:
    @pytest.mark.parametrize(
        "data",
        [
            b"",
            b"text\n",
            "na\u00efve \u4e2d\u6587".encode(),
            "na\u00efve".encode("latin-1"),
            "\u4e2d\u6587".encode("gb18030"),
            "\u65e5\u672c\u8a9e".encode("iso2022_jp"),
            "\u0440\u0443\u0441\u0441\u043a\u0438\u0439".encode("cp1251"),
            b"\x1b[31mred\x1b[0m\r\n\f",
            b"\xef\xbb\xbftext",
            *("a\u4e2d\U0001f600".encode(encoding) for encoding in ("utf-16", "utf-32")),
            b"\xfe\xff" + "a\u4e2d\U0001f600".encode("utf-16-be"),
            b"\x00\x00\xfe\xff" + "a\u4e2d".encode("utf-32-be"),
            b"\xff\xfe" + ("\U0001f600" * 5000).encode("utf-16-le") + b"\x00\xd8",
            b"x" * 9000 + b"\0",
        ],
    )
    def test_text(self, data):
        assert not is_binary(data)

    @pytest.mark.parametrize(
        "data",
        [
            b"a\0b",
            b"%PDF-1.7\n",
            b"\x89PNG\r\n\x1a\n",
            b"PK\x03\x04",
            b"\x1f\x8b\x08",
            b"\xff\xfe\x00\xd8a\x00\x00\x00",
            b"\xff\xfb\x90\x44\x00",
            bytes(range(1, 32)) * 4,
            "text".encode("utf-16-le"),
            b"\xff\xfe" + b"\x01\x00\x02\x00" * 100,
        ],
    )
    def test_no_text(self, data):
        assert is_binary(data)


def test_size_limits():
    assert {size_limit(path) for path in ("a.py", "b/C.JS", "x.vhd")} == {1 << 20}
    assert {size_limit(path) for path in ("a.md", "a.json", "Makefile", ".py", "a.log", "py")} == {16 << 20}


class TestPrivateKeys:
    @pytest.mark.parametrize("kind", ["RSA ", "EC ", "DSA ", "ENCRYPTED ", "OPENSSH ", "", "SSH2 ENCRYPTED "])
    def test_key_is_known_by_its_first_line(self, kind):
        data = f"\ufeff\n-----BEGIN {kind}PRIVATE KEY-----\nMIIE\n".encode()
        assert content_reason("notes.md", data) is Reason.SECRET
        assert content_reason("notes.md", data, secrets=True) is None

    @pytest.mark.parametrize("data", [b"-----BEGIN PGP PRIVATE KEY BLOCK-----\n", b"PuTTY-User-Key-File-2: ssh-rsa\n"])
    def test_other_formats(self, data):
        assert content_reason("key", data) is Reason.SECRET

    def test_key_inside_data(self):
        text = 'key: |\n  -----BEGIN PRIVATE KEY-----\n  MIIE\njson: {"k": "-----BEGIN PRIVATE KEY-----\\nMIIE"}\n'
        assert content_reason("secret.yaml", text.encode()) is Reason.SECRET
        assert content_reason("noextension", text.encode()) is Reason.SECRET

    @pytest.mark.parametrize("path", ["howto.md", "test_keys.py", "a/B.RST"])
    def test_prose_and_code_may_show_one(self, path):
        assert content_reason(path, f"# Keys\n\n```\n{KEY}```\n".encode()) is None

    @pytest.mark.parametrize(
        "text", ["-----BEGIN PUBLIC KEY-----\n", "-----BEGIN CERTIFICATE-----\n", "a PRIVATE KEY is"]
    )
    def test_what_is_no_private_key(self, text):
        assert content_reason("x", text.encode()) is None
