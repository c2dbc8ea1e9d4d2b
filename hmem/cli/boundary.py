"""The one place where exceptions become messages and exit codes. Loads no part of Typer.

0 found or done · 1 nothing found · 2 error · 130 interrupted. A closed pipe ends quietly with 0.
"""

from __future__ import annotations

import errno
import os
import sys
from typing import TYPE_CHECKING

from hmem.cli.console import hint, message, report_error, silence_stdout
from hmem.errors import HmemError

if TYPE_CHECKING:
    from collections.abc import Callable

EXIT_NO_HIT = 1
EXIT_ERROR = 2
EXIT_INTERRUPTED = 130
DEBUG = "HMEM_DEBUG"
"""With this variable (or `hmem --debug`) an exception is shown with its traceback."""


def of_bug(error: Exception) -> int:
    """Report an exception that nobody expected; return the exit code."""
    _show_origin(error)
    if isinstance(error, MemoryError):
        message("error", "out of memory")
        return _flushed(EXIT_ERROR)
    message("error", f"this is a bug in hmem: {type(error).__name__}: {error}")
    hint(f"run again with `{DEBUG}=1` and report what it prints")
    return _flushed(EXIT_ERROR)


def guarded(run: Callable[[], int], of_unexpected: Callable[[Exception], int] = of_bug) -> int:
    """Call `run` and flush; return its exit code, or that of what it raised, which is reported."""
    try:
        code = run()
        sys.stdout.flush()
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except OSError as error:
        return _of_os_error(error)
    except HmemError as error:
        _show_origin(error)
        report_error(error)
        return _flushed(error.exit_code)
    except Exception as error:
        return of_unexpected(error)
    return code


def _flushed(code: int) -> int:
    """Write out what was printed before an error; return `code`."""
    try:
        sys.stdout.flush()
    except OSError:
        silence_stdout()
    return code


def _of_os_error(error: OSError) -> int:
    if error.errno == errno.EPIPE:
        silence_stdout()
        return 0
    _show_origin(error)
    where = f": `{os.fsdecode(error.filename)}`" if error.filename else ""
    message("error", f"{(error.strerror or str(error)).lower()}{where}")
    silence_stdout()
    return EXIT_ERROR


def _show_origin(error: Exception) -> None:
    """Write the traceback if the user asked for it."""
    if os.environ.get(DEBUG):
        import traceback

        traceback.print_exception(error)
