"""Whether a file is text, and how large it may be. Pure."""

from __future__ import annotations

import re

from hmem.discover.wordlist import word_set

HEAD = 8192
"""Bytes at the start of a file that decide whether it is binary (git and grep look as far)."""

CODE_LIMIT = 1 << 20
TEXT_LIMIT = 16 << 20
"""Bytes. Larger source files are generated or minified; prose, data and logs may be long."""

_CODE = word_set(
    """
    .py .pyi .pyx .js .mjs .cjs .jsx .ts .mts .cts .tsx .vue .svelte .css .scss .sass .less .go .rs .c .h .cc .cpp
    .cxx .hh .hpp .hxx .inl .cu .cuh .cs .fs .fsx .fsi .vb .java .kt .kts .scala .sc .groovy .gradle .clj .cljs
    .cljc .edn .swift .m .mm .rb .erb .rake .php .pl .pm .t .lua .ex .exs .erl .hrl .hs .lhs .elm .ml .mli .re .rei
    .dart .zig .nim .jl .r .f .f90 .f95 .pas .pp .d .v .sv .vhd .vhdl .ada .adb .ads .asm .s .sh .bash .zsh .fish
    .ps1 .psm1 .bat .cmd .sql .el .lisp .lsp .scm .rkt .tcl .coffee .proto .thrift .graphql .gql .tf .hcl .nix
    .cmake .mk .bzl .sol .wat .glsl .hlsl .wgsl .vim .awk .sed
    """
)

# Never text, so not worth opening. Formats that are sometimes text (.ts, .key, .dat, .m) are left to the sniffing.
_BINARY = word_set(
    """
    .png .jpg .jpeg .jpe .gif .bmp .ico .icns .webp .avif .heic .heif .tif .tiff .psd .xcf .cr2 .nef .dng .mp3 .mp4
    .m4a .m4v .mkv .mov .avi .wmv .flv .webm .mpg .mpeg .ogg .oga .ogv .opus .flac .wav .aac .mid .midi .zip .gz
    .tgz .bz2 .tbz .xz .txz .zst .lz4 .lzma .7z .rar .tar .jar .war .ear .whl .egg .apk .ipa .aab .deb .rpm .dmg
    .iso .vmdk .qcow2 .cab .msi .exe .dll .so .dylib .a .o .obj .lib .ko .class .pyc .pyo .pyd .elc .beam .wasm
    .node .nupkg .gem .crate .ttf .otf .woff .woff2 .eot .pdf .docx .xls .xlsx .ppt .pptx .odt .ods .odp .pages
    .numbers .epub .mobi .sqlite .sqlite3 .mdb .accdb .parquet .feather .arrow .orc .npy .npz .h5 .hdf5 .pkl .pickle
    .pt .pth .onnx .safetensors .gguf .tflite .usearch .swp .swo .blend .fbx .glb .stl .dwg .mo .pack
    """
)

_MAGIC = (
    b"%PDF-", b"\x89PNG", b"\xff\xd8\xff", b"GIF87a", b"GIF89a", b"PK\x03\x04", b"\x1f\x8b", b"BZh", b"\xfd7zXZ",
    b"\x28\xb5\x2f\xfd", b"7z\xbc\xaf", b"Rar!", b"\x7fELF", b"\xca\xfe\xba\xbe", b"\xcf\xfa\xed\xfe", b"OggS", b"ID3",
    b"fLaC", b"wOFF", b"wOF2", b"SQLite format 3",
)  # fmt: skip

# The marks of the longer encodings come first: the shorter ones are their beginnings.
_WIDE = (
    (b"\xff\xfe\x00\x00", "utf-32-le"),
    (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)
_CONTROL = bytes(sorted(set(range(32)) - set(b"\t\n\v\f\r\b\x1b") | {127}))
_WIDE_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\ufffe\uffff]")
_MAX_CONTROL = 0.1  # text with terminal escapes stays below, compressed or packed data above


def extension(path: str) -> str:
    """Return the lower-case extension of `path` with its dot, "" without any; `.name` has none."""
    name = path[path.rfind("/") + 1 :]
    dot = name.rfind(".")
    return name[dot:].lower() if dot > 0 else ""


def is_binary_name(path: str) -> bool:
    """Return whether the extension alone says that the file is no text."""
    return extension(path) in _BINARY


def size_limit(path: str) -> int:
    """Return the largest size in bytes that is indexed: 1 MiB for source code, 16 MiB for anything else."""
    return CODE_LIMIT if extension(path) in _CODE else TEXT_LIMIT


def is_binary(head: bytes) -> bool:
    """Return whether a file that starts with `head` is no text. Only the first 8,192 bytes are looked at.

    A NUL makes a file binary, unless a byte-order mark says UTF-16 or UTF-32 and the rest agrees; so do the first
    bytes of a known format, and more than a tenth of control characters.
    """
    head = head[:HEAD]
    for mark, encoding in _WIDE:
        if head.startswith(mark) and _is_wide_text(head[len(mark) :], encoding):
            return False
    if b"\0" in head or head.startswith(_MAGIC):
        return True
    return len(head) - len(head.translate(None, _CONTROL)) > _MAX_CONTROL * len(head)


def _is_wide_text(data: bytes, encoding: str) -> bool:
    """Return whether `data` decodes; a character cut off at the end of the head does not count against it."""
    unit = 4 if "32" in encoding else 2
    data = data[: len(data) // unit * unit]
    for cut in (0, unit):
        try:
            text = data[: len(data) - cut].decode(encoding)
        except UnicodeDecodeError:
            continue
        return len(_WIDE_CONTROL.findall(text)) <= _MAX_CONTROL * len(text)
    return False
