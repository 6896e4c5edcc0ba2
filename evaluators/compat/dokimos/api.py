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

from ...definition.dialogue import Asking, BadAnswer, run_dialogue, unusable
from ...definition.registry import Options, registered
from ...formats import CALLS_NOT_RECORDED
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


class DokimosEvaluator:
    """Evaluates test cases with `options`; a score of at least `threshold` is a success.

    `judge` is a function from text to text, which may be `async`.
    """

    def __init__(self, name: str, options: Options, *, threshold: float, judge: JudgeFunction | None = None) -> None:
        """Raise ValueError for a threshold outside of [0, 1], and TypeError for a judge that is not a function."""
        refuse_other_judges(judge)
        if not 0 <= threshold <= 1:
            raise ValueError(f"the threshold of {name} is {threshold}; write a number from 0 to 1")
        self.name = name
        self.options = options
        self.threshold = threshold
        self.judge = judge

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
        definition = registered(type(self.options))
        if definition is not None and "tool_calls" in definition.reads and CALLS_NOT_RECORDED in run.gaps:
            return Score.skip("the test case has no toolCalls among its actual outputs")
        try:
            if self.judge is not None and isinstance(self.options, Asking):
                dialogue = self.options.ask(run)
                return _single(run_dialogue(dialogue, partial(answer, self.judge)))
            return _single(self.options(run))  # type: ignore[operator]  # those that cannot be called need a judge
        except BadAnswer as bad:
            return unusable(bad)


def _single(score: object) -> Score:
    if not isinstance(score, Score):
        raise TypeError(f"an evaluator of runs returns one score, not {type(score).__name__}")
    return score


class ToolCallValidityEvaluator(DokimosEvaluator):
    """Share of the calls that fit the schema of their tool: `dokimos:tool_call_validity`."""

    def __init__(self, *, strict_mode: bool = False, threshold: float = 1.0) -> None:
        super().__init__("Tool Call Validity", ToolCallValidity(strict_mode=strict_mode), threshold=threshold)


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
    ) -> None:
        options = ToolCorrectness.model_validate(
            {"match_mode": match_mode, "argument_matcher": argument_matcher or ArgumentMatcher.tolerant()}
        )
        super().__init__("Tool Correctness", options, threshold=threshold)


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
    ) -> None:
        options = ToolTrajectory.model_validate(
            {
                "match_mode": match_mode,
                "argument_matcher": argument_matcher or ArgumentMatcher.tolerant(),
                "per_tool_matchers": dict(argument_matchers or {}),
            }
        )
        super().__init__("Trajectory", options, threshold=threshold)


class ToolErrorEvaluator(DokimosEvaluator):
    """Share of the calls that succeeded: `dokimos:tool_error`.

    `error_detector` is given each result that is not blank, and returns whether it is an error.
    """

    def __init__(self, *, error_detector: Callable[[str], bool] | None = None, threshold: float = 1.0) -> None:
        super().__init__("Tool Error", ToolError(error_detector=error_detector), threshold=threshold)

    def as_given(self, call: ToolCall) -> ToolCall:
        """Return a call as Dokimos reads it: no result is a blank one."""
        given = super().as_given(call)
        return given if given.result is not None else given.model_copy(update={"result": ""})


class ToolEfficiencyEvaluator(DokimosEvaluator):
    """Distinct calls over all calls: `dokimos:tool_efficiency`."""

    def __init__(self, *, argument_matcher: Matcher | None = None, threshold: float = 1.0) -> None:
        options = ToolEfficiency.model_validate({"argument_matcher": argument_matcher or ArgumentMatcher.tolerant()})
        super().__init__("Tool Efficiency", options, threshold=threshold)


class TaskCompletionEvaluator(DokimosEvaluator):
    """Share of the tasks that a judge finds completed: `dokimos:task_completion`."""

    def __init__(self, judge: JudgeFunction, *, threshold: float = 0.5) -> None:
        super().__init__("Task Completion", TaskCompletion(), threshold=threshold, judge=judge)


class ToolArgumentHallucinationEvaluator(DokimosEvaluator):
    """Share of the calls whose arguments a judge finds grounded: `dokimos:tool_argument_hallucination`."""

    def __init__(self, judge: JudgeFunction, *, threshold: float = 0.8) -> None:
        super().__init__("Tool Argument Hallucination", ToolArgumentHallucination(), threshold=threshold, judge=judge)


class ToolNameReliabilityEvaluator(DokimosEvaluator):
    """Share of the checks that the names of the tools pass: `dokimos:tool_name_reliability`."""

    def __init__(self, *, judge: JudgeFunction | None = None, threshold: float = 0.8) -> None:
        super().__init__("Tool Name Reliability", ToolNameReliability(), threshold=threshold, judge=judge)


class ToolDescriptionReliabilityEvaluator(DokimosEvaluator):
    """Share of the checks that the descriptions of the tools pass: `dokimos:tool_description_reliability`."""

    def __init__(
        self,
        *,
        judge: JudgeFunction | None = None,
        max_input_args: int = 5,
        max_optional_args: int = 3,
        threshold: float = 0.8,
    ) -> None:
        options = ToolDescriptionReliability(max_input_args=max_input_args, max_optional_args=max_optional_args)
        super().__init__("Tool Description Reliability", options, threshold=threshold, judge=judge)
