"""Keeps DuckDB from importing pandas, in processes that run no code of users."""

from __future__ import annotations

import sys

__all__ = ["leave_pandas_out"]


def leave_pandas_out() -> None:
    """Prevent DuckDB from importing pandas, which takes half a second, and searching for it, which it does twice per
    parameter of each statement. Later imports of pandas fail at once."""
    sys.modules.setdefault("pandas", None)  # type: ignore[arg-type]
