"""The server's side of the worker: starts it, gives it jobs, replaces it, and finds out which record ended it."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any

import pyarrow as pa
import structlog

from tracegrade.evaluators.build import Spec
from tracegrade.evaluators.model import AgentTrace, Score
from tracegrade.evaluators.registry import Configured
from tracegrade.evaluators.verdict import Target, Verdict, verdict

from . import worker
from .batch import EXPECTATIONS, Batch, streams, table, tables
from .feedback import FEEDBACK
from .rows import DERIVED, REFERENCES, reference_row, rows_of, traces_of, verdict_row, verdicts_of

__all__ = ["Assembled", "Workbench", "WorkbenchClosed", "WorkerLost"]

TIME_LIMIT_S = 60.0
"""How long nothing may be heard of a job before its worker is replaced."""

SLACK_S = 5.0
"""How much longer than the slowest evaluator may take a job is waited for, at least."""

MEMORY_BYTES = 2 * 2**30
"""How much memory a worker may take."""

MOST_LOST = 10
"""An evaluator that has ended the worker on so many targets of a batch is not tried on the others."""

log = structlog.get_logger()


class WorkerLost(Exception):
    """The worker died, hung or failed over a job; the message says which."""


@dataclass(frozen=True, slots=True)
class Assembled:
    """Derived tables and feedback, and the traces that could not be assembled, with the cause."""

    tables: Mapping[str, pa.Table]
    failed: Mapping[str, str]


class WorkbenchClosed(Exception):
    """No further job is taken."""


class Workbench:
    """Fulfils `evaluators.ports.Workbench` in a process of its own, which also assembles traces.

    One job at a time, for any thread. The process is started when the first job comes.
    """

    def __init__(
        self,
        schemas: Mapping[str, pa.Schema],
        *,
        time_limit_s: float = TIME_LIMIT_S,
        memory_bytes: int = MEMORY_BYTES,
    ) -> None:
        self._schemas = dict(schemas)
        self._time_limit_s = time_limit_s
        self._memory_bytes = memory_bytes
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._pipe: Connection | None = None
        self._closed = False

    def assemble(self, spans: pa.Table, logs: pa.Table) -> Assembled:
        """The AgentTraces in rows of `spans` and `logs`, as rows of the derived tables, and the feedback in them."""
        sources: Batch[object] = Batch({"spans": spans, "logs": logs}, lambda _: [], key="trace_id")
        failed: dict[str, str] = {}
        trace_ids = list(dict.fromkeys(sources.keys))

        def attempt(part: Batch[object]) -> Mapping[str, pa.Table]:
            return self._do("assemble", part.tables)

        try:
            done = [attempt(sources)] if trace_ids else []
        except WorkerLost:  # perhaps by accident: what is at fault will do it again
            done = self._divided(sources, trace_ids, attempt, failed)
        return Assembled({name: self._joined(name, done) for name in (*DERIVED, FEEDBACK)}, failed)

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
                attempt = partial(self._judge, evaluators=[evaluator])
                done += self._divided(batch, batch.keys, attempt, failed, most_lost=MOST_LOST)
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
        longest_s = max((evaluator.timeout_s or 0 for evaluator in evaluators), default=0)
        return self._do("evaluate", part.tables, [dict(one.spec) for one in evaluators], longest_s=longest_s)

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
            if len(keys) == 1:
                failed[keys[0]] = str(lost)
                log.error("a record cannot be worked on", key=keys[0], cause=str(lost))
                return []
        middle = len(keys) // 2
        return [
            *self._divided(batch, keys[:middle], attempt, failed, most_lost=most_lost),
            *self._divided(batch, keys[middle:], attempt, failed, most_lost=most_lost),
        ]

    def _do(
        self, verb: str, inputs: Mapping[str, pa.Table], specs: Sequence[Spec] = (), *, longest_s: float = 0
    ) -> Mapping[str, pa.Table]:
        limit_s = max(self._time_limit_s, longest_s + SLACK_S)
        with self._lock:
            pipe = self._started()
            try:
                pipe.send((verb, streams(inputs), list(specs)))
                outcome, answer = _answered(pipe, limit_s)
            except (EOFError, OSError) as error:
                self._discard()
                if self._closed:
                    raise WorkbenchClosed("the server is shutting down") from error
                raise WorkerLost("it ended the worker process") from error
            if outcome in {"late", "spent"}:
                self._discard()
        if outcome != "done":
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
                self._process = subprocess.Popen(  # noqa: S603 - our own module
                    command,
                    pass_fds=[there.fileno()],
                    stdin=subprocess.DEVNULL,
                    stdout=_STDERR,  # what evaluators print is no part of what a command prints
                )
            schemas = {name: schema.serialize().to_pybytes() for name, schema in self._schemas.items()}
            self._pipe.send((schemas, self._memory_bytes))
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
_STDERR = 2


def _answered(pipe: Connection, limit_s: float) -> tuple[str, Any]:
    """The worker's answer; `late` when nothing was heard of it for so long."""
    while pipe.poll(limit_s):
        outcome, answer = pipe.recv()
        if outcome != "busy":
            return outcome, answer
    return "late", f"no answer within {limit_s:g} s"


def _error(evaluator: Configured, target: Target, cause: str) -> Verdict:
    now = datetime.now(UTC).replace(tzinfo=None)
    return verdict(evaluator, target, Score.failed(f"the evaluation was stopped: {cause}"), scored_at=now)
