"""What computes for the server: assembles traces and judges them in a worker, and finds out which record ended it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Protocol

import pyarrow as pa
import structlog

from tracegrade.evaluators.model import AgentTrace, Score
from tracegrade.evaluators.ports import Findings, JudgeCache, Pass, Postponed, Spent
from tracegrade.evaluators.registry import Configured
from tracegrade.evaluators.verdict import Target, Verdict, verdict

from ..batch import EXPECTATIONS, Batch, table
from ..clock import utc_now
from ..feedback import FEEDBACK
from ..rows import DERIVED, REFERENCES, TOOLS, reference_row, rows_of, traces_of, verdict_row, verdicts_of
from .worker_process import WorkerLost, WorkerProcess

__all__ = ["AskedJudge", "Assembled", "Book", "Workbench"]

TIME_LIMIT_S: Final = 60.0
"""How long nothing may be heard of a job before its worker is replaced, where no evaluator says how long it takes."""

SLACK_S: Final = 5.0
"""How much longer than the slowest evaluator may take its worker is waited for."""

MEMORY_BYTES: Final = 2 * 2**30
"""How much memory a worker may take."""

MOST_LOST: Final = 10
"""An evaluator that has ended the worker on so many targets of a batch is not tried on the others."""

if TYPE_CHECKING:
    from tracegrade.evaluators.judge.judge import Judge

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Assembled:
    """Derived tables and feedback, and the traces that could not be assembled, with the cause."""

    tables: Mapping[str, pa.Table]
    failed: Mapping[str, str]


class Book(JudgeCache, Protocol):
    """The cache of a judge's answers, which also knows what they cost."""

    def spent(self, judge: str, since: datetime) -> Mapping[str, Spent]:
        """What was spent on `judge` since then (UTC), by evaluator; the whole under ""."""


@dataclass(frozen=True, slots=True)
class AskedJudge:
    """A judge under its name, and the book that its answers stand in."""

    name: str
    judge: Judge
    book: Book


