"""Asks the judges of a configuration about the runs of an experiment, as these end.

They are asked in this process. A server asks each judge from a worker process, so that user code in a judge or an
evaluator cannot stop the reception of spans. An experiment has nothing else to do, its evaluators and judges may be
objects of the user's program, which another process cannot import, and the pipe to a worker needs the packages of the
server. But the event loop of the judges has a thread of its own: an agent that blocks its loop does not make answers
late, and an evaluator that computes does not delay the agent.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, TypeVar

from tracegrade.evaluators.definition.registry import Configured
from tracegrade.evaluators.execution.run import pairs
from tracegrade.evaluators.judges.backends.loop_thread import LoopThread, Raised
from tracegrade.evaluators.judges.backends.threads import Threads
from tracegrade.evaluators.judges.exchange.judge import Judge
from tracegrade.evaluators.judges.jobs.engine import Engine, Pair
from tracegrade.evaluators.judges.jobs.job import Job
from tracegrade.evaluators.model import AgentTrace
from tracegrade.evaluators.ports import Evaluated, EvaluationPass, JudgeCall, Spent

from ..clock import utc_now
from .all_results import all_results

if TYPE_CHECKING:
    from ..worker.client import JudgeCalls

__all__ = ["ExperimentJudges"]

_T = TypeVar("_T")


class ExperimentJudges:
    """Asks `judges`, by their names, within their limits, and never asks a question that `calls` can answer.

    All are asked live: the answers of a batch may take a day. `calls` is used in threads. For one event loop, in which
    runs may be evaluated at once.
    """

    def __init__(
        self, judges: Mapping[str, Judge], calls: JudgeCalls, *, now: Callable[[], datetime] = utc_now
    ) -> None:
        self._judges = judges
        self._calls = calls
        self._now = now
        self._loop = LoopThread(Threads())
        self._asked: dict[str, _AskedJudge] = {}

    async def evaluate(self, run: AgentTrace, evaluators: Sequence[Configured]) -> Evaluated:
        """Evaluate a run with evaluators that ask judges.

        An evaluator that has to defer one of its targets in the run, such as one of the tools, is deferred as a whole:
        it has no scores, and is listed once. Raises what the calls raise.
        """
        asked: dict[str, list[Pair]] = {}
        for evaluator, target in pairs([run], evaluators):
            asked.setdefault(evaluator.asks or "", []).append((evaluator, target))
        parts = await all_results(self._await(self._find(name).ask(of_judge)) for name, of_judge in asked.items())
        deferred = {
            each.evaluator: replace(each, target_id=run.agent_trace_id)
            for part in reversed(parts)
            for each in reversed(part.deferred)
        }
        scores = [score for part in parts for score in part.scores if score.evaluator not in deferred]
        return Evaluated(scores, list(deferred.values()))

    async def close(self) -> None:
        """Wait for the answers to questions that were sent, even of cancelled callers: they are paid for. Then close
        connections."""
        if not self._asked:
            return
        try:
            await self._await(_close_all(self._asked.values()))
        finally:
            self._loop.end()

    def _find(self, name: str) -> _AskedJudge:
        if name not in self._asked:
            self._asked[name] = _AskedJudge(name, self._judges[name], self._calls, now=self._now)
        return self._asked[name]

    async def _await(self, work: Awaitable[_T]) -> _T:
        """Return the result of `work` in the thread of the judges."""
        try:
            return await self._loop.awaited(work)  # type: ignore[return-value]  # it returns what `work` does
        except Raised as raised:
            raise raised.what from None


class _AskedJudge:
    """The judge called `name`. Its coroutines run in one event loop.

    All runs of a day share a job, and with it the budgets: what one has reserved is not left for the others. What
    others on the same store have spent is counted whenever a run is evaluated.
    """

    def __init__(self, name: str, judge: Judge, calls: JudgeCalls, *, now: Callable[[], datetime]) -> None:
        self._name = name
        self._calls = calls
        self._now = now
        self._engine = Engine(name, judge.model_copy(update={"mode": "live"}), _UsableCalls(calls), now=now)
        self._jobs: dict[datetime, Job] = {}

    async def ask(self, asked: Sequence[Pair]) -> Evaluated:
        return await self._engine.ask_within(await self._find_job(), asked)

    async def close(self) -> None:
        await asyncio.gather(*(job.close() for job in self._jobs.values()))
        await self._engine.close()

    async def _find_job(self) -> Job:
        today = EvaluationPass(uuid.uuid4().hex, self._now())
        spent: Mapping[str, Spent] = await asyncio.to_thread(self._calls.spent, self._name, today.midnight)
        job = self._jobs.get(today.midnight)
        if job is None:
            job = self._jobs[today.midnight] = self._engine.begin(today, spent)
        else:
            job.count_spent(spent)
        return job


class _UsableCalls:
    """The calls of a JudgeCache with a usable answer: a question that a batch of production still waits for, or whose
    answer could not be read, is asked."""

    def __init__(self, calls: JudgeCalls) -> None:
        self._calls = calls

    def lookup(self, request_hashes: Collection[str]) -> Mapping[str, JudgeCall]:
        return {hash_: call for hash_, call in self._calls.lookup(request_hashes).items() if call.status == "ok"}

    def record(self, calls: Sequence[JudgeCall]) -> None:
        self._calls.record([replace(call, pass_id=None) for call in calls])  # an experiment has no pass


async def _close_all(asked: Collection[_AskedJudge]) -> None:
    await asyncio.gather(*(each.close() for each in asked))
