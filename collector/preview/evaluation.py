"""Evaluates targets in a worker of this process, as a pass does, and keeps the scores only in memory."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Final, Self

import pyarrow as pa

from tracegrade.evaluators.catalog.build import build
from tracegrade.evaluators.catalog.specification import Spec
from tracegrade.evaluators.definition.registry import Configured
from tracegrade.evaluators.definition.score_record import ScoreRecord
from tracegrade.evaluators.ports import Deferred, EvaluationPass
from tracegrade.evaluators.ports import Workbench as AnyWorkbench
from tracegrade.queries import fence
from tracegrade.queries.catalog import statement

from ..client.query import Read, split
from ..clock import utc_now
from ..errors import SqlRefused
from ..records.arrow_batch import Batch
from ..records.row_mapping import read_scores
from ..store.engines.arrow import listed
from ..store.engines.selection import open_in_memory
from ..store.ledger.sql_answer import ANSWER, Unusable, read_answer
from ..store.ledger.sql_evaluators import score_runs
from ..store.results.writer import Results
from ..worker.client import AskedJudge, Workbench
from ..worker.process import WorkbenchClosed
from ..worker.workers import EvaluatorWorkers

__all__ = ["PreviewEvaluation", "PreviewWorker", "TimedScores"]

_PART: Final = 20
"""The targets of one job, which is lost when the evaluation is ended during it."""

_POLL_S: Final = 0.1
_ANSWER_S: Final = 5.0
"""How long answers of a judge that are under way, and paid for, are waited for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimedScores:
    """The scores on some targets, the deferred ones, and the seconds that it took. `is_cut`: it was stopped before it
    had evaluated all."""

    scores: Sequence[ScoreRecord] = ()
    deferred: Sequence[Deferred] = ()
    took_s: float = 0.0
    is_cut: bool = False

    def __add__(self, other: TimedScores) -> TimedScores:
        return TimedScores(
            scores=[*self.scores, *other.scores],
            deferred=[*self.deferred, *other.deferred],
            took_s=self.took_s + other.took_s,
            is_cut=self.is_cut or other.is_cut,
        )


class PreviewWorker:
    """A worker that builds the evaluator of a specification which anyone may have sent, and evaluates with it.

    A context manager: the worker ends with it, and once `cancelled` is set.
    """

    def __init__(self, schemas: Mapping[str, pa.Schema], *, memory_bytes: int, cancelled: threading.Event) -> None:
        self.workbench = Workbench(schemas, memory_bytes=memory_bytes)
        self._cancelled = cancelled
        self._ended = threading.Event()

    def __enter__(self) -> Self:
        threading.Thread(target=self._end_when_cancelled, name="preview", daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self.workbench.close()

    def build(self, spec: Spec) -> Configured:
        """Build the evaluator. Raises WrongSpec, WorkerLost, and WorkbenchClosed if it was cancelled.

        Only an evaluator that asks a judge is then built in this process as well, to estimate its questions: none takes
        a regular expression that may be slow.
        """
        evaluator = self.workbench.build(spec)
        return evaluator if evaluator.asks is None else build(spec)

    def _end_when_cancelled(self) -> None:
        while not self._ended.wait(_POLL_S):
            if self._cancelled.is_set():
                self.workbench.kill()
                return


class PreviewEvaluation:
    """One evaluator with a worker of its own, or in `worker`, within the limits of a pass. A context manager: its own
    worker ends with it.

    Once `cancelled` is set, no further question is asked and no further target evaluated; what still runs is ended.
    An empty store in memory defines the columns of scores; the real store is only read.
    """

    def __init__(
        self,
        evaluator: Configured,
        *,
        memory_bytes: int,
        judge: AskedJudge | None = None,
        worker: PreviewWorker | None = None,
        cancelled: threading.Event | None = None,
    ) -> None:
        self._evaluator = evaluator
        self._cancelled = cancelled or threading.Event()
        self._ended = threading.Event()
        self._empty = open_in_memory()
        results = Results(self._empty)
        self._workers = EvaluatorWorkers(results.schemas, memory_bytes=memory_bytes)
        code: AnyWorkbench[Batch[Any]] = self._workers.user_code if worker is None else worker.workbench
        self._workbench = code if judge is None else self._workers.for_judge(judge)
        results.close()

    def __enter__(self) -> Self:
        threading.Thread(target=self._end_when_cancelled, name="preview", daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._ended.set()
        if kind is not None:
            self._workers.kill()
        self._workers.close()
        self._empty.close()

    def evaluate(
        self, batches: Iterable[Batch[Any]], *, on_progress: Callable[[int], object] = lambda _: None
    ) -> TimedScores:
        """Evaluate all targets of these batches; call `on_progress` with the number of targets of each batch."""
        total = TimedScores()
        for batch in batches:
            for keys in split(batch.keys, _PART if self._evaluator.asks is None else len(batch)):
                if self._cancelled.is_set():
                    return total + TimedScores(is_cut=True)
                total += self._evaluate(batch.only(keys))
                on_progress(len(keys))
        return total

    def query(self, read: Read, agent_trace_ids: Sequence[str]) -> TimedScores:
        """Evaluate these runs with the evaluator's query, which the source answers for all of them at once."""
        due = read(statement("runs_without_content"), parameters={"agent_trace_ids": listed(agent_trace_ids)}).table
        began = time.perf_counter()
        answer, failure = self._read_answer(read, agent_trace_ids)
        took_s = time.perf_counter() - began
        rows = score_runs(self._empty, self._evaluator, due, answer, failure=failure, now=utc_now())
        return TimedScores(scores=read_scores({"scores": rows.to_pylist()}), took_s=took_s)

    def _read_answer(self, read: Read, agent_trace_ids: Sequence[str]) -> tuple[pa.Table, str | None]:
        """Read the rows of ANSWER, or the reason why there are none."""
        sql = statement("query_over_runs", query=fence.without_end(self._evaluator.sql or ""))
        try:
            return read_answer(read(sql, parameters={"agent_trace_ids": listed(agent_trace_ids)})), None
        except (SqlRefused, Unusable) as error:
            return ANSWER.empty_table(), str(error)

    def _end_when_cancelled(self) -> None:
        while not self._ended.wait(_POLL_S):
            if self._cancelled.is_set():
                self._workers.finish()
                if not self._ended.wait(0.0 if self._evaluator.asks is None else _ANSWER_S):
                    self._workers.kill()
                return

    def _evaluate(self, batch: Batch[Any]) -> TimedScores:
        began = time.perf_counter()
        scores: list[ScoreRecord] = []
        deferred: Sequence[Deferred] = ()
        is_cut = False
        try:
            if self._evaluator.asks is None:
                scores = list(self._workbench.evaluate(batch, [self._evaluator]))
            else:
                evaluation_pass = EvaluationPass(uuid.uuid4().hex, utc_now())
                evaluated = self._workbench.ask(evaluation_pass, batch, [self._evaluator], scores.extend)
                scores, deferred = list(evaluated.scores), evaluated.deferred
        except WorkbenchClosed:  # the worker was ended: of a judge's scores, those remain that it had sent
            is_cut = True
        return TimedScores(scores=scores, deferred=deferred, took_s=time.perf_counter() - began, is_cut=is_cut)
