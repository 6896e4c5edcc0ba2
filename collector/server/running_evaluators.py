"""Lists the evaluators that a server runs, with their state."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

import orjson
from pydantic import BaseModel

from tracegrade.queries.http.readers import Reader
from tracegrade.queries.ports import EvaluatorProgress, LastPass, RunningEvaluator
from tracegrade.queries.result import Result

from ..clock import utc_now
from ..evaluation.lanes import Lanes
from ..reports.backlog import Standing, read_standings

__all__ = ["list_running"]

_QUERY_S: Final = 10.0
_ROWS: Final = 10_000


def list_running(reader: Reader, lanes: Lanes) -> Sequence[RunningEvaluator]:
    """Return the evaluators of `lanes` in the order of the configuration. Raises fence.SqlError or Unavailable."""

    def read(sql: str, *, parameters: Mapping[str, Any] | None = None) -> Result:
        return reader.read(sql, parameters=parameters, timeout_s=_QUERY_S, max_rows=_ROWS, cancelled=threading.Event())

    now = utc_now()
    return [_describe(standing, now) for standing in read_standings(read, lanes.evaluators)]


def _describe(standing: Standing, now: datetime) -> RunningEvaluator:
    evaluator = standing.evaluator
    return RunningEvaluator(
        name=evaluator.name,
        type=evaluator.type,
        kind=evaluator.kind,
        version=evaluator.version,
        config_hash=evaluator.config_hash,
        scope=evaluator.scope,
        state=standing.state(now),
        threshold=evaluator.threshold,
        options=_make_plain(evaluator.options),
        when=evaluator.when,
        sample=evaluator.sample,
        else_sample=evaluator.else_sample,
        schedule=evaluator.schedule,
        next_at=standing.opens_at(now),
        after=evaluator.after,
        judge=evaluator.asks,
        usd_per_day=evaluator.budget.usd_per_day,
        tokens_per_day=evaluator.budget.tokens_per_day,
        enrolled_at=standing.enrolled_at,
        paused_at=standing.paused_at,
        progress=EvaluatorProgress(
            new=standing.new,
            deferred=standing.deferred,
            deferred_reason=standing.deferred_reason,
            deferred_until=standing.deferred_until,
            backfill=standing.backfill,
            lag_s=standing.lag_s(now),
        ),
        last_pass=_describe_last_pass(standing),
    )


def _describe_last_pass(standing: Standing) -> LastPass | None:
    if standing.last_at is None:
        return None
    return LastPass(started_at=standing.last_at, due=standing.last_due or 0, errors=standing.last_errors or 0)


def _make_plain(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return options in the types of JSON."""
    plain: dict[str, Any] = orjson.loads(orjson.dumps(dict(options), default=_make_plain_value))
    return plain


def _make_plain_value(value: object) -> object:
    return value.model_dump(mode="json") if isinstance(value, BaseModel) else str(value)
