"""The judge in its worker: its engine, and the cache that the server keeps for it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from tracegrade.evaluators.ports import Findings, JudgeCall, Pass, Spent
from tracegrade.evaluators.registry import Configured
from tracegrade.evaluators.verdict import Target

from ..clock import utc_now
from .pipe import WorkerPipe

if TYPE_CHECKING:
    from tracegrade.evaluators.judge.engine import Engine
    from tracegrade.evaluators.judge.judge import Judge

__all__ = ["Judging"]

_BEAT_S: Final = 1.0


class Judging:
    """Asks the one judge of this worker on an event loop. What it learns of its limits and health outlives a job."""

    def __init__(self, pipe: WorkerPipe) -> None:
        self._pipe = pipe
        self._runner = asyncio.Runner()
        self._engine: Engine | None = None

    def ask(
        self,
        pairs: Sequence[tuple[Configured, Target]],
        name: str,
        judge: Judge,
        *,
        this: Pass,
        spent: Mapping[str, Spent],
    ) -> Findings:
        """What the judge of that name says on each pair. `spent` is what today has cost, by evaluator; under "" all."""
        return self._runner.run(self._asked(pairs, name, judge, this=this, spent=spent))

    async def _asked(
        self,
        pairs: Sequence[tuple[Configured, Target]],
        name: str,
        judge: Judge,
        *,
        this: Pass,
        spent: Mapping[str, Spent],
    ) -> Findings:
        engine = self._made(name, judge)
        beating = asyncio.create_task(self._beat())
        try:
            found: Findings = await engine.ask(this, pairs, spent)
        finally:
            beating.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await beating
        return found

    def _made(self, name: str, judge: Judge) -> Engine:
        from tracegrade.evaluators.judge.engine import Engine  # noqa: PLC0415 - most workers ask nobody

        if self._engine is None:
            self._engine = Engine(name, judge, _Cache(self._pipe), now=utc_now)
        return self._engine

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(_BEAT_S)
            await asyncio.to_thread(self._pipe.beat)


class _Cache:
    """The `JudgeCache` in the server."""

    def __init__(self, pipe: WorkerPipe) -> None:
        self._pipe = pipe

    def lookup(self, request_hashes: Collection[str]) -> Mapping[str, JudgeCall]:
        found: Mapping[str, JudgeCall] = self._pipe.request("lookup", list(request_hashes))
        return found

    def record(self, calls: Sequence[JudgeCall]) -> None:
        self._pipe.request("record", list(calls))
