"""A real store in a folder of the test, and its parts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa

from tracegrade.collector.assembly import assemble
from tracegrade.collector.clock import utc_now
from tracegrade.collector.evaluation.workbench_by_kind import WorkbenchByKind
from tracegrade.collector.feedback.extract import extract_feedback
from tracegrade.collector.feedback.model import FEEDBACK
from tracegrade.collector.otlp.decode import decode_logs, decode_spans
from tracegrade.collector.records.arrow_batch import Batch
from tracegrade.collector.records.links import LINK_KEYS, link_keys
from tracegrade.collector.records.row_mapping import DERIVED, rows_of
from tracegrade.collector.records.run_trees import find_trees
from tracegrade.collector.references.rules import References
from tracegrade.collector.spans.span import Span
from tracegrade.collector.store.arrivals import assembly_source
from tracegrade.collector.store.arrivals.writer import Arrivals, Written
from tracegrade.collector.store.engines.duckdb_file.database import DuckDbFile
from tracegrade.collector.store.ledger.due import DueTargets, RevisionLimits
from tracegrade.collector.store.ledger.ledger import StoreLedger
from tracegrade.collector.store.ledger.references import ReferenceLookup
from tracegrade.collector.store.ledger.sql_evaluators import SqlWorkbench
from tracegrade.collector.store.results.writer import Results, Revised
from tracegrade.evaluators.definition.registry import Configured
from tracegrade.evaluators.execution.run import InProcessWorkbench
from tracegrade.evaluators.model import AgentTrace
from tracegrade.evaluators.passes.run_pass import Summary, run_pass
from tracegrade.evaluators.ports import DeferralKind, Deferred, Evaluated, EvaluationPass, Workbench

from . import agent_spans

__all__ = ["Clock", "Store", "opened", "store_with_runs"]


class Clock:
    """A clock that only a test moves. Returns UTC without a zone."""

    def __init__(self) -> None:
        self.now = datetime(2026, 1, 1, 12)  # noqa: DTZ001 - as the store keeps it

    def __call__(self) -> datetime:
        return self.now

    def pass_by(self, **time: float) -> None:
        """Moves it on by a `timedelta` of these arguments."""
        self.now += timedelta(**time)


@dataclass
class Store:
    """The parts of an open store, and its clock."""

    database: DuckDbFile
    arrivals: Arrivals
    results: Results
    ledger: StoreLedger
    now: Callable[[], datetime]

    def rows(self, sql: str, **parameters: Any) -> list[tuple[Any, ...]]:
        """Returns the rows of a query on a connection of its own."""
        with self.database.cursor() as connection:
            return connection.execute(sql, parameters or None).fetchall()

    def one(self, sql: str, **parameters: Any) -> Any:
        """Returns the first value of the first row."""
        return self.rows(sql, **parameters)[0][0]

    def arrive(
        self, spans: Iterable[Span] = (), *, logs: bytes = b"", resource: Mapping[str, Any] | None = None
    ) -> Written:
        """Commits spans of a resource (and an export of log records) as one batch."""
        body = agent_spans.export_request(spans, resource=resource)
        return self.arrivals.write(decode_spans(body).rows, decode_logs(logs).rows)

    def add_runs(self, trace: int = 1, *others: int, **trip: Any) -> None:
        """Commits and assembles a run in each of these traces: a `trip`, with these options."""
        traces = trace, *others
        for number in traces:
            self.arrive(agent_spans.trip(number, **trip))
        self.revise(*traces)

    def unassembled(self) -> list[tuple[str, int, int]]:
        """Lists the traces that a restart would assemble: trace_id, first and last batch_seq."""
        found, _ = assembly_source.unassembled(self.database, from_seq=0, limit=1_000)
        return [(one.trace_id, one.first_seq, one.last_seq) for one in found]

    def revise(self, *traces: int | str, final: bool = True, is_last: bool = False) -> Revised:
        """Assembles these traces in this process from what has arrived, and stores the runs."""
        trace_ids = [one if isinstance(one, str) else f"{one:032x}" for one in traces]
        tables = self.assembled(trace_ids)
        return self.results.revise(tables, trace_ids, final=trace_ids if final else [], is_last=is_last)

    def assembled(self, trace_ids: Sequence[str]) -> dict[str, pa.Table]:
        """Assembles these traces in this process from what has arrived."""
        spans, logs = assembly_source.sources(self.database, trace_ids)
        found = [
            run
            for trace_id in trace_ids
            for run in assemble(
                [Span.from_row(row) for row in spans.to_pylist() if row["trace_id"] == trace_id],
                [row for row in logs.to_pylist() if row["trace_id"] == trace_id],
            )
        ]
        heard = [one.row() for one in extract_feedback(spans.to_pylist(), logs.to_pylist())]
        return {**self.tables(found), FEEDBACK: _table(heard, self.results.schemas[FEEDBACK])}

    def evaluate(
        self, *evaluators: Configured, limit: int = 500, workbench: Workbench[Batch[Any]] | None = None
    ) -> Summary:
        """Runs one pass over what is due, in this process (with a judge that answers 1) or on another workbench."""
        others = workbench or InProcessWorkbench(self.now, judge=lambda _: "1")
        by_kind = WorkbenchByKind(SqlWorkbench(self.database, now=self.now), others)
        return run_pass(self.ledger, by_kind, evaluators, now=self.now, limit=limit)

    def active_scores(self, columns: str = "target_id, evaluator, value") -> list[tuple[Any, ...]]:
        """Reads these columns of the scores that count, sorted."""
        return self.rows(f"select {columns} from latest_scores order by all")

    def defer(
        self, evaluator: Configured, *, until: datetime, reason: str, kind: DeferralKind = "budget", limit: int = 500
    ) -> None:
        """Records a pass in which `evaluator` deferred all that is due for it."""
        due = self.ledger.due(evaluator, limit)
        later = [Deferred(evaluator.name, target_id, until, reason, kind) for target_id in due.claim.selected]
        evaluation_pass = EvaluationPass(id="deferring", started_at=self.now())
        self.ledger.record(evaluation_pass, [evaluator], due, Evaluated((), later))

    def tables(self, runs: Sequence[AgentTrace]) -> dict[str, pa.Table]:
        """The rows of these runs in the derived tables."""
        rows: dict[str, list[dict[str, Any]]] = {name: [] for name in (*DERIVED, LINK_KEYS)}
        trees = find_trees(runs)
        for run in runs:
            rows[LINK_KEYS].extend(link_keys(run))
            for name, new in rows_of(run, trees[run.agent_trace_id]).items():
                rows[name].extend(new)
        return {name: _table(rows[name], self.results.schemas[name]) for name in rows}


@contextmanager
def opened(
    folder: Path,
    *,
    now: Callable[[], datetime] = utc_now,
    has_outbox: bool = False,
    references: References | None = None,
    evaluators: Sequence[Configured] = (),
    annotators: Sequence[str] = (),
    max_revisions: int | None = None,
) -> Iterator[Store]:
    """Opens the store in `folder`, or makes one. `evaluators` are those that others may come after."""
    path = folder / "store.duckdb"
    if not path.exists():
        path.write_bytes(_empty_store())
    database = DuckDbFile(path, threads=1)  # which looks for no work to share in statements as small as these
    arrivals, results = Arrivals(database, now=now), Results(database, annotators=annotators, now=now)
    try:
        lookup = ReferenceLookup(database, references or References())
        lookup.check()
        due_targets = DueTargets(
            database,
            lookup,
            revision_limits=RevisionLimits(max_revisions=max_revisions),
            evaluators=evaluators,
            now=now,
        )
        ledger = StoreLedger(database, results, due_targets, has_outbox=has_outbox, now=now)
        yield Store(database, arrivals, results, ledger, now)
    finally:
        arrivals.close()
        results.close()
        database.close()


def store_with_runs(file: Path, *traces: int) -> Path:
    """Makes a store with a run in each of these traces, many times as fast as an import does. Returns the file."""
    with opened(file.parent) as store:
        store.add_runs(*traces)
    return (file.parent / "store.duckdb").rename(file)


@cache
def _empty_store() -> bytes:
    """The file of an empty store, which takes longer to make than most tests."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "store.duckdb"
        DuckDbFile(path).close()
        return path.read_bytes()


def _table(rows: Sequence[dict[str, Any]], schema: pa.Schema) -> pa.Table:
    columns = [pa.array([row.get(field.name) for row in rows], type=field.type) for field in schema]
    return pa.Table.from_arrays(columns, schema=schema)
