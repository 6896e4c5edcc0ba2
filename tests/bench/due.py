"""What a pass costs over a large store when nothing is due, and when something is."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from tracegrade.collector.clock import utc_now
from tracegrade.collector.config.evaluator_set import build_evaluators
from tracegrade.collector.evaluation.workbench_by_kind import WorkbenchByKind
from tracegrade.collector.references.rules import References
from tracegrade.collector.store.engines.database import Database
from tracegrade.collector.store.engines.duckdb_file.database import DuckDbFile
from tracegrade.collector.store.ledger.due import DueTargets
from tracegrade.collector.store.ledger.ledger import StoreLedger
from tracegrade.collector.store.ledger.references import ReferenceLookup
from tracegrade.collector.store.ledger.sql_evaluators import SqlWorkbench
from tracegrade.collector.store.results.writer import Results
from tracegrade.evaluators.catalog.build import build
from tracegrade.evaluators.definition.registry import Configured
from tracegrade.evaluators.execution.run import InProcessWorkbench
from tracegrade.evaluators.passes.run_pass import BATCH, SQL_BATCH, Summary, run_pass

from .figures import Benchmark, Metric, Options

__all__ = ["DUE", "insert_runs"]

_REPEATS = 10
_RUNS = """
insert into agent_traces by name
select
    format('{:032x}-{:016x}', i + $offset, i) as agent_trace_id,
    format('{:032x}', i + $offset) as trace_id,
    format('{:016x}', i) as agent_span_id,
    agent_trace_id as root_agent_trace_id,
    'helpdesk' as agent_name,
    'helpdesk' as service_name,
    'question ' || i as input,
    'answer ' || i as final_response,
    timestamp '2026-01-01' + to_milliseconds(i + $offset) as started_at,
    timestamp '2026-01-01' + to_milliseconds(i + $offset + 900) as ended_at,
    started_at as earliest_at,
    started_at as latest_at,
    900 as duration_ms,
    0 as tool_call_count,
    0 as llm_call_count,
    0 as error_count,
    'complete' as completeness,
    '[]' as gaps,
    1 as revision,
    md5(i::varchar) as fingerprint,
    timestamp '2026-01-01' + to_milliseconds(i + $offset + 3000) as assembled_at,
    i + $offset + 1 as assembled_seq
from range($rows) as t (i)
"""

_ANSWERED = """
select agent_trace_id, final_response is not null as value
from due join agent_traces using (agent_trace_id)
"""
_BY_SQL = build({"name": "answered", "sql": _ANSWERED})


def _run(options: Options) -> Mapping[str, float]:
    evaluators = build_evaluators(None)
    with tempfile.TemporaryDirectory(prefix="tracegrade-bench-") as folder:
        database = DuckDbFile(Path(folder) / "bench.duckdb")
        insert_runs(database, options.rows, offset=0)
        results = Results(database)
        due_targets = DueTargets(database, ReferenceLookup(database, References()), now=utc_now)
        ledger = StoreLedger(database, results, due_targets, has_outbox=False)
        workbench = WorkbenchByKind(SqlWorkbench(database), InProcessWorkbench())
        ledger.enrol(evaluators)
        figures = {
            "due, one evaluator": _milliseconds(lambda: ledger.due(evaluators[0], BATCH)),
            "pass with nothing due": _milliseconds(lambda: _pass(ledger, workbench, evaluators)),
        }
        insert_runs(database, BATCH, offset=options.rows)
        figures[f"pass with {BATCH} due"] = _milliseconds(lambda: _pass(ledger, workbench, evaluators), repeats=1)
        insert_runs(database, 2 * BATCH, offset=options.rows + BATCH)
        figures[f"passes with {2 * BATCH} due"] = _milliseconds(
            lambda: _passes(ledger, workbench, evaluators), repeats=1
        )
        ledger.enrol([_BY_SQL])
        insert_runs(database, SQL_BATCH, offset=options.rows + 3 * BATCH)
        figures[f"SQL over {SQL_BATCH:,} due"] = _milliseconds(lambda: _pass(ledger, workbench, [_BY_SQL]), repeats=1)
        results.close()
        database.close()
    return figures


def insert_runs(database: Database, rows: int, *, offset: int) -> None:
    """So many runs of an agent that called nothing, assembled one after the other."""
    with database.cursor() as connection:
        connection.execute(_RUNS, {"rows": rows, "offset": offset})


def _pass(ledger: StoreLedger, workbench: WorkbenchByKind, evaluators: list[Configured]) -> Summary:
    return run_pass(ledger, workbench, evaluators, now=utc_now)


def _passes(ledger: StoreLedger, workbench: WorkbenchByKind, evaluators: list[Configured]) -> None:
    """As many as it takes."""
    while _pass(ledger, workbench, evaluators).is_full:
        pass


def _milliseconds(work: Callable[[], object], *, repeats: int = _REPEATS) -> float:
    """Of one repeat, the first one not counted where there are several."""
    if repeats > 1:
        work()
    began = time.perf_counter()
    for _ in range(repeats):
        work()
    return (time.perf_counter() - began) * 1000 / repeats


DUE = Benchmark(
    "A pass over a large store",
    (
        Metric(name="due, one evaluator", unit="ms", less_is_better=True),
        Metric(name="pass with nothing due", unit="ms", target=50, less_is_better=True),
        Metric(name=f"pass with {BATCH} due", unit="ms", less_is_better=True),
        Metric(name=f"passes with {2 * BATCH} due", unit="ms", less_is_better=True),
        Metric(name=f"SQL over {SQL_BATCH:,} due", unit="ms", target=5000, less_is_better=True),
    ),
    _run,
)
