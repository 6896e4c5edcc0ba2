"""Metrics of the server for Prometheus: its counters, and its backlog as measured in the store."""

from __future__ import annotations

import asyncio
import math
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from starlette.responses import Response

from tracegrade.evaluators.definition.registry import Configured
from tracegrade.queries.http.endpoint import Call, endpoint
from tracegrade.queries.http.readers import Reader
from tracegrade.queries.result import Result

from ..clock import utc_now
from ..metrics import counters
from ..reports.lag import Lag, LagReader
from ..system.log import log

__all__ = ["Exposition", "metrics"]

_TIME_LIMIT_S: Final = 2.0
_ROWS: Final = 10_000


class Exposition:
    """Measures and renders the metrics, on one event loop. Requests that arrive during a measurement share it."""

    def __init__(self, reader: Reader, evaluators: Callable[[], Sequence[Configured]]) -> None:
        self._reader = reader
        self._evaluators = evaluators
        self._lag = LagReader(self._read)
        self._measuring: asyncio.Task[Lag] | None = None

    async def render(self) -> bytes:
        """Render every metric in the Prometheus text format.

        If the store does not answer in time, the metrics that come from it are left out, since old values would hide
        that.
        """
        if self._measuring is None or self._measuring.done():
            self._measuring = asyncio.create_task(asyncio.to_thread(self._measure))
        measuring = self._measuring
        await asyncio.wait([measuring], timeout=_TIME_LIMIT_S)
        _set_gauges(_result_of(measuring))
        return await asyncio.to_thread(counters.render_metrics)

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


@endpoint(
    "GET",
    "/metrics",
    "metrics of the server itself, for Prometheus",
    media_types=("text/plain",),
)
async def metrics(exposition: Exposition, _: Call) -> Response:
    """Answer in the Prometheus text format."""
    return Response(await exposition.render(), media_type="text/plain; version=0.0.4")


def _result_of(measuring: asyncio.Task[Lag]) -> Lag | None:
    if not measuring.done():
        log.warning("the backlog is not measured in time")
        return None
    if (error := measuring.exception()) is not None:
        log.warning("the backlog cannot be measured", cause=str(error))
        return None
    return measuring.result()


def _set_gauges(lag: Lag | None) -> None:
    now = utc_now()
    for gauge in (counters.backlog, counters.deferred, counters.evaluator_lag, counters.evaluator_paused):
        gauge.clear()
    counters.assembly_lag.set(math.nan if lag is None else lag.lag_s(now))
    for behind in () if lag is None else lag.evaluators:
        counters.backlog.labels(evaluator=behind.evaluator).set(behind.new)
        counters.evaluator_paused.labels(evaluator=behind.evaluator).set(behind.is_paused)
        if (lag_s := behind.lag_s(now)) is not None:
            counters.evaluator_lag.labels(evaluator=behind.evaluator).set(lag_s)
        for reason, targets in behind.deferred.items():
            counters.deferred.labels(evaluator=behind.evaluator, reason=reason).set(targets)
