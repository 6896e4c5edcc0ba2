"""DeepEval: were the expected tools called, with the expected input and output?"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Generator, Hashable, Iterable, Mapping, Sequence
from functools import reduce
from operator import add, itemgetter
from typing import Annotated, Any, ClassVar, Final, Literal, NamedTuple

from pydantic import BeforeValidator, Field

from ..asking.judged import Judged, asked, words
from ..asking.parts import offer
from ..asking.reading import REASON, SCORE, form
from ..dialogue import Answer, Question
from ..formats import CALLS_NOT_RECORDED
from ..matching import TooLong
from ..model import AgentTrace, ExpectedCall, JsonObject, Score, ToolCall, ToolDefinition
from ..phrases import NO_EXPECTATION, counted, listed
from ..registry import evaluator
from .likeness import Pairs, alike, frozen, weighted_subsequence
from .pairing import bound
from .unrecorded import TOO_DEEP, unrecorded_arguments

__all__ = ["ToolCorrectness", "with_tool_selection"]

_WORDS: Final[Mapping[str, tuple[str, ...]]] = {
    "none": (),
    "input": ("input",),
    "input_parameters": ("input",),
    "output": ("output",),
    "both": ("input", "output"),
}
_ANYTHING: Final = object()
_SELECTION: Final = form(reason=REASON, score=SCORE)
_NO_JUDGE: Final = "the choice among the available tools needs a judge: name one under `judge`"


def _params(value: Any) -> Any:
    """The peer's enum members, its words for them, or ours; one or several. None is the default there, and here."""
    if value is None:
        return _WORDS["both"]
    given = list(value) if isinstance(value, (list, tuple, set, frozenset)) else [value]
    words = [str(getattr(one, "value", one)).lower() for one in given]
    if unknown := [word for word in words if word not in _WORDS]:
        raise ValueError(f"{unknown[0]!r} is no part of a call; write input, output, both or none")
    chosen = {part for word in words for part in _WORDS[word]}
    return tuple(part for part in _WORDS["both"] if part in chosen)


class _Crash(ValueError):
    """Here the peer raises AttributeError, and has no score."""


class _Call(NamedTuple):
    name: str
    args: Any
    output: Any
    text: Any


