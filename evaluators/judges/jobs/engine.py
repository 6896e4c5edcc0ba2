"""Runs the dialogues of evaluators that ask a judge."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any, Final, TypeAlias, cast

from ...definition.conclusion import conclude
from ...definition.dialogue import Answer, Asking, BadAnswer, Dialogue, Question, unusable
from ...definition.registry import Configured
from ...definition.score_record import ScoreRecord, Target, target_id
from ...definition.visible_calls import visible_part
from ...model import Score
from ...ports import Deferred, Evaluated, EvaluationPass, JudgeCache, OnScores, Spent
from ..backends.backend import backend_of
from ..batch.batches import Sending
from ..exchange.evaluation import Evaluation
from ..exchange.failure import Failure, Waits
from ..exchange.judge import Judge
from ..exchange.outcome import Broken
from ..limits.throttle import Sleep, Throttle
from .async_cache import AsyncJudgeCache
from .context import JudgeContext
from .job import Job

__all__ = ["Engine", "Pair"]

_HELD: Final = 128
"""The dialogues that run at once, or twice the concurrency. All of them begin before the first question is sent."""

_HELD_IN_BATCHES: Final = 1_000
"""The same if questions are sent in batches, so that few queries look up all answers."""

_MOST_SHOWN: Final = 8_000
"""The most characters of a bad answer in the details of a score."""


Pair: TypeAlias = tuple[Configured, Target]
"""An evaluator that asks the judge, and a target to which it applies."""

_PairOutcome: TypeAlias = list[ScoreRecord] | Waits


def _ignore_scores(_: Sequence[ScoreRecord]) -> None:
    """Ignore the scores."""


class Engine:
    """Asks the judge called `name` within its limits, and never asks a question that `cache` can answer.

    It remembers the rate of calls, whether the judge is down, and the request format that it accepts, so one engine
    serves all jobs of a judge, in one event loop. `now` returns UTC; `elapsed_s` and `sleep` are the clock of limits
    and pauses.
    """

    def __init__(
        self,
        name: str,
        judge: Judge,
        cache: JudgeCache,
        *,
        now: Callable[[], datetime],
        elapsed_s: Callable[[], float] = time.monotonic,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._context = JudgeContext(
            name=name,
            judge=judge,
            backend=backend_of(judge),
            throttle=Throttle(name, judge, now=now, elapsed_s=elapsed_s, sleep=sleep),
            cache=AsyncJudgeCache(cache),
            now=now,
        )
        held = _HELD_IN_BATCHES if judge.mode == "batch" else max(_HELD, 2 * judge.concurrency)
        self._held = asyncio.Semaphore(held)

    async def ask(
        self,
        evaluation_pass: EvaluationPass,
        pairs: Sequence[Pair],
        spent: Mapping[str, Spent],
        *,
        on_scores: OnScores = _ignore_scores,
    ) -> Evaluated:
        """Return the scores on `pairs`, or why they are deferred. Raises what the cache raises.

        `spent` is what today has cost so far, by evaluator, and of the judge under "". `on_scores` is called with the
        scores of a pair as soon as they are known.
        """
        job = self.begin(evaluation_pass, spent)
        try:
            outcomes = await self._ask_all(job, pairs, on_scores)
            unsent = await job.send()
        finally:
            await job.close()
        return _evaluated(pairs, outcomes, unsent)

    def begin(self, evaluation_pass: EvaluationPass, spent: Mapping[str, Spent]) -> Job:
        """Begin a job for `ask_within`, which ends with its `close`. `spent` is as in `ask`."""
        return Job(self._context, evaluation_pass, spent=spent)

    async def ask_within(self, job: Job, pairs: Sequence[Pair]) -> Evaluated:
        """Return the scores on `pairs`, or why they are deferred. Raises what the cache raises.

        Several callers may ask within one job at once, and share its budgets. The judge is one in mode live.
        """
        return _evaluated(pairs, await self._ask_all(job, pairs, _ignore_scores), {})

    def finish(self) -> None:
        """Ask no further question: others are deferred, and jobs end with the calls that are in flight."""
        self._context.throttle.close()

    async def close(self) -> None:
        """Close connections."""
        await self._context.backend.close()

    async def _ask_all(self, job: Job, pairs: Sequence[Pair], on_scores: OnScores) -> list[_PairOutcome]:
        job.admit(pairs)
        return await _all([self._outcome(job, *pair, on_scores) for pair in pairs])

    async def _outcome(self, job: Job, evaluator: Configured, target: Target, on_scores: OnScores) -> _PairOutcome:
        evaluation = Evaluation(evaluator, target_id(target))
        async with self._held:
            try:
                returned = await _ended(job, evaluation, target)
            except Waits as waits:
                return waits
        scores = conclude(evaluator, target, returned, scored_at=self._context.now(), took=evaluation.effort)
        if provenance := evaluation.provenance:
            scores = [replace(score, details={**score.details, **provenance}) for score in scores]
        on_scores(scores)
        return scores


def _evaluated(pairs: Sequence[Pair], outcomes: Sequence[_PairOutcome], unsent: Mapping[str, Waits]) -> Evaluated:
    """Return the outcomes of pairs as scores, and as deferred where there are none. `unsent` is by request_hash."""
    scores: list[ScoreRecord] = []
    deferred: list[Deferred] = []
    for (evaluator, target), outcome in zip(pairs, outcomes, strict=True):
        if isinstance(outcome, Waits):
            why = unsent.get(outcome.request_hash, outcome) if isinstance(outcome, Sending) else outcome
            deferred.append(Deferred(evaluator.name, target_id(target), why.until, why.reason, why.kind))
        else:
            scores += outcome
    return Evaluated(scores, deferred)


async def _ended(job: Job, evaluation: Evaluation, target: Target) -> object:
    """Return what the dialogue about `target` returns, or the error that it raises. Raises Waits."""
    try:
        asking = cast("Asking", evaluation.evaluator.function)
        dialogue = asking.ask(visible_part(evaluation.evaluator, target))
    except (Exception, SystemExit) as error:  # noqa: BLE001 - user code may raise anything; its failure is a score
        return error
    step: Callable[[], Sequence[Question]] = partial(next, dialogue)
    while True:
        try:
            questions = step()
        except StopIteration as end:
            return end.value
        except BadAnswer as bad:
            return _unusable(bad)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - as above
            return error
        try:
            step = await _next(job, evaluation, dialogue, questions)
        except Broken as broken:
            return broken.error
        except Failure as failure:
            return Score.failed(f"the judge has no answer to this: {failure}")


async def _next(
    job: Job, evaluation: Evaluation, dialogue: Dialogue, questions: Sequence[Question]
) -> Callable[[], Sequence[Question]]:
    """Return the next step of the dialogue, with its answers or a BadAnswer. Raises Waits, Broken and Failure."""
    if not isinstance(questions, Sequence):
        raise Broken(TypeError(f"a dialogue yields a list of questions, not {type(questions).__name__}"))
    outcomes = await asyncio.gather(
        *[job.answer(evaluation, question) for question in questions], return_exceptions=True
    )
    answers = [outcome for outcome in outcomes if isinstance(outcome, Answer)]
    errors = [outcome for outcome in outcomes if isinstance(outcome, BaseException)]
    for error in sorted(errors, key=_precedence):
        if isinstance(error, BadAnswer):
            return partial(dialogue.throw, error)
        dialogue.close()
        raise error
    return partial(dialogue.send, answers)


def _precedence(error: BaseException) -> int:
    """Return the rank of an error; the lowest decides. First errors of the cache and Waits, then failures, then bad
    answers."""
    if isinstance(error, BadAnswer):
        return 2
    if isinstance(error, (Failure, Broken)):
        return 1
    return 0


def _unusable(bad: BadAnswer) -> Score:
    length = len(bad.answer)
    if length <= _MOST_SHOWN:
        return unusable(bad)
    return unusable(BadAnswer(str(bad), f"{bad.answer[:_MOST_SHOWN]}… ({length:,} characters in all)", bad.computed))


async def _all(jobs: Sequence[Any]) -> list[Any]:
    """Return the results of all `jobs`. If one raises, the others are cancelled before its error is raised."""
    tasks = [asyncio.ensure_future(job) for job in jobs]
    try:
        return await asyncio.gather(*tasks)
    except BaseException:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise
