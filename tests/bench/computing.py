"""Assembly and the default checks in this process: AgentTraces a second on one core, bare and as the worker's job."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Mapping
from multiprocessing import Pipe
from pathlib import Path
from typing import Any

import pyarrow as pa

from tracegrade.collector.assembly import assemble
from tracegrade.collector.config.evaluator_set import build_evaluators
from tracegrade.collector.otlp.decode import decode_spans
from tracegrade.collector.spans.span import Span
from tracegrade.collector.store.arrivals import assembly_source
from tracegrade.collector.store.arrivals.writer import Arrivals
from tracegrade.collector.store.engines.duckdb_file.database import DuckDbFile
from tracegrade.collector.store.results.writer import Results
from tracegrade.collector.worker import serving
from tracegrade.collector.worker.guard import Guard
from tracegrade.collector.worker.pipe import WorkerPipe
from tracegrade.evaluators.execution.run import InProcessWorkbench
from tracegrade.evaluators.model import AgentTrace

from .figures import Benchmark, Metric, Options
from .traffic import SPANS_OF_RUN, Traffic, requests

__all__ = ["COMPUTING", "fill"]

_BATCH_TRACES = 200


def _run(options: Options) -> Mapping[str, float]:
    serving.collect_rarely()
    with tempfile.TemporaryDirectory(prefix="tracegrade-bench-") as folder:
        database = DuckDbFile(Path(folder) / "bench.duckdb")
        trace_ids = fill(database, options.traces)
        parts = [
            assembly_source.sources(database, trace_ids[at : at + _BATCH_TRACES])
            for at in range(0, len(trace_ids), _BATCH_TRACES)
        ]
        results = Results(database)
        schemas = results.schemas
        results.close()
        database.close()
    return {**_bare([spans for spans, _ in parts]), **_as_jobs(parts, schemas)}


def fill(database: DuckDbFile, traces: int) -> list[str]:
    """Stores so many runs, and gives their trace ids."""
    arrivals = Arrivals(database)
    found: dict[str, None] = {}
    for body in requests(Traffic(spans=traces * SPANS_OF_RUN, span_bytes=600, spans_per_request=2_000)):
        rows = decode_spans(body).rows
        arrivals.write(rows, [])
        found |= dict.fromkeys(row[0] for row in rows)
    arrivals.close()
    return list(found)


def _bare(parts: list[pa.Table]) -> Mapping[str, float]:
    """Rows in, scores out, nothing else."""
    by_trace = [list(rows) for part in parts for rows in _by_trace(part.to_pylist())]
    evaluators = build_evaluators(None)
    began = time.perf_counter()
    traces: list[AgentTrace] = []
    for rows in by_trace:
        traces += assemble(map(Span.from_row, rows))
    assembled = time.perf_counter()
    InProcessWorkbench().evaluate(traces, evaluators)
    ended = time.perf_counter()
    return {
        "assembly": len(traces) / (assembled - began),
        "default checks": len(traces) / (ended - assembled),
        "assembly and default checks": len(traces) / (ended - began),
    }


def _by_trace(rows: list[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    grouped: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        grouped.setdefault(row["trace_id"], []).append(row)
    yield from grouped.values()


def _as_jobs(parts: list[tuple[pa.Table, pa.Table]], schemas: Mapping[str, pa.Schema]) -> Mapping[str, float]:
    """What the worker really does: tables, rows, AgentTraces, rows, tables, once for each of its two verbs."""
    line = WorkerPipe(Pipe()[0])
    guard = Guard(memory_bytes=2**31, beat=lambda: None, end_if_forked=line.end_if_forked)
    working = serving._Worker(schemas, guard, line)
    entries = [dict(evaluator.spec) for evaluator in build_evaluators(None)]
    began = time.perf_counter()
    derived = [working.do("assemble", {"spans": spans, "logs": logs}, {}) for spans, logs in parts]
    assembled = time.perf_counter()
    for job in derived:
        working.do("evaluate", _stamped(job), entries)
    ended = time.perf_counter()
    traces = sum(job["agent_traces"].num_rows for job in derived)
    return {
        "worker: assembly": traces / (assembled - began),
        "worker: default checks": traces / (ended - assembled),
        "worker: both": traces / (ended - began),
    }


def _stamped(job: serving.Tables) -> dict[str, pa.Table]:
    """Runs as the store gives them back, with a revision."""
    runs = job["agent_traces"]
    revisions = pa.array([1] * runs.num_rows, type=pa.int64())
    return {**job, "agent_traces": runs.set_column(runs.schema.get_field_index("revision"), "revision", revisions)}


COMPUTING = Benchmark(
    "Assembly and default checks, one core, runs of ten spans",
    (
        Metric(name="assembly", unit="runs/s", target=1_500),
        Metric(name="default checks", unit="runs/s"),
        Metric(name="assembly and default checks", unit="runs/s", target=1_000),
        Metric(name="worker: assembly", unit="runs/s"),
        Metric(name="worker: default checks", unit="runs/s"),
        Metric(name="worker: both", unit="runs/s", target=1_000),
    ),
    _run,
)
