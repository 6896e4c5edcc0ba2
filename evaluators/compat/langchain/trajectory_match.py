"""LangChain's agentevals: does the agent's trajectory match the reference, message by message or call by call?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from operator import eq
from typing import Annotated, Any, Final, Literal, NamedTuple, TypeAlias

from pydantic import Field

from ...definition.function_path import ConfiguredFunction
from ...definition.registry import Options, evaluator
from ...matching import TOO_DEEP, TooLong, refuse_if_too_long
from ...model import AgentTrace, JsonObject, Message, Reference, Score
from ...text.messages import NO_EXPECTATION, counted, listed
from ..pairing import first_come

__all__ = ["ArgsMatchMode", "Override", "TrajectoryMatch", "TrajectoryMatchMode"]

TrajectoryMatchMode: TypeAlias = Literal["strict", "unordered", "subset", "superset"]
ArgsMatchMode: TypeAlias = Literal["exact", "ignore", "subset", "superset"]

Override: TypeAlias = Annotated[
    Annotated[str, Field(pattern="^[^:]*$")]
    | tuple[str, ...]
    | ConfiguredFunction[Callable[[JsonObject, JsonObject], bool]]
    | None,
    Field(union_mode="left_to_right"),
]
"""How one tool's arguments are compared: a mode, the dotted paths that count, or `module:function`."""


class _Call(NamedTuple):
    name: str
    args: JsonObject | str | None  # text if they are not an object; None: not recorded, or any are accepted


class _Step(NamedTuple):
    """The parts of a message that strict mode compares."""

    role: str
    calls: Sequence[_Call]


class _Differences(NamedTuple):
    fault: str | None
    missing: Sequence[str] = ()
    unexpected: Sequence[str] = ()


_ROLES: Final = {"ai": "assistant", "human": "user"}  # LangChain's names for OpenAI's roles


@evaluator(
    "langchain:trajectory_match",
    version=1,
    source="agentevals 0.0.9 create_trajectory_match_evaluator",
    reads=("tool_calls", "messages", "reference.expected_tool_calls", "reference.expected_trajectory"),
    skipped_when="no reference says what was expected; arguments that count were not recorded",
)
class TrajectoryMatch(Options):
    """Whether the trajectory matches the reference: 1 or 0.

    `strict` compares messages: there are as many, with the same roles in the same order, and in each the same calls in
    any order; their texts do not count. If the reference is a list of calls, or the run recorded no messages, each call
    is a message of its own.
    `superset`: each reference call has an actual call of its own; `subset`: the reverse; `unordered`: both.

    The argument modes are named from the actual side: `superset` accepts arguments that the reference does not have.
    In `subset` and in half of `unordered` the sides are exchanged, and with them the modes. Each call is paired with
    the first one that fits: if several fit, a match may be missed. Values are equal as in Python, so 1, 1.0 and true
    are the same. An override with an unknown word ignores the arguments, an empty one is ignored itself, and for a
    path, null and a missing value are the same.
    """

    trajectory_match_mode: TrajectoryMatchMode = Field(
        default="strict", description="strict, unordered, subset or superset"
    )
    tool_args_match_mode: ArgsMatchMode = Field(default="exact", description="exact, ignore, subset or superset")
    tool_args_match_overrides: Mapping[str, Override] | None = Field(
        default=None,
        description="by tool: another mode, the dotted paths that count, or `module:function` (actual, reference)",
    )

    def __call__(self, trace: AgentTrace) -> Score:
        reference = trace.reference
        if reference is None or (reference.expected_trajectory is None and reference.expected_tool_calls is None):
            return Score.skip(NO_EXPECTATION)
        actual, expected = _both(trace, reference, by_message=self.trajectory_match_mode == "strict")
        if unrecorded := self._unrecorded(_calls(actual), _calls(expected)):
            return Score.skip(unrecorded)
        try:
            return self._score(self._differences(actual, expected))
        except TooLong as refusal:
            return Score.skip(str(refusal))
        except RecursionError:
            return Score.skip(TOO_DEEP)

    def _differences(self, actual: Sequence[_Step], expected: Sequence[_Step]) -> _Differences:
        if self.trajectory_match_mode == "strict":
            return self._by_message(actual, expected)
        made, wanted = _calls(actual), _calls(expected)
        self._refuse_if_too_long([(made, wanted)])
        missing = [] if self.trajectory_match_mode == "subset" else _unpaired(wanted, made, self._accepts_reversed)
        unexpected = [] if self.trajectory_match_mode == "superset" else _unpaired(made, wanted, self._accepts_reversed)
        faults = [f"missing: {listed(missing)}"] if missing else []
        faults += [f"not expected: {listed(unexpected)}"] if unexpected else []
        return _Differences("; ".join(faults) or None, missing, unexpected)

    def _by_message(self, actual: Sequence[_Step], expected: Sequence[_Step]) -> _Differences:
        if len(actual) != len(expected):
            return _Differences(f"{counted(len(actual), 'message')} where {len(expected)} are expected")
        pairs = list(zip(actual, expected, strict=True))
        self._refuse_if_too_long(
            [
                (step.calls, expected_step.calls)
                for step, expected_step in pairs
                if len(step.calls) == len(expected_step.calls)
            ]
        )
        for position, (step, expected_step) in enumerate(pairs):
            if step.role != expected_step.role:
                return _Differences(f"message {position} is of role {step.role}, expected is {expected_step.role}")
            if len(step.calls) != len(expected_step.calls):
                return _Differences(
                    f"message {position} calls {_step_names(step)}, expected are {_step_names(expected_step)}"
                )
            if unexpected := _unpaired(step.calls, expected_step.calls, self._accepts):
                return _Differences(f"not expected in message {position}: {listed(unexpected)}", (), unexpected)
        return _Differences(None)

    def _accepts_reversed(self, first: _Call, second: _Call) -> bool:
        return self._accepts(second, first)

    def _accepts(self, first: _Call, second: _Call) -> bool:
        if first.name != second.name:
            return False
        if first.args is None or second.args is None:
            return True
        matcher = self._matcher(first.name)
        if matcher in _ANY_VALUES:
            return matcher(first.args, second.args)
        return isinstance(first.args, dict) and isinstance(second.args, dict) and bool(matcher(first.args, second.args))

    def _matcher(self, tool: str) -> Callable[[Any, Any], bool]:
        override = self._override(tool)
        if isinstance(override, str):
            return _MATCHERS.get(override, _ignored)
        return override if callable(override) else _on_paths(override)

    def _override(self, tool: str) -> str | tuple[str, ...] | Callable[[JsonObject, JsonObject], bool]:
        return (self.tool_args_match_overrides or {}).get(tool) or self.tool_args_match_mode

    def _refuse_if_too_long(self, pairs: Sequence[tuple[Sequence[_Call], Sequence[_Call]]]) -> None:
        """Raise TooLong if the calls of all messages together, or the keys of dotted paths, are too many to compare."""
        steps = sum(len(left) * sum(self._steps(call.name) for call in right) for left, right in pairs)
        refuse_if_too_long(*((len(left), len(right)) for left, right in pairs), steps=steps)

    def _steps(self, tool: str) -> int:
        paths = self._override(tool)
        return sum(path.count(".") + 1 for path in paths) if isinstance(paths, tuple) else 0

    def _unrecorded(self, actual: Sequence[_Call], expected: Sequence[_Call]) -> str | None:
        compared = {call.name for call in expected if call.args is not None}
        compared = {name for name in compared if self._matcher(name) is not _ignored}
        blank = next((call.name for call in actual if call.args is None and call.name in compared), None)
        return None if blank is None else f"the arguments of {blank} were not recorded"

    def _score(self, differences: _Differences) -> Score:
        return Score(
            value=float(differences.fault is None),
            explanation=differences.fault or "the trajectory matches",
            details={
                "key": f"trajectory_{self.trajectory_match_mode}_match",
                "missing": list(differences.missing),
                "unexpected": list(differences.unexpected),
            },
        )


