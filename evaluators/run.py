"""One evaluator on one AgentTrace: what it returns becomes verdicts, what it raises becomes one too."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from itertools import chain

from .model import AgentTrace, Score
from .registry import Configured
from .verdict import Verdict, verdict

__all__ = ["Here", "as_score", "evaluate"]

Clock = Callable[[], datetime]


def evaluate(evaluator: Configured, trace: AgentTrace, *, now: Clock | None = None) -> list[Verdict]:
    """The verdicts of `evaluator` on `trace`: one, or one a tool call where that is its scope. Never raises."""
    began = time.perf_counter()
    scores = list(_scores(evaluator, trace))
    duration_ms = (time.perf_counter() - began) * 1000
    scored_at = now() if now else datetime.now(UTC).replace(tzinfo=None)
    return [
        verdict(
            evaluator,
            trace,
            _judged(score, evaluator.threshold),
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

    def evaluate(self, traces: Sequence[AgentTrace], evaluators: Sequence[Configured]) -> Sequence[Verdict]:
        """Every evaluator on every trace that it wants, trace by trace."""
        return list(
            chain.from_iterable(
                evaluate(evaluator, trace, now=self._now)
                for trace in traces
                for evaluator in evaluators
                if trace.reference is not None or not evaluator.only_with_reference
            )
        )


def _scores(evaluator: Configured, trace: AgentTrace) -> Iterable[tuple[int | None, Score]]:
    """Scores, each with the position of the call it is about; None where it is about the whole run."""
    try:
        returned = evaluator.judge(trace)
        if evaluator.scope == "tool_call" and isinstance(returned, (list, tuple)):
            return _by_call(returned, trace)
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


def _judged(score: Score, threshold: float) -> Score:
    if score.value is None:
        return score
    passed = score.value >= threshold if score.passed is None else score.passed
    return score.model_copy(update={"threshold": threshold, "passed": passed})