class Workbench:
    """Fulfils `evaluators.ports.Workbench` in a process of its own, which also assembles traces. One that is to `ask`
    needs a judge."""

    def __init__(
        self,
        schemas: Mapping[str, pa.Schema],
        *,
        memory_bytes: int = MEMORY_BYTES,
        asked: AskedJudge | None = None,
    ) -> None:
        self._schemas = dict(schemas)
        self._asked = asked
        served: dict[str, Callable[[Any], object]] = {}
        if asked is not None:
            served = {"lookup": asked.book.lookup, "record": asked.book.record}
        self._process = WorkerProcess(schemas, memory_bytes=memory_bytes, served=served)

    @property
    def pid(self) -> int | None:
        """Of the worker; None while there is none."""
        return self._process.pid

    def assemble(self, spans: pa.Table, logs: pa.Table) -> Assembled:
        """The AgentTraces in rows of `spans` and `logs`, as rows of the derived tables, and the feedback in them."""
        sources: Batch[object] = Batch({"spans": spans, "logs": logs}, lambda _: [], key="trace_id")
        failed: dict[str, str] = {}
        trace_ids = list(dict.fromkeys(sources.keys))

        def attempt(part: Batch[object]) -> Mapping[str, pa.Table]:
            return self._process.do("assemble", part.tables, (), silence_s=TIME_LIMIT_S)

        try:
            done = [attempt(sources)] if trace_ids else []
        except WorkerLost:  # perhaps by accident: what is at fault will do it again
            done = self._divided(sources, trace_ids, attempt, failed)
        for trace_id, cause in failed.items():
            log.error("a trace cannot be assembled", trace_id=trace_id, cause=cause)
        return Assembled({name: self._joined(name, done) for name in (*DERIVED, FEEDBACK)}, failed)

    def evaluate(self, targets: Sequence[Target], evaluators: Sequence[Configured]) -> Sequence[Verdict]:
        """Every evaluator on every target; one that ends the worker gets an error from the evaluator that did it."""
        try:
            return self.attempt(targets, evaluators)
        except WorkerLost as lost:
            return self.without_culprits(targets, evaluators, cause=str(lost))

    def attempt(self, targets: Sequence[Target], evaluators: Sequence[Configured]) -> Sequence[Verdict]:
        """Every evaluator on every target. Raises WorkerLost when that costs the worker."""
        scores = self._judge(self._batch(targets), evaluators)["scores"]
        return Batch({"scores": scores}, verdicts_of, key="target_id")

    def without_culprits(
        self, targets: Sequence[Target], evaluators: Sequence[Configured], *, cause: str
    ) -> Sequence[Verdict]:
        """The same where it has just cost the worker: whatever does so gets an error, all others their verdicts."""
        done, lost = self._divided_by_evaluator(self._batch(targets), evaluators, self._judge, cause=cause)
        scores = pa.concat_tables([self._joined("scores", done), self._table("scores", map(verdict_row, lost))])
        return Batch({"scores": scores}, verdicts_of, key="target_id")

    def ask(self, this: Pass, targets: Sequence[Target], evaluators: Sequence[Configured]) -> Findings:
        """As `evaluate`, of evaluators that ask the judge of this workbench; some of it may be put off."""
        batch = self._batch(targets)
        ask = partial(self._ask, this)
        lost: list[Verdict] = []
        try:
            done = [ask(batch, evaluators)]
        except WorkerLost as error:
            done, lost = self._divided_by_evaluator(batch, evaluators, ask, cause=str(error))
        scores = pa.concat_tables([self._joined("scores", done), self._table("scores", map(verdict_row, lost))])
        postponed = [Postponed(**row) for part in done for row in part["postponed"].to_pylist()]
        return Findings(Batch({"scores": scores}, verdicts_of, key="target_id"), postponed)

    def renew(self) -> None:
        """Lets the next job begin with a new worker: one that was told to wait for its judge asks at once."""
        self._process.renew()

    def close(self) -> None:
        """Ends the worker once its job is done."""
        self._process.close()

    def kill(self) -> None:
        """Ends the worker now, in the middle of a job."""
        self._process.kill()

    def _divided_by_evaluator(
        self,
        batch: Batch[Any],
        evaluators: Sequence[Configured],
        attempt: Callable[..., Mapping[str, pa.Table]],
        *,
        cause: str,
    ) -> tuple[list[Mapping[str, pa.Table]], list[Verdict]]:
        """What came of it, and an error for each target that cost the worker."""
        done: list[Mapping[str, pa.Table]] = []
        errors: list[Verdict] = []
        for evaluator in evaluators:
            failed: dict[str, str] = {}
            alone = partial(attempt, evaluators=[evaluator])
            if len(evaluators) > 1:
                done += self._divided(batch, batch.keys, alone, failed, most_lost=MOST_LOST)
            else:  # it has just been tried
                done += self._halved(batch, batch.keys, alone, failed, cause=cause, most_lost=MOST_LOST)
            for key, why in failed.items():
                log.error("an evaluation was stopped", evaluator=evaluator.name, target=key, cause=why)
            errors += [_error(evaluator, batch.only([key])[0], why) for key, why in failed.items()]
        return done, errors

    def _judge(self, part: Batch[Any], evaluators: Sequence[Configured]) -> Mapping[str, pa.Table]:
        specs = [dict(one.spec) for one in evaluators]
        made = self._process.do("evaluate", part.tables, specs, silence_s=self._silence_s(evaluators))
        return _whole(made, part, evaluators)

    def _ask(self, this: Pass, part: Batch[Any], evaluators: Sequence[Configured]) -> Mapping[str, pa.Table]:
        if self._asked is None:
            raise TypeError("this workbench has no judge to ask")
        asking = {
            "name": self._asked.name,
            "judge": self._asked.judge,
            "this": this,
            "spent": dict(self._asked.book.spent(self._asked.name, this.midnight)),
            "specs": [dict(one.spec) for one in evaluators],
        }
        return self._process.do("ask", part.tables, asking, silence_s=TIME_LIMIT_S)

    def _silence_s(self, evaluators: Sequence[Configured]) -> float:
        limits = [one.timeout_s for one in evaluators]
        longest_s = max((limit for limit in limits if limit is not None), default=0.0)
        return max(longest_s + SLACK_S, TIME_LIMIT_S if None in limits else 0.0)

    def _divided(
        self,
        batch: Batch[Any],
        keys: Sequence[str],
        attempt: Callable[..., Mapping[str, pa.Table]],
        failed: dict[str, str],
        *,
        most_lost: int | None = None,
    ) -> list[Mapping[str, pa.Table]]:
        """`attempt` on the batch; where that loses the worker, on its halves, until the culprit stands alone.

        After `most_lost` culprits the rest is not tried any more.
        """
        if not keys:
            return []
        if most_lost is not None and len(failed) >= most_lost:
            failed.update(dict.fromkeys(keys, f"not tried after {most_lost} others that could not be worked on"))
            return []
        try:
            return [attempt(batch.only(keys))]
        except WorkerLost as lost:
            return self._halved(batch, keys, attempt, failed, cause=str(lost), most_lost=most_lost)

    def _halved(
        self,
        batch: Batch[Any],
        keys: Sequence[str],
        attempt: Callable[..., Mapping[str, pa.Table]],
        failed: dict[str, str],
        *,
        cause: str,
        most_lost: int | None = None,
    ) -> list[Mapping[str, pa.Table]]:
        """`attempt` on the halves of what has just cost the worker."""
        if len(keys) == 1:
            failed[keys[0]] = cause
            return []
        middle = len(keys) // 2
        return [
            *self._divided(batch, keys[:middle], attempt, failed, most_lost=most_lost),
            *self._divided(batch, keys[middle:], attempt, failed, most_lost=most_lost),
        ]

    def _joined(self, name: str, parts: Iterable[Mapping[str, pa.Table]]) -> pa.Table:
        return pa.concat_tables([self._schemas[name].empty_table(), *(part[name] for part in parts)])

    def _batch(self, targets: Sequence[Target]) -> Batch[Any]:
        if isinstance(targets, Batch):
            return targets
        rows: dict[str, list[dict[str, object]]] = {name: [] for name in DERIVED}
        expected = []
        for run in targets:
            if not isinstance(run, AgentTrace):
                raise TypeError("tool definitions are taken as the ledger hands them out")
            for name, new in rows_of(run).items():
                rows[name].extend(new)
            if run.reference is not None:
                expected.append(reference_row(run.agent_trace_id, run.reference))
        tables = {name: self._table(name, new) for name, new in rows.items()}
        return Batch({**tables, REFERENCES: table(expected, EXPECTATIONS)}, traces_of, key=_KEY)

    def _table(self, name: str, rows: Iterable[Mapping[str, object]]) -> pa.Table:
        return table(rows, self._schemas[name])


_KEY = "agent_trace_id"


def _whole(made: Mapping[str, pa.Table], part: Batch[Any], evaluators: Sequence[Configured]) -> Mapping[str, pa.Table]:
    """What was made, when each evaluator that has to answer for each target did. Raises WorkerLost."""
    scores = made["scores"].select(["evaluator", "target_id", "agent_trace_id"]).to_pylist()
    targets = set(part.keys)
    for evaluator in evaluators:
        if evaluator.scope == "tool" and TOOLS not in part.tables:
            continue
        about = "agent_trace_id" if evaluator.scope == "tool_call" else "target_id"
        answered = {row[about] for row in scores if row["evaluator"] == evaluator.name}
        if answered != targets and not (evaluator.only_with_reference and answered < targets):
            raise WorkerLost(f"the worker brought no verdict of {evaluator.name} on each target, or others")
    return made


def _error(evaluator: Configured, target: Target, cause: str) -> Verdict:
    now = utc_now()
    return verdict(evaluator, target, Score.failed(f"the evaluation was stopped: {cause}"), scored_at=now)
