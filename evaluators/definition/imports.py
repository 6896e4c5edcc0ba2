"""Whether this process imports functions that a configuration names.

These modules are user code, and a configuration may be in any folder. Only a process that evaluates needs them;
commands that read scores do not. Nor does anything else need pandas.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from types import ModuleType
from typing import Final

__all__ = ["NotImported", "ensure_allowed", "forbidden", "leave_pandas_out", "restore_pandas"]

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


class _WithoutPandas:
    """A finder that finds no pandas."""

    def find_spec(self, name: str, _path: Sequence[str] | None, _target: ModuleType | None = None, /) -> None:
        """Raise ModuleNotFoundError for pandas; leave everything else to other finders."""
        if name == "pandas":
            raise ModuleNotFoundError(name)


_WITHOUT_PANDAS: Final = _WithoutPandas()


def leave_pandas_out() -> None:
    """Let this process take pandas for absent until it imports user code, which may use it.

    Arrow imports pandas with the first array, and DuckDB with the first statement: half a second or more, and 60 MB.
    """
    if _WITHOUT_PANDAS not in sys.meta_path:
        sys.meta_path.insert(0, _WITHOUT_PANDAS)


def restore_pandas() -> None:
    """Let this process import pandas again: user code may do so at any time."""
    with suppress(ValueError):
        sys.meta_path.remove(_WITHOUT_PANDAS)
