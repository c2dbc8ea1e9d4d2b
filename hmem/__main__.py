"""The `hmem` command, also as `python -m hmem`."""

from __future__ import annotations


def main() -> None:
    """Run the command line and exit."""
    from hmem.cli.app import run

    run()


if __name__ == "__main__":
    main()
