"""A pool of workbenches with the interface of one, for evaluators that may hang."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from queue import LifoQueue
from typing import Any

from tracegrade.evaluators.definition.registry import Configured
from tracegrade.evaluators.definition.score_record import ScoreRecord
from tracegrade.evaluators.ports import Evaluated, EvaluationPass, OnScores

from ..records.arrow_batch import Batch
from .client import Workbench
from .process import WorkerLost

__all__ = ["Pool"]


class Pool:
    """Evaluates in a free workbench, or waits for one.

    Each call has one evaluator: each lane that shares a pool has one.

    The free workbench that was used last is preferred, so that no more workers start than are needed. An evaluator that
    crashed a worker may not occupy the last free one until it succeeds again.
    """

    def __init__(self, workbenches: Sequence[Workbench]) -> None:
        self._free: LifoQueue[Workbench] = LifoQueue()
        for workbench in workbenches:
            self._free.put(workbench)
        self._aside = threading.Semaphore(max(1, len(workbenches) - 1))
        self._suspects: set[str] = set()

    def evaluate(self, targets: Batch[Any], evaluators: Sequence[Configured]) -> Sequence[ScoreRecord]:
        """Evaluate as `Workbench.evaluate` does, for one evaluator."""
        [name] = [evaluator.name for evaluator in evaluators]
        with self._aside if name in self._suspects else nullcontext(), self._taken() as workbench:
            try:
                scores = workbench.attempt(targets, evaluators)
            except WorkerLost as error:
                lost = error
            else:
                self._suspects.discard(name)
                return scores
        self._suspects.add(name)
        with self._aside, self._taken() as workbench:
            return workbench.without_culprits(targets, evaluators, lost=lost)

    def ask(
        self,
        evaluation_pass: EvaluationPass,
        targets: Batch[Any],
        evaluators: Sequence[Configured],
        on_scores: OnScores,
    ) -> Evaluated:
        """Ask as `Workbench.ask` does."""
        with self._taken() as workbench:
            return workbench.ask(evaluation_pass, targets, evaluators, on_scores)

    @contextmanager
    def _taken(self) -> Iterator[Workbench]:
        workbench = self._free.get()
        try:
            yield workbench
        finally:
            self._free.put(workbench)
