"""AgentV's assertions `trajectory:*`: which tools were used, how often, in which order, with which arguments?

Source: https://github.com/EntityProcess/agentv, packages/core/src/evaluation/graders/trajectory.ts at 58f316ca.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, Final

from pydantic import BeforeValidator, Field, model_validator

from ...definition.registry import Options, evaluator
from ...matching import unrecorded_arguments
from ...model import AgentTrace, JsonObject, Score
from ...text.messages import counted, listed
from .javascript import is_deep_equal
from .steps import CountedSteps, CountedTool, ExpectedArgs, NamedMatcher, Step, ToolsInOrder, find_step, is_named

__all__ = ["StepCount", "ToolArgsMatch", "ToolSequence", "ToolUsed"]

_SOURCE: Final = "AgentV trajectory:{} (commit 58f316ca)"
_NOT_RECORDED: Final = "calls were not recorded"


def _read_tools(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


def _read_sequence(value: Any) -> Any:
    return {"steps": value} if isinstance(value, (list, tuple)) else value


class _Trajectory(Options):
    """Base of the assertions: 1 if it holds, else 0; with `inverse` the other way round."""

    inverse: bool = Field(default=False, description="1 if the assertion does not hold, as in `not-trajectory:…`")
    compat: bool = Field(default=False, description="with AgentV's defect: a command in a shell is the call of no tool")

    def __call__(self, trace: AgentTrace) -> Score:
        if unrecorded := self.find_unrecorded(trace):
            return Score.skip(unrecorded)
        holds, text = self.check(self.steps(trace))
        is_met = holds is not self.inverse
        return Score(value=float(is_met), explanation=f"forbidden, but {text}" if self.inverse and not is_met else text)

    def steps(self, trace: AgentTrace) -> list[Step]:
        """Return the calls that the assertion is about."""
        steps = [find_step(call) for call in trace.tool_calls]
        return [step for step in steps if step.type == "tool"] if self.compat else steps

    def find_unrecorded(self, trace: AgentTrace) -> str | None:  # noqa: ARG002 - most compare names alone
        """Return what was not recorded and counts; None if nothing is missing."""
        return None

    @abstractmethod
    def check(self, steps: Sequence[Step]) -> tuple[bool, str]:
        """Return whether the assertion holds, without regard to `inverse`, and what was found."""


@evaluator(
    "agentv:tool_used",
    version=1,
    source=_SOURCE.format("tool-used"),
    reads=("tool_calls", "gaps"),
    skipped_when=_NOT_RECORDED,
)
class ToolUsed(_Trajectory):
    """1 if each tool was called, or one tool as often as allowed; with `inverse`: 1 if none of the tools was called.

    `value` is a name, a list of names, or `{name, min, max}`. Names are patterns: `delete_*`. A call of `shell`,
    `local_shell` or `exec_command` also has the names of its command and program: `rm *`, `git`.
    """

    example: ClassVar[Mapping[str, Any]] = {"value": {"name": "search*", "max": 3}}

    value: Annotated[CountedTool | tuple[NamedMatcher, ...], BeforeValidator(_read_tools)] = Field(
        description="the tools that are called: a name, a list of names, or {name, min, max}"
    )

    @model_validator(mode="after")
    def _names_tools(self) -> ToolUsed:
        if not self.value:
            raise ValueError("`value` is empty; write the name of at least one tool")
        return self

    def check(self, steps: Sequence[Step]) -> tuple[bool, str]:
        if isinstance(self.value, CountedTool):
            count = len([step for step in steps if self.value.accepts(step)])
            most = "" if self.value.max is None else f" to {self.value.max}"
            is_within = count >= self.value.min and (self.value.max is None or count <= self.value.max)
            return is_within, f"{self.value.label}: {counted(count, 'call')} ({self.value.min}{most or ' or more'})"
        used = [tool.label for tool in self.value if any(tool.accepts(step) for step in steps)]
        missing = [tool.label for tool in self.value if tool.label not in used]
        if self.inverse:
            return bool(used), f"called: {listed(used) or 'none of them'}"
        return not missing, f"not called: {listed(missing)}" if missing else f"called: {listed(used)}"


@evaluator(
    "agentv:tool_sequence",
    version=1,
    source=_SOURCE.format("tool-sequence"),
    reads=("tool_calls", "gaps"),
    skipped_when=_NOT_RECORDED,
)
class ToolSequence(_Trajectory):
    """1 if the tools were called in this order, and with mode `exact` no others, else 0. Names are patterns."""

    example: ClassVar[Mapping[str, Any]] = {"value": ["search", "book"]}

    value: Annotated[ToolsInOrder, BeforeValidator(_read_sequence)] = Field(
        description="the tools in their order: a list, or {mode: in_order or exact, steps}"
    )

    def check(self, steps: Sequence[Step]) -> tuple[bool, str]:
        wanted = self.value.steps
        if self.value.mode == "exact":
            pairs = zip(wanted, steps, strict=False)
            is_same = len(wanted) == len(steps) and all(matcher.accepts(step) for matcher, step in pairs)
            return is_same, f"the calls are {listed([step.call.name for step in steps]) or 'none'}"
        met = 0
        for step in steps:
            met += met < len(wanted) and wanted[met].accepts(step)
        if met < len(wanted):
            return False, f"{wanted[met].label} was not called in its place"
        return True, "the tools were called in this order"


@evaluator(
    "agentv:tool_args_match",
    version=1,
    source=_SOURCE.format("tool-args-match"),
    reads=("tool_calls", "gaps"),
    skipped_when="calls, or arguments that count, were not recorded",
)
class ToolArgsMatch(_Trajectory):
    """1 if one call of the tool has these arguments, else 0.

    Objects within the arguments may have more keys, lists must be as long; with mode `exact` everything is equal.
    Numbers are JavaScript's. Arguments under `ignore`, and those that have their value in `defaults`, do not count.
    """

    example: ClassVar[Mapping[str, Any]] = {"value": {"name": "search", "args": {"country": "France"}}}

    value: ExpectedArgs = Field(description="{name, args, mode: partial or exact, defaults, ignore}")

    def find_unrecorded(self, trace: AgentTrace) -> str | None:
        matching = {step.call.name for step in self.steps(trace) if self.value.accepts(step)}
        return unrecorded_arguments(trace.tool_calls, matching)

    def check(self, steps: Sequence[Step]) -> tuple[bool, str]:
        calls = [step.call for step in steps if self.value.accepts(step)]
        if not calls:
            return False, f"{self.value.label} was not called"
        if any(call.args is not None and self._is_expected(call.args) for call in calls):
            return True, f"a call of {self.value.label} has these arguments"
        return False, f"no call of {self.value.label} has these arguments ({counted(len(calls), 'call')})"

    def _is_expected(self, args: JsonObject) -> bool:
        counting = {
            key: value
            for key, value in self._without_ignored(args).items()
            if not (key in self.value.defaults and is_deep_equal(value, self.value.defaults[key]))
        }
        compare = is_deep_equal if self.value.mode == "exact" else _contains
        return compare(counting, self._without_ignored(self.value.args))

    def _without_ignored(self, args: JsonObject) -> JsonObject:
        return {
            key: value for key, value in args.items() if not any(is_named(entry, key) for entry in self.value.ignore)
        }


@evaluator(
    "agentv:step_count",
    version=1,
    source=_SOURCE.format("step-count"),
    reads=("tool_calls", "gaps"),
    skipped_when=_NOT_RECORDED,
)
class StepCount(_Trajectory):
    """1 if the number of calls is within the limits, else 0. `type` and a pattern restrict which calls are counted.

    AgentV also counts messages and other events of its traces; here steps are calls: of tools, and commands of shells.
    """

    example: ClassVar[Mapping[str, Any]] = {"value": {"max": 20}}

    value: CountedSteps = Field(description="{min, max, type, name or pattern}")

    def steps(self, trace: AgentTrace) -> list[Step]:
        return [find_step(call) for call in trace.tool_calls]

    def check(self, steps: Sequence[Step]) -> tuple[bool, str]:
        count = len([step for step in steps if self.value.accepts(step)])
        is_within = (self.value.min is None or count >= self.value.min) and (
            self.value.max is None or count <= self.value.max
        )
        least = "" if self.value.min is None else f", at least {self.value.min}"
        most = "" if self.value.max is None else f", at most {self.value.max}"
        return is_within, f"{counted(count, 'step')}{least}{most}"


def _contains(actual: Any, expected: Any) -> bool:
    """Return whether every object within `expected` is part of the one at its place; lists have equal lengths."""
    waiting = [(actual, expected)]
    while waiting:
        found, wanted = waiting.pop()
        if isinstance(wanted, (list, tuple)):
            if not isinstance(found, (list, tuple)) or len(found) != len(wanted):
                return False
            waiting += zip(found, wanted, strict=True)
        elif isinstance(wanted, dict):
            if not isinstance(found, dict) or not wanted.keys() <= found.keys():
                return False
            waiting += [(found[key], value) for key, value in wanted.items()]
        elif not is_deep_equal(found, wanted):
            return False
    return True
