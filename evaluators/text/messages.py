"""Phrases that evaluators share, so that the same finding always reads the same.

Explanations name tools, parameters and rules, never the values that were passed or returned: scores outlive content.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

__all__ = ["NO_CALLS", "NO_EXPECTATION", "counted", "differences", "listed", "shortened", "were"]

NO_CALLS: Final = "the agent called no tools"
NO_EXPECTATION: Final = "no expected tool calls"


def counted(number: int, noun: str) -> str:
    """Return the number with its noun: `1 call`, `3 calls`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def listed(names: Sequence[str], most: int = 3) -> str:
    """Return the names as a list of at most `most`: `a, b, c and 4 more`."""
    shown = ", ".join(names[:most])
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown


def shortened(text: str, most: int) -> str:
    """Return `text`, cut to `most` characters of which the last is `…` if it is longer."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def were(number: int) -> str:
    """Return `was` for one, else `were`."""
    return "was" if number == 1 else "were"


def differences(
    altered: Sequence[str], *, missing: Sequence[str], unexpected: Sequence[str], is_any_expected: bool
) -> list[str]:
    """Return texts about calls without a partner, by tool names. Names in `altered` are in both other lists, too."""
    count = len(set(altered))
    faults = [f"{listed(list(dict.fromkeys(altered)))} {were(count)} called with other arguments"] if altered else []
    if lacking := _without(missing, altered):
        faults.append(f"missing: {listed(lacking)}")
    if surplus := _without(unexpected, altered):
        faults.append(f"{'not expected' if is_any_expected else 'no call was expected; called'}: {listed(surplus)}")
    return faults


def _without(names: Sequence[str], others: Sequence[str]) -> list[str]:
    """Return `names` without as many of each, from the front, as there are in `others`."""
    less = Counter(others)
    left = []
    for name in names:
        if less[name]:
            less[name] -= 1
        else:
            left.append(name)
    return left
