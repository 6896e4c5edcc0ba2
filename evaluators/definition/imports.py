"""Whether this process imports functions that a configuration names.

These modules are user code, and a configuration may be in any folder. Only a process that evaluates needs them;
commands that read scores do not.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

__all__ = ["NotImported", "ensure_allowed", "forbidden"]

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
