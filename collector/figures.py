"""What /metrics answers: what the program counts, and how far behind each evaluator is, asked of the store."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import structlog

from tracegrade.evaluators.registry import Configured
from tracegrade.queries.api import Reader
from tracegrade.queries.result import Result

from . import telemetry
from .clock import utc_now
from .reports.backlog import Standing, standings

__all__ = ["Figures"]

_TIME_LIMIT_S: Final = 2.0
_ROWS: Final = 10_000

log = structlog.get_logger()


class Figures:
    """For one event loop. Whoever asks while a measurement is under way waits for that one."""

    def __init__(self, reader: Reader, evaluators: Callable[[], Sequence[Configured]]) -> None:
        self._reader = reader
        self._evaluators = evaluators
        self._measuring: asyncio.Task[list[Standing]] | None = None

    async def exposition(self) -> bytes:
        """Every figure in the Prometheus text format. A store that is busy costs only those that come from it: they
        are left out, for an old figure would say that all is well."""
        if self._measuring is None or self._measuring.done():
            self._measuring = asyncio.create_task(asyncio.to_thread(self._standings))
        measuring = self._measuring
        await asyncio.wait([measuring], timeout=_TIME_LIMIT_S)
        _show(_outcome(measuring))
        return telemetry.exposition()

    def _standings(self) -> list[Standing]:
        return standings(self._read, self._evaluators())

    def _read(self, sql: str, *, parameters: Mapping[str, Any] | None = None) -> Result:
        return self._reader.read(
            sql,
            parameters=parameters,
            timeout_s=_TIME_LIMIT_S,
            max_rows=_ROWS,
            cancelled=threading.Event(),
        )


def _outcome(measuring: asyncio.Task[list[Standing]]) -> Sequence[Standing]:
    if not measuring.done():
        log.warning("the backlog is not measured in time")
        return ()
    if (error := measuring.exception()) is not None:
        log.warning("the backlog cannot be measured", cause=str(error))
        return ()
    return measuring.result()


def _show(found: Sequence[Standing]) -> None:
    now = utc_now()
    for gauge in (telemetry.backlog, telemetry.put_off, telemetry.evaluator_lag, telemetry.evaluator_paused):
        gauge.clear()
    for standing in found:
        name = standing.evaluator.name
        telemetry.backlog.labels(evaluator=name).set(standing.new)
        telemetry.put_off.labels(evaluator=name).set(standing.put_off)
        telemetry.evaluator_paused.labels(evaluator=name).set(standing.paused_at is not None)
        if (lag_s := standing.lag_s(now)) is not None:
            telemetry.evaluator_lag.labels(evaluator=name).set(lag_s)
