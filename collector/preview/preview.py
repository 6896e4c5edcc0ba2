"""Runs a preview: evaluates stored runs, summarizes the scores, and sums the cost of a judge. Writes nothing."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from statistics import median
from typing import Final

from tracegrade.evaluators.definition.registry import Configured
from tracegrade.evaluators.definition.score_record import ScoreRecord
from tracegrade.evaluators.ports import JudgeCall
from tracegrade.queries.catalog import report

from ..client.query import Read, all_rows
from ..client.targets import Targets
from ..config.settings import Settings, judges_of
from ..errors import Fault
from ..references.rules import References
from ..system.memory_limit import worker_bytes
from ..worker.client import AskedJudge
from .answers import PreviewedCalls, Record
from .comparison import (
    ActiveComparison,
    PeopleComparison,
    compare_with_active,
    compare_with_people,
    read_compared_scores,
)
from .cost import Cost, Estimate
from .evaluation import PreviewEvaluation, PreviewWorker, TimedScores
from .runs import Chosen, Selection, choose_runs, list_target_ids
from .statistics import Distribution, summarize

__all__ = ["Preview", "Previewed", "Spending"]

_WORST: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Spending:
    """The calls to the judge, the `known` answers from the store, and the tokens of the calls. `cost_usd` is None if
    the price of a call is unknown."""

    calls: int
    known: int
    input_tokens: int
    output_tokens: int
    cost_usd: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Previewed:
    """The scores of the runs. `median_ms` is None if a query evaluates all targets together. `is_cut`: it was stopped
    before all targets were evaluated."""

    scores: Sequence[ScoreRecord]
    distribution: Distribution
    worst: Sequence[ScoreRecord]
    deferred: dict[str, int] = field(default_factory=dict)
    unread: Sequence[str] = ()
    unwanted: int = 0
    people: PeopleComparison | None
    active: ActiveComparison | None
    took_s: float
    is_cut: bool = False
    median_ms: float | None
    spending: Spending | None


class Preview:
    """An evaluator over the runs of a selection, read through `read`; what contains SQL of users through `fenced`, if
    that is given. Once `cancelled` is set, the evaluation ends with what it has. It runs in `worker`, if that is given.
    Answers of a judge are stored by `record`, if that is given.

    Raises Fault if the source cannot be read or the selection cannot be used.
    """

    def __init__(  # noqa: PLR0913 - what to evaluate, and how it reads, ends and stores answers
        self,
        read: Read,
        settings: Settings,
        evaluator: Configured,
        selection: Selection,
        *,
        fenced: Read | None = None,
        cancelled: threading.Event | None = None,
        record: Record | None = None,
        worker: PreviewWorker | None = None,
    ) -> None:
        if evaluator.kind == "sql" and evaluator.scope != "trace":
            raise Fault(f"the query of {evaluator.name!r} scores runs; leave `scope: {evaluator.scope}` out")
        self._read = read
        self._fenced = fenced or read
        self._cancelled = cancelled
        self._worker = worker
        self._settings = settings
        self._evaluator = evaluator
        references = References.read(settings.references, sources=settings.trust.references)
        self._targets = Targets(read, references)
        self._calls = PreviewedCalls(read, record)
        has_sql = evaluator.when is not None or selection.where is not None
        self.chosen: Chosen = choose_runs(self._fenced if has_sql else read, evaluator, selection)
        self.target_ids = list_target_ids(read, evaluator, self.chosen.agent_trace_ids)

    def estimate_cost(self) -> Cost | None:
        """Estimate the first questions to the judge and their cost; None if the evaluator does not ask a judge."""
        if self._evaluator.asks is None:
            return None
        judge = judges_of(self._settings)[self._evaluator.asks]
        estimate = Estimate(self._evaluator, judge, self._calls.lookup)
        for batch in self._targets.load(self._evaluator.scope, self.target_ids):
            estimate.add(batch)
        rows = all_rows(self._read, report("answer_tokens"), judge=self._evaluator.asks, evaluator=self._evaluator.name)
        return estimate.compute_cost(rows[0]["output_tokens"])

    def evaluate(self, *, on_progress: Callable[[int], object] = lambda _: None) -> Previewed:
        """Evaluate all targets, and summarize the scores."""
        with self._open_evaluation() as evaluation:
            if self._evaluator.kind == "sql":
                evaluated = evaluation.query(self._fenced, self.target_ids)
            else:
                batches = self._targets.load(self._evaluator.scope, self.target_ids)
                evaluated = evaluation.evaluate(batches, on_progress=on_progress)
        return self._summarize(evaluated)

    @property
    def calls(self) -> Sequence[JudgeCall]:
        """The calls to the judge so far."""
        return self._calls.calls

    def sum_spending(self) -> Spending | None:
        """Sum the spending so far; None if the evaluator does not ask a judge."""
        if self._evaluator.asks is None:
            return None
        paid = [call for call in self._calls.calls if not call.from_cache]
        costs = [call.cost_usd for call in paid if call.input_tokens is not None]
        prices = [cost for cost in costs if cost is not None]
        return Spending(
            calls=len(paid),
            known=len(self._calls.calls) - len(paid),
            input_tokens=sum(call.input_tokens or 0 for call in paid),
            output_tokens=sum(call.output_tokens or 0 for call in paid),
            cost_usd=sum(prices) if len(prices) == len(costs) else None,
        )

    def _open_evaluation(self) -> AbstractContextManager[PreviewEvaluation]:
        judge, name = None, self._evaluator.asks
        if name is not None:  # in mode live, since the answers of a batch may take a day
            live = judges_of(self._settings)[name].model_copy(update={"mode": "live"})
            judge = AskedJudge(name, self._calls.limit_preview(live), self._calls)
        memory_bytes = worker_bytes(self._settings.evaluation.worker_memory)
        return PreviewEvaluation(
            self._evaluator,
            memory_bytes=memory_bytes,
            judge=judge,
            worker=self._worker,
            cancelled=self._cancelled,
        )

    def _explain_budget(self) -> str:
        """Explain why the judge is not asked any more today, and which setting says so."""
        name = self._evaluator.asks or ""
        judge = judges_of(self._settings)[name]
        limits = ", ".join(key for key in ("usd_per_day", "tokens_per_day") if getattr(judge, key) is not None)
        return (
            f"previews may spend {judge.preview_share:.0%} (`preview_share`) of what judge {name!r} may in a day "
            f"({limits or 'the budget of the evaluator or agent'}), which is spent until 00:00 UTC, or by the calls "
            "under way"
        )

    def _summarize(self, evaluated: TimedScores) -> Previewed:
        scores = evaluated.scores
        rows = read_compared_scores(self._read, self._evaluator.name, (score.target_id for score in scores))
        deferred: dict[str, int] = {}
        for target in evaluated.deferred:
            reason = self._explain_budget() if target.kind == "budget" else target.reason
            deferred[reason] = deferred.get(reason, 0) + 1
        evaluated_targets = {_find_evaluated_target(score) for score in scores} | {
            target.target_id for target in evaluated.deferred
        }
        return Previewed(
            scores=scores,
            distribution=summarize(scores),
            worst=_select_worst(scores),
            deferred=deferred,
            unread=tuple(self._targets.unread),
            unwanted=0
            if evaluated.is_cut
            else len(self.target_ids) - len(evaluated_targets) - len(self._targets.unread),
            is_cut=evaluated.is_cut,
            people=compare_with_people(scores, rows),
            active=compare_with_active(scores, rows),
            took_s=evaluated.took_s,
            median_ms=_compute_median_ms(scores),
            spending=self.sum_spending(),
        )


def _select_worst(scores: Sequence[ScoreRecord]) -> list[ScoreRecord]:
    """Select the failed scores, the lowest value first, then those that passed with less than 1."""
    imperfect = [
        score
        for score in scores
        if score.status == "scored" and (score.passed is False or (score.value is not None and score.value < 1))
    ]
    return sorted(imperfect, key=_rank_score)[:_WORST]


def _rank_score(score: ScoreRecord) -> tuple[bool, float]:
    return score.passed is not False, -1.0 if score.value is None else score.value


def _find_evaluated_target(score: ScoreRecord) -> str:
    """Return the id of the target that the evaluator received: for a tool call, its run."""
    return score.agent_trace_id or score.target_id if score.scope == "tool_call" else score.target_id


def _compute_median_ms(scores: Sequence[ScoreRecord]) -> float | None:
    by_target = {_find_evaluated_target(score): score.duration_ms for score in scores if score.duration_ms is not None}
    return median(by_target.values()) if by_target else None
