"""Assembles and evaluates traces in a worker process, and finds the trace or evaluator that makes it fail."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Protocol

import pyarrow as pa

from tracegrade.evaluators.catalog.specification import Spec
from tracegrade.evaluators.definition.registry import Configured
from tracegrade.evaluators.definition.score_record import ScoreRecord, Target, score_record
from tracegrade.evaluators.model import Score
from tracegrade.evaluators.ports import Deferred, Evaluated, EvaluationPass, JudgeCache, OnScores, Spent

from ..clock import utc_now
from ..feedback.model import FEEDBACK
from ..records.arrow_batch import Batch, table, tables
from ..records.links import LINK_KEYS
from ..records.row_mapping import DERIVED, TOOLS, read_scores, score_row
from ..system.log import log
from .bisect import attempt_with_bisection, bisect_lost
from .built import read_evaluator
from .process import WorkerLost, WorkerProcess
from .start import Started

__all__ = ["AskedJudge", "Assembled", "JudgeCalls", "Workbench"]

TIME_LIMIT_S: Final = 60.0
"""The seconds without a message after which a worker is replaced, if an evaluator has no timeout."""

SLACK_S: Final = 5.0
"""The seconds without a message that a worker may exceed the longest timeout of its evaluators by."""

MOST_LOST: Final = 10
"""The number of targets of a batch with which an evaluator may end the worker before it is not tried on the others."""

if TYPE_CHECKING:
    from tracegrade.evaluators.judges.exchange.judge import Judge
    from tracegrade.evaluators.pricing.prices import Prices


@dataclass(frozen=True, slots=True)
class Assembled:
    """The derived tables and feedback by table name; in `failed` the cause for each trace that cannot be assembled."""

    tables: dict[str, pa.Table]
    failed: Mapping[str, str]


class JudgeCalls(JudgeCache, Protocol):
    """A cache of judges' answers that also has their cost."""

    def spent(self, judge: str, since: datetime) -> Mapping[str, Spent]:
        """Return the cost of `judge` since then (UTC), by evaluator; the total under ""."""


@dataclass(frozen=True, slots=True)
class AskedJudge:
    """A judge with its name, and the judge calls that store its answers."""

    name: str
    judge: Judge
    calls: JudgeCalls


