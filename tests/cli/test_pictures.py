"""The pictures of the README show what the commands show."""

from __future__ import annotations

import re

from drawing import PICTURES, PLACE, drawn, plain, screens
from runner import SOURCE


def test_pictures_are_what_the_commands_show():
    """Drawn anew by `python tests/drawing.py`."""
    for name, shown in screens():
        assert plain((PLACE / name).read_text("utf-8")) == plain(drawn(name, shown))


def test_pictures_are_in_the_readme_and_ask_no_server():
    readme = (SOURCE / "README.md").read_text("utf-8")
    for name in PICTURES:
        assert f"tests/pictures/{name}" in readme
        addresses = set(re.findall(r"https?://[^\"\s)]+", (PLACE / name).read_text("utf-8")))
        assert addresses <= {"http://www.w3.org/2000/svg", "https://www.textualize.io"}
