"""Evaluates the runs of an experiment, with evaluators of every kind that one can use."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from tracegrade.evaluators.definition.registry import Configured
from tracegrade.evaluators.definition.score_record import ScoreRecord
from tracegrade.evaluators.judges.jobs.calls_in_memory import CallsInMemory
from tracegrade.evaluators.model import AgentTrace
from tracegrade.evaluators.ports import Evaluated

from ..capture import uncaptured
from .all_results import all_results
from .code_evaluation import CodeEvaluation
from .judges import ExperimentJudges
from .plan import Plan

if TYPE_CHECKING:
    from ..worker.client import JudgeCalls

__all__ = ["RunEvaluation", "evaluating"]


class RunEvaluation:
    """Evaluates runs, several at once, in one event loop. `judges` is None if a function answers as the judge."""

    def __init__(self, code: CodeEvaluation, judges: ExperimentJudges | None) -> None:
        self._code = code
        self._judges = judges

    async def evaluate(self, run: AgentTrace, evaluators: Sequence[Configured]) -> Evaluated:
        """Return the scores of `evaluators` on a run, in their order, and which of them have to be deferred, and why.

        Sampling, schedules and conditions of evaluators are ignored: every run is evaluated at once, except that one
        with `only_with_reference` evaluates only a run with a reference. Raises what the calls of the judges raise.
        """
        by_code = [evaluator for evaluator in evaluators if self._judges is None or evaluator.kind != "llm"]
        by_judges = [evaluator for evaluator in evaluators if evaluator not in by_code]
        with uncaptured():
            parts = await all_results([self._code.evaluate(run, by_code), self._ask(run, by_judges)])
        scores = [score for part in parts for score in part.scores]
        return Evaluated(_sort(scores, evaluators), [each for part in parts for each in part.deferred])

    async def _ask(self, run: AgentTrace, evaluators: Sequence[Configured]) -> Evaluated:
        return Evaluated(()) if self._judges is None else await self._judges.evaluate(run, evaluators)


@asynccontextmanager
async def evaluating(plan: Plan, calls: JudgeCalls | None = None) -> AsyncIterator[RunEvaluation]:
    """Yield what evaluates the runs of a plan, with its judges, and at most `concurrency` at once with code.

    `calls` keeps the answers of judges and knows what they have cost; by default, both are remembered only here.
    """
    judges = ExperimentJudges(plan.judges, calls or CallsInMemory()) if plan.judges else None
    try:
        yield RunEvaluation(CodeEvaluation(plan.judge, concurrency=plan.concurrency), judges)
    finally:
        if judges is not None:
            await judges.close()


def _sort(scores: Sequence[ScoreRecord], evaluators: Sequence[Configured]) -> list[ScoreRecord]:
    """Return the scores in the order of the evaluators that gave them."""
    order = {evaluator.name: place for place, evaluator in enumerate(evaluators)}
    return sorted(scores, key=lambda score: order[score.evaluator])
