"""How many traces are assembled in one round."""

from __future__ import annotations

from typing import Final

__all__ = ["RoundSize"]

FEWEST: Final = 200
_MOST: Final = 4_000
_ROUND_S: Final = 0.5


class RoundSize:
    """So many traces a round that one takes about half a second: a few hundred runs, or thousands of traces without
    one. Whatever arrives meanwhile waits no longer than that."""

    def __init__(self) -> None:
        self.traces = FEWEST

    def took(self, seconds: float, *, traces: int) -> None:
        """A round of so many traces took so long."""
        if seconds > _ROUND_S:
            self.traces = max(FEWEST, int(traces * _ROUND_S / seconds))
        elif seconds < _ROUND_S / 2 and traces >= self.traces:
            self.traces = min(_MOST, 2 * self.traces)
