"""`python -m hmem.cli.completion DIRECTORY`: write the scripts of all shells."""

from __future__ import annotations

import sys
from pathlib import Path

from hmem.cli.completion.scripts import SHELLS, script

directory = Path(sys.argv[1] if len(sys.argv) > 1 else "completions")
directory.mkdir(exist_ok=True)
for shell, name in SHELLS.items():
    (directory / name).write_text(script(shell), "utf-8")
