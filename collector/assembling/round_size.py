"""Adjusts how many traces are assembled in one round."""

from __future__ import annotations

from typing import Final

__all__ = ["RoundSize"]

FEWEST: Final = 200
_MOST: Final = 4_000
_ROUND_S: Final = 0.5


class RoundSize:
    """The number of `traces` to assemble in one round, so that it takes about half a second.

    That is a few hundred runs, or thousands of traces without one. New arrivals wait no longer than that.
    """

    def __init__(self) -> None:
        self.traces = FEWEST

    def took(self, seconds: float, *, traces: int) -> None:
        """Adjust the number of traces to a round that took `seconds` for `traces`."""
        if seconds > _ROUND_S:
            self.traces = max(FEWEST, int(traces * _ROUND_S / seconds))
        elif seconds < _ROUND_S / 2 and traces >= self.traces:
            self.traces = min(_MOST, 2 * self.traces)
