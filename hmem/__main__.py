"""The `hmem` command, also as `python -m hmem`."""

from __future__ import annotations

import sys

EXIT_INTERRUPTED = 130


def main() -> None:
    """Run the command line and exit; what a shell asks at a TAB takes a shorter way.

    So does a search that a resident server answers.
    """
    try:
        if sys.argv[1:2] == ["__complete"]:
            from hmem.cli.completion.words import main as complete

            complete(sys.argv[2:])
            return
        from hmem.resident.client import answered

        if (code := answered(sys.argv[1:])) is not None:
            sys.exit(code)
        from hmem.cli.app import run

        run()
    except KeyboardInterrupt:  # while still loading
        sys.exit(EXIT_INTERRUPTED)


if __name__ == "__main__":
    main()
