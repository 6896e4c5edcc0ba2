"""AgentV's tool trajectory: were the tools called as required, with these arguments, this fast?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final, Literal, TypeAlias, get_args

from pydantic import BeforeValidator, Field, ValidationInfo, field_validator

from ...definition.registry import Options, evaluator
from ...formats.agentv.evaluator import read_minimums
from ...formats.agentv.modes import ArgsMatch, Mode
from ...formats.tool_calls import expected_calls
from ...matching import OTHER_WAY_ROUND, TooLong, refuse_if_too_long, unrecorded_arguments
from ...model import AgentTrace, ExpectedCall, Reference, Score, ToolCall
from ...text.messages import NO_EXPECTATION, counted
from ..pairing import first_come
from .grade import NO_TRACE, Grade, Step, in_short, with_durations, without_durations
from .javascript import MISSING, is_deep_equal, value_at

__all__ = ["ToolTrajectory"]

Era: TypeAlias = Literal["v2", "v4"]

_PASS: Final = 0.8
_BORDERLINE: Final = 0.6


def _read_calls(value: Any) -> Any:
    return expected_calls(value, place="expected") if isinstance(value, (list, tuple)) else value


def _read_minimums(value: Any) -> Any:
    return value if value is None else read_minimums(value)


@evaluator(
    "agentv:tool_trajectory",
    version=3,
    source="AgentV tool_trajectory: v2 @agentv/core 2.7.0 (3f6e2a60), v4 @agentv/core 4.42.4",
    reads=("tool_calls", "messages", "reference.expected_tool_calls", "reference.minimums"),
    skipped_when="no reference says what was expected; arguments that count were not recorded",
    threshold=_PASS,
)
class ToolTrajectory(Options):
    """Share of the requirements that the calls meet; every `max_duration_ms` is one more requirement.

    `any_order`: each tool is called at least as often as in `minimums`. `in_order`: one scan forward; the first call of
    the expected name decides and is used up even if its arguments are wrong, and a tool that is never called uses up
    all remaining calls. `exact`: position by position. `superset`: each expected call has a call of its own, the first
    free one that fits. `subset`: the share of the calls that are among the expected ones, which may be used repeatedly.

    Durations count only in `in_order` and `exact`. One that was not recorded is left out with a warning; a limit on a
    call that was not found counts as a miss. Arguments are compared only if the expected call has some. The call may
    have more arguments (`superset`) or fewer (`subset`) at the first level; a path that the expected call does not have
    is not compared. Numbers are JavaScript's: 1 is 1.0 but not true, and integers beyond 2^53 may be the same.

    An empty list of requirements scores 1, except that `subset` then allows no call. A run without calls scores 0,
    unless something else shows that it took place: its trace, its duration or, in v4 and not in `any_order`, messages.

    With `exact`, calls after the last expected one fail the run and count as misses, as the pages of AgentV say. Its
    program counts them as a miss that costs nothing, so that a run with the expected calls and ten more has the value 1
    and passes; so it is here with `strict: false`.

    What is expected is in the reference of the run, unless the evaluator has `expected` or `minimums` of its own, so
    that two evaluators may expect two sequences. Era v2 also has the modes and argument modes that existed only in v4.
    """

    era: Era = Field(
        default="v2",
        description="v2 (as documented in early 2026: arguments superset, borderline from 0.6) or v4 (arguments exact)",
    )
    compat: bool = Field(
        default=False,
        description="with AgentV's defect: an unknown mode scores 0",
    )
    strict: bool = Field(
        default=True, description="in `exact`, calls after the last expected one fail the run; AgentV lets them pass"
    )
    mode: str = Field(
        default="in_order",
        description="any_order, in_order, exact, superset or subset",
        json_schema_extra={"enum": list(get_args(Mode))},
    )
    args_match: ArgsMatch | None = Field(
        default=None,
        description="exact, superset, subset, ignore, or the dotted paths that count; an expected call may differ",
    )

    expected: Annotated[tuple[ExpectedCall, ...] | None, BeforeValidator(_read_calls)] = Field(
        default=None, description="the expected calls, as in an eval file, instead of those of the reference"
    )
    minimums: Annotated[Mapping[str, float] | None, BeforeValidator(_read_minimums)] = Field(
        default=None, description="the least number of calls of each tool, instead of those of the reference"
    )

    @field_validator("mode")
    @classmethod
    def _is_known(cls, mode: str, info: ValidationInfo) -> str:
        if mode not in get_args(Mode) and not info.data.get("compat"):
            raise ValueError(f"{mode!r} is not a mode; write {', '.join(get_args(Mode))}")
        return mode

    def used_fields(self, reads: tuple[str, ...]) -> tuple[str, ...]:
        field = "minimums" if self.mode == "any_order" else "expected_tool_calls"
        own = self.minimums if self.mode == "any_order" else self.expected
        return tuple(
            read for read in reads if not read.startswith("reference.") or (own is None and read.endswith(field))
        )

    def __call__(self, trace: AgentTrace) -> Score:
        reference = trace.reference or Reference()
        if self.mode == "any_order":
            minimums = reference.minimums if self.minimums is None else self.minimums
            if minimums is None:
                return Score.skip("no minimums")
            return self._score(self._count_calls(trace, minimums))
        expected = reference.expected_tool_calls if self.expected is None else self.expected
        if expected is None:
            return Score.skip(NO_EXPECTATION)
        compared = {call.name for call in expected if call.args is not None and self._matcher(call) != "ignore"}
        if unrecorded := unrecorded_arguments(trace.tool_calls, compared):
            return Score.skip(unrecorded)
        try:
            return self._score(self._grade(trace, expected))
        except TooLong as refusal:
            return Score.skip(str(refusal))

    def _count_calls(self, trace: AgentTrace, minimums: Mapping[str, float]) -> Grade:
        if not self._took_place(trace):
            return NO_TRACE
        if not minimums:
            return Grade(["No tool requirements specified"], [], met=0, aspects=0)
        made = Counter(call.name for call in trace.tool_calls)
        hits: list[str] = []
        misses: list[str] = []
        for name, required in minimums.items():
            text = f"{name}: called {counted(made[name], 'time')} (required >= {required})"
            (hits if made[name] >= required else misses).append(text)
        return Grade(hits, misses, met=len(hits), aspects=len(minimums))

    def _grade(self, trace: AgentTrace, expected: Sequence[ExpectedCall]) -> Grade:
        calls = trace.tool_calls
        if not self._took_place(trace):
            return NO_TRACE
        match self.mode:
            case "in_order":
                return with_durations(self._scanned(calls, expected))
            case "exact":
                return self._exact(calls, expected)
            case "superset":
                return without_durations(self._contained(calls, expected))
            case "subset":
                return self._within(calls, expected)
        return Grade([], [f"Unknown mode: {self.mode}"], met=0, aspects=1)

    def _took_place(self, trace: AgentTrace) -> bool:
        if trace.tool_calls or trace.trace_id or trace.duration_ms is not None:
            return True
        has_output = bool(trace.messages) or trace.final_response is not None
        return has_output and self.era == "v4" and self.mode != "any_order"

    def _scanned(self, calls: Sequence[ToolCall], expected: Sequence[ExpectedCall]) -> list[Step]:
        steps = []
        at = 0
        for position, wanted in enumerate(expected):
            expectation = f"Expected {wanted.name} at position {position}"
            while at < len(calls) and calls[at].name != wanted.name:
                at += 1
            if at == len(calls):
                steps.append(Step(wanted, None, f"{expectation}, not found in remaining trace"))
            elif self._accepts(wanted, calls[at]):
                steps.append(Step(wanted, calls[at], f"Found {wanted.name} at position {at}"))
            else:
                steps.append(Step(wanted, None, f"{expectation}: tool found at {at} but args mismatch"))
            at += at < len(calls)
        return steps

    def _exact(self, calls: Sequence[ToolCall], expected: Sequence[ExpectedCall]) -> Grade:
        grade = with_durations([self._placed(wanted, calls, at) for at, wanted in enumerate(expected)])
        extra = max(len(calls) - len(expected), 0) if self.strict else 0
        if (not expected and not extra) or len(calls) == len(expected):
            return grade
        count = f"Expected {counted(len(expected), 'tool call')}, got {len(calls)}"
        return grade._replace(
            hits=grade.hits if expected else [],
            misses=[count, *grade.misses],
            aspects=grade.aspects + extra,
            is_failed=extra > 0,
        )

    def _placed(self, wanted: ExpectedCall, calls: Sequence[ToolCall], at: int) -> Step:
        if at >= len(calls):
            return Step(wanted, None, f"Position {at}: expected {wanted.name}, got nothing")
        made = calls[at]
        if made.name != wanted.name:
            return Step(wanted, None, f"Position {at}: expected {wanted.name}, got {made.name}")
        if not self._accepts(wanted, made):
            return Step(wanted, None, f"Position {at}: {wanted.name} args mismatch")
        return Step(wanted, made, f"Position {at}: {wanted.name}")

    def _contained(self, calls: Sequence[ToolCall], expected: Sequence[ExpectedCall]) -> list[Step]:
        self._refuse_if_too_long(calls, expected)
        partners = first_come(expected, calls, self._fulfils)
        return [
            Step(wanted, calls[partners[at]], f"Found {wanted.name} at position {partners[at]}")
            if at in partners
            else Step(wanted, None, f"Expected {wanted.name} not found in actual trajectory")
            for at, wanted in enumerate(expected)
        ]

    def _within(self, calls: Sequence[ToolCall], allowed: Sequence[ExpectedCall]) -> Grade:
        if not calls:
            return Grade(["No actual tool calls (trivially a subset)"], [], met=0, aspects=0)
        if not allowed:
            miss = f"{counted(len(calls), 'unexpected tool call')} with empty allowed list"
            return Grade([], [miss], met=0, aspects=len(calls))
        self._refuse_if_too_long(calls, allowed)
        hits: list[str] = []
        misses: list[str] = []
        for position, made in enumerate(calls):
            if any(self._fulfils(wanted, made) for wanted in allowed):
                hits.append(f"Position {position}: {made.name} is in allowed set")
            else:
                misses.append(f"Position {position}: {made.name} is not in allowed set")
        return Grade(hits, misses, met=len(hits), aspects=len(calls))

    def _refuse_if_too_long(self, calls: Sequence[ToolCall], expected: Sequence[ExpectedCall]) -> None:
        """Raise TooLong if there are too many pairs, or too many keys of dotted paths to look up for them."""
        matchers = [self._matcher(wanted) for wanted in expected if wanted.args is not None]
        walked = sum(path.count(".") + 1 for paths in matchers if isinstance(paths, tuple) for path in paths)
        refuse_if_too_long((len(calls), len(expected)), steps=len(calls) * walked)

    def _fulfils(self, wanted: ExpectedCall, made: ToolCall) -> bool:
        return wanted.name == made.name and self._accepts(wanted, made)

    def _accepts(self, wanted: ExpectedCall, made: ToolCall) -> bool:
        """Return whether the arguments match. `args=None` is AgentV's `any`."""
        if wanted.args is None:
            return True
        matcher = self._matcher(wanted)
        if matcher == "ignore":
            return True
        if made.args is None:
            return False
        if isinstance(matcher, tuple):
            return all(_is_same_at(path, wanted.args, made.args) for path in matcher)
        return is_deep_equal(*_compared_arguments(matcher, wanted.args, made.args))

    def _matcher(self, wanted: ExpectedCall) -> str | tuple[str, ...]:
        if wanted.args_match is not None:
            return wanted.args_match
        if wanted.matcher is not None:
            return OTHER_WAY_ROUND[wanted.matcher]
        if self.args_match is not None:
            return self.args_match
        return "superset" if self.era == "v2" else "exact"

    def _score(self, grade: Grade) -> Score:
        value = grade.met / grade.aspects if grade.aspects else 1.0
        return Score(
            value=value,
            passed=False if grade.is_failed else None,
            explanation=in_short(grade.misses) or "the calls are as asked for",
            details={
                "verdict": self._verdict(0.0 if grade.is_failed else value),
                "aspect_count": grade.aspects,
                "hits": list(grade.hits),
                "misses": list(grade.misses),
                "warnings": list(grade.warnings),
            },
        )

    def _verdict(self, value: float) -> str:
        if value >= _PASS:
            return "pass"
        return "borderline" if self.era == "v2" and value >= _BORDERLINE else "fail"


def _is_same_at(path: str, wanted: Mapping[str, object], made: Mapping[str, object]) -> bool:
    value = value_at(wanted, path)
    return value is MISSING or is_deep_equal(value, value_at(made, path))


def _compared_arguments(mode: str, wanted: Mapping[str, object], made: Mapping[str, object]) -> tuple[object, object]:
    """Return the arguments that must be equal: all of both, or those with the keys of one side."""
    if mode == "superset":
        return wanted, {key: value for key, value in made.items() if key in wanted}
    if mode == "subset":
        return {key: value for key, value in wanted.items() if key in made}, made
    return wanted, made
