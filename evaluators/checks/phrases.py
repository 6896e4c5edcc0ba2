"""The few words that the checks share, so that the same thing is always said in the same way.

Explanations name tools, parameters and rules, never the values that were passed or returned: scores outlive content.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

__all__ = ["NO_CALLS", "NO_EXPECTATION", "counted", "listed"]

NO_CALLS: Final = "the agent called no tools"
NO_EXPECTATION: Final = "no expected tool calls"


def counted(number: int, noun: str) -> str:
    """`1 call`, `3 calls`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def listed(names: Sequence[str], most: int = 3) -> str:
    """`a, b, c and 4 more`."""
    shown = ", ".join(names[:most])
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown
