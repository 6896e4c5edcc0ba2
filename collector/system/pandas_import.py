"""Keeps DuckDB and Arrow from importing pandas where nobody asks for it: it takes half a second or more, and 60 MB."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from types import ModuleType

import pyarrow as pa

__all__ = ["defer_pandas", "leave_pandas_out"]


def defer_pandas() -> None:
    """Let Arrow take pandas for absent, which it imports with its first array.

    Code that asks Arrow for a DataFrame still gets one: it searches again then.
    """
    absent = _Absent()
    sys.meta_path.insert(0, absent)
    try:
        pa.array([])
    finally:
        sys.meta_path.remove(absent)


def leave_pandas_out() -> None:
    """Let every import of pandas fail until code of users is imported, which may use it.

    DuckDB imports it with the first statement, and where it is not installed searches for it twice per parameter. Call
    it before anything is converted to Arrow, which imports pandas as well.
    """
    defer_pandas()  # Arrow takes a module that is None for pandas, unless it has found it absent
    sys.modules.setdefault("pandas", None)  # type: ignore[arg-type]


class _Absent:
    """A finder that finds no pandas."""

    def find_spec(self, name: str, _path: Sequence[str] | None, _target: ModuleType | None = None, /) -> None:
        """Raise ModuleNotFoundError for pandas; leave everything else to other finders."""
        if name == "pandas":
            raise ModuleNotFoundError(name)
