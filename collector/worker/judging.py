"""The judge of a worker: its engine, and access to the cache of answers in the server."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Collection, Coroutine, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from tracegrade.evaluators.definition.registry import Configured
from tracegrade.evaluators.definition.score_record import ScoreRecord, Target
from tracegrade.evaluators.ports import Evaluated, EvaluationPass, JudgeCall, OnScores, Spent

from ..clock import utc_now
from .pipe import RequestFailed, WorkerPipe

if TYPE_CHECKING:
    from tracegrade.evaluators.judges.exchange.judge import Judge
    from tracegrade.evaluators.judges.jobs.engine import Engine

__all__ = ["Judging"]

_BEAT_S: Final = 1.0


class Judging:
    """Asks the one judge of this worker, on an event loop. Knowledge of its limits and health is kept between jobs."""

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
        evaluation_pass: EvaluationPass,
        spent: Mapping[str, Spent],
        on_scores: OnScores,
    ) -> Evaluated:
        """Ask the judge `name` about each pair. `spent` is today's cost by evaluator; the total under "".

        About once a second `on_scores` is called with the new scores. After it has raised RequestFailed, it is not
        called again.
        """
        engine = self._made(name, judge)
        new: list[ScoreRecord] = []
        asked = engine.ask(evaluation_pass, pairs, spent, on_scores=new.extend)
        return self._runner.run(_beside(asked, self._beat(engine, new, on_scores)))

    def _made(self, name: str, judge: Judge) -> Engine:
        from tracegrade.evaluators.judges.jobs.engine import Engine  # noqa: PLC0415 - most workers ask no judge

        if self._engine is None:
            self._engine = Engine(name, judge, _ServerCache(self._pipe), now=utc_now)
        return self._engine

    async def _beat(self, engine: Engine, new: list[ScoreRecord], on_scores: OnScores) -> None:
        """Ask the server about once a second whether further questions may be asked, and send new scores."""
        is_reachable = True
        while True:
            await asyncio.sleep(_BEAT_S)
            if not await asyncio.to_thread(self._pipe.request, "goes_on", None):
                engine.finish()
            scores, new[:] = list(new), []
            if scores and is_reachable:
                is_reachable = await asyncio.to_thread(_send_scores, scores, on_scores)


async def _beside(asked: Awaitable[Evaluated], beat: Coroutine[Any, Any, None]) -> Evaluated:
    """Await `asked` and return its result; `beat` runs until then."""
    beating = asyncio.create_task(beat)
    try:
        return await asked
    finally:
        beating.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await beating


def _send_scores(scores: Sequence[ScoreRecord], on_scores: OnScores) -> bool:
    """Send scores before the job ends; return whether the server could store them. The end of the job sends all."""
    try:
        on_scores(scores)
    except RequestFailed:
        return False
    return True


class _ServerCache:
    """A `JudgeCache` in the server."""

    def __init__(self, pipe: WorkerPipe) -> None:
        self._pipe = pipe

    def lookup(self, request_hashes: Collection[str]) -> Mapping[str, JudgeCall]:
        found: Mapping[str, JudgeCall] = self._pipe.request("lookup", list(request_hashes))
        return found

    def record(self, calls: Sequence[JudgeCall]) -> None:
        self._pipe.request("record", list(calls))
