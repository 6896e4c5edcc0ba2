"""What judges were asked and what they answered: fulfils `evaluators.ports.JudgeCache` on the store."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import fields, replace
from datetime import datetime
from typing import Any, Final

import duckdb
import orjson

from tracegrade.evaluators.ports import JudgeCall, Spent
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
"""An integer of so many digits fits into 64 bits."""


class StoredJudgeCalls:
    """Reads on cursors of its own and writes through the connection for results. Any thread may call."""

    def __init__(self, database: Database, results: Results) -> None:
        self._database = database
        self._results = results
        with database.cursor() as connection:
            self._schema = schema(connection, _TABLE)

    def lookup(self, request_hashes: Collection[str]) -> Mapping[str, JudgeCall]:
        """By request_hash the latest call that has the answer, without its `request`, or else the one that is pending,
        or the latest whose answer is no score, as long as whoever asked has none.

        One query, which takes some 50 ms over a million calls where the answers are new or there are none, and 150 ms
        where they are spread over all of them.
        """
        if not request_hashes:
            return {}
        asked = {"request_hashes": listed(request_hashes)}
        with self._database.cursor() as connection:
            found = read_table(connection, "cached_judge_calls", asked).to_pylist()
            judged = _judged(connection, [row["judge_call_id"] for row in found if row["status"] == "unusable"])
        return {row["request_hash"]: call_of(row) for row in found if row["judge_call_id"] not in judged}

    def record(self, calls: Sequence[JudgeCall]) -> None:
        """Has committed when it returns. One of a pending call's id takes its place."""
        if not calls:
            return
        arriving = table(map(_row, calls), self._schema)
        with self._results.transaction() as connection, registered(connection, "arriving_judge_calls", arriving):
            connection.execute(statement("delete_pending_judge_calls"))
            connection.execute(statement("insert_judge_calls"))

    def spent(self, judge: str, since: datetime) -> Mapping[str, Spent]:
        """What `judge` has cost since a time (UTC), by the name of the evaluator, and in all, with the calls that are
        pending and what each agent has cost, under an empty name."""
        asked = {"judge": judge, "since": as_utc(since)}
        with self._database.cursor() as connection:
            rows = read_table(connection, "judge_spend_by_evaluator", asked).to_pylist()
            waiting = read_table(connection, "pending_judge_calls", {"judge": judge})
            agents = connection.execute(statement("judge_spend_by_agent"), asked).fetchall()
        spent = {row.pop("evaluator"): Spent(**row) for row in rows}
        by_agent = {(service, agent): usd for service, agent, usd in agents}
        calls = tuple(map(call_of, waiting.to_pylist()))
        return {**spent, "": replace(spent[""], pending_calls=calls, usd_by_agent=by_agent)}


def _judged(connection: duckdb.DuckDBPyConnection, judge_call_ids: Collection[str]) -> Collection[str]:
    """Those that have led to a score. Most lookups find none to ask about."""
    if not judge_call_ids:
        return ()
    asked = {"judge_call_ids": listed(judge_call_ids)}
    return {row[0] for row in connection.execute(statement("scored_judge_calls"), asked).fetchall()}


def _row(call: JudgeCall) -> dict[str, Any]:
    columns = {field.name: getattr(call, field.name) for field in fields(call)}
    row = {name: _written(value) if isinstance(value, str) else value for name, value in columns.items()}
    texts = {name: None if row[name] is None else _json(row[name]) for name in _JSON}
    return {**row, **texts, "started_at": as_utc(call.started_at)}


def call_of(row: Mapping[str, Any]) -> JudgeCall:
    """The call that a row of `judge_calls` holds."""
    values = {name: None if row[name] is None else orjson.loads(row[name]) for name in _JSON}
    return JudgeCall(**{**row, **values})


def _json(value: object) -> str:
    """As JSON that everybody can read. A judge may say anything: numbers without end, halves of characters."""
    try:
        return orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS, default=str).decode()
    except TypeError:
        text = json.dumps(value, ensure_ascii=False, default=str)
        return orjson.dumps(json.loads(_written(text), parse_int=_number)).decode()


def _number(digits: str) -> int | float:
    return int(digits) if len(digits) <= _MOST_DIGITS else float(digits)


def _written(text: str) -> str:
    """Without halves of characters, which nothing can write."""
    return text.encode("utf-8", "replace").decode()