class Workbench:
    """The `evaluators.ports.Workbench` that computes in a worker process, which also assembles traces.

    `ask` needs `asked`, the judge. `begun` is the first worker, if one was started before.
    """

    def __init__(
        self,
        schemas: Mapping[str, pa.Schema],
        *,
        memory_bytes: int,
        prices: Mapping[str, Prices] = MappingProxyType({}),
        asked: AskedJudge | None = None,
        begun: Started | None = None,
    ) -> None:
        self._schemas = dict(schemas)
        self._prices = prices
        self._asked = asked
        served: dict[str, Callable[[Any], object]] = {}
        self._on_scores: OnScores = _ignore
        self._is_finishing = False
        if asked is not None:
            served = {
                "lookup": asked.calls.lookup,
                "record": asked.calls.record,
                "scores": self._receive_scores,
                "goes_on": lambda _: not self._is_finishing,
            }
        self._process = WorkerProcess(schemas, memory_bytes=memory_bytes, served=served, begun=begun)

    @property
    def pid(self) -> int | None:
        """The process id of the worker; None while no worker runs."""
        return self._process.pid

    def prepare(self) -> None:
        """Start the worker before its first job."""
        self._process.prepare()

    def change_prices(self, prices: Mapping[str, Prices]) -> None:
        """Use `prices` of models, by pattern, for all further assembly. May be called from any thread."""
        self._prices = prices

    def assemble(self, spans: pa.Table, logs: pa.Table) -> Assembled:
        """Assemble rows of `spans` and `logs` into AgentTraces and feedback, as rows of their tables."""
        sources: Batch[object] = Batch({"spans": spans, "logs": logs}, lambda _: [], key="trace_id")
        failed: dict[str, str] = {}
        trace_ids = list(dict.fromkeys((*sources.keys, *logs.column("trace_id").to_pylist())))
        prices = dict(self._prices)

        def attempt(part: Batch[object]) -> Mapping[str, pa.Table]:
            return self._process.do("assemble", part.tables, prices, silence_s=TIME_LIMIT_S)

        try:
            done = [attempt(sources)] if trace_ids else []
        except WorkerLost:  # may be an accident: a trace that is the cause repeats it
            done = attempt_with_bisection(sources, trace_ids, attempt, failed)
        for trace_id, cause in failed.items():
            log.error("a trace cannot be assembled", trace_id=trace_id, cause=cause)
        return Assembled({name: self._joined(name, done) for name in (*DERIVED, FEEDBACK, LINK_KEYS)}, failed)

    def build(self, spec: Spec) -> Configured:
        """Build the evaluator of a specification that may come from anyone; only workers can run it.

        Raises WrongSpec, WorkerLost, and WorkbenchClosed once `kill` was called.
        """
        answer = self._process.do("build", {}, spec, silence_s=TIME_LIMIT_S)
        return read_evaluator(answer["evaluator"], spec)

    def evaluate(self, targets: Batch[Any], evaluators: Sequence[Configured]) -> Sequence[ScoreRecord]:
        """Evaluate each target with every evaluator. A pair that ends the worker gets a score of status `error`."""
        try:
            return self.attempt(targets, evaluators)
        except WorkerLost as lost:
            return self.without_culprits(targets, evaluators, lost=lost)

    def attempt(self, targets: Batch[Any], evaluators: Sequence[Configured]) -> Sequence[ScoreRecord]:
        """Evaluate as `evaluate` does, but raise WorkerLost if the worker ends."""
        scores = self._evaluate(targets, evaluators)["scores"]
        return Batch({"scores": scores}, read_scores, key="target_id")

    def without_culprits(
        self, targets: Batch[Any], evaluators: Sequence[Configured], *, lost: WorkerLost
    ) -> Sequence[ScoreRecord]:
        """Evaluate as `evaluate` does, after an `attempt` with the same arguments has `lost` the worker."""
        return self._scores(*self._attempt_by_evaluator(targets, evaluators, self._evaluate, lost=lost))

    def ask(
        self,
        evaluation_pass: EvaluationPass,
        targets: Batch[Any],
        evaluators: Sequence[Configured],
        on_scores: OnScores,
    ) -> Evaluated:
        """Evaluate as `evaluate` does, for evaluators that ask the judge of this workbench; some pairs may be deferred.

        About once a second `on_scores` is called with the new scores.
        """
        self._on_scores = on_scores
        ask = partial(self._ask, evaluation_pass)
        errors: list[ScoreRecord] = []
        try:
            done = [ask(targets, evaluators)]
        except WorkerLost as lost:
            done, errors = self._attempt_by_evaluator(targets, evaluators, ask, lost=lost)
        deferred = [Deferred(**row) for part in done for row in part["deferred"].to_pylist()]
        return Evaluated(self._scores(done, errors), deferred)

    def renew(self) -> None:
        """Start the next job in a new worker, without the pause that the judge demanded of the former one."""
        self._process.renew()

    def finish(self) -> None:
        """Stop asking further questions in the current job; those under way are answered.

        May be called from any thread.
        """
        self._is_finishing = True

    def close(self) -> None:
        """End the worker after its current job."""
        self._process.close()

    def kill(self) -> None:
        """End the worker at once, even during a job."""
        self._process.kill()

    def _attempt_by_evaluator(
        self,
        batch: Batch[Any],
        evaluators: Sequence[Configured],
        attempt: Callable[..., Mapping[str, pa.Table]],
        *,
        lost: WorkerLost,
    ) -> tuple[list[Mapping[str, pa.Table]], list[ScoreRecord]]:
        """Return the tables that were computed, and a score of status `error` for each pair that ended the worker."""
        done: list[Mapping[str, pa.Table]] = []
        errors: list[ScoreRecord] = []
        for evaluator in evaluators:
            failed: dict[str, str] = {}
            alone = partial(attempt, evaluators=[evaluator])
            if len(evaluators) > 1:
                done += attempt_with_bisection(batch, batch.keys, alone, failed, most_lost=MOST_LOST)
            else:  # one attempt has just failed
                done += bisect_lost(batch, batch.keys, alone, failed, lost=lost, most_lost=MOST_LOST)
            for key, why in failed.items():
                log.error("an evaluation was stopped", evaluator=evaluator.name, target=key, cause=why)
            errors += [_error(evaluator, batch.only([key])[0], why) for key, why in failed.items()]
        return done, errors

    def _evaluate(self, part: Batch[Any], evaluators: Sequence[Configured]) -> Mapping[str, pa.Table]:
        specs = _write_specs(evaluators)
        made = self._process.do("evaluate", part.tables, specs, silence_s=self._silence_s(evaluators))
        return _whole(made, part, evaluators)

    def _ask(
        self, evaluation_pass: EvaluationPass, part: Batch[Any], evaluators: Sequence[Configured]
    ) -> Mapping[str, pa.Table]:
        if self._asked is None:
            raise TypeError("this workbench has no judge to ask")
        asking = {
            "name": self._asked.name,
            "judge": self._asked.judge,
            "evaluation_pass": evaluation_pass,
            "spent": dict(self._asked.calls.spent(self._asked.name, evaluation_pass.midnight)),
            "specs": _write_specs(evaluators),
        }
        return self._process.do("ask", part.tables, asking, silence_s=TIME_LIMIT_S)

    def _receive_scores(self, streams: Mapping[str, bytes]) -> None:
        self._on_scores(Batch(tables(streams), read_scores, key="target_id"))

    def _silence_s(self, evaluators: Sequence[Configured]) -> float:
        limits = [one.timeout_s for one in evaluators]
        longest_s = max((limit for limit in limits if limit is not None), default=0.0)
        return max(longest_s + SLACK_S, TIME_LIMIT_S if None in limits else 0.0)

    def _joined(self, name: str, parts: Iterable[Mapping[str, pa.Table]]) -> pa.Table:
        return pa.concat_tables([self._schemas[name].empty_table(), *(part[name] for part in parts)])

    def _scores(self, done: Iterable[Mapping[str, pa.Table]], lost: Iterable[ScoreRecord]) -> Batch[ScoreRecord]:
        errors = table(map(score_row, lost), self._schemas["scores"])
        scores = pa.concat_tables([self._joined("scores", done), errors])
        return Batch({"scores": scores}, read_scores, key="target_id")


