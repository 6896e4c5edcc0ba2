"""The parts of a run that a judge can be shown, each as a text or as a list of entries."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, TypeAlias

from pydantic import AfterValidator

from ..model import (
    AgentTrace,
    ExpectedCall,
    GenericPart,
    JsonObject,
    Message,
    ReasoningPart,
    TextPart,
    ToolCall,
    ToolCallPart,
    ToolDefinition,
)
from ..text.suggestions import hint

__all__ = ["PARTS", "REQUESTING", "Content", "Entry", "Part", "calls_of", "numbered", "offer", "spoken"]


REQUESTING: Final = frozenset({"user", "system", "developer"})
"""The roles whose messages instruct the agent."""


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """One entry of a list, shown as a line of JSON. Long lists keep errors. Entries compare by identity."""

    fields: JsonObject
    is_error: bool = field(default=False, kw_only=True)


Content: TypeAlias = str | Sequence[Entry] | None
"""A text, a list, or None if it was not recorded."""


def numbered(noun: str, texts: Sequence[str]) -> list[Entry]:
    """Return texts as entries, counted from 1."""
    return [Entry({noun: number, "text": text}) for number, text in enumerate(texts, 1)]


def calls_of(trace: AgentTrace) -> list[Entry]:
    """Return the tool calls in their order, counted from 1."""
    return [_call(number, call) for number, call in enumerate(trace.tool_calls, 1)]


def _call(number: int, call: ToolCall) -> Entry:
    args = call.args_text if call.args is None else call.args
    fields: JsonObject = {
        "call": number,
        "tool": call.name,
        "arguments": "not recorded" if args is None else args,
        "result": "not recorded" if call.result is None else call.result,
    }
    fields |= {"status": call.status or "not recorded"} if call.status != "ok" else {}
    fields |= {"error": call.error} if call.error else {}
    return Entry(fields, is_error=call.status == "error" or bool(call.error))


def _bare_calls(trace: AgentTrace) -> Content:
    """Return the tool calls without their results."""
    return [
        Entry({key: value for key, value in entry.fields.items() if key in {"call", "tool", "arguments"}})
        for entry in calls_of(trace)
    ]


def _messages(trace: AgentTrace) -> Content:
    return spoken(trace.messages) or None


def _trajectory(trace: AgentTrace) -> Content:
    """Return the messages, followed by the tool calls unless the messages have all of them."""
    in_messages = sum(len(message.tool_calls) for message in trace.messages)
    return [*spoken(trace.messages), *(calls_of(trace) if in_messages < len(trace.tool_calls) else ())] or None


def _requests(trace: AgentTrace) -> Content:
    """Return the texts of user, system and developer messages, in which some frameworks also put tool results."""
    requests = [_texts_only(message) for message in trace.messages if message.role in REQUESTING]
    return spoken([message for message in requests if message.parts]) or None


def _texts_only(message: Message) -> Message:
    texts = tuple(part for part in message.parts if isinstance(part, TextPart))
    return message.model_copy(update={"parts": texts})


def _texts(trace: AgentTrace) -> Content:
    """Return the texts of the messages, without tool calls and results; messages without a text are left out."""
    return [
        Entry({"message": number, "role": message.role, "text": message.text})
        for number, message in enumerate(trace.messages, 1)
        if message.text
    ] or None


def spoken(messages: Sequence[Message], shown: Callable[[Message], Message] = lambda message: message) -> list[Entry]:
    """Return the messages as entries, counted from 1; `shown` returns what is shown of a message."""
    entries = []
    names: dict[str | None, str] = {}
    for number, message in enumerate(messages, 1):
        names |= {call.id: call.name for call in message.tool_calls if call.id is not None}
        entries.append(_message(number, shown(message), names))
    return entries


def _message(number: int, message: Message, names: Mapping[str | None, str]) -> Entry:
    """Return a message as an entry. `names` are the tools of the calls so far, by call id."""
    fields: JsonObject = {"message": number, "role": message.role}
    fields |= {"name": message.name} if message.name else {}
    failed = any(getattr(part, "is_error", False) for part in message.parts)
    return Entry(fields | {"parts": [_part(part, names) for part in message.parts]}, is_error=failed)


def _part(part: Any, names: Mapping[str | None, str]) -> Any:
    match part:
        case TextPart():
            return part.content
        case ReasoningPart():
            return {"reasoning": part.content}
        case ToolCallPart():
            return {"calls": part.name, "arguments": part.arguments}
        case GenericPart():
            return {part.kind: part.content}
    return {"result_of": part.name or names.get(part.id), "result": part.response, "is_error": part.is_error}


def _definitions(trace: AgentTrace) -> Content:
    tools = trace.tools_offered
    return None if tools is None else [offer(tool) for tool in tools]


def offer(tool: ToolDefinition) -> Entry:
    """Return a tool definition as an entry."""
    fields: JsonObject = {"tool": tool.name, "description": tool.description, "input_schema": tool.input_schema}
    return Entry({key: "not recorded" if value is None else value for key, value in fields.items()})


def _expected(calls: Sequence[ExpectedCall]) -> list[Entry]:
    return [
        Entry({"call": number, "tool": call.name, "arguments": "any" if call.args is None else call.args})
        for number, call in enumerate(calls, 1)
    ]


def _of_reference(trace: AgentTrace, name: str) -> Any:
    """Return a field of the reference; None if there is no reference, or if the field is not set."""
    return None if trace.reference is None else getattr(trace.reference, name)


def _listed(noun: str, name: str) -> Callable[[AgentTrace], Content]:
    def content(trace: AgentTrace) -> Content:
        texts = _of_reference(trace, name)
        return None if texts is None else numbered(noun, texts)

    return content


def _reasoning(trace: AgentTrace) -> Content:
    return numbered("step", trace.reasoning_steps) or None


def _expected_calls(trace: AgentTrace) -> Content:
    calls = trace.expected_tool_calls
    return None if calls is None else _expected(calls)


def _expected_trajectory(trace: AgentTrace) -> Content:
    messages = _of_reference(trace, "expected_trajectory")
    return None if messages is None else spoken(messages)


PARTS: Final[Mapping[str, Callable[[AgentTrace], Content]]] = {
    "input": lambda trace: trace.input,
    "messages": _messages,
    "trajectory": _trajectory,
    "requests": _requests,
    "texts": _texts,
    "tool_calls": calls_of,
    "tool_calls_without_results": _bare_calls,
    "tool_definitions": _definitions,
    "reasoning_steps": _reasoning,
    "final_response": lambda trace: trace.final_response,
    "error": lambda trace: trace.error,
    "reference.tasks": _listed("task", "tasks"),
    "reference.constraints": _listed("constraint", "constraints"),
    "reference.expected_response": lambda trace: _of_reference(trace, "expected_response"),
    "reference.expected_tool_calls": _expected_calls,
    "reference.expected_trajectory": _expected_trajectory,
}


def _known(name: str) -> str:
    if name not in PARTS:
        raise ValueError(f"{name!r} is not a part of a run that can be shown{hint(name, [*PARTS])}")
    return name


Part: TypeAlias = Annotated[str, AfterValidator(_known)]
"""The name of a part, as a configuration writes it."""
