"""One evaluator on one run or tool: what it returns becomes verdicts, what it raises becomes one too."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import UTC, datetime
from functools import partial
from itertools import chain, product
from typing import Any, Final, TypeAlias

from .answer import WrongAnswer, as_score, failure
from .dialogue import Asking, BadAnswer, concluded, unusable
from .given import given, positions
from .judge.in_process import JudgeFunction, answer, refuse_other_judges
from .misuse import refuse_misuse
from .model import AgentTrace, Score, ToolDefinition
from .ports import Findings, Keep, Pass
from .registry import Configured
from .verdict import Effort, Target, Verdict, verdict

__all__ = ["Clock", "Guard", "Here", "conclude", "evaluate", "pairs", "score"]

Clock: TypeAlias = Callable[[], datetime]
Guard: TypeAlias = Callable[[Configured], AbstractContextManager[object]]
"""What an evaluation runs in: may cut it short by raising, and puts right what the evaluator did to the process."""

_REFERENCE: Final = "reference."
_ONE_A_CALL: Final = "in scope tool_call return a list with one answer a call"


def evaluate(
    evaluator: Configured,
    target: Target,
    *,
    now: Clock | None = None,
    guard: Guard | None = None,
    judge: JudgeFunction | None = None,
) -> list[Verdict]:
    """The scores of `evaluator` on `target`. What the evaluator raises becomes one.

    One, or one a tool call or offered tool of the run where that is the evaluator's scope; a run that records no tools
    gets none from an evaluator of tools. One of kind llm asks `judge`. Raises TypeError where that is missing, and for
    a target of another scope than the evaluator's.
    """
    refuse_misuse(evaluator, target)
    refuse_other_judges(judge)
    if evaluator.kind == "llm" and judge is None:
        raise TypeError(f"{evaluator.name} asks a judge: give `judge`, a function that takes a text and returns one")
    if evaluator.scope == "tool" and isinstance(target, AgentTrace):
        return [
            found for tool in _tools([target]) for found in evaluate(evaluator, tool, now=now, guard=guard, judge=judge)
        ]
    began = time.perf_counter()
    returned = _returned(evaluator, target, guard or _unguarded, judge)
    took = Effort(duration_ms=(time.perf_counter() - began) * 1000)
    scored_at = now() if now else datetime.now(UTC).replace(tzinfo=None)
    return conclude(evaluator, target, returned, scored_at=scored_at, took=took)


def conclude(
    evaluator: Configured,
    target: Target,
    returned: object,
    *,
    scored_at: datetime,
    took: Effort | None = None,
) -> list[Verdict]:
    """What an evaluator returned on `target`, or the error that it raised, as verdicts. Never raises."""
    faults, sources = _faults(evaluator, target), _sources(evaluator, target)
    return [
        verdict(
            evaluator,
            target,
            _told(_with_sources(said, sources), faults),
            scored_at=scored_at,
            took=took,
            tool_call_position=position,
        )
        for position, said in _scores(evaluator, target, returned)
    ]


def score(evaluator: Configured, it: object) -> Score:
    """What `evaluator` says, in one score, of what judges of its scope are given. Never raises."""
    try:
        return as_score(evaluator.judge(given(evaluator, it)))
    except (Exception, SystemExit) as error:  # noqa: BLE001 - as below
        return failure(error)


class Here:
    """The Workbench that computes in the calling process."""

    def __init__(
        self, now: Clock | None = None, *, guard: Guard | None = None, judge: JudgeFunction | None = None
    ) -> None:
        self._now = now
        self._guard = guard
        self._judge = judge

    def evaluate(self, targets: Sequence[Target], evaluators: Sequence[Configured]) -> Sequence[Verdict]:
        """Every evaluator on every target that it wants."""
        return [
            found
            for evaluator, target in pairs(targets, evaluators)
            for found in evaluate(evaluator, target, now=self._now, guard=self._guard, judge=self._judge)
        ]

    def ask(
        self,
        this: Pass,  # noqa: ARG002
        targets: Sequence[Target],
        evaluators: Sequence[Configured],
        keep: Keep,  # noqa: ARG002
    ) -> Findings:
        """As `evaluate`; nothing is put off."""
        return Findings(self.evaluate(targets, evaluators))


def pairs(targets: Sequence[Target], evaluators: Sequence[Configured]) -> Iterator[tuple[Configured, Target]]:
    """Each evaluator with each target that it wants, target by target; of tools with each that runs offer, once."""
    of_tools = [evaluator for evaluator in evaluators if evaluator.scope == "tool"]
    of_runs = [evaluator for evaluator in evaluators if evaluator.scope != "tool"]
    every: Iterable[tuple[Target, Configured]] = chain(
        product(_others(targets), of_runs), product(_tools(targets) if of_tools else (), of_tools)
    )
    return ((evaluator, target) for target, evaluator in every if _is_wanted(target, evaluator))


def _others(targets: Sequence[Target]) -> list[Target]:
    """Runs and conversations."""
    return [target for target in targets if not isinstance(target, ToolDefinition)]


def _tools(targets: Sequence[Target]) -> Iterable[ToolDefinition]:
    """The tools among the targets and those that their runs offer, each once."""
    return {tool.hash: tool for target in targets for tool in _offered(target)}.values()


def _offered(target: Target) -> Iterable[ToolDefinition]:
    if isinstance(target, ToolDefinition):
        return (target,)
    return (target.tool_definitions or ()) if isinstance(target, AgentTrace) else ()


def _is_wanted(target: Target, evaluator: Configured) -> bool:
    """Whether somebody said what an evaluator compares with that runs only then, or meant to and it cannot be read."""
    if not evaluator.only_with_reference or not isinstance(target, AgentTrace):
        return True
    reference = target.reference
    if reference is None:
        return False
    wanted = _wanted(evaluator)
    return (
        not wanted or any(getattr(reference, field) is not None for field in wanted) or bool(_faults(evaluator, target))
    )


def _wanted(evaluator: Configured) -> list[str]:
    """The fields of a reference that the evaluator reads."""
    return [field.removeprefix(_REFERENCE) for field in evaluator.reads if field.startswith(_REFERENCE)]


def _faults(evaluator: Configured, target: Target) -> list[str]:
    """What of the expectations could not be read, as far as the evaluator reads it; one that tells nothing may."""
    if not isinstance(target, AgentTrace) or target.reference is None:
        return []
    wanted = _wanted(evaluator)
    if evaluator.reads and not wanted:
        return []
    faults = target.reference.faults
    texts = [fault.text for fault in faults if not wanted or fault.field is None or fault.field in wanted]
    return list(dict.fromkeys(texts))


def _sources(evaluator: Configured, target: Target) -> str:
    """Who said what the evaluator compares the run with, as `rule:refund+attributes`; empty where that is not known."""
    if not isinstance(target, AgentTrace) or target.reference is None:
        return ""
    said = target.reference.sources
    compared = [field for field in _wanted(evaluator) if field != "tools" or target.tool_definitions is None]
    return "+".join(dict.fromkeys(said[field] for field in compared if field in said))


def _with_sources(score: Score, sources: str) -> Score:
    """The score, with whose expectation it is in its explanation."""
    if not sources or score.status != "scored":
        return score
    explanation = f"{score.explanation} (according to {sources})" if score.explanation else f"according to {sources}"
    return score.model_copy(update={"explanation": explanation})


def _unguarded(_: Configured) -> AbstractContextManager[object]:
    return nullcontext()


def _returned(evaluator: Configured, target: Target, guard: Guard, judge: JudgeFunction | None) -> object:
    """What the evaluator returned, or the error that it raised."""
    if evaluator.scope == "tool_call" and isinstance(target, AgentTrace) and not positions(evaluator, target):
        return Score.skip("the run has no tool calls")
    try:
        with guard(evaluator):
            if judge is not None and isinstance(evaluator.judge, Asking) and evaluator.kind == "llm":
                return concluded(evaluator.judge.ask(given(evaluator, target)), partial(answer, judge))
            return evaluator.judge(given(evaluator, target))
    except BadAnswer as error:
        return unusable(error)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - it may be anybody's code; its failure is a verdict
        return error


def _scores(evaluator: Configured, target: Target, returned: object) -> Iterable[tuple[int | None, Score]]:
    """Scores, each with the position of the call it is about; None where it is about the whole target."""
    if isinstance(returned, BaseException):
        return [(None, failure(returned))]
    try:
        if evaluator.scope == "tool_call":
            return _by_call(returned, positions(evaluator, target))
        return [(None, as_score(returned))]
    except Exception as error:  # noqa: BLE001 - as above
        return [(None, failure(error))]


def _by_call(returned: object, positions: Sequence[int]) -> Iterable[tuple[int | None, Score]]:
    """A score a call, or one on the whole run where that says nothing of its calls. Raises WrongAnswer."""
    if isinstance(returned, (list, tuple)):
        if len(returned) != len(positions):
            raise WrongAnswer(f"it returned {len(returned)} answers for {len(positions)} tool calls; {_ONE_A_CALL}")
        if returned:
            return list(zip(positions, map(as_score, returned), strict=True))
    elif (whole := as_score(returned)).status != "scored":
        return [(None, whole)]
    elif positions:
        raise WrongAnswer(f"it returned one answer for the whole run; {_ONE_A_CALL}")
    return [(None, Score.skip("the run has no tool calls"))]


def _told(score: Score, faults: Sequence[str]) -> Score:
    """The score, saying also what of the expectations could not be read: where it is skipped that may be the reason."""
    if not faults:
        return score
    told: dict[str, Any] = {"details": {**score.details, "reference_faults": list(faults)}}
    if score.status == "skipped":
        told["reason"] = "; ".join((score.reason or "", *faults))
    return score.model_copy(update=told)
