"""Priorities of deferred targets. An evaluator evaluates targets with the lowest number first."""

from __future__ import annotations

from typing import Final

__all__ = ["BACKFILL", "DEFERRED"]

DEFERRED: Final = 1
"""The priority of a target that could not be evaluated when it was new. New targets have 0."""

BACKFILL: Final = 2
"""The priority of a past target that a backfill requested."""
