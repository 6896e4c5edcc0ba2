"""DeepEval: were the expected tools called, with the expected input and output?"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Final, Literal, TypeAlias

from pydantic import BeforeValidator, Field

from ...definition.dialogue import Answer, BadAnswer, Question
from ...definition.registry import evaluator
from ...formats.tool_definitions import tool_definitions
from ...formats.tool_names import ToolNames
from ...llm.answer_parsing import REASON, SCORE, form
from ...llm.base import Judged, make_question, words
from ...llm.evidence_parts import offer
from ...matching import TOO_DEEP, TooLong, unrecorded_arguments
from ...model import AgentTrace, ExpectedCall, JsonObject, Score, ToolCall, ToolDefinition
from ...text.messages import NO_EXPECTATION, counted, listed
from ..likeness import Pairs
from .comparison import Call, CallPart, Comparison, Incomparable

__all__ = ["ToolCorrectness", "with_tool_selection"]

_PARTS_BY_NAME: Final[Mapping[str, tuple[str, ...]]] = {
    "none": (),
    "input": ("input",),
    "input_parameters": ("input",),
    "output": ("output",),
    "both": ("input", "output"),
}
_SELECTION: Final = form(reason=REASON, score=SCORE)
_NO_JUDGE: Final = "the choice among the available tools needs a judge: name one under `judge`"


def _params(value: Any) -> Any:
    """Return the parts that count, given as one or several of the peer's enum members, their names, or our names.

    None means both, as in the peer. Raises ValueError for an unknown name.
    """
    if value is None:
        return _PARTS_BY_NAME["both"]
    given = list(value) if isinstance(value, (list, tuple, set, frozenset)) else [value]
    names = [str(getattr(each, "value", each)).lower() for each in given]
    if unknown := [name for name in names if name not in _PARTS_BY_NAME]:
        raise ValueError(f"{unknown[0]!r} is not a part of a call; write input, output, both or none")
    chosen = {part for name in names for part in _PARTS_BY_NAME[name]}
    return tuple(part for part in _PARTS_BY_NAME["both"] if part in chosen)


def _available(value: Any) -> Any:
    """Return definitions of tools given in any known form. Raises ValueError that names one that cannot be read."""
    if not isinstance(value, (list, tuple, dict)) or all(map(_is_ours, value)):
        return value
    return tool_definitions(value, place="available_tools")


def _is_ours(tool: object) -> bool:
    """Return whether its keys are those of our own definitions; pydantic then reports errors with their places."""
    return isinstance(tool, dict) and tool.keys() <= ToolDefinition.model_fields.keys()


_Tools: TypeAlias = Annotated[Literal["recorded"] | tuple[ToolDefinition, ...] | None, BeforeValidator(_available)]


@evaluator(
    "deepeval:tool_correctness",
    version=1,
    source="deepeval 4.3.1 ToolCorrectnessMetric; the default of evaluation_params: gllm-evals",
    reads=("tool_calls", "reference.expected_tool_calls", "gaps", "input", "tool_definitions", "reference.tools"),
    skipped_when="no reference says what was expected; calls, or input or output that counts, were not recorded; the "
    "request or the tools, where a judge grades the choice, were not recorded",
    threshold=0.5,
)
class ToolCorrectness(Judged):
    """How far the expected tools were called: the mean, over the expected calls, of the similarity of their best match.

    Two calls of one tool have similarity 1, times the similarity of their inputs, or 0 if their outputs differ, as far
    as these are in `evaluation_params`. The similarity of inputs is the share of equal values among all keys of
    both: objects recursively, lists wholly or not at all; values are equal as in Python (1, 1.0 and true are the same).
    Outputs are compared as JSON values if both are JSON, else as texts; the peer compares any objects.

    Each expected call, in order, gets the best free call, the first of equally good ones, even if a later expected call
    fits it better. `should_consider_ordering`: the pairs are in the same order, with the highest sum of similarities.
    `should_exact_match` (it overrides ordering): 1 if both lists are equal position by position, else 0; input and
    output count only if they are in `evaluation_params`. Unexpected calls cost nothing except in an exact match; if no
    call was expected, any call scores 0, none 1. `strict_mode`: a score below 1 is 0 and never passes. Every call is of
    the peer's type `function`.

    Parts that an expected call does not specify accept anything. The peer compares them, and what was not recorded, as
    None: unequal outputs score 0, unequal inputs raise AttributeError. gllm-evals leaves out what is not there
    (`unrecorded: leave_out`) and cuts random endings of names (`tool_names: random4`).

    With `available_tools` a judge also grades how suitable the called tools were among the available ones, and the
    lower of both scores counts. It sees the request and the calls without their results. Its answer is read strictly;
    the peer also accepts "0.5", true and numbers out of range, and repairs commas and braces.
    """

    prompts: ClassVar[tuple[str, ...]] = ("tool_selection",)

    evaluation_params: Annotated[tuple[CallPart, ...], BeforeValidator(_params)] = Field(
        default=("input", "output"),
        description="what counts besides the tool's name, if the reference specifies it: input, output, both or none",
    )
    should_exact_match: bool = Field(default=False, description="the same calls at the same positions, or 0")
    should_consider_ordering: bool = Field(default=False, description="expected calls count only in their order")
    strict_mode: bool = Field(default=False, description="1 or 0: the threshold is 1, and a lower score is 0")
    include_reason: bool = Field(default=True, description="explain the score")
    available_tools: _Tools = Field(
        default=None,
        description="a judge grades the choice among these tools: a list of them, or recorded: those of the run",
    )
    unrecorded: Literal["skip", "leave_out"] = Field(
        default="skip",
        description="input or output that a call does not record: skip the run, or leave_out the part",
    )
    tool_names: ToolNames = Field(
        default=ToolNames(),
        description="the random ending that is cut from names on both sides: random4, mixed4, any4 or an expression",
    )
    compat: bool = Field(
        default=False,
        description="like DeepEval: only one of several equal calls can match, unrecorded values are compared as None",
    )

    @property
    def own_threshold(self) -> float | None:
        return 1.0 if self.strict_mode else None

    @property
    def decided_by(self) -> str | None:
        """None: the peer accepts a threshold together with `strict_mode`, and overrides it."""
        return None

    @property
    def must_ask(self) -> bool:
        return bool(self.available_tools)

    def __call__(self, trace: AgentTrace) -> Score:
        return Score.skip(_NO_JUDGE) if self.available_tools else self._calling(self.tool_names.applied(trace))

    def ask(self, trace: AgentTrace) -> Generator[Sequence[Question], Sequence[Answer], Score]:
        trace = self.tool_names.applied(trace)
        calling = self._calling(trace)
        if calling.value is None or not self.available_tools:
            return calling
        tools = trace.tools_offered if self.available_tools == "recorded" else self.available_tools
        if tools is None or trace.input is None:
            missing = "which tools were available" if tools is None else "what the user asked for"
            return Score.skip(f"{missing} was not recorded")
        if not tools:
            return calling
        available = {"available_tools": [offer(tool) for tool in tools]}
        shown = self.shown(trace, ("input", "tool_calls_without_results"), available)
        try:
            [answer] = yield [make_question("tool_selection", shown, _SELECTION)]
        except BadAnswer as bad:
            raise BadAnswer(str(bad), bad.answer, calling.details) from bad
        return self._with_selection(calling, answer.value, shown.details)

    def _with_selection(self, calling: Score, selection: JsonObject, evidence: JsonObject) -> Score:
        both = {"tool_selection_score": float(selection["score"]), "tool_selection_reason": selection["reason"]}
        value = with_tool_selection(
            calling.details["tool_calling_score"], both["tool_selection_score"], strict_mode=self.strict_mode
        )
        update: dict[str, Any] = {"value": value, "details": calling.details | both | evidence}
        if self.strict_mode:
            update["passed"] = value == 1
        if self.include_reason:
            update["explanation"] = (
                f"{calling.explanation}; choice of tools: {words(selection['reason']) or 'no reason given'}"
            )
        return calling.model_copy(update=update)

    def _calling(self, trace: AgentTrace) -> Score:
        """Return the score without a judge."""
        reference = trace.expected_tool_calls
        if reference is None:
            return Score.skip(NO_EXPECTATION)
        if unrecorded := self._unrecorded(reference, trace.tool_calls):
            return Score.skip(unrecorded)
        try:
            return self._score(reference, trace.tool_calls)
        except (TooLong, Incomparable) as refusal:
            return Score.skip(str(refusal))
        except RecursionError:
            return Score.skip(TOO_DEEP)

    def _unrecorded(self, expected: Sequence[ExpectedCall], called: Sequence[ToolCall]) -> str | None:
        """Return a text about the part that counts and was not recorded; None if the score depends on no such part."""
        if self.compat or self.unrecorded == "leave_out" or self._differs_in_names(expected, called):
            return None
        if "input" in self.evaluation_params:
            compared = {call.name for call in expected if call.args is not None}
            if unrecorded := unrecorded_arguments(called, compared):
                return unrecorded
        if "output" in self.evaluation_params:
            return _unrecorded_result(called, {call.name for call in expected if call.result is not None})
        return None

    def _differs_in_names(self, expected: Sequence[ExpectedCall], called: Sequence[ToolCall]) -> bool:
        """Return whether an exact match is already refuted by the names alone."""
        return self.should_exact_match and [call.name for call in expected] != [call.name for call in called]

    @property
    def _comparison(self) -> Comparison:
        return Comparison(
            parts=self.evaluation_params,
            exact=self.should_exact_match,
            ordered=self.should_consider_ordering,
            compat=self.compat,
            leaves_out=self.unrecorded == "leave_out" and not self.compat,
        )

    def _score(self, reference: Sequence[ExpectedCall], calls: Sequence[ToolCall]) -> Score:
        comparison = self._comparison
        expected = [comparison.expected(call) for call in reference]
        made = comparison.made(calls, expected)
        pairs = comparison.pairs(expected, made)
        calling = comparison.score(expected, made, pairs)
        value = with_tool_selection(calling, 1.0, strict_mode=self.strict_mode)
        details = _details(expected, made, pairs) | {"tool_calling_score": calling}
        if self.strict_mode:
            details["threshold_effective"] = 1.0
        return Score(
            value=value,
            passed=value == 1 if self.strict_mode else None,
            explanation=self._explanation(calling, details) if self.include_reason else None,
            details=details,
        )

    def _explanation(self, calling: float, details: JsonObject) -> str:
        if calling == 1:
            return "the expected tools were called as expected"
        if not details["expected_tools"]:
            return f"no tool was expected; called: {listed(details['tools_called'])}"
        parts = [f"{details['matched']} of {counted(len(details['expected_tools']), 'expected call')} matched"]
        for word, key in (("not matched", "missing_tools"), ("matched in part", "partly_matched")):
            parts += [f"{word}: {listed(details[key])}"] if details[key] else []
        if self.should_exact_match and details["unexpected_tools"]:
            parts.append(f"not expected there: {listed(details['unexpected_tools'])}")
        return "; ".join(parts)


def with_tool_selection(tool_calling: float, tool_selection: float, *, strict_mode: bool = False) -> float:
    """Return the score if a judge has graded the choice among the available tools: the lower of both.

    In strict mode it is 0 unless it is 1. Source: deepeval 4.3.1 ToolCorrectnessMetric.measure
    """
    lower = min(tool_calling, tool_selection)
    return 0.0 if strict_mode and lower < 1 else lower


def _unrecorded_result(calls: Iterable[ToolCall], compared: set[str]) -> str | None:
    for position, call in enumerate(calls):
        if call.name in compared and call.result is None and call.status in {"ok", None}:
            return f"the result of {call.name} (call {position}) was not recorded"
    return None


def _details(expected: Sequence[Call], made: Sequence[Call], pairs: Pairs) -> JsonObject:
    taken = {place for place, _ in pairs.values()}
    return {
        "expected_tools": [call.name for call in expected],
        "tools_called": [call.name for call in made],
        "matched": len(pairs),
        "missing_tools": [call.name for at, call in enumerate(expected) if at not in pairs],
        "partly_matched": [expected[at].name for at, (_, share) in sorted(pairs.items()) if round(share, 9) < 1],
        "unexpected_tools": [call.name for place, call in enumerate(made) if place not in taken],
    }
