"""Names the records of files that cannot be read, on stderr."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Final

from tracegrade.evaluators.formats.imported import RecordFault
from tracegrade.evaluators.text.messages import counted

from ..errors import Fault
from .console import complain

__all__ = ["FaultReport"]

_NAMED: Final = 20
_LEFT_OUT: Final = 1


class FaultReport:
    """Prints the first faults of each file, and counts them all."""

    def __init__(self) -> None:
        self._counts: Counter[Path] = Counter()

    def __bool__(self) -> bool:
        return bool(self._counts)

    def add(self, path: Path, fault: RecordFault) -> None:
        self._counts[path] += 1
        if self._counts[path] <= _NAMED:
            place = f"{fault.place}: " if fault.place else ""
            complain(f"{path}: {place}{fault.reason}")

    def conclude(self, code: int = 0) -> int:
        """Print how many faults were not named; return the exit code: 1 instead of 0 if there are faults."""
        self._print_rest()
        return code or (_LEFT_OUT if self._counts else 0)

    def refuse(self) -> None:
        """Raise Fault if there are faults: nothing of the files is used."""
        if not self._counts:
            return
        self._print_rest()
        records = counted(self._counts.total(), "record")
        raise Fault(f"{records} cannot be read, so nothing is stored, as --strict asks for")

    def _print_rest(self) -> None:
        for path, count in self._counts.items():
            if count > _NAMED:
                complain(f"{path}: {counted(count - _NAMED, 'further record')} cannot be read")
