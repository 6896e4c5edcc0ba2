"""Dokimos' data model: calls, their results as text and as values, test cases."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tracegrade.evaluators.formats.tool_calls import tool_calls
from tracegrade.evaluators.model import AgentTrace, ToolCall, ToolDefinition

from ..cases import Answer, Case

__all__ = ["FAMILIES"]


def _data_model(case: Case, _compat: bool) -> Answer:
    return _OPERATIONS[case["options"]["operation"]](case["input"])


def _result_json(value: Any) -> Answer:
    return {"output": ToolCall.result_json(value)}


def _result_as(text: str | None) -> Answer:
    return {"output": ToolCall(name="any", result=text).result_as(object)}


def _arguments_as(args: dict[str, Any] | None) -> Answer:
    return {"output": ToolCall(name="any", args=args).args_as(object)}


def _read(fields: dict[str, Any]) -> Answer:
    (call,) = tool_calls([fields])
    args = call.args or {}
    return {"name": call.name, "args": args, "arguments": args, "result": call.result, "metadata": call.metadata}


def _coerced(value: Any) -> Answer:
    calls = () if value is None else tool_calls(value)
    return {
        "output": [
            call.model_dump(include={"name"} | item.keys()) for call, item in zip(calls, value or (), strict=True)
        ]
    }


def _output_map(fields: dict[str, Any]) -> Answer:
    return {"output": _run(fields).to_output_map()}


def _test_case(fields: dict[str, Any]) -> Answer:
    """Where Dokimos writes an empty list for what nobody said, it is not there here."""
    tools = fields.get("tools")
    case = _run(fields).to_test_case(
        fields["input"],
        None if tools is None else [ToolDefinition(name=name) for name in tools],
        fields.get("tasks"),
    )
    named = {} if case.tools is None else {"tools": [tool.name for tool in case.tools]}
    return {"input": case.input, "metadata": {**case.metadata, **named}}


def _run(fields: dict[str, Any]) -> AgentTrace:
    return AgentTrace(
        tool_calls=tool_calls(fields.get("toolCalls") or fields.get("tool_calls") or []),
        final_response=fields.get("finalResponse", fields.get("final_response")),
        reasoning_steps=tuple(fields.get("reasoningSteps") or fields.get("reasoning_steps") or ()),
    )


_OPERATIONS: Mapping[str, Callable[[Any], Answer]] = {
    "argumentsAs": _arguments_as,
    "coerceToolCalls": _coerced,
    "fromMap": _read,
    "of": _read,
    "resultAs": _result_as,
    "resultJson": _result_json,
    "toOutputMap": _output_map,
    "toTestCase": _test_case,
}

FAMILIES: Mapping[str, Any] = {"dokimos.data_model": _data_model}
