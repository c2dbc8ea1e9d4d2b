"""The `hmem` command, also as `python -m hmem`."""

from __future__ import annotations

import gc
import os
import sys

EXIT_INTERRUPTED = 130


def main() -> None:
    """Run the command line and exit; what a shell asks at a TAB takes a shorter way.

    So does a search that a resident server answers.
    """
    words = sys.argv[1:]
    try:
        if words[:1] == ["__complete"]:
            from hmem.cli.completion.words import main as complete

            complete(words[1:])
            return
        from hmem.resident.client import answered

        if (code := answered(words)) is None:
            if words[:1] == ["search"] and not {"--batch", "--refresh"}.intersection(words):
                gc.disable()  # all that is loaded stays: looking for garbage among it takes a tenth of the time
            from hmem.cli.quick import run

            code = run()
    except KeyboardInterrupt:  # while still loading
        sys.exit(EXIT_INTERRUPTED)
    if "multiprocessing" in sys.modules or "HMEM_DEBUG" in os.environ:
        sys.exit(code)
    os._exit(code)  # all is written and closed; taking apart what is loaded would take a tenth of a search


if __name__ == "__main__":
    main()
