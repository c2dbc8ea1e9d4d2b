"""Doing without root's right to read and write everything, so that the permissions of files hold for it too."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

# capset(2): version 3 takes two sets of (effective, permitted, inheritable).
_VERSION = 0x20080522
_OVERRIDE = 1 << 1 | 1 << 2  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
_Header = ctypes.c_uint32 * 2
_Sets = ctypes.c_uint32 * 6


@contextmanager
def permissions_hold() -> Iterator[None]:
    """Make permissions hold for this thread, and those that it starts, inside the block."""
    if os.geteuid() != 0:
        yield
        return
    if not sys.platform.startswith("linux"):
        pytest.skip("root reads everything")
    libc = ctypes.CDLL(None, use_errno=True)
    header, before = _Header(_VERSION, 0), _Sets()
    assert libc.capget(header, before) == 0
    without = _Sets(*before)
    without[0] &= ~_OVERRIDE
    assert libc.capset(header, without) == 0
    try:
        yield
    finally:
        assert libc.capset(header, before) == 0
