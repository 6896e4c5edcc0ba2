"""The loop of the worker: one job after the other, until the server closes the pipe."""

from __future__ import annotations

import gc
import os
import signal
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from multiprocessing.connection import Connection
from typing import Any, Literal, TypeAlias

import pyarrow as pa

from tracegrade.evaluators.catalog.build import build, name_of
from tracegrade.evaluators.catalog.specification import Spec
from tracegrade.evaluators.definition.function_path import import_function
from tracegrade.evaluators.definition.registry import Configured
from tracegrade.evaluators.definition.score_record import ScoreRecord, Target
from tracegrade.evaluators.execution.run import InProcessWorkbench, pairs
from tracegrade.evaluators.pricing.price_table import PriceTable

from ..assembly import assemble
from ..feedback.extract import extract_feedback, is_score
from ..feedback.model import FEEDBACK
from ..records import arrow_batch
from ..records.links import LINK_KEYS, link_keys
from ..records.row_mapping import DERIVED, SESSIONS, TOOLS, conversations_of, rows_of, score_row, tools_of, traces_of
from ..records.run_trees import find_trees
from ..spans.span import Span
from .built import describe_evaluator
from .guard import Guard, MemoryExhausted, confine
from .judging import Judging
from .message import receive_message
from .pipe import WorkerPipe

__all__ = ["Answer", "Tables", "collect_rarely", "serve"]

Row: TypeAlias = dict[str, Any]
Tables: TypeAlias = Mapping[str, pa.Table]
"""Tables by name: the form of rows in the pipe, in both directions."""

SentSpec: TypeAlias = tuple[Spec, bool]
"""The specification of an evaluator, and whether the names of code in it may be resolved."""

Answer: TypeAlias = tuple[Literal["done"], Tables] | tuple[Literal["failed", "spent"], str]
"""The outcome and its content. `failed`: the job raised an error. `spent`: out of memory, this process exits."""

_NICENESS = 10
_WATCH_S = 1.0
_YOUNG, _GENERATIONS = 200_000, 20
"""Thresholds of Python's garbage collector: of the youngest generation, and of both older ones."""


def serve(pipe: Connection) -> None:
    """Answer jobs until the pipe is closed.

    The first message has the Arrow schemas of the tables that jobs return, by name, and the memory in bytes that this
    process may allocate.
    """
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which then ends this process
    os.nice(_NICENESS)
    collect_rarely()
    (written, memory_bytes), _ = receive_message(pipe)
    confine(memory_bytes)
    schemas = {table: pa.ipc.read_schema(pa.py_buffer(schema)) for table, schema in written.items()}
    to_server = WorkerPipe(pipe)
    worker = _Worker(schemas, _guard(memory_bytes, to_server), to_server)
    outcome: str = "done"
    while outcome != "spent":
        try:
            verb, tables, about = to_server.next_job()
        except EOFError:
            return
        outcome, answer = _answer(worker, verb, tables, about)
        to_server.answer(outcome, answer)
        del answer  # its memory, which would otherwise be taken until the next one


def _guard(memory_bytes: int, to_server: WorkerPipe) -> Guard:
    return Guard(memory_bytes=memory_bytes, beat=to_server.beat, end_if_forked=to_server.end_if_forked)


def _answer(worker: _Worker, verb: str, tables: dict[str, pa.Table], about: Any) -> Answer:
    try:
        return "done", worker.do(verb, tables, about)
    except MemoryExhausted as error:
        return "spent", str(error)
    except Exception as error:  # noqa: BLE001 - the server bisects the job to find the record
        return "failed", f"{type(error).__name__}: {error}"


def collect_rarely() -> None:
    """Make Python's garbage collector run rarely.

    The objects of a job live as long as the job and have hardly any cycles. Collecting at the default thresholds would
    take a third of the time.
    """
    gc.freeze()
    gc.set_threshold(_YOUNG, _GENERATIONS, _GENERATIONS)


def _end_with(parent: int) -> None:
    """End this process with its `parent`: a killed server cannot end it, and a hung evaluator never reads the pipe."""
    while os.getppid() == parent:
        time.sleep(_WATCH_S)
    os.killpg(0, signal.SIGKILL)  # with all processes that evaluators have started


