"""One preview: an evaluator over stored runs, what its scores look like, and what a judge costs. Nothing is written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from statistics import median
from typing import Final

from tracegrade.evaluators.definition.registry import Configured
from tracegrade.evaluators.definition.score_record import ScoreRecord
from tracegrade.queries.catalog import report

from ..client.query import Read, all_rows
from ..config.settings import Settings, judges_of
from ..errors import Fault
from ..references.rules import References
from ..system.memory_limit import worker_bytes
from ..worker.client import AskedJudge
from .answers import PreviewedCalls
from .comparison import (
    ActiveComparison,
    PeopleComparison,
    compare_with_active,
    compare_with_people,
    read_compared_scores,
)
from .cost import Cost, Estimate
from .evaluation import Evaluated, Evaluation
from .runs import Chosen, Selection, choose_runs, list_target_ids
from .statistics import Distribution, summarize
from .targets import Targets

__all__ = ["Preview", "Previewed", "Spending"]

_WORST: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Spending:
    """What the judge was asked: calls that were made, answers that were known, and what that took. `cost_usd` is None
    where the price of a call is not known."""

    calls: int
    known: int
    input_tokens: int
    output_tokens: int
    cost_usd: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Previewed:
    """What an evaluator says of the runs. `median_ms` is None where the targets are evaluated together, by a query."""

    scores: Sequence[ScoreRecord]
    distribution: Distribution
    worst: Sequence[ScoreRecord]
    deferred: dict[str, int] = field(default_factory=dict)
    unread: Sequence[str] = ()
    unwanted: int = 0
    people: PeopleComparison | None
    active: ActiveComparison | None
    took_s: float
    median_ms: float | None
    spending: Spending | None


class Preview:
    """An evaluator over the runs of a selection, read through `read`.

    Raises Fault where the source cannot be read or the selection cannot be used.
    """

    def __init__(self, read: Read, settings: Settings, evaluator: Configured, selection: Selection) -> None:
        if evaluator.kind == "sql" and evaluator.scope != "trace":
            raise Fault(f"the query of {evaluator.name!r} scores runs; leave `scope: {evaluator.scope}` out")
        self._read = read
        self._settings = settings
        self._evaluator = evaluator
        references = References.read(settings.references, sources=settings.trust.references)
        self._targets = Targets(read, references)
        self._calls = PreviewedCalls(read)
        self.chosen: Chosen = choose_runs(read, evaluator, selection)
        self.target_ids = list_target_ids(read, evaluator, self.chosen.agent_trace_ids)

    def cost(self) -> Cost | None:
        """What the judge would be asked first, and what that costs; None where the evaluator asks no judge."""
        if self._evaluator.asks is None:
            return None
        judge = judges_of(self._settings)[self._evaluator.asks]
        estimate = Estimate(self._evaluator, judge, self._calls.lookup)
        for batch in self._targets.load(self._evaluator, self.target_ids):
            estimate.add(batch)
        usual = all_rows(
            self._read, report("answer_tokens"), judge=self._evaluator.asks, evaluator=self._evaluator.name
        )
        return estimate.cost(usual[0]["output_tokens"])

    def evaluate(self, *, on_progress: Callable[[int], object] = lambda _: None) -> Previewed:
        """The scores and what they look like."""
        with self._open_evaluation() as evaluation:
            if self._evaluator.kind == "sql":
                evaluated = evaluation.query(self._read, self.target_ids)
            else:
                batches = self._targets.load(self._evaluator, self.target_ids)
                evaluated = evaluation.evaluate(batches, on_progress=on_progress)
        return self._summarize(evaluated)

    def sum_spending(self) -> Spending | None:
        """What the judge took so far; None where the evaluator asks no judge."""
        if self._evaluator.asks is None:
            return None
        made = [call for call in self._calls.calls if not call.from_cache]
        costs = [call.cost_usd for call in made if call.input_tokens is not None]
        known = [cost for cost in costs if cost is not None]
        return Spending(
            calls=len(made),
            known=len(self._calls.calls) - len(made),
            input_tokens=sum(call.input_tokens or 0 for call in made),
            output_tokens=sum(call.output_tokens or 0 for call in made),
            cost_usd=sum(known) if len(known) == len(costs) else None,
        )

    def _open_evaluation(self) -> AbstractContextManager[Evaluation]:
        asked, name = None, self._evaluator.asks
        if name is not None:  # live: the answers of a batch might come tomorrow
            live = judges_of(self._settings)[name].model_copy(update={"mode": "live"})
            asked = AskedJudge(name, live, self._calls)
        memory_bytes = worker_bytes(self._settings.evaluation.worker_memory)
        return Evaluation(self._evaluator, memory_bytes=memory_bytes, asked=asked)

    def _summarize(self, evaluated: Evaluated) -> Previewed:
        scores = evaluated.scores
        rows = read_compared_scores(self._read, self._evaluator.name, (score.target_id for score in scores))
        deferred: dict[str, int] = {}
        for each in evaluated.deferred:
            deferred[each.reason] = deferred.get(each.reason, 0) + 1
        evaluated_targets = {_evaluated_target(score) for score in scores} | {
            each.target_id for each in evaluated.deferred
        }
        return Previewed(
            scores=scores,
            distribution=summarize(scores),
            worst=_select_worst(scores),
            deferred=deferred,
            unread=tuple(self._targets.unread),
            unwanted=len(self.target_ids) - len(evaluated_targets) - len(self._targets.unread),
            people=compare_with_people(scores, rows),
            active=compare_with_active(scores, rows),
            took_s=evaluated.took_s,
            median_ms=_compute_median_ms(scores),
            spending=self.sum_spending(),
        )


def _select_worst(scores: Sequence[ScoreRecord]) -> list[ScoreRecord]:
    """Those that failed, the lowest value first, then those that passed with less than 1."""
    shown = [
        score
        for score in scores
        if score.status == "scored" and (score.passed is False or (score.value is not None and score.value < 1))
    ]
    return sorted(shown, key=_rank_score)[:_WORST]


def _rank_score(score: ScoreRecord) -> tuple[bool, float]:
    return score.passed is not False, -1.0 if score.value is None else score.value


def _evaluated_target(score: ScoreRecord) -> str:
    """The target as it was given to the evaluator: of a tool call its run."""
    return score.agent_trace_id or score.target_id if score.scope == "tool_call" else score.target_id


def _compute_median_ms(scores: Sequence[ScoreRecord]) -> float | None:
    by_target = {_evaluated_target(score): score.duration_ms for score in scores if score.duration_ms is not None}
    return median(by_target.values()) if by_target else None
