"""Programs that only some tests need."""

from __future__ import annotations

import os
import shutil

import pytest

__all__ = ["need"]

_VARIABLE = "TRACEGRADE_REQUIRE"


def need(part: str, *programs: str, packages: str) -> None:
    """Skips the test if a program is not installed; fails it where TRACEGRADE_REQUIRE names the part, as in CI."""
    missing = [program for program in programs if shutil.which(program) is None]
    if not missing:
        return
    reason = f"{' and '.join(missing)} not found (Debian: apt-get install {packages})"
    if part in os.environ.get(_VARIABLE, "").split(","):
        pytest.fail(f"{_VARIABLE} asks for {part}, but {reason}")
    pytest.skip(reason)