class _Worker:
    def __init__(self, schemas: Mapping[str, pa.Schema], guard: Guard, to_server: WorkerPipe) -> None:
        self._schemas = schemas
        self._guard = guard
        self._to_server = to_server
        self._judging = Judging(to_server)
        self._evaluators: dict[str, tuple[SentSpec, Configured]] = {}

    def do(self, verb: str, tables: dict[str, pa.Table], about: Any) -> Tables:
        """Do a job on the rows of `tables`, each of which is removed once it is read, for its memory."""
        rows = {name: tables.pop(name).to_pylist() for name in [*tables]}
        match verb:
            case "assemble":
                return self._assemble(rows, PriceTable(about))
            case "evaluate":
                return self._evaluate(rows, about)
            case "ask":
                return self._ask(rows, about)
            case "build":
                return {"evaluator": describe_evaluator(about)}
            case _:
                raise ValueError(f"the worker knows no verb {verb!r}")

    def _assemble(self, rows: Mapping[str, Sequence[Row]], prices: PriceTable) -> dict[str, pa.Table]:
        """Assemble rows of spans and logs, of any number of traces.

        The result has rows of the derived tables, of feedback and of link keys, by table name.
        """
        logs = _by_trace(row for row in rows["logs"] if not is_score(row))
        found: dict[str, list[Row]] = {table: [] for table in DERIVED}
        found[LINK_KEYS] = []
        found[FEEDBACK] = [one.row() for one in extract_feedback(rows["spans"], rows["logs"])]
        by_trace = _by_trace(rows["spans"])
        for trace_id in dict.fromkeys((*by_trace, *logs)):
            spans = by_trace.get(trace_id, ())
            is_whole = not spans or len(spans) == spans[0]["spans_in_trace"]
            made_of = map(Span.from_row, spans), logs.get(trace_id, ())
            traces = assemble(*made_of, is_whole=is_whole, prices=prices)
            trees = find_trees(traces)
            for trace in traces:
                for table, new in rows_of(trace, trees[trace.agent_trace_id]).items():
                    found[table].extend(new)
                found[LINK_KEYS].extend(link_keys(trace))
        return {name: arrow_batch.table(found.pop(name), self._schemas[name]) for name in [*found]}

    def _evaluate(self, rows: Mapping[str, Sequence[Row]], specs: Sequence[SentSpec]) -> Mapping[str, pa.Table]:
        """Evaluate targets, given as rows of their tables, and return rows of `scores`."""
        targets: Sequence[Target] = _targets(rows)
        evaluators = [self._evaluator(spec) for spec in specs]
        self._guard.beat()  # any further delay is that of an evaluation
        scores = InProcessWorkbench(guard=self._guard).evaluate(targets, evaluators)
        self._guard.check()
        return {"scores": self._scores(scores)}

    def _ask(self, rows: Mapping[str, Sequence[Row]], about: Mapping[str, Any]) -> Mapping[str, pa.Table]:
        """Evaluate as `_evaluate` does, with evaluators that ask a judge. The result includes deferred pairs."""
        evaluators = [self._evaluator(spec) for spec in about["specs"]]
        asked = list(pairs(_targets(rows), evaluators))
        evaluated = self._judging.ask(
            asked,
            about["name"],
            about["judge"],
            evaluation_pass=about["evaluation_pass"],
            spent=about["spent"],
            on_scores=self._send_scores,
        )
        return {
            "scores": self._scores(evaluated.scores),
            "deferred": arrow_batch.table(map(asdict, evaluated.deferred), arrow_batch.DEFERRED),
        }

    def _send_scores(self, scores: Sequence[ScoreRecord]) -> None:
        self._to_server.request("scores", arrow_batch.streams({"scores": self._scores(scores)}))

    def _scores(self, scores: Iterable[ScoreRecord]) -> pa.Table:
        return arrow_batch.table(map(score_row, scores), self._schemas["scores"])

    def _evaluator(self, sent: SentSpec) -> Configured:
        spec, may_import = sent
        name = name_of(spec)
        if name not in self._evaluators or self._evaluators[name][0] != sent:
            self._evaluators[name] = sent, build(spec, resolve=import_function if may_import else None)
        return self._evaluators[name][1]


def _targets(rows: Mapping[str, Sequence[Row]]) -> Sequence[Target]:
    if TOOLS in rows:
        return tools_of(rows)
    return conversations_of(rows) if SESSIONS in rows else traces_of(rows)


def _by_trace(rows: Iterable[Row]) -> dict[str, list[Row]]:
    by_trace: dict[str, list[Row]] = {}
    for row in rows:
        by_trace.setdefault(row["trace_id"], []).append(row)
    return by_trace
