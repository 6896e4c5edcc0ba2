"""What /metrics answers: what the program counts, and how far behind it is, asked of the store."""

from __future__ import annotations

import asyncio
import math
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import structlog

from tracegrade.evaluators.definition.registry import Configured
from tracegrade.queries.http.sql import Reader
from tracegrade.queries.result import Result

from ..clock import utc_now
from ..metrics import counters
from ..reports.lag import Lag, LagReader

__all__ = ["Figures"]

_TIME_LIMIT_S: Final = 2.0
_ROWS: Final = 10_000

log = structlog.get_logger()


class Figures:
    """For one event loop. Whoever asks while a measurement is under way waits for that one."""

    def __init__(self, reader: Reader, evaluators: Callable[[], Sequence[Configured]]) -> None:
        self._reader = reader
        self._evaluators = evaluators
        self._lag = LagReader(self._read)
        self._measuring: asyncio.Task[Lag] | None = None

    async def exposition(self) -> bytes:
        """Every figure in the Prometheus text format. A store that is busy costs only those that come from it: they
        are left out, for an old figure would say that all is well."""
        if self._measuring is None or self._measuring.done():
            self._measuring = asyncio.create_task(asyncio.to_thread(self._measure))
        measuring = self._measuring
        await asyncio.wait([measuring], timeout=_TIME_LIMIT_S)
        _show(_outcome(measuring))
        return await asyncio.to_thread(counters.exposition)

    def _measure(self) -> Lag:
        return self._lag.measure(self._evaluators())

    def _read(self, sql: str, *, parameters: Mapping[str, Any] | None = None) -> Result:
        return self._reader.read(
            sql,
            parameters=parameters,
            timeout_s=_TIME_LIMIT_S,
            max_rows=_ROWS,
            cancelled=threading.Event(),
        )


def _outcome(measuring: asyncio.Task[Lag]) -> Lag | None:
    if not measuring.done():
        log.warning("the backlog is not measured in time")
        return None
    if (error := measuring.exception()) is not None:
        log.warning("the backlog cannot be measured", cause=str(error))
        return None
    return measuring.result()


def _show(lag: Lag | None) -> None:
    now = utc_now()
    for gauge in (counters.backlog, counters.deferred, counters.evaluator_lag, counters.evaluator_paused):
        gauge.clear()
    counters.assembly_lag.set(math.nan if lag is None else lag.lag_s(now))
    for one in () if lag is None else lag.evaluators:
        counters.backlog.labels(evaluator=one.evaluator).set(one.new)
        counters.evaluator_paused.labels(evaluator=one.evaluator).set(one.is_paused)
        if (lag_s := one.lag_s(now)) is not None:
            counters.evaluator_lag.labels(evaluator=one.evaluator).set(lag_s)
        for reason, targets in one.deferred.items():
            counters.deferred.labels(evaluator=one.evaluator, reason=reason).set(targets)
