"""Holds the dialogues of evaluators that ask a judge."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any, Final, cast

from ..dialogue import Answer, Asking, BadAnswer, Dialogue, Question, unusable
from ..given import given
from ..model import Score
from ..ports import Findings, JudgeCache, Pass, Postponed, Spent
from ..registry import Configured
from ..run import conclude
from ..verdict import Target, Verdict, target_id
from .batches import Sending
from .desk import Desk
from .failure import Failure, Waits
from .judge import Judge
from .line import Line, Sleep
from .memory import Memory
from .outcome import Broken
from .pair import Pair
from .sitting import Sitting
from .way import way_of

__all__ = ["Engine"]

_MOST_HELD: Final = 1_000
"""So many dialogues are held at once; each may keep a long trace in memory."""

_MOST_SHOWN: Final = 8_000
"""So many characters of a bad answer are kept in the details of a verdict."""


class Engine:
    """Asks the judge called `name`, within its limits, and never twice what `cache` knows.

    It remembers how fast the judge may be asked, whether it is down, and what it understands; so one engine serves all
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
        self._desk = Desk(
            name=name,
            judge=judge,
            way=way_of(judge),
            line=Line(name, judge, now=now, elapsed_s=elapsed_s, sleep=sleep),
            memory=Memory(cache),
            now=now,
        )
        self._held = asyncio.Semaphore(_MOST_HELD)

    async def ask(self, this: Pass, pairs: Sequence[tuple[Configured, Target]], spent: Mapping[str, Spent]) -> Findings:
        """What comes of each of `pairs`; `spent` is of today, by evaluator, and under "" of the whole judge.

        Raises what the cache raises, and then keeps nothing that is not committed.
        """
        evaluators = {evaluator.name: evaluator for evaluator, _ in pairs}
        sitting = Sitting(self._desk, this, evaluators=evaluators.values(), spent=spent)
        try:
            outcomes = await _all([self._outcome(sitting, *pair) for pair in pairs])
            unsent = await sitting.send()
        finally:
            await sitting.close()
        verdicts: list[Verdict] = []
        postponed: list[Postponed] = []
        for (evaluator, target), outcome in zip(pairs, outcomes, strict=True):
            if isinstance(outcome, Waits):
                why = unsent if unsent is not None and isinstance(outcome, Sending) else outcome
                postponed.append(Postponed(evaluator.name, target_id(target), why.until, why.reason))
            else:
                verdicts += outcome
        return Findings(verdicts, postponed)

    async def close(self) -> None:
        """Lets go of connections."""
        await self._desk.way.close()

    async def _outcome(self, sitting: Sitting, evaluator: Configured, target: Target) -> list[Verdict] | Waits:
        pair = Pair(evaluator, target_id(target))
        async with self._held:
            try:
                returned = await _ended(sitting, pair, target)
            except Waits as waits:
                return waits
        return conclude(evaluator, target, returned, scored_at=self._desk.now(), took=pair.effort)


async def _ended(sitting: Sitting, pair: Pair, target: Target) -> object:
    """What the dialogue about `target` returns, or the error that it raises. Raises Waits."""
    try:
        asking = cast("Asking", pair.evaluator.judge)
        dialogue = asking.ask(given(pair.evaluator, target))
    except (Exception, SystemExit) as error:  # noqa: BLE001 - it may be anybody's code; its failure is a verdict
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
            step = await _next(sitting, pair, dialogue, questions)
        except Broken as broken:
            return broken.error
        except Failure as failure:
            return Score.failed(f"the judge has no answer to this: {failure}")


async def _next(
    sitting: Sitting, pair: Pair, dialogue: Dialogue, questions: Sequence[Question]
) -> Callable[[], Sequence[Question]]:
    """How the dialogue goes on. Raises Waits, Broken and Failure."""
    if not isinstance(questions, Sequence):
        raise Broken(TypeError(f"a dialogue yields a list of questions, not {type(questions).__name__}"))
    told = await asyncio.gather(*[sitting.answer(pair, one) for one in questions], return_exceptions=True)
    answers = [one for one in told if isinstance(one, Answer)]
    errors = [one for one in told if isinstance(one, BaseException)]
    for error in sorted(errors, key=_weight):
        if isinstance(error, BadAnswer):
            return partial(dialogue.throw, error)
        dialogue.close()
        raise error
    return partial(dialogue.send, answers)


def _weight(error: BaseException) -> int:
    """What decides first: the cache's own failure and what has to wait; a bad answer only where there is no more."""
    if isinstance(error, (BadAnswer, Failure, Broken)):
        return 2 if isinstance(error, BadAnswer) else 1
    return 0


def _unusable(bad: BadAnswer) -> Score:
    length = len(bad.answer)
    if length <= _MOST_SHOWN:
        return unusable(bad)
    return unusable(BadAnswer(str(bad), f"{bad.answer[:_MOST_SHOWN]}… ({length:,} characters in all)"))


async def _all(jobs: Sequence[Any]) -> list[Any]:
    """What all of them return; when one raises, the others are ended first."""
    tasks = [asyncio.ensure_future(job) for job in jobs]
    try:
        return await asyncio.gather(*tasks)
    except BaseException:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise
