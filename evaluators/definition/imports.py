"""Whether this process imports functions that a configuration names.

Their modules are anybody's code, and a configuration may lie in any folder. Only who evaluates needs them: who reads
what was evaluated does without.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

__all__ = ["NotImported", "ensure_allowed", "forbidden"]

_FORBIDDING: Final[list[None]] = []


class NotImported(Exception):  # no ValueError: it says nothing of what is configured
    """A function is named where none is imported."""


@contextmanager
def forbidden() -> Iterator[None]:
    """While it lasts nothing is imported, in whichever thread: what needs a function raises NotImported."""
    _FORBIDDING.append(None)
    try:
        yield
    finally:
        _FORBIDDING.pop()


def ensure_allowed(path: str) -> None:
    """Raises NotImported where the function at `path` may not be imported."""
    if _FORBIDDING:
        raise NotImported(f"{path} is imported only where evaluators run")
