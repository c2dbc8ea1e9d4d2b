"""The one place where exceptions become messages and exit codes.

0 found or done · 1 nothing found · 2 error · 130 interrupted. A closed pipe ends quietly with 0.
"""

from __future__ import annotations

import errno
import os
import sys
from typing import Any

import typer
from typer.core import TyperGroup

from hmem.cli.console import message, report_error, silence_stdout
from hmem.errors import HmemError

EXIT_NO_HIT = 1
EXIT_ERROR = 2
EXIT_INTERRUPTED = 130


class Boundary(TyperGroup):
    """The command group that catches what commands raise, from the shell and from tests alike."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command; translate its exceptions."""
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
        except HmemError as error:
            report_error(error)
            raise typer.Exit(error.exit_code) from None
        except KeyboardInterrupt:
            raise typer.Exit(EXIT_INTERRUPTED) from None
        except BrokenPipeError:
            _leave_quietly()
        except OSError as error:
            _report_os_error(error)
        except (typer.Exit, typer.Abort):
            _flush()
            raise
        except Exception as error:
            _report_bug(error)
        return result


def _flush() -> None:
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _leave_quietly()
    except OSError as error:
        _report_os_error(error)


def _leave_quietly() -> None:
    silence_stdout()
    raise typer.Exit(0)


def _report_os_error(error: OSError) -> None:
    if error.errno == errno.EPIPE:
        _leave_quietly()
    if os.environ.get("HMEM_DEBUG"):
        raise error
    where = f": `{error.filename}`" if error.filename else ""
    message("error", f"{(error.strerror or str(error)).lower()}{where}")
    silence_stdout()
    raise typer.Exit(EXIT_ERROR) from None


def _report_bug(error: Exception) -> None:
    """Say that hmem is at fault, in one line; with `HMEM_DEBUG` show where."""
    if _is_usage_error(error) or os.environ.get("HMEM_DEBUG"):
        raise error
    message("error", f"this is a bug in hmem: {type(error).__name__}: {error}")
    message("hint", "run again with `HMEM_DEBUG=1` and report what it prints")
    raise typer.Exit(EXIT_ERROR) from None


def _is_usage_error(error: Exception) -> bool:
    """Whether Typer itself will show `error` (a bad option or argument) with exit code 2."""
    return hasattr(error, "exit_code") and hasattr(error, "show")
