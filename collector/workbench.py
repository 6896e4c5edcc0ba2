"""The server's side of the worker: starts it, gives it jobs, replaces it, and finds out which record ended it."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any

import pyarrow as pa
import structlog

from tracegrade.evaluators.model import AgentTrace, Score
from tracegrade.evaluators.registry import Configured
from tracegrade.evaluators.verdict import Target, Verdict, verdict

from . import worker
from .batch import EXPECTATIONS, Batch, streams, table, tables
from .rows import DERIVED, REFERENCES, reference_row, rows_of, traces_of, verdict_row, verdicts_of

__all__ = ["Assembled", "Workbench", "WorkbenchClosed", "WorkerLost"]

TIME_LIMIT_S = 60.0
"""How long a job may take before its worker is replaced."""

log = structlog.get_logger()


class WorkerLost(Exception):
    """The worker died, hung or failed over a job; the message says which."""


@dataclass(frozen=True, slots=True)
class Assembled:
    """Derived tables, and the traces that could not be assembled, with the cause."""

    tables: Mapping[str, pa.Table]
    failed: Mapping[str, str]


class WorkbenchClosed(Exception):
    """No further job is taken."""


class Workbench:
    """Fulfils `evaluators.ports.Workbench` in a process of its own, which also assembles traces.

    One job at a time, for any thread. The process is started when the first job comes.
    """

    def __init__(self, schemas: Mapping[str, pa.Schema], *, time_limit_s: float = TIME_LIMIT_S) -> None:
        self._schemas = dict(schemas)
        self._time_limit_s = time_limit_s
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._pipe: Connection | None = None
        self._closed = False

    def assemble(self, spans: pa.Table, logs: pa.Table) -> Assembled:
        """The AgentTraces in rows of `spans` and `logs`, as rows of the derived tables."""
        sources: Batch[object] = Batch({"spans": spans, "logs": logs}, lambda _: [], key="trace_id")
        failed: dict[str, str] = {}
        trace_ids = list(dict.fromkeys(sources.keys))

        def attempt(part: Batch[object]) -> Mapping[str, pa.Table]:
            return self._do("assemble", part.tables)

        try:
            done = [attempt(sources)] if trace_ids else []
        except WorkerLost:  # perhaps by accident: what is at fault will do it again
            done = self._divided(sources, trace_ids, attempt, failed)
        return Assembled({name: self._joined(name, done) for name in DERIVED}, failed)

    def evaluate(self, targets: Sequence[Target], evaluators: Sequence[Configured]) -> Sequence[Verdict]:
        """Every evaluator on every target; one that ends the worker gets an error from the evaluator that did it."""
        batch: Batch[Any] = targets if isinstance(targets, Batch) else self._batch(targets)
        done: list[Mapping[str, pa.Table]] = []
        lost: list[Verdict] = []
        try:
            done.append(self._judge(batch, evaluators))
        except WorkerLost:
            for evaluator in evaluators:
                failed: dict[str, str] = {}
                done += self._divided(batch, batch.keys, lambda part, one=evaluator: self._judge(part, [one]), failed)
                lost += [_error(evaluator, batch.only([key])[0], cause) for key, cause in failed.items()]
        scores = pa.concat_tables([self._joined("scores", done), self._table("scores", map(verdict_row, lost))])
        return Batch({"scores": scores}, verdicts_of, key="target_id")

    def close(self) -> None:
        """Ends the worker once its job is done."""
        with self._lock:
            self._closed = True
            self._discard()

    def kill(self) -> None:
        """Ends the worker now, in the middle of a job."""
        self._closed = True
        if (process := self._process) is not None:
            process.kill()

    def _judge(self, part: Batch[Any], evaluators: Sequence[Configured]) -> Mapping[str, pa.Table]:
        return self._do("evaluate", part.tables, [_entry(evaluator) for evaluator in evaluators])

    def _divided(
        self,
        batch: Batch[Any],
        keys: Sequence[str],
        attempt: Callable[..., Mapping[str, pa.Table]],
        failed: dict[str, str],
    ) -> list[Mapping[str, pa.Table]]:
        """`attempt` on the batch; where that loses the worker, on its halves, until the culprit stands alone."""
        if not keys:
            return []
        try:
            return [attempt(batch.only(keys))]
        except WorkerLost as lost:
            if len(keys) == 1:
                failed[keys[0]] = str(lost)
                log.error("a record cannot be worked on", key=keys[0], cause=str(lost))
                return []
        middle = len(keys) // 2
        return [
            *self._divided(batch, keys[:middle], attempt, failed),
            *self._divided(batch, keys[middle:], attempt, failed),
        ]

    def _do(
        self, verb: str, inputs: Mapping[str, pa.Table], entries: Sequence[worker.Entry] = ()
    ) -> Mapping[str, pa.Table]:
        with self._lock:
            pipe = self._started()
            try:
                pipe.send((verb, streams(inputs), list(entries)))
                answered = pipe.poll(self._time_limit_s)
                outcome, answer = pipe.recv() if answered else ("late", {})
            except (EOFError, OSError) as error:
                self._discard()
                if self._closed:
                    raise WorkbenchClosed("the server is shutting down") from error
                raise WorkerLost("it ended the worker process") from error
            if not answered:
                self._discard()
                raise WorkerLost(f"no answer within {self._time_limit_s:g} s")
        if outcome == "failed":
            raise WorkerLost(answer)
        return tables(answer)

    def _started(self) -> Connection:
        if self._closed:
            raise WorkbenchClosed("the server is shutting down")
        if self._pipe is None:
            # Not multiprocessing.Process: it would run the main module of whoever embeds us once more.
            self._pipe, there = Pipe()
            with there:
                command = [sys.executable, "-P", "-m", worker.__name__, str(there.fileno())]
                self._process = subprocess.Popen(command, pass_fds=[there.fileno()])  # noqa: S603 - our own module
            self._pipe.send({name: schema.serialize().to_pybytes() for name, schema in self._schemas.items()})
        return self._pipe

    def _discard(self) -> None:
        if self._pipe is not None:
            self._pipe.close()
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        self._pipe = self._process = None

    def _joined(self, name: str, parts: Iterable[Mapping[str, pa.Table]]) -> pa.Table:
        return pa.concat_tables([self._schemas[name].empty_table(), *(part[name] for part in parts)])

    def _batch(self, targets: Sequence[Target]) -> Batch[AgentTrace]:
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


def _entry(evaluator: Configured) -> worker.Entry:
    return {
        "use": evaluator.type,
        "name": evaluator.name,
        "options": dict(evaluator.options),
        "threshold": evaluator.threshold,
        "only_with_reference": evaluator.only_with_reference,
    }


def _error(evaluator: Configured, target: Target, cause: str) -> Verdict:
    now = datetime.now(UTC).replace(tzinfo=None)
    return verdict(evaluator, target, Score.failed(f"the evaluation was stopped: {cause}"), scored_at=now)
