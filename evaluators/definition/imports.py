"""Whether this process imports functions that a configuration names.

These modules are user code, and a configuration may be in any folder. Only a process that evaluates needs them;
commands that read scores do not.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

__all__ = ["NotImported", "ensure_allowed", "forbidden", "restore_pandas"]

_FORBIDDING: Final[list[None]] = []


class NotImported(Exception):  # not a ValueError: the configuration may be right
    """A function was named while imports are forbidden."""


@contextmanager
def forbidden() -> Iterator[None]:
    """Forbid imports of user code in all threads of the process: `ensure_allowed` raises NotImported."""
    _FORBIDDING.append(None)
    try:
        yield
    finally:
        _FORBIDDING.pop()


def ensure_allowed(path: str) -> None:
    """Raise NotImported if the function at `path` may not be imported."""
    if _FORBIDDING:
        raise NotImported(f"{path} is imported only where evaluators run")


def restore_pandas() -> None:
    """Let this process import pandas, even if it has left it out so far: user code may do so at any time."""
    if sys.modules.get("pandas", sys) is None:
        del sys.modules["pandas"]
