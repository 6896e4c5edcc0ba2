"""`tracegrade rebuild` over a store in which nothing changed, beside the first assembly of the same runs."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.support.command import PROGRAM, environment

from tracegrade.collector.assembling.assembler import Assembler
from tracegrade.collector.assembling.open_traces import OpenTraces
from tracegrade.collector.clock import utc_now
from tracegrade.collector.config.evaluator_set import build_evaluators
from tracegrade.collector.ingest.arrived import Arrived
from tracegrade.collector.references.rules import References
from tracegrade.collector.store.engines.duckdb_file.database import DuckDbFile
from tracegrade.collector.store.ledger.due import DueTargets
from tracegrade.collector.store.ledger.ledger import StoreLedger
from tracegrade.collector.store.ledger.references import ReferenceLookup
from tracegrade.collector.store.results.writer import Results
from tracegrade.collector.system.memory_limit import worker_bytes
from tracegrade.collector.worker.client import Workbench

from .audit import insert_scores
from .computing import fill
from .figures import Benchmark, Metric, Options

__all__ = ["REBUILD"]

_REVISIONS = "select agent_trace_id, revision, assembled_seq, fingerprint from agent_traces"
_SCORES = "select count(*) from scores where superseded_at is null"
_KEPT = "create table kept as " + _REVISIONS
_CHANGED = f"select count(*) from (({_REVISIONS} except from kept) union all (from kept except {_REVISIONS}))"
_LIMIT = 1_000_000


def _run(options: Options) -> Mapping[str, float]:
    with tempfile.TemporaryDirectory(prefix="tracegrade-bench-") as folder:
        path = Path(folder) / "bench.duckdb"
        first_s = _assemble(path, options.traces)
        with _opened(path) as (database, results):
            scores, due = _count(database, _SCORES), _due(database, results)
            _count(database, _KEPT)
        outcome, peak_bytes = _rebuild(path)
        with _opened(path) as (database, results):
            return {
                "first assembly": options.traces / first_s,
                "rebuild": outcome["runs_per_s"],
                "rebuild / first assembly": outcome["runs_per_s"] * first_s / options.traces,
                "peak memory": peak_bytes / 2**20,
                "store": path.stat().st_size / 2**20,
                "revisions changed": _count(database, _CHANGED),
                "scores changed": abs(_count(database, _SCORES) - scores),
                "targets due": _due(database, results) - due,
            }


def _assemble(path: Path, traces: int) -> float:
    """Stores and assembles so many runs, each with a score of every default evaluator of runs; gives the seconds that
    the assembly took."""
    with _opened(path) as (database, results):
        trace_ids = fill(database, traces)
        workbench = Workbench(results.schemas, memory_bytes=worker_bytes(None))
        assembler = Assembler(database, results, workbench, OpenTraces(grace_s=0, idle_s=0, limit=2 * traces))
        assembler.arrived(Arrived(1, dict.fromkeys(trace_ids, 0)))
        began = time.perf_counter()
        while due_traces := assembler.choose_due():
            settle, _ = assembler.assemble(due_traces, _LIMIT)
            settle()
        first_s = time.perf_counter() - began
        workbench.close()
        results.settle(_LIMIT)
        insert_scores(database, [one for one in build_evaluators(None) if one.scope == "trace"], traces)
        return first_s


def _rebuild(path: Path) -> tuple[Mapping[str, float], int]:
    """What the command prints, and the most memory that one of its processes took."""
    command = [PROGRAM, "rebuild", "--json", "--store", str(path)]
    with subprocess.Popen(command, cwd=path.parent, env=environment({}), stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        out = process.stdout.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return json.loads(out), used.ru_maxrss * 1024


@contextmanager
def _opened(path: Path) -> Iterator[tuple[DuckDbFile, Results]]:
    database = DuckDbFile(path)
    results = Results(database)
    try:
        yield database, results
    finally:
        results.close()
        database.close()


def _count(database: DuckDbFile, sql: str) -> int:
    with database.cursor() as connection:
        (count,) = connection.execute(sql).fetchone() or (0,)
        return int(count)


def _due(database: DuckDbFile, results: Results) -> int:
    """How many targets the default evaluators would evaluate now."""
    due_targets = DueTargets(database, ReferenceLookup(database, References()), now=utc_now)
    StoreLedger(database, results, due_targets, has_outbox=False).enrol(build_evaluators(None))
    return sum(len(due_targets.find_next(evaluator, _LIMIT).claim.target_ids) for evaluator in build_evaluators(None))


REBUILD = Benchmark(
    "Rebuild of a store in which nothing changed, runs of ten spans",
    (
        Metric(name="first assembly", unit="runs/s"),
        Metric(name="rebuild", unit="runs/s", target=500),
        Metric(name="rebuild / first assembly", unit=""),
        Metric(name="peak memory", unit="MiB", target=1_500, less_is_better=True),
        Metric(name="store", unit="MiB"),
        Metric(name="revisions changed", unit="", target=0, less_is_better=True),
        Metric(name="scores changed", unit="", target=0, less_is_better=True),
        Metric(name="targets due", unit="", target=0, less_is_better=True),
    ),
    _run,
)
