"""The process that computes: it assembles traces and runs evaluators, and never opens the store.

It is started by `workbench`, answers one job at a time over a pipe, and ends when the pipe does.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from multiprocessing.connection import Connection
from typing import Any, Literal, TypeAlias

import pyarrow as pa

from tracegrade.evaluators.registry import Configured, configure
from tracegrade.evaluators.run import Here

from . import batch
from .assembly import assemble
from .rows import DERIVED, TOOLS, rows_of, tools_of, traces_of, verdict_row
from .span import Span

__all__ = ["Answer", "Entry", "Tables", "collect_rarely", "serve"]

Row: TypeAlias = dict[str, Any]
Tables: TypeAlias = Mapping[str, bytes]
"""Arrow IPC streams by table name: how rows cross the pipe in either direction."""

Entry: TypeAlias = Mapping[str, Any]
"""An evaluator as `registry.configure` takes it: use, name, options, threshold."""

Answer: TypeAlias = tuple[Literal["done"], Tables] | tuple[Literal["failed"], str]

_NICENESS = 10
_WATCH_S = 1.0
_YOUNG, _GENERATIONS = 200_000, 20
"""Values made before Python looks for circles among the youngest, and looks before it goes on to older ones."""


def serve(pipe: Connection) -> None:
    """Answers jobs until the pipe ends. Its first message are the Arrow schemas of the tables we write."""
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which then ends us
    os.nice(_NICENESS)
    collect_rarely()
    schemas: Mapping[str, bytes] = pipe.recv()
    worker = _Worker({table: pa.ipc.read_schema(pa.py_buffer(schema)) for table, schema in schemas.items()})
    while True:
        try:
            verb, tables, entries = pipe.recv()
        except EOFError:
            return
        try:
            answer: Answer = ("done", worker.do(verb, tables, entries))
        except Exception as error:  # noqa: BLE001 - the server finds out which record it was, and goes on without it
            answer = ("failed", f"{type(error).__name__}: {error}")
        pipe.send(answer)


def collect_rarely() -> None:
    """What a job makes lives as long as the job, and hardly any of it is in a circle: looking for circles among it
    again and again would take a third of the time."""
    gc.freeze()
    gc.set_threshold(_YOUNG, _GENERATIONS, _GENERATIONS)


def _end_with(parent: int) -> None:
    """A server that was killed cannot end us, and an evaluator that loops for ever never reads the pipe again."""
    while os.getppid() == parent:
        time.sleep(_WATCH_S)
    os._exit(0)


class _Worker:
    def __init__(self, schemas: Mapping[str, pa.Schema]) -> None:
        self._schemas = schemas
        self._evaluators: dict[str, Configured] = {}

    def do(self, verb: str, tables: Tables, entries: Sequence[Entry]) -> Tables:
        rows = {name: table.to_pylist() for name, table in batch.tables(tables).items()}
        return batch.streams(self._assemble(rows) if verb == "assemble" else self._evaluate(rows, entries))

    def _assemble(self, rows: Mapping[str, Sequence[Row]]) -> Mapping[str, pa.Table]:
        """Rows of spans and logs, any number of traces, to rows of the derived tables."""
        logs = _by_trace(rows["logs"])
        found: dict[str, list[Row]] = {table: [] for table in DERIVED}
        for trace_id, spans in _by_trace(rows["spans"]).items():
            is_whole = len(spans) == spans[0]["spans_in_trace"]
            for trace in assemble(map(Span.from_row, spans), logs.get(trace_id, ()), is_whole=is_whole):
                for table, new in rows_of(trace).items():
                    found[table].extend(new)
        return {name: batch.table(new, self._schemas[name]) for name, new in found.items()}

    def _evaluate(self, rows: Mapping[str, Sequence[Row]], entries: Sequence[Entry]) -> Mapping[str, pa.Table]:
        """Rows of the derived tables, or of offered tools, to rows of `scores`."""
        targets = tools_of(rows) if TOOLS in rows else traces_of(rows)
        verdicts = Here().evaluate(targets, [self._evaluator(entry) for entry in entries])
        return {"scores": batch.table(map(verdict_row, verdicts), self._schemas["scores"])}

    def _evaluator(self, entry: Entry) -> Configured:
        name = entry["name"]
        if name not in self._evaluators:
            self._evaluators[name] = configure(**entry)
        return self._evaluators[name]


def _by_trace(rows: Iterable[Row]) -> dict[str, list[Row]]:
    by_trace: dict[str, list[Row]] = {}
    for row in rows:
        by_trace.setdefault(row["trace_id"], []).append(row)
    return by_trace


if __name__ == "__main__":
    serve(Connection(int(sys.argv[1])))
