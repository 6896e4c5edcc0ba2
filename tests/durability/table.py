"""The table at the end: a line a quantity, a column a part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields

from .part import Counts, Found

__all__ = ["Tally", "lines"]

_TITLE, _COLUMN = 30, 12


@dataclass
class Tally:
    """What all trials of a part came to."""

    name: str
    trials: int = 0
    counts: Counts = field(default_factory=Counts)
    faulty_trials: int = 0

    def add(self, found: Found) -> None:
        self.trials += 1
        self.counts += found.counts
        self.faulty_trials += bool(found.faults or found.counts.faults)

    @property
    def is_faulty(self) -> bool:
        return self.faulty_trials > 0


def lines(tallies: Sequence[Tally]) -> Iterator[str]:
    """The table; what must be zero stands below a line, and is marked where it is not."""
    yield _line("", [tally.name for tally in tallies], "all")
    yield _numbers("trials", [tally.trials for tally in tallies])
    rows = {one: [getattr(tally.counts, one.name) for tally in tallies] for one in fields(Counts)}
    for one, numbers in rows.items():
        if not one.metadata.get("zero") and any(numbers):
            yield _numbers(one.metadata["title"], numbers)
    yield "must be zero".ljust(_TITLE, "-") + "-" * _COLUMN * (len(tallies) + 1)
    for one, numbers in rows.items():
        if one.metadata.get("zero"):
            yield _numbers(one.metadata["title"], numbers) + ("   <--" if any(numbers) else "")
    faulty = [tally.faulty_trials for tally in tallies]
    yield _numbers("trials with a fault", faulty) + ("   <--" if any(faulty) else "")


def _numbers(title: str, numbers: Sequence[int]) -> str:
    return _line(title, [f"{number:,}" for number in numbers], f"{sum(numbers):,}")


def _line(title: str, cells: Sequence[str], total: str) -> str:
    return title.ljust(_TITLE) + "".join(cell.rjust(_COLUMN) for cell in (*cells, total))
