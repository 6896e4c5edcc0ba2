"""What has been judged: fulfils `evaluators.ports.Ledger` on the store."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import duckdb
import pyarrow as pa

from tracegrade.evaluators.model import AgentTrace
from tracegrade.evaluators.ports import Pass
from tracegrade.evaluators.registry import Configured
from tracegrade.evaluators.verdict import Verdict
from tracegrade.queries.catalog import statement

from .. import telemetry
from ..batch import Batch, table
from ..rows import DERIVED, traces_of, verdict_row
from .arrow import listed, registered
from .database import Database
from .results import Results

__all__ = ["StoreLedger"]


class StoreLedger:
    """Reads what is due on a cursor of its own and records through the connection for results."""

    def __init__(
        self, database: Database, results: Results, *, has_outbox: bool, now: Callable[[], datetime] | None = None
    ) -> None:
        self._database = database
        self._results = results
        self._has_outbox = has_outbox
        self._now = now or (lambda: datetime.now(UTC).replace(tzinfo=None))
        self._loaded: tuple[tuple[str, ...], Batch[AgentTrace]] | None = None

    def enrol(self, evaluators: Sequence[Configured]) -> None:
        """Gives each evaluator that has none a cursor, at now."""
        with self._results.transaction() as connection:
            for evaluator in evaluators:
                connection.execute(statement("enrol_evaluator"), _identity(evaluator))

    def due(self, evaluator: Configured, limit: int) -> Batch[AgentTrace]:
        """The next runs for `evaluator`. Evaluators that are equally far get the very same batch, loaded once."""
        with self._database.cursor() as connection:
            wanted = {**_identity(evaluator), "limit": limit, "now": self._now()}
            found = connection.execute(statement("due_runs"), wanted).fetchall()
            ids = tuple(row[0] for row in found)
            if self._loaded is None or self._loaded[0] != ids:
                parameters = {"agent_trace_ids": listed(ids)}
                tables = {
                    table: connection.execute(statement(f"load_{table}"), parameters).to_arrow_table()
                    for table in DERIVED
                }
                self._loaded = (ids, Batch(tables, traces_of, key="agent_trace_id"))
        return self._loaded[1]

    def record(
        self,
        this: Pass,
        evaluators: Sequence[Configured],
        traces: Sequence[AgentTrace],
        verdicts: Sequence[Verdict],
    ) -> None:
        """Verdicts, what they supersede, cursors, outbox and the pass itself, in one transaction."""
        scores = self._scores(verdicts)
        now = self._now()
        with (
            self._results.transaction() as connection,
            registered(connection, "arriving_scores", scores),
        ):
            if scores.num_rows:
                self._keep(connection, this, now)
            for evaluator in evaluators:
                _pass_on(connection, evaluator, traces)
                summary = {
                    "pass_id": this.id,
                    "evaluator": evaluator.name,
                    "started_at": this.started_at,
                    "ended_at": now,
                    "due": len(traces),
                }
                connection.execute(statement("insert_pass"), summary)
        self._loaded = None
        for status, count in Counter(scores.column("status").to_pylist()).items():
            telemetry.verdicts.labels(status=status).inc(count)

    def defer(
        self, evaluator: Configured, traces: Sequence[AgentTrace], *, until: datetime, reason: str, priority: int = 1
    ) -> None:
        """Puts `traces` off; until then `evaluator` goes on with others."""
        later = {"not_before": until, "reason": reason, "priority": priority}
        with self._results.transaction() as connection:
            _pass_on(connection, evaluator, traces)
            connection.execute(
                statement("insert_due_later"),
                {"evaluator": evaluator.name, "agent_trace_ids": listed(_ids(traces)), **later},
            )
        self._loaded = None

    def _keep(self, connection: duckdb.DuckDBPyConnection, this: Pass, now: datetime) -> None:
        """The registered verdicts, in place of the older ones on the same things."""
        connection.execute(statement("supersede_scores"), {"now": now})
        connection.execute(statement("supersede_scores_of_calls"), {"now": now})
        if self._has_outbox:
            row = connection.execute(statement("last_outbox_position")).fetchone()
            connection.execute(statement("insert_outbox"), {"last_position": row[0] if row else 0})
        connection.execute(statement("insert_scores"), {"pass_id": this.id, "now": now})

    def _scores(self, verdicts: Sequence[Verdict]) -> pa.Table:
        if isinstance(verdicts, Batch):
            return verdicts.tables["scores"]
        return table(map(verdict_row, verdicts), self._results.schemas["scores"])


def _identity(evaluator: Configured) -> Mapping[str, Any]:
    return {
        "evaluator": evaluator.name,
        "evaluator_version": evaluator.version,
        "config_hash": evaluator.config_hash,
    }


def _pass_on(connection: duckdb.DuckDBPyConnection, evaluator: Configured, traces: Sequence[AgentTrace]) -> None:
    """`evaluator` is through with `traces`, new ones and such as were put off."""
    last_seq = max(_main(traces).column("assembled_seq").to_pylist(), default=0)
    connection.execute(statement("advance_cursor"), {**_identity(evaluator), "seq": last_seq})
    connection.execute(
        statement("delete_due_later"), {"evaluator": evaluator.name, "agent_trace_ids": listed(_ids(traces))}
    )


def _ids(traces: Sequence[AgentTrace]) -> list[str]:
    ids: list[str] = _main(traces).column("agent_trace_id").to_pylist()
    return ids


def _main(traces: Sequence[AgentTrace]) -> pa.Table:
    if not isinstance(traces, Batch):
        raise TypeError("the ledger takes back only what `due` handed out")
    return traces.main
