"""Asserts the scores of a run in a test."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, TypeAlias

from pydantic import ValidationError

from ..catalog.configure import as_configured
from ..definition.evaluator_object import EvaluatorObject
from ..definition.registry import Configured
from ..definition.score_record import ScoreRecord, target_id
from ..execution.run import evaluate
from ..formats.expectation import Expectation
from ..judges.backends.in_process import JudgeFunction
from ..matching import ArgumentOptions
from ..model import AgentTrace
from ..text.messages import counted, shortened
from ..text.validation_errors import explain
from .expected_run import expect
from .side_by_side import LEGEND, show_calls

__all__ = ["OnAssertion", "assert_scores", "observing_assertions"]

_LONGEST: Final = 100

OnAssertion: TypeAlias = Callable[[AgentTrace, Sequence[ScoreRecord]], object]
"""Receives a run with its expectations, and the scores that are asserted, whether they pass or not."""

_OBSERVERS: Final[list[OnAssertion]] = []


@contextmanager
def observing_assertions(on_assertion: OnAssertion) -> Iterator[None]:
    """Call `on_assertion` in each call of `assert_scores` in this process while the context lasts."""
    _OBSERVERS.append(on_assertion)
    try:
        yield
    finally:
        _OBSERVERS.remove(on_assertion)


def assert_scores(
    run: AgentTrace,
    *evaluators: Configured | EvaluatorObject | str,
    judge: JudgeFunction | None = None,
    allows_skipped: bool = False,
    **expected: Any,
) -> None:
    """Raise AssertionError unless every evaluator passes on the run.

    An evaluator is a name, what `named` or `configure` make, or an object of `compat`. `expected` are fields of a
    reference, such as `expected_tool_calls=["search"]`, each in any of its usual spellings; they replace those of the
    run's reference. An evaluation that is skipped fails too, since it asserts nothing, unless it `allows_skipped`. An
    evaluator of kind llm asks `judge`. Raises TypeError without an evaluator, and for a field that no reference has.
    """
    __tracebackhide__ = True
    if not evaluators:
        raise TypeError("assert_scores needs an evaluator, such as 'tool_trajectory'")
    run = expect(run, _read_expected(expected), "test")
    configured: list[Configured] = [as_configured(each) for each in evaluators]
    scores = [evaluate(evaluator, run, judge=judge) for evaluator in configured]
    for observe in _OBSERVERS:
        observe(run, [score for of_evaluator in scores for score in of_evaluator])
    faults = [
        fault
        for evaluator, of_evaluator in zip(configured, scores, strict=True)
        for fault in _find_faults(evaluator, of_evaluator, run, allows_skipped=allows_skipped)
    ]
    if faults:
        raise AssertionError("\n".join(_describe(run, faults, configured)))


def _read_expected(expected: dict[str, Any]) -> dict[str, Any]:
    """Return the fields as a reference has them. Raises TypeError."""
    try:
        return Expectation(**expected).defined
    except ValidationError as error:
        raise TypeError(explain(error, Expectation)) from error


def _find_faults(
    evaluator: Configured, scores: Sequence[ScoreRecord], run: AgentTrace, *, allows_skipped: bool
) -> Iterator[str]:
    """Yield why an evaluator does not pass."""
    if not scores:
        yield f"{evaluator.name}: it gave no score: {_explain_absence(run)}"
    tools = {target_id(tool): f", tool {tool.name}" for tool in run.tool_definitions or ()}
    for score in scores:
        call = "" if score.tool_call_position is None else f", call {score.tool_call_position}"
        name = f"{score.evaluator}{call}{tools.get(score.target_id, '')}"
        if score.status == "error":
            yield f"{name}: it failed: {score.reason}"
        elif score.status == "skipped":
            if not allows_skipped:
                yield f"{name}: it was skipped: {score.reason}"
        elif score.passed is None:
            yield f"{name}: {_show(score)} neither passes nor fails: give it a threshold"
        elif not score.passed:
            threshold = "" if score.threshold is None else f", below {score.threshold:g}"
            yield f"{name}: {_show(score)}{threshold}: {score.explanation or 'no explanation'}"


def _explain_absence(run: AgentTrace) -> str:
    """Return why an evaluator of tool definitions, the only kind that may give no score, gave none."""
    if run.tool_definitions is None:
        return "it evaluates the definitions of tools, and those that the agent was offered were not recorded"
    return "it evaluates the definitions of tools, and the agent was offered none"


def _show(score: ScoreRecord) -> str:
    return " ".join(filter(None, ("" if score.value is None else f"{score.value:.2f}", score.label))) or "it"


def _describe(run: AgentTrace, faults: Sequence[str], evaluators: Sequence[Configured]) -> Iterator[str]:
    asked = shortened(" ".join((run.input or "an input that was not recorded").split()), _LONGEST)
    scores = f"{counted(len(faults), 'score')} of {counted(len(evaluators), 'evaluator')}"
    yield f"{scores} did not pass on {run.agent_name or 'the run'}: {asked}"
    yield from (f"  {fault}" for fault in faults)
    if not (run.trajectory or run.expected_tool_calls):
        return
    if run.expected_tool_calls is None:
        yield "  calls:"
        yield from (f"    {line[2:]}" for line in show_calls(run.trajectory, ()))
        return
    functions: list[object] = [each.function for each in evaluators]
    options = [function for function in functions if isinstance(function, ArgumentOptions)]
    yield f"  calls ({LEGEND}):"
    yield from (f"    {line}" for line in show_calls(run.trajectory, run.expected_tool_calls, options))
