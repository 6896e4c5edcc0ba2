"""Readers of other systems' formats of runs and references, one module for each format.

Input that cannot be read raises a ValueError that names the place; nothing is guessed.
"""

from __future__ import annotations

from typing import Final

__all__ = ["CALLS_NOT_RECORDED"]

CALLS_NOT_RECORDED: Final = "tool_calls_not_recorded"
"""The gap of a run without a record of its tool calls, which is different from a run without calls."""
