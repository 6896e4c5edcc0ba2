"""LangChain's agentevals. Its cases say how the calls were put into messages: all in one, or one a message."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tracegrade.evaluators.model import (
    AgentTrace,
    JsonObject,
    Message,
    Reference,
    ToolCall,
    ToolCallPart,
    ToolCallResponsePart,
)

from ..ask import answer, ask, fill_arguments, made
from ..cases import Answer, Case


def _trajectory_match(case: Case, compat: bool) -> Answer:
    options = dict(case["options"])
    groupings = options.pop("message_grouping"), options.pop("reference_message_grouping")
    actual, expected = (
        made(fill_arguments(case["actual_tool_calls"])),
        made(fill_arguments(case["expected_tool_calls"])),
    )
    options["tool_args_match_overrides"] = _with_callables(options["tool_args_match_overrides"])
    reference = Reference(expected_trajectory=_messages(expected, groupings[1]))
    trace = AgentTrace(tool_calls=actual, messages=_messages(actual, groupings[0]), reference=reference)
    verdict = ask("langchain:trajectory_match", trace, options, compat=compat)
    return answer(verdict, key=verdict.details.get("key"), raw=verdict.value == 1)


def _messages(calls: Sequence[ToolCall], grouping: str) -> tuple[Message, ...]:
    groups = [calls] if grouping == "one" and calls else [[call] for call in calls]
    answered = grouping != "one"
    return tuple(message for group in groups for message in (_asked(group), *(_answered(group) if answered else ())))


def _asked(calls: Sequence[ToolCall]) -> Message:
    return Message(role="assistant", parts=tuple(ToolCallPart(name=call.name, arguments=call.args) for call in calls))


def _answered(calls: Sequence[ToolCall]) -> list[Message]:
    return [Message(role="tool", parts=(ToolCallResponsePart(name=call.name, response="ok"),)) for call in calls]


def _with_callables(overrides: Mapping[str, Any] | None) -> dict[str, Any] | None:
    if overrides is None:
        return None
    return {
        tool: _CALLABLES.get(override, override) if isinstance(override, str) else override
        for tool, override in overrides.items()
    }


def _same_q_in_any_case(actual: JsonObject, reference: JsonObject) -> bool:
    return str(actual.get("q", "")).lower() == str(reference.get("q", "")).lower()


_CALLABLES: Mapping[str, Any] = {"callable: lower(q) equal": _same_q_in_any_case}

FAMILIES: Mapping[str, Callable[[Case, bool], Answer]] = {"langchain.trajectory_match": _trajectory_match}