def _both(trace: AgentTrace, reference: Reference, *, by_message: bool) -> tuple[list[_Step], list[_Step]]:
    made = [_Call(call.name, call.args_text if call.args is None else call.args) for call in trace.tool_calls]
    if reference.expected_trajectory is None:
        wanted = [_Call(call.name, call.args) for call in reference.expected_tool_calls or ()]
        return _message_per_call(made), _message_per_call(wanted)
    is_spoken = by_message and trace.messages
    return _spoken(trace.messages) if is_spoken else _message_per_call(made), _spoken(reference.expected_trajectory)


def _spoken(messages: Iterable[Message]) -> list[_Step]:
    return [
        _Step(_ROLES.get(message.role, message.role), [_Call(part.name, part.arguments) for part in message.tool_calls])
        for message in messages
    ]


def _message_per_call(calls: Iterable[_Call]) -> list[_Step]:
    """Return the messages of a ReAct loop with these calls: for each, one that requests it and one with its result."""
    return list(chain.from_iterable((_Step("assistant", [call]), _Step("tool", [])) for call in calls))


def _calls(steps: Iterable[_Step]) -> list[_Call]:
    return [call for step in steps for call in step.calls]


def _step_names(step: _Step) -> str:
    return listed([call.name for call in step.calls]) or "nothing"


def _unpaired(calls: Sequence[_Call], partners: Sequence[_Call], accepts: Callable[[_Call, _Call], bool]) -> list[str]:
    """Return the names of `calls` without a partner of their own; each is paired with the first free one that fits."""
    paired = first_come(calls, partners, accepts)
    return [call.name for at, call in enumerate(calls) if at not in paired]


def _ignored(_one: object, _other: object) -> bool:
    return True


def _is_subset(part: JsonObject, whole: JsonObject) -> bool:
    return all(key in whole and whole[key] == value for key, value in part.items())


def _is_superset(whole: JsonObject, part: JsonObject) -> bool:
    return _is_subset(part, whole)


@lru_cache(maxsize=256)
def _on_paths(paths: tuple[str, ...]) -> Callable[[JsonObject, JsonObject], bool]:
    ways = [path.split(".") for path in paths]
    return lambda first, second: all(_at(first, way) == _at(second, way) for way in ways)


def _at(value: Any, way: Sequence[str]) -> Any:
    for key in way:
        value = value.get(key) if isinstance(value, dict) else None
    return value


_MATCHERS: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "exact": eq,
    "ignore": _ignored,
    "subset": _is_subset,
    "superset": _is_superset,
}
_ANY_VALUES: Final = (eq, _ignored)