@evaluator(
    "deepeval:tool_correctness",
    version=1,
    source="deepeval 4.3.1 ToolCorrectnessMetric; the default of evaluation_params: gllm-evals",
    reads=("tool_calls", "reference.expected_tool_calls", "gaps", "input", "tool_definitions", "reference.tools"),
    skipped_when="nobody said what was expected, or what was called; input or output that counts was not recorded; the "
    "request or the tools, where a judge grades the choice, were not recorded",
    threshold=0.5,
)
class ToolCorrectness(Judged):
    """How far the expected tools were called: the mean, over the expected calls, of how alike their best match is.

    Calls of one tool are alike by 1; times the likeness of their input, and 0 if their outputs differ, where
    `evaluation_params` ask for these. Inputs are alike by the share of equal values among all keys of both, objects
    recursively, lists wholly or not at all; values are equal as Python has it (1, 1.0 and true are the same). Outputs
    are compared as JSON values where both are JSON, else as texts: the peer compares whatever objects it was given.

    Each expected call, in order, takes the best free call, the first of equals: an earlier one may take what a later
    one needed more. `should_consider_ordering`: the pairs stand in the same order, chosen so that their likeness adds
    up to the most. `should_exact_match` (it wins over ordering): 1 when both lists are equal position by position,
    else 0; of input and output only what is asked for counts. Calls that nobody expected cost nothing but in an exact
    match; where no call was expected at all any call scores 0, none 1. `strict_mode`: below 1 is 0, and passes never.
    Every call is of the peer's type `function`.

    What an expected call leaves open may be anything. The peer compares it with None, as it does what was not
    recorded: unequal outputs score 0, unequal inputs raise AttributeError.

    With `available_tools` a judge grades as well how fit the tools called were among those that there were, and the
    lower of both is the score. It sees the request and the calls without their results. Its answer is read strictly;
    the peer takes "0.5", true and numbers out of range as well, and mends commas and braces.
    """

    prompts: ClassVar[tuple[str, ...]] = ("tool_selection",)

    evaluation_params: Annotated[tuple[Literal["input", "output"], ...], BeforeValidator(_params)] = Field(
        default=("input", "output"),
        description="what counts besides the tool's name, where the reference says it: input, output, both or none",
    )
    should_exact_match: bool = Field(default=False, description="the same calls at the same positions, or 0")
    should_consider_ordering: bool = Field(default=False, description="expected calls count only in their order")
    strict_mode: bool = Field(default=False, description="1 or 0: the threshold is 1, and what is below scores 0")
    include_reason: bool = Field(default=True, description="explain the score")
    available_tools: Literal["recorded"] | tuple[ToolDefinition, ...] | None = Field(
        default=None,
        description="the tools among which a judge grades the choice: a list of them, or recorded: those of the run",
    )
    compat: bool = Field(
        default=False,
        description="as the peer: of equal calls only one can match, and what was not recorded is compared as None",
    )

    @property
    def must_ask(self) -> bool:
        return bool(self.available_tools)

    def __call__(self, trace: AgentTrace) -> Score:
        return Score.skip(_NO_JUDGE) if self.available_tools else self._calling(trace)

    def ask(self, trace: AgentTrace) -> Generator[Sequence[Question], Sequence[Answer], Score]:
        calling = self._calling(trace)
        if calling.value is None or not self.available_tools:
            return calling
        tools = trace.tools_offered if self.available_tools == "recorded" else self.available_tools
        if tools is None or trace.input is None:
            what = "which tools were available" if tools is None else "what the user asked for"
            return Score.skip(f"{what} was not recorded")
        if not tools:
            return calling
        available = {"available_tools": [offer(tool) for tool in tools]}
        shown = self.shown(trace, ("input", "tool_calls_without_results"), available)
        [answer] = yield [asked("tool_selection", shown, _SELECTION)]
        return self._with_selection(calling, answer.value, shown.details)

    def _with_selection(self, calling: Score, selection: JsonObject, told: JsonObject) -> Score:
        both = {"tool_selection_score": float(selection["score"]), "tool_selection_reason": selection["reason"]}
        value = with_tool_selection(
            calling.details["tool_calling_score"], both["tool_selection_score"], strict_mode=self.strict_mode
        )
        update: dict[str, Any] = {"value": value, "details": calling.details | both | told}
        if self.strict_mode:
            update["passed"] = value == 1
        if self.include_reason:
            update["explanation"] = (
                f"{calling.explanation}; choice of tools: {words(selection['reason']) or 'no reason given'}"
            )
        return calling.model_copy(update=update)

    def _calling(self, trace: AgentTrace) -> Score:
        """The score without a judge."""
        reference = trace.reference.expected_tool_calls if trace.reference else None
        if reference is None:
            return Score.skip(NO_EXPECTATION)
        if CALLS_NOT_RECORDED in trace.gaps:
            return Score.skip("nobody said which tools were called")
        if unrecorded := self._unrecorded(reference, trace.tool_calls):
            return Score.skip(unrecorded)
        try:
            expected = [self._expected(call) for call in reference]
            parsed = self.compat or (
                "output" in self.evaluation_params and any(call.text is not None for call in expected)
            )
            return self._score(expected, [_called(call, parsed=parsed) for call in trace.tool_calls])
        except (TooLong, _Crash) as refusal:
            return Score.skip(str(refusal))
        except RecursionError:
            return Score.skip(TOO_DEEP)

    def _unrecorded(self, expected: Sequence[ExpectedCall], called: Sequence[ToolCall]) -> str | None:
        """What the trace would have to tell and does not; None where the score does not depend on it."""
        if self.compat or (self.should_exact_match and [one.name for one in expected] != [one.name for one in called]):
            return None
        if "input" in self.evaluation_params:
            compared = {call.name for call in expected if call.args is not None}
            if unrecorded := unrecorded_arguments(called, compared):
                return unrecorded
        if "output" in self.evaluation_params:
            return _unrecorded_result(called, {call.name for call in expected if call.result is not None})
        return None

    def _expected(self, call: ExpectedCall) -> _Call:
        open_ = None if self.compat else _ANYTHING
        return _Call(
            call.name,
            open_ if call.args is None else call.args,
            open_ if call.result is None else _value(call.result),
            call.result,
        )

    def _score(self, expected: Sequence[_Call], called: Sequence[_Call]) -> Score:
        pairs = self._pairs(expected, called)
        calling = self._calling_score(expected, called, pairs)
        value = with_tool_selection(calling, 1.0, strict_mode=self.strict_mode)
        details = _details(expected, called, pairs) | {"tool_calling_score": calling}
        if self.strict_mode:
            details["threshold_effective"] = 1.0
        return Score(
            value=value,
            passed=value == 1 if self.strict_mode else None,
            explanation=self._explanation(calling, details) if self.include_reason else None,
            details=details,
        )

    def _calling_score(self, expected: Sequence[_Call], called: Sequence[_Call], pairs: Pairs) -> float:
        if self.should_exact_match:
            return float(len(pairs) == len(expected) == len(called))
        if not expected:
            return float(not called)
        total = reduce(add, map(itemgetter(1), pairs.values()), 0.0)  # sum() rounds otherwise from Python 3.12 on
        return min(total / len(expected), 1.0)

    def _pairs(self, expected: Sequence[_Call], called: Sequence[_Call]) -> Pairs:
        if self.should_exact_match:
            both = enumerate(zip(expected, called, strict=False))
            return {at: (at, 1.0) for at, (wanted, made) in both if self._is_same(wanted, made)}
        bound((len(called), len(expected)))
        if self.should_consider_ordering:
            return weighted_subsequence(expected, called, self._likeness)
        return self._best(expected, called)

    def _best(self, expected: Sequence[_Call], called: Sequence[_Call]) -> Pairs:
        by_name: defaultdict[str, list[int]] = defaultdict(list)
        for at, made in enumerate(called):
            by_name[made.name].append(at)
        identity = [frozen(made[:3]) for made in called] if self.compat else range(len(called))
        used: set[Hashable] = set()
        pairs: Pairs = {}
        for at, wanted in enumerate(expected):
            free = [place for place in by_name[wanted.name] if identity[place] not in used]
            rated = [(place, self._likeness(wanted, called[place])) for place in free]
            place, most = max(rated, key=itemgetter(1), default=(0, 0.0))
            if most > 0:
                used.add(identity[place])
                pairs[at] = (place, most)
        return pairs

    def _likeness(self, expected: _Call, called: _Call) -> float:
        """How far two calls are the same, in [0, 1]."""
        if expected.name != called.name:
            return 0.0
        share = self._alike_inputs(expected.args, called.args) if "input" in self.evaluation_params else 1.0
        return share if self._is_same_output(expected, called) else 0.0

    def _alike_inputs(self, expected: Any, called: Any) -> float:
        if expected is _ANYTHING:
            return 1.0
        if isinstance(expected, dict) and isinstance(called, dict):
            return alike(expected, called)
        if self.compat and expected is not called:
            raise _Crash("DeepEval cannot compare a call without arguments with one that has some")
        return float(expected is called)

    def _is_same(self, expected: _Call, called: _Call) -> bool:
        if expected.name != called.name or not self._is_same_output(expected, called):
            return False
        return "input" not in self.evaluation_params or expected.args is _ANYTHING or expected.args == called.args

    def _is_same_output(self, expected: _Call, called: _Call) -> bool:
        if "output" not in self.evaluation_params or expected.output is _ANYTHING:
            return True
        return bool(expected.text == called.text or expected.output == called.output)

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
    """What the score is when a judge has graded the choice among the available tools: the lower of both.

    In strict mode that is 0 unless it is 1. Source: deepeval 4.3.1 ToolCorrectnessMetric.measure
    """
    lower = min(tool_calling, tool_selection)
    return 0.0 if strict_mode and lower < 1 else lower


def _unrecorded_result(calls: Iterable[ToolCall], compared: set[str]) -> str | None:
    for position, call in enumerate(calls):
        if call.name in compared and call.result is None and call.status == "ok":
            return f"the result of {call.name} (call {position}) was not recorded"
    return None


def _called(call: ToolCall, *, parsed: bool) -> _Call:
    """Results may be long: they are only `parsed` where something is compared with them."""
    output = _value(call.result) if parsed and call.result is not None else None
    return _Call(call.name, call.args, output, call.result)


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _details(expected: Sequence[_Call], called: Sequence[_Call], pairs: Pairs) -> JsonObject:
    taken = {place for place, _ in pairs.values()}
    return {
        "expected_tools": [call.name for call in expected],
        "tools_called": [call.name for call in called],
        "matched": len(pairs),
        "missing_tools": [call.name for at, call in enumerate(expected) if at not in pairs],
        "partly_matched": [expected[at].name for at, (_, share) in sorted(pairs.items()) if round(share, 9) < 1],
        "unexpected_tools": [call.name for place, call in enumerate(called) if place not in taken],
    }
