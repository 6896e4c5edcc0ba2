"""Applies evaluators that are code to the runs of an experiment, in threads of this process."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from functools import partial
from threading import Thread
from typing import Final, TypeVar

from tracegrade.evaluators.custom.command import Command
from tracegrade.evaluators.custom.user_code import is_foreign
from tracegrade.evaluators.definition.conclusion import conclude
from tracegrade.evaluators.definition.registry import Configured
from tracegrade.evaluators.definition.score_record import Effort, ScoreRecord, Target
from tracegrade.evaluators.execution.run import InProcessWorkbench, evaluate, pairs
from tracegrade.evaluators.judges.backends.in_process import JudgeFunction
from tracegrade.evaluators.model import AgentTrace
from tracegrade.evaluators.ports import Evaluated

from ..clock import utc_now
from .daemon_thread import start_thread

__all__ = ["CodeEvaluation"]

_NAME: Final = "tracegrade evaluation"
_MOST_HANGING: Final = 4
"""An evaluator is not called again while this many of its calls hang: each keeps a thread, and perhaps a processor."""

T = TypeVar("T")


class CodeEvaluation:
    """Evaluates at most `concurrency` runs at once. Evaluators of kind llm call the function `judge`.

    Code of users gets the time limit of its evaluator (`timeout_s`) on each target. A call that takes longer is left
    behind in its thread, and its score is of status `error`.
    """

    def __init__(self, judge: JudgeFunction | None, *, concurrency: int) -> None:
        self._judge = judge
        self._slots = asyncio.Semaphore(concurrency)
        self._left: dict[str, list[Thread]] = {}

    async def evaluate(self, run: AgentTrace, evaluators: Sequence[Configured]) -> Evaluated:
        """Return the scores of every evaluator on the run, if it applies to it; nothing is deferred."""
        limited = [evaluator for evaluator in evaluators if _needs_limit(evaluator)]
        others = [evaluator for evaluator in evaluators if evaluator not in limited]
        scores: list[ScoreRecord] = []
        async with self._slots:
            if others:
                workbench = InProcessWorkbench(judge=self._judge)
                scores += await _call_in_thread(partial(workbench.evaluate, [run], others))
            for evaluator, target in pairs([run], limited):
                scores += await self._evaluate_within_limit(evaluator, target)
        return Evaluated(scores)

    async def _evaluate_within_limit(self, evaluator: Configured, target: Target) -> list[ScoreRecord]:
        left = self._left.setdefault(evaluator.name, [])
        left[:] = [thread for thread in left if thread.is_alive()]
        if len(left) >= _MOST_HANGING:
            return _fail(evaluator, target, f"not tried, since {len(left)} of its calls on other runs hang")
        began_s = time.perf_counter()
        thread, ended = start_thread(partial(evaluate, evaluator, target), name=_NAME)
        await asyncio.wait({ended}, timeout=evaluator.timeout_s)
        if not ended.done():
            left.append(thread)
            took_s = time.perf_counter() - began_s
            return _fail(evaluator, target, f"took longer than {evaluator.timeout_s:g} s", took_s=took_s)
        scores, error = ended.result()
        if scores is None:
            raise error or RuntimeError("the evaluation returned nothing")
        return scores


def _needs_limit(evaluator: Configured) -> bool:
    """Return whether a call of the evaluator may hang. A command ends itself, and a judge has limits of its own."""
    is_limited = evaluator.timeout_s is not None and evaluator.kind != "llm"
    return is_limited and is_foreign(evaluator) and not isinstance(evaluator.function, Command)


def _fail(evaluator: Configured, target: Target, cause: str, *, took_s: float = 0.0) -> list[ScoreRecord]:
    took = Effort(duration_ms=took_s * 1000)
    return conclude(evaluator, target, TimeoutError(cause), scored_at=utc_now(), took=took)


async def _call_in_thread(call: Callable[[], T]) -> T:
    """Return what `call` returns. Raises what it raises."""
    _, ended = start_thread(call, name=_NAME)
    returned, error = await ended
    if error is not None:
        raise error
    return returned  # type: ignore[return-value]  # without an error it is what the call returned
