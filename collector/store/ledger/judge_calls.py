"""The calls of judges and their answers: implements `evaluators.ports.JudgeCache` on the store."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import fields, replace
from datetime import datetime
from typing import Any, Final

import duckdb
import orjson

from tracegrade.evaluators.ports import JudgeCall, Purpose, Spent
from tracegrade.queries.catalog import statement

from ...clock import as_utc
from ...records.arrow_batch import table
from ..engines.arrow import listed, read_table, registered, schema
from ..engines.database import Database
from ..results.writer import Results

__all__ = ["StoredJudgeCalls", "call_of"]

_TABLE: Final = "judge_calls"
_JSON: Final = ("request", "response")
_MOST_DIGITS: Final = 18
"""The number of digits up to which an integer always fits into 64 bits."""


class StoredJudgeCalls:
    """Reads on cursors of its own and writes through the connection for results. For any thread.

    With an `experiment_id` the calls that are recorded belong to that experiment, and what is spent is that of all
    experiments; otherwise that of production. Experiments use the answers of production, never the other way round: an
    answer that anybody could have written is worth nothing there.
    """

    def __init__(
        self, database: Database, results: Results, *, purpose: Purpose = "pass", experiment_id: str | None = None
    ) -> None:
        self._database = database
        self._results = results
        self._purpose: Purpose = "experiment" if experiment_id is not None else purpose
        self._experiment_id = experiment_id
        with database.cursor() as connection:
            self._schema = schema(connection, _TABLE)

    def lookup(self, request_hashes: Collection[str]) -> Mapping[str, JudgeCall]:
        """Return calls by request_hash: the latest `ok` one without its `request`, else the pending one, else the
        latest `unusable` one, unless its evaluator has got a score on its target.

        Over a million calls this takes about 50 ms if the answers are recent or there are none, and 150 ms if they are
        spread over all of them.
        """
        if not request_hashes:
            return {}
        asked = {"request_hashes": listed(request_hashes), "of_experiments": self._experiment_id is not None}
        with self._database.cursor() as connection:
            found = read_table(connection, "cached_judge_calls", asked).to_pylist()
            judged = _judged(connection, [row["judge_call_id"] for row in found if row["status"] == "unusable"])
        return {row["request_hash"]: call_of(row) for row in found if row["judge_call_id"] not in judged}

    def record(self, calls: Sequence[JudgeCall]) -> None:
        """Store calls in one transaction. A call with the judge_call_id of a pending call replaces it."""
        self._store([replace(call, recorded_by="server") for call in calls])

    def record_claims(self, calls: Sequence[JudgeCall]) -> None:
        """Store calls that a client says to have made. One with a judge_call_id that is stored changes nothing."""
        with self._database.cursor() as connection:
            asked = {"judge_call_ids": listed([call.judge_call_id for call in calls])}
            stored = {row[0] for row in connection.execute(statement("stored_judge_calls"), asked).fetchall()}
        claimed = {call.judge_call_id: call for call in calls if call.judge_call_id not in stored}
        self._store([replace(call, recorded_by="client") for call in claimed.values()])

    def _store(self, calls: Sequence[JudgeCall]) -> None:
        if not calls:
            return
        arriving = table((_row(self._mark(call)) for call in calls), self._schema)
        with self._results.transaction() as connection, registered(connection, "arriving_judge_calls", arriving):
            connection.execute(statement("delete_pending_judge_calls"))
            connection.execute(statement("insert_judge_calls"))

    def spent(self, judge: str, since: datetime) -> Mapping[str, Spent]:
        """Return what `judge` has cost since a time (UTC), by name of evaluator.

        The entry under the empty name is the total, with the pending calls and the costs by agent.
        """
        about = {"judge": judge, "of_experiments": self._experiment_id is not None}
        asked = {**about, "since": as_utc(since), "of_previews": False}
        with self._database.cursor() as connection:
            rows = read_table(connection, "judge_spend_by_evaluator", asked).to_pylist()
            waiting = read_table(connection, "pending_judge_calls", about)
            agents = connection.execute(statement("judge_spend_by_agent"), asked).fetchall()
        spent = {row.pop("evaluator"): Spent(**row) for row in rows}
        by_agent = {(service, agent): usd for service, agent, usd in agents}
        calls = tuple(map(call_of, waiting.to_pylist()))
        return {**spent, "": replace(spent[""], pending_calls=calls, usd_by_agent=by_agent)}

    def _mark(self, call: JudgeCall) -> JudgeCall:
        """Return the call with what it was made for, whatever it says itself."""
        return replace(call, purpose=self._purpose, experiment_id=self._experiment_id)


def _judged(connection: duckdb.DuckDBPyConnection, judge_call_ids: Collection[str]) -> Collection[str]:
    """Return which of these calls led to a score; most lookups have no calls to check."""
    if not judge_call_ids:
        return ()
    asked = {"judge_call_ids": listed(judge_call_ids)}
    return {row[0] for row in connection.execute(statement("scored_judge_calls"), asked).fetchall()}


def _row(call: JudgeCall) -> dict[str, Any]:
    """Return the row of `judge_calls` for a call."""
    columns = {field.name: getattr(call, field.name) for field in fields(call)}
    row = {name: _written(value) if isinstance(value, str) else value for name, value in columns.items()}
    texts = {name: None if row[name] is None else _json(row[name]) for name in _JSON}
    return {**row, **texts, "started_at": as_utc(call.started_at)}


def call_of(row: Mapping[str, Any]) -> JudgeCall:
    """Return the call of a row of `judge_calls`."""
    values = {name: None if row[name] is None else orjson.loads(row[name]) for name in _JSON}
    return JudgeCall(**{**row, **values})


def _json(value: object) -> str:
    """Encode a value as valid JSON, even if a judge answered with huge integers or lone surrogates."""
    try:
        return orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS, default=str).decode()
    except TypeError:
        text = json.dumps(value, ensure_ascii=False, default=str)
        return orjson.dumps(json.loads(_written(text), parse_int=_number)).decode()


def _number(digits: str) -> int | float:
    """Parse an integer; return a float if it may not fit into 64 bits."""
    return int(digits) if len(digits) <= _MOST_DIGITS else float(digits)


def _written(text: str) -> str:
    """Return the text with lone surrogates replaced, which UTF-8 cannot encode."""
    return text.encode("utf-8", "replace").decode()
