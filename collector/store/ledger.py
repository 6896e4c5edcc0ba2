"""What has been judged: fulfils `evaluators.ports.Ledger` on the store."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import duckdb
import pyarrow as pa

from tracegrade.evaluators.ports import Pass
from tracegrade.evaluators.registry import Configured
from tracegrade.evaluators.verdict import Target, Verdict
from tracegrade.queries.catalog import statement

from .. import telemetry
from ..batch import Batch, table
from ..references import References
from ..rows import DERIVED, REFERENCES, TOOLS, tools_of, traces_of, verdict_row
from .arrow import listed, registered
from .database import Database
from .expectations import Expectations
from .results import Results

__all__ = ["StoreLedger"]


class StoreLedger:
    """Reads what is due on a cursor of its own and records through the connection for results."""

    def __init__(
        self,
        database: Database,
        results: Results,
        *,
        has_outbox: bool,
        expectations: Expectations | None = None,
        now: Callable[[], datetime] | None = None,
    ) -> None:
        self._database = database
        self._results = results
        self._expectations = expectations or Expectations(database, References())
        self._has_outbox = has_outbox
        self._now = now or (lambda: datetime.now(UTC).replace(tzinfo=None))
        self._loaded: dict[tuple[str, ...], Batch[Any]] = {}

    def enrol(self, evaluators: Sequence[Configured]) -> None:
        """Gives each evaluator that has none a cursor, at now."""
        with self._results.transaction() as connection:
            for evaluator in evaluators:
                connection.execute(statement("enrol_evaluator"), {**_identity(evaluator), "scope": evaluator.scope})

    def due(self, evaluator: Configured, limit: int) -> Batch[Any]:
        """The next targets of `evaluator`. Evaluators that are equally far get the very same batch, loaded once."""
        wanted = {**_identity(evaluator), "limit": limit, "now": self._now()}
        with self._database.cursor() as connection:
            if evaluator.scope == "tool":
                tools = connection.execute(statement("due_tools"), wanted).to_arrow_table()
                return self._once(tools.column("target_id").to_pylist(), lambda _: _tools(tools))
            found = connection.execute(statement("due_runs"), wanted).fetchall()
            return self._once([row[0] for row in found], lambda ids: self._runs(connection, ids))

    def _once(self, ids: Sequence[str], load: Callable[[Sequence[str]], Batch[Any]]) -> Batch[Any]:
        key = tuple(ids)
        if key not in self._loaded:
            self._loaded[key] = load(ids)
        return self._loaded[key]

    def _runs(self, connection: duckdb.DuckDBPyConnection, agent_trace_ids: Sequence[str]) -> Batch[Any]:
        parameters = {"agent_trace_ids": listed(agent_trace_ids)}
        tables = {name: connection.execute(statement(f"load_{name}"), parameters).to_arrow_table() for name in DERIVED}
        tables[REFERENCES] = self._expectations.of(connection, tables["agent_traces"])
        return Batch(tables, traces_of, key="agent_trace_id")

    def record(
        self,
        this: Pass,
        evaluators: Sequence[Configured],
        targets: Sequence[Target],
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
                self._keep(connection, this, now, is_about_tools="tool" in scores.column("scope").to_pylist())
            for evaluator in evaluators:
                _pass_on(connection, evaluator, targets)
                summary = {
                    "pass_id": this.id,
                    "evaluator": evaluator.name,
                    "started_at": this.started_at,
                    "ended_at": now,
                    "due": len(targets),
                }
                connection.execute(statement("insert_pass"), summary)
        self._loaded.clear()
        for status, count in Counter(scores.column("status").to_pylist()).items():
            telemetry.verdicts.labels(status=status).inc(count)

    def defer(
        self, evaluator: Configured, targets: Sequence[Target], *, until: datetime, reason: str, priority: int = 1
    ) -> None:
        """Puts `targets` off; until then `evaluator` goes on with others."""
        later = {"scope": evaluator.scope, "not_before": until, "reason": reason, "priority": priority}
        with self._results.transaction() as connection:
            _pass_on(connection, evaluator, targets)
            connection.execute(
                statement("insert_due_later"),
                {"evaluator": evaluator.name, "target_ids": listed(_batch(targets).keys), **later},
            )
        self._loaded.clear()

    def _keep(self, connection: duckdb.DuckDBPyConnection, this: Pass, now: datetime, *, is_about_tools: bool) -> None:
        """The registered verdicts, in place of the older ones on the same things."""
        connection.execute(statement("supersede_scores"), {"now": now})
        connection.execute(statement("supersede_scores_of_calls"), {"now": now})
        if is_about_tools:
            connection.execute(statement("supersede_scores_of_tools"), {"now": now})
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


def _tools(found: pa.Table) -> Batch[Any]:
    return Batch({TOOLS: found}, tools_of, key="target_id")


def _pass_on(connection: duckdb.DuckDBPyConnection, evaluator: Configured, targets: Sequence[Target]) -> None:
    """`evaluator` is through with `targets`, new ones and such as were put off."""
    batch = _batch(targets)
    last_seq = max(batch.main.column("assembled_seq").to_pylist(), default=0)
    connection.execute(statement("advance_cursor"), {**_identity(evaluator), "seq": last_seq})
    connection.execute(statement("delete_due_later"), {"evaluator": evaluator.name, "target_ids": listed(batch.keys)})


def _batch(targets: Sequence[Target]) -> Batch[Any]:
    if not isinstance(targets, Batch):
        raise TypeError("the ledger takes back only what `due` handed out")
    return targets
