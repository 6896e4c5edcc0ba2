"""Computes the scores of SQL evaluators in the store, and those of all other evaluators in a worker."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tracegrade.evaluators.definition.registry import Configured
from tracegrade.evaluators.definition.score_record import ScoreRecord
from tracegrade.evaluators.ports import Evaluated, EvaluationPass, OnScores, Workbench

from ..records.arrow_batch import Batch
from ..store.ledger.sql_evaluators import SqlWorkbench

__all__ = ["WorkbenchByKind"]


class WorkbenchByKind:
    """Implements `evaluators.ports.Workbench` with one workbench for queries and one for all other evaluators."""

    def __init__(self, queries: SqlWorkbench, others: Workbench[Batch[Any]]) -> None:
        self._queries = queries
        self._others = others

    def evaluate(self, targets: Batch[Any], evaluators: Sequence[Configured]) -> Sequence[ScoreRecord]:
        """Apply evaluators, all of one kind, to each target."""
        if evaluators[0].kind == "sql":
            return self._queries.evaluate(targets, evaluators)
        return self._others.evaluate(targets, evaluators)

    def ask(
        self,
        evaluation_pass: EvaluationPass,
        targets: Batch[Any],
        evaluators: Sequence[Configured],
        on_scores: OnScores,
    ) -> Evaluated:
        """Apply evaluators of kind llm to each target."""
        return self._others.ask(evaluation_pass, targets, evaluators, on_scores)
