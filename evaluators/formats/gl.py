"""Inputs of GDP Labs' gllm-evals: records with tools and trajectories, and its own strict parser of a trajectory.

Source: the documentation of gllm-evals' AgentEvaluator; gllm-evals 0.1.20 TrajectoryParser and ToolCallParser.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from itertools import chain, count
from typing import Any, Final, NamedTuple, TypeVar

from ..model import AgentTrace, ExpectedCall, JsonObject, Message, Reference, ToolCall
from ..text.json_kind import json_kind
from . import CALLS_NOT_RECORDED, openai
from .spelling import Unreadable, entries, first, record, refuse_misspelt, text_of
from .tool_calls import expected_calls
from .tool_calls import tool_calls as calls_of
from .tool_definitions import tool_definitions
from .tool_names import normalize_tool_name

__all__ = ["Step", "agent_data", "refuse_misspelt_fields", "steps", "tool_calls"]

_TEXTS: Final = (("query", "input"), ("generated_response", "actual_output"), ("expected_response", "expected_output"))
_FIELDS: Final = (
    *chain.from_iterable(_TEXTS),
    "tools_called",
    "expected_tools",
    "agent_trajectory",
    "expected_agent_trajectory",
    "available_tools",
)

T = TypeVar("T")


def agent_data(record_: Mapping[str, Any]) -> AgentTrace:
    """Return the run in a record, with its reference.

    Keys: query, generated_response, expected_response, tools_called, expected_tools, agent_trajectory,
    expected_agent_trajectory, available_tools (and `input`, `actual_output`, `expected_output` of newer releases).
    Without tools_called, the calls come from the trajectory; without both, the run has the gap CALLS_NOT_RECORDED.
    Raises ValueError that names the key and the place in it.
    """
    messages = _read(record_, "agent_trajectory", openai.messages)
    called = _read(record_, "tools_called", calls_of)
    if called is None and messages is not None:
        called = openai.calls_in(messages)
    reference = _reference(record_)
    return AgentTrace(
        input=_text(record_, "query", "input"),
        final_response=_text(record_, "generated_response", "actual_output"),
        messages=messages or (),
        tool_calls=called or (),
        tool_definitions=_read(record_, "available_tools", tool_definitions),
        gaps=(CALLS_NOT_RECORDED,) if called is None else (),
        reference=None if reference == Reference() else reference,
    )


def refuse_misspelt_fields(record_: Mapping[str, Any]) -> None:
    """Raise ValueError for a key that seems to be a misspelt field of a record, and if it has no field at all."""
    refuse_misspelt(record_, _FIELDS, "the record")
    if record_ and not any(field in record_ for field in _FIELDS):
        raise Unreadable(f"the record has none of the fields {', '.join(_FIELDS)}; it has {', '.join(record_)}")


def _reference(record_: Mapping[str, Any]) -> Reference:
    trajectory: tuple[Message, ...] | None = _read(record_, "expected_agent_trajectory", openai.messages)
    expected = _read(record_, "expected_tools", expected_calls)
    if expected is None and trajectory is not None:
        expected = tuple(
            ExpectedCall(name=call.name, args=call.args, result=call.result) for call in openai.calls_in(trajectory)
        )
    return Reference(
        expected_tool_calls=expected,
        expected_response=_text(record_, "expected_response", "expected_output"),
        expected_trajectory=trajectory,
    )


def _read(record_: Mapping[str, Any], key: str, read: Callable[..., T]) -> T | None:
    value = record_.get(key)
    return None if value is None else read(value, place=key)


def _text(record_: Mapping[str, Any], *keys: str) -> str | None:
    value = first(record_, keys)
    if value is not None and not isinstance(value, str):
        raise Unreadable(f"{' or '.join(keys)} is {json_kind(value)}; write text")
    return value


class Step(NamedTuple):
    """A tool call as gllm-evals reads it from a trajectory; `args` are the decoded JSON of the arguments, of any type.

    `group` numbers executions: steps that count as the same one share it (in gllm-evals it is a random UUID).
    `call_id` is the id of the call in the trajectory.
    """

    name: Any
    args: Any
    output: Any
    group: int
    call_id: Any = None


def steps(trajectory: object, *, place: str = "trajectory") -> tuple[Step, ...]:
    """Return the calls of a trajectory as the TrajectoryParser of gllm-evals does.

    Every message needs a role; `tool_calls` must not be null; each call needs id, function.name and function.arguments
    as text. Arguments that are not JSON become `{"raw": text}`. The output is the content of the first tool message of
    that id after the call; empty content counts as no output. A call with an output gets the group of the last earlier
    call with the same name and arguments and no output; both are returned, so a retry counts twice. The calls in
    `metadata.sub_trajectory` of a tool's message precede the call's output; deeper levels are ignored.
    Raises ValueError that names the place where gllm-evals fails.
    """
    groups: dict[int, int] = {}
    calls = _steps(trajectory, place, count(), is_outermost=True)
    return tuple(step._replace(group=groups.setdefault(step.group, len(groups))) for step in calls)


def tool_calls(
    trajectory: Sequence[Step], suffix: str | None = "random4", *, include_output: bool = True
) -> tuple[ToolCall, ...]:
    """Return the calls that gllm-evals compares: with names without random endings, and without unnamed steps.

    Raises ValueError for a name that is not text and for arguments that are neither an object nor null.
    """
    calls = [_tool_call(step, index, suffix) for index, step in enumerate(trajectory)]
    named_calls = [call for call in calls if call is not None]
    return tuple(named_calls if include_output else [call.model_copy(update={"result": None}) for call in named_calls])


def _tool_call(step: Step, index: int, suffix: str | None) -> ToolCall | None:
    if not isinstance(step.name, str):
        raise Unreadable(f"steps[{index}]: its name is {json_kind(step.name)}, not text")
    args = {} if step.args is None else record(step.args, f"steps[{index}]: the value of its arguments")
    if not step.name:
        return None
    name = normalize_tool_name(step.name, suffix) or step.name
    return ToolCall(name=name, args=args, result=text_of(step.output), source="message")


def _steps(trajectory: object, place: str, ids: Iterator[int], *, is_outermost: bool) -> Iterator[Step]:
    messages = [_message(item, f"{place}[{index}]") for index, item in enumerate(entries(trajectory, place))]
    results = _Results(messages)
    unanswered: dict[tuple[Hashable, str], int] = {}
    for index, call, where in _calls(messages, place):
        name, args, signature = _read_call(call, where)
        result = results.after(index, call, where)
        output = None if result is None else result.get("content")
        if not output:
            unanswered[signature] = next(ids)
            yield Step(name, args, None, unanswered[signature], call["id"])
        if is_outermost and result is not None:
            yield from _below(result, where, ids)
        if output:
            group = unanswered.get(signature)
            yield Step(name, args, output, next(ids) if group is None else group, call["id"])


def _message(value: object, place: str) -> JsonObject:
    item = record(value, place)
    if "role" not in item:
        raise Unreadable(f"{place} has no role")
    return item


def _calls(messages: Sequence[JsonObject], place: str) -> Iterator[tuple[int, JsonObject, str]]:
    """Yield each call with the position of its message and its place, for errors."""
    for index, message in enumerate(messages):
        if message["role"] != "assistant" or "tool_calls" not in message:
            continue
        where = f"{place}[{index}].tool_calls"
        for number, call in enumerate(entries(message["tool_calls"], where)):
            yield index, record(call, f"{where}[{number}]"), f"{where}[{number}]"


def _read_call(call: JsonObject, place: str) -> tuple[Hashable, Any, tuple[Hashable, str]]:
    """Return name, arguments, and a signature that is equal for calls with the same name and arguments."""
    function = record(_required(call, "function", place), f"{place}.function")
    name, text = (_required(function, key, f"{place}.function") for key in ("name", "arguments"))
    if not isinstance(name, Hashable):
        raise Unreadable(f"{place}.function.name is {json_kind(name)}; write text")
    if not isinstance(text, str):
        raise Unreadable(f"{place}.function.arguments is {json_kind(text)}; write JSON as text")
    args, written = _parsed(text, place)
    return name, args, (name, written)


def _parsed(text: str, place: str) -> tuple[Any, str]:
    """Return the arguments, and a text that is the same for equal ones."""
    try:
        args = json.loads(text)
        return args, json.dumps(args, sort_keys=True)
    except json.JSONDecodeError:
        return {"raw": text}, json.dumps({"raw": text})
    except (ValueError, RecursionError) as error:
        raise Unreadable(
            f"{place}.function.arguments are nested too deeply, or a number in them is too long"
        ) from error


def _required(item: JsonObject, key: str, place: str) -> Any:
    if key not in item:
        raise Unreadable(f"{place} has no {key}")
    return item[key]


class _Results:
    """The messages with results of tools, by the call that they belong to."""

    def __init__(self, messages: Sequence[JsonObject]) -> None:
        self._messages = messages
        self._positions: dict[Hashable, list[int]] = {}
        for position, message in enumerate(messages):
            answered = message.get("tool_call_id")
            if message["role"] == "tool" and isinstance(answered, Hashable):
                self._positions.setdefault(answered, []).append(position)

    def after(self, index: int, call: JsonObject, place: str) -> JsonObject | None:
        """Return the message with the first result of `call` after position `index`; None without one."""
        call_id = _required(call, "id", place)
        positions = self._positions.get(call_id, []) if isinstance(call_id, Hashable) else []
        at = bisect_right(positions, index)
        return self._messages[positions[at]] if at < len(positions) else None


def _below(result: JsonObject, place: str, ids: Iterator[int]) -> Iterator[Step]:
    """Yield the steps of a tool that is an agent itself, before its result."""
    metadata = result.get("metadata", {})
    if isinstance(metadata, (str, list)) and "sub_trajectory" not in metadata:
        return
    where = f"the result of {place}: metadata"
    if "sub_trajectory" in record(metadata, where):
        yield from _steps(metadata["sub_trajectory"], f"{where}.sub_trajectory", ids, is_outermost=False)
