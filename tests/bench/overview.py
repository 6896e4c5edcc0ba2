"""How long the queries of an overview take over a large store, and how long one run and a page of runs."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

import duckdb

from tracegrade.queries.catalog import report

from .figures import Benchmark, Metric, Options
from .large_store import END, make_large_store

__all__ = ["OVERVIEW", "QUERIES", "measure"]

QUERIES: Final = (
    "choices",
    "runs_by_step",
    "durations_of_runs",
    "compared_measures",
    "changes_of_agents",
    "evaluators_by_step",
    "tools_at_fault",
    "failing_patterns",
)
_WINDOWS: Final = {"24 hours": timedelta(days=1), "30 days": timedelta(days=30)}
_FILTERS: Final = ("agent", "version", "environment", "service")
_FIXED: Final[dict[str, Any]] = {"step_hours": 1, "limit": 10, "evaluator": None, "search": None, "configured": []}
_REPEATS: Final = 5

_PAGE = """
from runs
where
    started_at >= $since::timestamp
    and started_at < $until::timestamp
    and contains(tools, 'book_hotel')
    and failing
order by started_at desc, agent_trace_id desc
limit 100
"""
_RUN_OF_TIME = "from runs where agent_trace_id = $agent_trace_id and started_at = $started_at"
_SOME_RUN = "select agent_trace_id, started_at from runs order by hash(agent_trace_id) limit 1"


def _run(options: Options) -> Mapping[str, float]:
    with tempfile.TemporaryDirectory(prefix="tracegrade-bench-") as folder:
        database = make_large_store(Path(folder) / "bench.duckdb", options.rows)
        with database.cursor() as connection:
            figures = measure(connection)
        database.close()
    return figures


def measure(connection: duckdb.DuckDBPyConnection) -> Mapping[str, float]:
    """Measure on a store that `make_large_store` has made."""
    figures: dict[str, float] = {}
    for window, length in _WINDOWS.items():
        about = {"since": END - length, "until": END, **dict.fromkeys(_FILTERS), **_FIXED}
        each = {name: _milliseconds(connection, report(name), about) for name in QUERIES}
        figures[f"queries of the overview, {window}"] = sum(each.values())
        print(f"  {window}: " + ", ".join(f"{name} {each[name]:.0f}" for name in QUERIES), flush=True)
        page = {"since": about["since"], "until": END}
        figures[f"page of 100 runs, {window}"] = _milliseconds(connection, _PAGE, page)
    (found,) = connection.execute(_SOME_RUN).fetchall()
    run = dict(zip(("agent_trace_id", "started_at"), found, strict=True))
    figures["run by id"] = _milliseconds(connection, report("runs_of_trace"), {"id": run["agent_trace_id"]})
    figures["run by id and time"] = _milliseconds(connection, _RUN_OF_TIME, run)
    return figures


def _milliseconds(connection: duckdb.DuckDBPyConnection, sql: str, parameters: Mapping[str, Any]) -> float:
    """Return the median of some repeats."""
    durations: list[float] = []
    used = {name: parameters[name] for name in duckdb.extract_statements(sql)[0].named_parameters}
    for _ in range(_REPEATS):
        began = time.perf_counter()
        connection.execute(sql, used).fetchall()
        durations.append((time.perf_counter() - began) * 1000)
    return sorted(durations)[_REPEATS // 2]


OVERVIEW = Benchmark(
    "Reading a large store",
    (
        Metric(name="queries of the overview, 24 hours", unit="ms", target=200, less_is_better=True),
        Metric(name="queries of the overview, 30 days", unit="ms", target=1500, less_is_better=True),
        Metric(name="page of 100 runs, 24 hours", unit="ms", target=150, less_is_better=True),
        Metric(name="page of 100 runs, 30 days", unit="ms", target=150, less_is_better=True),
        Metric(name="run by id", unit="ms", target=50, less_is_better=True),
        Metric(name="run by id and time", unit="ms", target=50, less_is_better=True),
    ),
    _run,
)
