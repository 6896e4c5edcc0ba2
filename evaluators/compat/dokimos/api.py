"""Dokimos' nine agent evaluators as in its documentation, with keyword arguments in place of builders.

    ToolTrajectoryEvaluator(match_mode="IN_ORDER").evaluate(test_case)

A test case is an `EvalTestCase(…)` or `trace.to_test_case(…)`. It is made by hand, so a call without arguments has
none, and `ToolErrorEvaluator` takes one without a result for failed, as Dokimos does; the evaluator
`dokimos:tool_error` of stored runs leaves such calls out. A case that lacks something, for which Dokimos throws an
exception, has a result without a score.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from functools import partial
from typing import Any

from ...definition.dialogue import Asking, BadAnswer, run_dialogue, unusable
from ...definition.evaluator_object import EvaluatorObject, make_options
from ...definition.registry import Options
from ...judges.backends.in_process import JudgeFunction, answer, refuse_other_judges
from ...model import AgentTrace, Score, TestCase, ToolCall, ToolDefinition
from .argument_matcher import ArgMatchMode, ArgumentMatcher, Matcher
from .arguments import TolerantArgumentMatcher
from .case import EvalResult, EvalTestCase
from .task_completion import TaskCompletion
from .tool_argument_hallucination import ToolArgumentHallucination
from .tool_call_validity import ToolCallValidity
from .tool_correctness import ToolCorrectness
from .tool_description_reliability import ToolDescriptionReliability
from .tool_efficiency import ToolEfficiency
from .tool_error import ToolError
from .tool_name_reliability import ToolNameReliability
from .tool_trajectory import ToolTrajectory

__all__ = [
    "AgentTrace",
    "ArgMatchMode",
    "ArgumentMatcher",
    "DokimosEvaluator",
    "EvalResult",
    "EvalTestCase",
    "TaskCompletionEvaluator",
    "TolerantArgumentMatcher",
    "ToolArgumentHallucinationEvaluator",
    "ToolCall",
    "ToolCallValidityEvaluator",
    "ToolCorrectnessEvaluator",
    "ToolDefinition",
    "ToolDescriptionReliabilityEvaluator",
    "ToolEfficiencyEvaluator",
    "ToolErrorEvaluator",
    "ToolNameReliabilityEvaluator",
    "ToolTrajectoryEvaluator",
]


class DokimosEvaluator(EvaluatorObject):
    """Evaluates test cases with `options`; a score of at least `threshold` is a success.

    `judge` is a function from text to text, which may be `async`. In an experiment, and in `assert_scores`, it
    evaluates recorded runs as the evaluator of the catalogue does, and skips what was not recorded.
    """

    def __init__(self, name: str, options: Options, *, threshold: float, judge: JudgeFunction | None = None) -> None:
        """Raise ValueError for a threshold outside of [0, 1], and TypeError for a judge that is not a function."""
        super().__init__(name, options, threshold=threshold)
        refuse_other_judges(judge)
        if judge is None and options.must_ask:
            raise TypeError(f"{name} needs a `judge`: a function that takes a text and returns one")
        self.judge = judge

    @property
    def function(self) -> Callable[[AgentTrace], Any]:
        return self._ask_or_call

    def evaluate(self, test_case: TestCase) -> EvalResult:
        """Return the result on `test_case`. Raises what the judge raises."""
        run = test_case.trace
        calls = tuple(self.as_given(call) for call in run.tool_calls)
        score = self._score(run.model_copy(update={"tool_calls": calls}))
        return EvalResult(
            name=self.name,
            score=score.value,
            threshold=self.threshold,
            success=None if score.value is None else score.value >= self.threshold,
            reason=score.reason if score.value is None else score.explanation,
            metadata=score.details,
        )

    def as_given(self, call: ToolCall) -> ToolCall:
        """Return a call as Dokimos reads it: without arguments, it has an empty map of them."""
        is_bare = call.args is None and call.args_text is None
        return call.model_copy(update={"args": {}}) if is_bare else call

    def _score(self, run: AgentTrace) -> Score:
        try:
            return self._ask_or_call(run)
        except BadAnswer as bad:
            return unusable(bad)

    def _ask_or_call(self, run: AgentTrace) -> Score:
        if self.judge is not None and isinstance(self.options, Asking):
            return _single(run_dialogue(self.options.ask(run), partial(answer, self.judge)))
        return _single(self.options(run))


def _single(score: object) -> Score:
    if not isinstance(score, Score):
        raise TypeError(f"an evaluator of runs returns one score, not {type(score).__name__}")
    return score


class ToolCallValidityEvaluator(DokimosEvaluator):
    """Share of the calls that fit the schema of their tool: `dokimos:tool_call_validity`."""

    def __init__(self, *, strict_mode: bool = False, threshold: float = 1.0, name: str = "Tool Call Validity") -> None:
        super().__init__(name, make_options(ToolCallValidity, {"strict_mode": strict_mode}), threshold=threshold)


class ToolCorrectnessEvaluator(DokimosEvaluator):
    """Whether the expected tools were called: `dokimos:tool_correctness`."""

    class MatchMode(StrEnum):
        NAMES_ONLY = "NAMES_ONLY"
        NAMES_AND_ORDER = "NAMES_AND_ORDER"
        NAMES_AND_ARGS = "NAMES_AND_ARGS"

    def __init__(
        self,
        *,
        match_mode: MatchMode | str = MatchMode.NAMES_ONLY,
        argument_matcher: Matcher | None = None,
        threshold: float = 1.0,
        name: str = "Tool Correctness",
    ) -> None:
        options = make_options(
            ToolCorrectness,
            {"match_mode": match_mode, "argument_matcher": argument_matcher or ArgumentMatcher.tolerant()},
        )
        super().__init__(name, options, threshold=threshold)


class ToolTrajectoryEvaluator(DokimosEvaluator):
    """How far the calls are the expected trajectory: `dokimos:tool_trajectory`.

    `argument_matchers` are those of single tools, by name.
    """

    class MatchMode(StrEnum):
        STRICT = "STRICT"
        IN_ORDER = "IN_ORDER"
        ANY_ORDER = "ANY_ORDER"
        SUPERSET = "SUPERSET"
        SUBSET = "SUBSET"
        PRECISION = "PRECISION"
        RECALL = "RECALL"

    def __init__(
        self,
        *,
        match_mode: MatchMode | str = MatchMode.IN_ORDER,
        argument_matcher: Matcher | None = None,
        argument_matchers: Mapping[str, Matcher] | None = None,
        threshold: float = 1.0,
        name: str = "Trajectory",
    ) -> None:
        options = make_options(
            ToolTrajectory,
            {
                "match_mode": match_mode,
                "argument_matcher": argument_matcher or ArgumentMatcher.tolerant(),
                "per_tool_matchers": dict(argument_matchers or {}),
            },
        )
        super().__init__(name, options, threshold=threshold)


class ToolErrorEvaluator(DokimosEvaluator):
    """Share of the calls that succeeded: `dokimos:tool_error`.

    `error_detector` is given each result that is not blank, and returns whether it is an error.
    """

    def __init__(
        self, *, error_detector: Callable[[str], bool] | None = None, threshold: float = 1.0, name: str = "Tool Error"
    ) -> None:
        super().__init__(name, make_options(ToolError, {"error_detector": error_detector}), threshold=threshold)

    def as_given(self, call: ToolCall) -> ToolCall:
        """Return a call as Dokimos reads it: no result is a blank one."""
        given = super().as_given(call)
        return given if given.result is not None else given.model_copy(update={"result": ""})


class ToolEfficiencyEvaluator(DokimosEvaluator):
    """Distinct calls over all calls: `dokimos:tool_efficiency`."""

    def __init__(
        self, *, argument_matcher: Matcher | None = None, threshold: float = 1.0, name: str = "Tool Efficiency"
    ) -> None:
        options = make_options(ToolEfficiency, {"argument_matcher": argument_matcher or ArgumentMatcher.tolerant()})
        super().__init__(name, options, threshold=threshold)


class TaskCompletionEvaluator(DokimosEvaluator):
    """Share of the tasks that a judge finds completed: `dokimos:task_completion`."""

    def __init__(self, judge: JudgeFunction, *, threshold: float = 0.5, name: str = "Task Completion") -> None:
        super().__init__(name, TaskCompletion(), threshold=threshold, judge=judge)


class ToolArgumentHallucinationEvaluator(DokimosEvaluator):
    """Share of the calls whose arguments a judge finds grounded: `dokimos:tool_argument_hallucination`."""

    def __init__(
        self, judge: JudgeFunction, *, threshold: float = 0.8, name: str = "Tool Argument Hallucination"
    ) -> None:
        super().__init__(name, ToolArgumentHallucination(), threshold=threshold, judge=judge)


class ToolNameReliabilityEvaluator(DokimosEvaluator):
    """Share of the checks that the names of the tools pass: `dokimos:tool_name_reliability`."""

    def __init__(
        self, *, judge: JudgeFunction | None = None, threshold: float = 0.8, name: str = "Tool Name Reliability"
    ) -> None:
        super().__init__(name, ToolNameReliability(), threshold=threshold, judge=judge)


class ToolDescriptionReliabilityEvaluator(DokimosEvaluator):
    """Share of the checks that the descriptions of the tools pass: `dokimos:tool_description_reliability`."""

    def __init__(
        self,
        *,
        judge: JudgeFunction | None = None,
        max_input_args: int = 5,
        max_optional_args: int = 3,
        threshold: float = 0.8,
        name: str = "Tool Description Reliability",
    ) -> None:
        limits = {"max_input_args": max_input_args, "max_optional_args": max_optional_args}
        options = make_options(ToolDescriptionReliability, limits)
        super().__init__(name, options, threshold=threshold, judge=judge)
