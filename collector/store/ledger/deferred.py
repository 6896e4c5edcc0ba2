"""Writes the table `deferrals`: targets that evaluators deferred, and those that a backfill requested."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import duckdb
import pyarrow as pa

from tracegrade.evaluators.definition.registry import Configured
from tracegrade.evaluators.ports import DeferralKind
from tracegrade.queries.catalog import statement

from ...records.arrow_batch import table
from ..engines.arrow import listed, registered
from ..priority import BACKFILL, DEFERRED

__all__ = ["Deferral", "delete", "insert", "request_past"]

_ROWS = pa.schema(
    [
        ("target_id", pa.string()),
        ("not_before", pa.timestamp("us")),
        ("reason", pa.string()),
        ("kind", pa.string()),
    ]
)


@dataclass(frozen=True, slots=True)
class Deferral:
    """When a target is due (UTC), and why it is not due now."""

    until: datetime
    reason: str
    kind: DeferralKind


def insert(
    connection: duckdb.DuckDBPyConnection,
    evaluator: Configured,
    deferrals: Mapping[str, Deferral],
) -> None:
    """Defer targets for `evaluator`; `deferrals` are by target_id."""
    if not deferrals:
        return
    rows = (
        {"target_id": target_id, "not_before": deferral.until, "reason": deferral.reason, "kind": deferral.kind}
        for target_id, deferral in deferrals.items()
    )
    with registered(connection, "deferred_targets", table(rows, _ROWS)):
        about = {"evaluator": evaluator.name, "scope": evaluator.scope, "priority": DEFERRED}
        connection.execute(statement("insert_deferred_targets"), about)


def delete(connection: duckdb.DuckDBPyConnection, evaluator: Configured, target_ids: Iterable[str]) -> None:
    """Delete targets from those that are deferred for `evaluator`."""
    connection.execute(
        statement("delete_deferred_targets"), {"evaluator": evaluator.name, "target_ids": listed(target_ids)}
    )


def request_past(
    connection: duckdb.DuckDBPyConnection, evaluator: Configured, selection: Mapping[str, Any], *, again: bool = False
) -> int:
    """Make past targets due for `evaluator`; return their number. `selection` are parameters of `insert_backfill`."""
    about = {**selection, "evaluator": evaluator.name, "scope": evaluator.scope, "priority": BACKFILL}
    expedited = connection.execute(statement("expedite_backfill"), about).fetchall()
    form = {"evaluator_version": evaluator.version, "config_hash": evaluator.config_hash}
    inserted = connection.execute(statement("insert_backfill"), {**about, **form, "again": again}).fetchall()
    return len(expedited) + len(inserted)
