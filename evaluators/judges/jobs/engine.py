"""Runs the dialogues of evaluators that ask a judge."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any, Final, cast

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

__all__ = ["Engine"]

_HELD: Final = 128
"""So many dialogues run at once, or twice the concurrency. All that run begin before the first question is sent."""

_HELD_IN_BATCHES: Final = 1_000
"""The same where questions are sent in batches, so that few queries look for all the answers."""

_MOST_SHOWN: Final = 8_000
"""So many characters of a bad answer are kept in the details of a score."""


def _ignore_scores(_: Sequence[ScoreRecord]) -> None:
    """Do nothing: the default of `on_scores`."""


class Engine:
    """Asks the judge called `name` within its limits, and never asks again what `cache` already answers.

    It remembers the judge's pace, whether it is down, and the request format that it accepts; so one engine serves all
    jobs of a judge, in one event loop. `now` gives UTC; `elapsed_s` and `sleep` are the clock of limits and pauses.
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
        pairs: Sequence[tuple[Configured, Target]],
        spent: Mapping[str, Spent],
        *,
        on_scores: OnScores = _ignore_scores,
    ) -> Evaluated:
        """Scores on `pairs`, or why they are deferred. `spent` is what today has cost so far, by evaluator and under
        "" of the judge. `on_scores` is told those of a pair as soon as they are there. Raises what the cache raises;
        then nothing is kept that was not committed.
        """
        job = Job(self._context, evaluation_pass, pairs=pairs, spent=spent)
        try:
            outcomes = await _all([self._outcome(job, *pair, on_scores) for pair in pairs])
            unsent = await job.send()
        finally:
            await job.close()
        scores: list[ScoreRecord] = []
        deferred: list[Deferred] = []
        for (evaluator, target), outcome in zip(pairs, outcomes, strict=True):
            if isinstance(outcome, Waits):
                why = unsent.get(outcome.request_hash, outcome) if isinstance(outcome, Sending) else outcome
                deferred.append(Deferred(evaluator.name, target_id(target), why.until, why.reason, why.kind))
            else:
                scores += outcome
        return Evaluated(scores, deferred)

    def finish(self) -> None:
        """Asks nothing more: what is not yet asked is deferred, and jobs end with the calls that are under way."""
        self._context.throttle.close()

    async def close(self) -> None:
        """Closes connections."""
        await self._context.backend.close()

    async def _outcome(
        self, job: Job, evaluator: Configured, target: Target, on_scores: OnScores
    ) -> list[ScoreRecord] | Waits:
        evaluation = Evaluation(evaluator, target_id(target))
        async with self._held:
            try:
                returned = await _ended(job, evaluation, target)
            except Waits as waits:
                return waits
        scores = conclude(evaluator, target, returned, scored_at=self._context.now(), took=evaluation.effort)
        on_scores(scores)
        return scores


async def _ended(job: Job, evaluation: Evaluation, target: Target) -> object:
    """Return what the dialogue about `target` returns, or the error that it raises. Raises Waits."""
    try:
        asking = cast("Asking", evaluation.evaluator.function)
        dialogue = asking.ask(visible_part(evaluation.evaluator, target))
    except (Exception, SystemExit) as error:  # noqa: BLE001 - it may be anybody's code; its failure is a score
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
    """Rank errors, the lowest of which decides: an error of the cache or a question that waits, then a failure, then a
    bad answer."""
    if isinstance(error, BadAnswer):
        return 2
    if isinstance(error, (Failure, Broken)):
        return 1
    return 0


def _unusable(bad: BadAnswer) -> Score:
    length = len(bad.answer)
    if length <= _MOST_SHOWN:
        return unusable(bad)
    return unusable(BadAnswer(str(bad), f"{bad.answer[:_MOST_SHOWN]}… ({length:,} characters in all)"))


async def _all(jobs: Sequence[Any]) -> list[Any]:
    """Return the results of all jobs. When one raises, the others are cancelled first."""
    tasks = [asyncio.ensure_future(job) for job in jobs]
    try:
        return await asyncio.gather(*tasks)
    except BaseException:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise
