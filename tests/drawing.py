"""Draws the pictures of the README: real commands on a terminal, in a copy of `tests/demo`, as SVG by Rich.

`python tests/drawing.py` writes them to `tests/pictures`.
"""

from __future__ import annotations

import io
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from html import unescape
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

from runner import SETTLED, SOURCE, hmem
from terminal import on_terminal

PLACE = Path(__file__).parent / "pictures"
COLUMNS = 84
HOME = "/home/you"
PICTURES = {
    "explain.svg": ("search", "how do clients retry", "-k", "2", "--explain"),
    "status.svg": ("status",),
}
_VOLATILE = re.compile(r"\d+(\.\d+)?(?= ?ms\b)|\d{4}-\d\d-\d\d|\d\d:\d\d:\d\d|\d+(\.\d+)? [KM]iB|\d+\.\d+")
_FONT = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)
"""Rich names a font on a server; a picture of ours asks nobody for anything."""


def screens() -> Iterator[tuple[str, str]]:
    """Yield the name of each picture and what its terminal shows."""
    with tempfile.TemporaryDirectory(dir="/tmp") as place:  # a short path, so that nothing of it is left out
        yield from _screens(Path(place))


def _screens(place: Path) -> Iterator[tuple[str, str]]:
    demo = shutil.copytree(SOURCE / "tests" / "demo", place / "demo")
    for path in demo.rglob("*.*"):
        os.utime(path, (SETTLED, SETTLED))
    (demo / "notes" / "photo.jpg").write_bytes(b"\xff\xd8\xff")
    own = {"HMEM_DATA_DIR": str(place / ".local/share/hmem"), "HMEM_CONFIG_DIR": str(place / ".config/hmem")}
    hmem("index", "wiki", "notes", "src", cwd=demo, **own)
    for name, command in PICTURES.items():
        code, shown = on_terminal(*command, cwd=demo, columns=COLUMNS, NO_COLOR="", COLUMNS="", **own)
        assert code == 0, shown
        yield name, shown.replace(str(place.resolve()), HOME)


def drawn(name: str, shown: str) -> str:
    """Return the SVG of a command and what it showed."""
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    words = (f'"{word}"' if " " in word else word for word in PICTURES[name])
    console.print(Text.assemble(("$ ", "dim"), "hmem ", " ".join(words)))
    console.print(Text.from_ansi(shown.rstrip()))
    title = f"hmem {PICTURES[name][0]}"
    return _FONT.sub("", console.export_svg(title=title, theme=MONOKAI, unique_id=Path(name).stem))


def plain(svg: str) -> str:
    """Return the words that a picture shows, in their order, without what changes from run to run."""
    texts = re.findall(r"<text class=\"[^\"]*-r\d[^>]*>([^<]*)</text>", svg)
    return _VOLATILE.sub("#", " ".join(unescape(" ".join(texts)).split()))


def main() -> None:
    """Draw those that no longer show what their commands show."""
    for name, shown in screens():
        path, picture = PLACE / name, drawn(name, shown)
        if not path.exists() or plain(path.read_text("utf-8")) != plain(picture):
            path.write_text(picture, "utf-8")


if __name__ == "__main__":
    main()
