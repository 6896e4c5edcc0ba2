"""One evaluator on one run or tool: what it returns becomes verdicts, what it raises becomes one too."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from itertools import chain, product
from typing import Final

from .model import AgentTrace, Score, ToolDefinition
from .registry import Configured
from .verdict import Target, Verdict, verdict

__all__ = ["Clock", "Here", "as_score", "evaluate"]

Clock = Callable[[], datetime]

_REFERENCE: Final = "reference."


def evaluate(evaluator: Configured, target: Target, *, now: Clock | None = None) -> list[Verdict]:
    """The verdicts of `evaluator` on `target`. Never raises.

    One, or one a tool call or offered tool of the run where that is the evaluator's scope; a run that records no tools
    gets none from an evaluator of tools.
    """
    if evaluator.scope == "tool" and isinstance(target, AgentTrace):
        return [found for tool in _tools([target]) for found in evaluate(evaluator, tool, now=now)]
    began = time.perf_counter()
    scores = list(_scores(evaluator, target))
    duration_ms = (time.perf_counter() - began) * 1000
    scored_at = now() if now else datetime.now(UTC).replace(tzinfo=None)
    return [
        verdict(
            evaluator,
            target,
            _told(score, target),
            scored_at=scored_at,
            duration_ms=duration_ms,
            tool_call_position=position,
        )
        for position, score in scores
    ]


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

    def __init__(self, now: Clock | None = None) -> None:
        self._now = now

    def evaluate(self, targets: Sequence[Target], evaluators: Sequence[Configured]) -> Sequence[Verdict]:
        """Every evaluator on every target that it wants, target by target; on each tool that runs offer once."""
        of_tools = [evaluator for evaluator in evaluators if evaluator.scope == "tool"]
        of_runs = [evaluator for evaluator in evaluators if evaluator.scope != "tool"]
        pairs: Iterable[tuple[Target, Configured]] = chain(
            product(_runs(targets), of_runs), product(_tools(targets) if of_tools else (), of_tools)
        )
        return [
            found
            for target, evaluator in pairs
            if _is_wanted(target, evaluator)
            for found in evaluate(evaluator, target, now=self._now)
        ]


def _runs(targets: Sequence[Target]) -> list[AgentTrace]:
    return [target for target in targets if isinstance(target, AgentTrace)]


def _tools(targets: Sequence[Target]) -> Iterable[ToolDefinition]:
    """The tools among the targets and those that their runs offer, each once."""
    offered = (target.tool_definitions or () if isinstance(target, AgentTrace) else (target,) for target in targets)
    return {tool.hash: tool for tool in chain.from_iterable(offered)}.values()


def _is_wanted(target: Target, evaluator: Configured) -> bool:
    """Whether somebody said what an evaluator compares with that runs only then, or meant to and it cannot be read."""
    if not evaluator.only_with_reference or isinstance(target, ToolDefinition):
        return True
    reference = target.reference
    if reference is None:
        return False
    wanted = [field.removeprefix(_REFERENCE) for field in evaluator.reads if field.startswith(_REFERENCE)]
    return bool(reference.faults) or not wanted or any(getattr(reference, name) is not None for name in wanted)


def _scores(evaluator: Configured, target: Target) -> Iterable[tuple[int | None, Score]]:
    """Scores, each with the position of the call it is about; None where it is about the whole target."""
    try:
        returned = evaluator.judge(target)
        if evaluator.scope == "tool_call" and isinstance(returned, (list, tuple)) and isinstance(target, AgentTrace):
            return _by_call(returned, target)
        return [(None, as_score(returned))]
    except Exception as error:  # noqa: BLE001 - an evaluator may be anybody's code; its failure is a verdict
        return [(None, Score.failed(f"{type(error).__name__}: {error}"))]


def _by_call(returned: Sequence[object], trace: AgentTrace) -> Iterable[tuple[int | None, Score]]:
    if len(returned) != len(trace.tool_calls):
        raise ValueError(
            f"it returned {len(returned)} scores for {len(trace.tool_calls)} tool calls; return one a call"
        )
    if not returned:
        return [(None, Score.skip("the run has no tool calls"))]
    return list(enumerate(map(as_score, returned)))


def _told(score: Score, target: Target) -> Score:
    """A skipped score also says what of the expectations could not be read: it may be the reason."""
    if score.status != "skipped" or isinstance(target, ToolDefinition) or not target.reference:
        return score
    faults = target.reference.faults
    return score.model_copy(update={"reason": "; ".join((score.reason or "", *faults))}) if faults else score
