"""In which order an evaluator gets to what is due: the lowest first."""

from __future__ import annotations

from typing import Final

__all__ = ["BACKFILL", "DEFERRED"]

DEFERRED: Final = 1
"""What it could not judge when it was new, which has 0."""

BACKFILL: Final = 2
"""What somebody asked for of the past."""