def _write_specs(evaluators: Iterable[Configured]) -> list[tuple[dict[str, Any], bool]]:
    """Return what the worker builds the evaluators from; it resolves names only for those that were built so here."""
    return [(dict(evaluator.spec), evaluator.resolve is not None) for evaluator in evaluators]


def _ignore(_: Sequence[ScoreRecord]) -> None:
    """Do nothing: no pass needs scores before the end."""


def _whole(made: Mapping[str, pa.Table], part: Batch[Any], evaluators: Sequence[Configured]) -> Mapping[str, pa.Table]:
    """Return `made` if every evaluator scored every target that it must. Raises WorkerLost otherwise."""
    scores = made["scores"].select(["evaluator", "target_id", "agent_trace_id"]).to_pylist()
    targets = set(part.keys)
    for evaluator in evaluators:
        if evaluator.scope == "tool" and TOOLS not in part.tables:
            continue
        about = "agent_trace_id" if evaluator.scope == "tool_call" else "target_id"
        answered = {row[about] for row in scores if row["evaluator"] == evaluator.name}
        if answered != targets and not (evaluator.only_with_reference and answered < targets):
            raise WorkerLost(f"the worker brought no score of {evaluator.name} on each target, or others")
    return made


def _error(evaluator: Configured, target: Target, cause: str) -> ScoreRecord:
    now = utc_now()
    return score_record(evaluator, target, Score.failed(f"the evaluation was stopped: {cause}"), scored_at=now)
