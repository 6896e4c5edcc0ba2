"""Several workbenches as one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from queue import LifoQueue

from tracegrade.evaluators.ports import Findings, Pass
from tracegrade.evaluators.registry import Configured
from tracegrade.evaluators.verdict import Target, Verdict

from .workbench import Workbench

__all__ = ["Pool"]


class Pool:
    """Whoever comes is given one that is free, the one that was used last, so that there are no more workers than are
    needed; whoever finds none waits."""

    def __init__(self, workbenches: Sequence[Workbench]) -> None:
        self.workbenches = tuple(workbenches)
        self._free: LifoQueue[Workbench] = LifoQueue()
        for workbench in workbenches:
            self._free.put(workbench)

    def evaluate(self, targets: Sequence[Target], evaluators: Sequence[Configured]) -> Sequence[Verdict]:
        """As one of them does."""
        with self._taken() as workbench:
            return workbench.evaluate(targets, evaluators)

    def ask(self, this: Pass, targets: Sequence[Target], evaluators: Sequence[Configured]) -> Findings:
        """As one of them does."""
        with self._taken() as workbench:
            return workbench.ask(this, targets, evaluators)

    @contextmanager
    def _taken(self) -> Iterator[Workbench]:
        workbench = self._free.get()
        try:
            yield workbench
        finally:
            self._free.put(workbench)
