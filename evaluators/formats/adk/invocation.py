"""Reads one invocation of an eval case: what the user says, the expected calls, and the expected response."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from ...model import ExpectedCall, JsonObject
from ..expectation import Expectation
from ..spelling import Unreadable, entries, record
from .spelling import get

__all__ = ["Turn", "read_invocation", "read_query"]


class Turn(NamedTuple):
    """What the user says in an invocation, and what is expected of the agent."""

    request: str
    expectation: Expectation


def read_invocation(value: object, place: str) -> Turn:
    """Return the turn in an invocation. Raises Unreadable that names `place` and the key.

    Without `intermediate_data`, no calls are specified, which is different from expecting none.
    """
    item = record(value, place)
    content = get(item, "user_content")
    if content is None:
        raise Unreadable(f"{place}.user_content is missing")
    request = _read_text(content, f"{place}.user_content")
    if not request:
        raise Unreadable(f"{place}.user_content has no text")
    response, data = get(item, "final_response", "agent_content"), get(item, "intermediate_data")
    calls = None if data is None else tuple(_read_calls(data, f"{place}.intermediate_data"))
    text = None if response is None else _read_text(response, f"{place}.final_response")
    return Turn(request, Expectation(expected_tool_calls=calls, expected_response=text))


def read_query(value: object, place: str) -> Turn:
    """Return the turn in an entry of the older form: `query`, `expected_tool_use`, `reference`."""
    item = record(value, place)
    if not isinstance(item.get("query"), str) or not item["query"].strip():
        raise Unreadable(f"{place}.query is missing")
    uses = item.get("expected_tool_use")
    calls = (
        None
        if uses is None
        else tuple(
            _read_call(use, f"{place}.expected_tool_use[{index}]", ("tool_name", "name"), ("tool_input", "args"))
            for index, use in enumerate(entries(uses, f"{place}.expected_tool_use"))
        )
    )
    reference = item.get("reference")
    if reference is not None and not isinstance(reference, str):
        raise Unreadable(f"{place}.reference is not a text")
    return Turn(item["query"], Expectation(expected_tool_calls=calls, expected_response=reference))


def _read_text(content: object, place: str) -> str | None:
    """Return the text of a content, without thoughts; None if it has no text."""
    parts = entries(record(content, place).get("parts") or (), f"{place}.parts")
    items = [record(part, f"{place}.parts[{index}]") for index, part in enumerate(parts)]
    texts = [item["text"] for item in items if isinstance(item.get("text"), str) and not item.get("thought")]
    return "\n".join(texts) if texts else None


def _read_calls(data: object, place: str) -> Iterator[ExpectedCall]:
    """Yield the calls in any form of intermediate data: lists of uses and responses, events, or one content."""
    item = record(data, place)
    events = get(item, "invocation_events")
    if events is not None:
        for index, event in enumerate(entries(events, f"{place}.invocation_events")):
            where = f"{place}.invocation_events[{index}]"
            content = record(event, where).get("content")
            yield from () if content is None else _read_parts(record(content, f"{where}.content"), f"{where}.content")
    elif "parts" in item:
        yield from _read_parts(item, place)
    else:
        uses = get(item, "tool_uses") or ()
        for index, use in enumerate(entries(uses, f"{place}.tool_uses")):
            yield _read_call(use, f"{place}.tool_uses[{index}]", ("name",), ("args",))


def _read_parts(content: JsonObject, place: str) -> Iterator[ExpectedCall]:
    for index, part in enumerate(entries(content.get("parts") or (), f"{place}.parts")):
        call = get(record(part, f"{place}.parts[{index}]"), "function_call")
        if call is not None:
            yield _read_call(call, f"{place}.parts[{index}].function_call", ("name",), ("args",))


def _read_call(value: object, place: str, names: tuple[str, ...], keys: tuple[str, ...]) -> ExpectedCall:
    item = record(value, place)
    name, args = get(item, *names), get(item, *keys)
    if not isinstance(name, str) or not name:
        raise Unreadable(f"{place} has no {names[0]}")
    given: Any = {} if args is None else record(args, f"{place}.{keys[0]}")
    return ExpectedCall(name=name, args=given)
