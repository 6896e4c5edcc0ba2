"""One evaluator on one run or tool: what it returns becomes verdicts, what it raises becomes one too."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import UTC, datetime
from itertools import chain, product
from typing import Any, Final, TypeAlias

from .conversation import ConversationTrajectory
from .model import AgentTrace, Score, TestCase, ToolDefinition
from .registry import Configured
from .verdict import Target, Verdict, verdict

__all__ = ["Clock", "Guard", "Here", "as_score", "evaluate", "score"]

Clock: TypeAlias = Callable[[], datetime]
Guard: TypeAlias = Callable[[Configured], AbstractContextManager[object]]
"""What an evaluation runs in: may cut it short by raising, and puts right what the evaluator did to the process."""

_REFERENCE: Final = "reference."


def evaluate(
    evaluator: Configured, target: Target, *, now: Clock | None = None, guard: Guard | None = None
) -> list[Verdict]:
    """The verdicts of `evaluator` on `target`. What the evaluator raises becomes one; what is no target, a TypeError.

    One, or one a tool call or offered tool of the run where that is the evaluator's scope; a run that records no tools
    gets none from an evaluator of tools.
    """
    _refuse(target)
    if evaluator.scope == "tool" and isinstance(target, AgentTrace):
        return [found for tool in _tools([target]) for found in evaluate(evaluator, tool, now=now, guard=guard)]
    began = time.perf_counter()
    scores = list(_scores(evaluator, target, guard or _unguarded))
    duration_ms = (time.perf_counter() - began) * 1000
    scored_at = now() if now else datetime.now(UTC).replace(tzinfo=None)
    return [
        verdict(
            evaluator,
            target,
            _told(said, _faults(evaluator, target)),
            scored_at=scored_at,
            duration_ms=duration_ms,
            tool_call_position=position,
        )
        for position, said in scores
    ]


def _refuse(target: object) -> None:
    if isinstance(target, (AgentTrace, ToolDefinition, ConversationTrajectory)):
        return
    instead = {
        TestCase: "of a TestCase its .trace",
        Configured: "the evaluator first, then the run",
        list: "each of the list by itself, or of the runs of a session ConversationTrajectory.of(runs)",
        tuple: "each of the tuple by itself, or of the runs of a session ConversationTrajectory.of(runs)",
        dict: "of JSON AgentTrace.model_validate(it)",
    }.get(type(target), "of a TestCase its .trace, of the runs of a session ConversationTrajectory.of(runs)")
    raise TypeError(
        "an AgentTrace, a ToolDefinition or a ConversationTrajectory is evaluated, "
        f"not {type(target).__name__}: give {instead}"
    )


def score(evaluator: Configured, given: object) -> Score:
    """What `evaluator` says, in one score, of what judges of its scope are given. Never raises."""
    try:
        return as_score(evaluator.judge(_given(evaluator, given)))
    except (Exception, SystemExit) as error:  # noqa: BLE001 - as below
        return _failure(error)


def as_score(returned: object) -> Score:
    """What an evaluator returned, as a Score: bool, number, label, dict of a Score's fields, or None (skipped)."""
    match returned:
        case Score():
            return returned
        case None:
            return Score.skip("the evaluator returned nothing")
        case bool():
            return Score(value=float(returned), passed=returned)
        case int() | float():
            return Score(value=float(returned))
        case str():
            return Score(label=returned)
        case dict():
            return Score.model_validate(returned)
    raise TypeError(f"an evaluator returns a Score, bool, number, label, dict or None, not {type(returned).__name__}")


class Here:
    """The Workbench that computes in the calling process."""

    def __init__(self, now: Clock | None = None, *, guard: Guard | None = None) -> None:
        self._now = now
        self._guard = guard

    def evaluate(self, targets: Sequence[Target], evaluators: Sequence[Configured]) -> Sequence[Verdict]:
        """Every evaluator on every target that it wants, target by target; on each tool that runs offer once."""
        of_tools = [evaluator for evaluator in evaluators if evaluator.scope == "tool"]
        of_runs = [evaluator for evaluator in evaluators if evaluator.scope != "tool"]
        pairs: Iterable[tuple[Target, Configured]] = chain(
            product(_others(targets), of_runs), product(_tools(targets) if of_tools else (), of_tools)
        )
        return [
            found
            for target, evaluator in pairs
            if _is_wanted(target, evaluator)
            for found in evaluate(evaluator, target, now=self._now, guard=self._guard)
        ]


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
    return [fault.text for fault in faults if not wanted or fault.field is None or fault.field in wanted]


def _unguarded(_: Configured) -> AbstractContextManager[object]:
    return nullcontext()


def _scores(evaluator: Configured, target: Target, guard: Guard) -> Iterable[tuple[int | None, Score]]:
    """Scores, each with the position of the call it is about; None where it is about the whole target."""
    try:
        with guard(evaluator):
            returned = evaluator.judge(_given(evaluator, target))
            if evaluator.scope == "tool_call" and isinstance(returned, (list, tuple)):
                return _by_call(returned, _positions(evaluator, target))
            return [(None, as_score(returned))]
    except (Exception, SystemExit) as error:  # noqa: BLE001 - it may be anybody's code; its failure is a verdict
        return [(None, _failure(error))]


def _failure(error: BaseException) -> Score:
    return Score.failed(f"{type(error).__name__}: {error}")


def _given(evaluator: Configured, target: object) -> Any:
    """What the judge is given: turns for a conversation, and of a run what it did itself where that alone counts."""
    if isinstance(target, ConversationTrajectory):
        return target.turns
    if evaluator.include_sub_agents or not isinstance(target, AgentTrace):
        return target
    calls = target.tool_calls
    own = tuple(calls[position] for position in _positions(evaluator, target))
    return target if len(own) == len(calls) else target.model_copy(update={"tool_calls": own})


def _positions(evaluator: Configured, target: object) -> list[int]:
    """Where in the run the calls stand that the evaluator judges."""
    calls = target.tool_calls if isinstance(target, AgentTrace) else ()
    return [
        position
        for position, call in enumerate(calls)
        if evaluator.include_sub_agents or call.child_agent_trace_id is None
    ]


def _by_call(returned: Sequence[object], positions: Sequence[int]) -> Iterable[tuple[int | None, Score]]:
    if len(returned) != len(positions):
        raise ValueError(f"it returned {len(returned)} scores for {len(positions)} tool calls; return one a call")
    if not returned:
        return [(None, Score.skip("the run has no tool calls"))]
    return list(zip(positions, map(as_score, returned), strict=True))


def _told(score: Score, faults: Sequence[str]) -> Score:
    """The score, saying also what of the expectations could not be read: where it is skipped that may be the reason."""
    if not faults:
        return score
    told: dict[str, Any] = {"details": {**score.details, "reference_faults": list(faults)}}
    if score.status == "skipped":
        told["reason"] = "; ".join((score.reason or "", *faults))
    return score.model_copy(update=told)
