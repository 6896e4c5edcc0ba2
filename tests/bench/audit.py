"""What it costs to look over a large store: how far evaluators are, and whether every score is there."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from tracegrade.collector.client.source import LocalSource
from tracegrade.collector.reports.audit import audit
from tracegrade.collector.reports.backlog import read_standings
from tracegrade.collector.store.engines.duckdb_file.database import DuckDbFile
from tracegrade.evaluators.catalog.configure import configure
from tracegrade.evaluators.definition.registry import Configured

from .due import insert_runs
from .figures import Benchmark, Metric, Options

__all__ = ["AUDIT", "insert_scores"]

_EVALUATORS = 7
_CURSORS = """
insert into evaluator_cursors by name
select
    $evaluator as evaluator,
    $version as evaluator_version,
    $config_hash as config_hash,
    'trace' as scope,
    0 as first_seq,
    $seq as seq,
    timestamp '2026-01-01' as enrolled_at,
    '' as selection,
    0 as selected_seq,
    timestamp '2026-01-01' as selected_at
"""
_SCORES = """
insert into scores by name
select
    md5(agent_trace_id || $evaluator) as score_id,
    agent_trace_id as target_id,
    'trace' as scope,
    agent_trace_id,
    trace_id,
    agent_span_id as span_id,
    agent_name,
    started_at as target_time,
    revision,
    $evaluator as evaluator,
    'tool_error' as evaluator_type,
    'code' as evaluator_kind,
    $version as evaluator_version,
    $config_hash as config_hash,
    1.0 as value,
    true as passed,
    1.0 as threshold,
    'no call failed' as explanation,
    '{}' as details,
    'scored' as status,
    'tracegrade' as author,
    assembled_at as scored_at
from agent_traces
"""


def _run(options: Options) -> Mapping[str, float]:
    evaluators = [configure("tool_error", name=f"check_{number}") for number in range(_EVALUATORS)]
    with tempfile.TemporaryDirectory(prefix="tracegrade-bench-") as folder:
        database = DuckDbFile(Path(folder) / "bench.duckdb")
        insert_runs(database, options.rows, offset=0)
        insert_scores(database, evaluators, options.rows)
        read = LocalSource(database, max_rows=1_000, timeout_s=300).read
        figures = {
            "backlog": _seconds(lambda: read_standings(read, evaluators)) * 1000,
            "ledger audit": _seconds(lambda: audit(read, evaluators)),
        }
        database.close()
    return figures


def insert_scores(database: DuckDbFile, evaluators: Sequence[Configured], rows: int) -> None:
    """A score of each evaluator on each run, whose cursors are at the run `rows`."""
    with database.cursor() as connection:
        for one in evaluators:
            form = {"evaluator": one.name, "version": one.version, "config_hash": one.config_hash}
            connection.execute(_SCORES, form)
            connection.execute(_CURSORS, {**form, "seq": rows})


def _seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


AUDIT = Benchmark(
    f"Looking over a large store, {_EVALUATORS} evaluators",
    (
        Metric(name="backlog", unit="ms", target=100, less_is_better=True),
        Metric(name="ledger audit", unit="s", target=6, less_is_better=True),
    ),
    _run,
)
