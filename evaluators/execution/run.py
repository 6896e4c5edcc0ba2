"""Runs one evaluator on one target. What it returns or raises becomes score records."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import UTC, datetime
from functools import partial
from itertools import chain, product
from typing import TypeAlias

from ..definition.answer import as_score, failure
from ..definition.conclusion import conclude, reference_faults, reference_fields
from ..definition.dialogue import Asking, BadAnswer, run_dialogue, unusable
from ..definition.registry import Configured
from ..definition.score_record import Effort, ScoreRecord, Target
from ..definition.visible_calls import positions, visible_part
from ..judges.backends.in_process import JudgeFunction, answer, refuse_other_judges
from ..model import AgentTrace, Score, ToolDefinition
from ..ports import Evaluated, EvaluationPass, OnScores
from .misuse import refuse_misuse

__all__ = ["Clock", "Guard", "InProcessWorkbench", "evaluate", "pairs", "score"]

Clock: TypeAlias = Callable[[], datetime]
Guard: TypeAlias = Callable[[Configured], AbstractContextManager[object]]
"""The context of an evaluation: may interrupt it by raising, and restores what the evaluator changed in the process."""


def evaluate(
    evaluator: Configured,
    target: Target,
    *,
    now: Clock | None = None,
    guard: Guard | None = None,
    judge: JudgeFunction | None = None,
) -> list[ScoreRecord]:
    """Return the scores of `evaluator` on `target`. An error that the evaluator raises becomes a failed score.

    There is one score, or one for each tool call (scope `tool_call`) or offered tool of the run (scope `tool`; none if
    the run records no tools). An evaluator of kind llm asks `judge`. Raises TypeError if `judge` is missing, or if the
    scope of the evaluator does not fit the target.
    """
    refuse_misuse(evaluator, target)
    refuse_other_judges(judge)
    if evaluator.kind == "llm" and judge is None:
        raise TypeError(f"{evaluator.name} asks a judge: give `judge`, a function that takes a text and returns one")
    if evaluator.scope == "tool" and isinstance(target, AgentTrace):
        return [
            record
            for tool in _tools([target])
            for record in evaluate(evaluator, tool, now=now, guard=guard, judge=judge)
        ]
    began = time.perf_counter()
    returned = _call_evaluator(evaluator, target, guard or _unguarded, judge)
    took = Effort(duration_ms=(time.perf_counter() - began) * 1000)
    scored_at = now() if now else datetime.now(UTC).replace(tzinfo=None)
    return conclude(evaluator, target, returned, scored_at=scored_at, took=took)


def score(evaluator: Configured, target: object) -> Score:
    """Return the one score of `evaluator` on `target`, which fits its scope. Never raises."""
    try:
        return as_score(evaluator.function(visible_part(evaluator, target)))
    except (Exception, SystemExit) as error:  # noqa: BLE001 - user code may raise anything; its failure is a score
        return failure(error)


class InProcessWorkbench:
    """Implements `evaluators.ports.Workbench` in the calling process."""

    def __init__(
        self, now: Clock | None = None, *, guard: Guard | None = None, judge: JudgeFunction | None = None
    ) -> None:
        self._now = now
        self._guard = guard
        self._judge = judge

    def evaluate(self, targets: Sequence[Target], evaluators: Sequence[Configured]) -> Sequence[ScoreRecord]:
        """Return the scores of every evaluator on every target that it applies to."""
        return [
            record
            for evaluator, target in pairs(targets, evaluators)
            for record in evaluate(evaluator, target, now=self._now, guard=self._guard, judge=self._judge)
        ]

    def ask(
        self,
        evaluation_pass: EvaluationPass,  # noqa: ARG002
        targets: Sequence[Target],
        evaluators: Sequence[Configured],
        on_scores: OnScores,  # noqa: ARG002
    ) -> Evaluated:
        """Return the same scores as `evaluate`; nothing is deferred."""
        return Evaluated(self.evaluate(targets, evaluators))


def pairs(targets: Sequence[Target], evaluators: Sequence[Configured]) -> Iterator[tuple[Configured, Target]]:
    """Return an iterator over each evaluator with each target that it applies to, target by target.

    Evaluators of scope `tool` come last, with each tool among the targets or offered by their runs, once.
    """
    of_tools = [evaluator for evaluator in evaluators if evaluator.scope == "tool"]
    of_runs = [evaluator for evaluator in evaluators if evaluator.scope != "tool"]
    every: Iterable[tuple[Target, Configured]] = chain(
        product(_others(targets), of_runs), product(_tools(targets) if of_tools else (), of_tools)
    )
    return ((evaluator, target) for target, evaluator in every if _is_wanted(target, evaluator))


def _others(targets: Sequence[Target]) -> list[Target]:
    """Return the runs and conversations among the targets."""
    return [target for target in targets if not isinstance(target, ToolDefinition)]


def _tools(targets: Sequence[Target]) -> Iterable[ToolDefinition]:
    """Return the tools among the targets and those that their runs offer, each once."""
    return {tool.hash: tool for target in targets for tool in _tools_of(target)}.values()


def _tools_of(target: Target) -> Iterable[ToolDefinition]:
    if isinstance(target, ToolDefinition):
        return (target,)
    return (target.tool_definitions or ()) if isinstance(target, AgentTrace) else ()


def _is_wanted(target: Target, evaluator: Configured) -> bool:
    """Return whether the evaluator applies to the target.

    With `only_with_reference` it does if the reference has a field that it reads, or one that could not be read.
    """
    if not evaluator.only_with_reference or not isinstance(target, AgentTrace):
        return True
    reference = target.reference
    if reference is None:
        return False
    fields = reference_fields(evaluator)
    return (
        not fields
        or any(getattr(reference, field) is not None for field in fields)
        or bool(reference_faults(evaluator, target))
    )


def _unguarded(_: Configured) -> AbstractContextManager[object]:
    return nullcontext()


def _call_evaluator(evaluator: Configured, target: Target, guard: Guard, judge: JudgeFunction | None) -> object:
    """Return what the evaluator returns, or the error that it raises."""
    if evaluator.scope == "tool_call" and isinstance(target, AgentTrace) and not positions(evaluator, target):
        return Score.skip("the run has no tool calls")
    try:
        with guard(evaluator):
            if judge is not None and isinstance(evaluator.function, Asking) and evaluator.kind == "llm":
                return run_dialogue(evaluator.function.ask(visible_part(evaluator, target)), partial(answer, judge))
            return evaluator.function(visible_part(evaluator, target))
    except BadAnswer as error:
        return unusable(error)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - user code may raise anything; its failure is a score
        return error
