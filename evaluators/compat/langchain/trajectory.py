"""Trajectories as agentevals takes them: messages as dictionaries or of LangChain's classes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ...formats.openai import calls_in, messages
from ...model import AgentTrace, JsonObject, Message, Reference

__all__ = ["run_of"]

_FIELDS: Final = ("content", "name", "tool_calls", "tool_call_id", "status")


def run_of(outputs: object, reference_outputs: object | None, *, inputs: object | None = None) -> AgentTrace:
    """Return the run with these messages, and as its reference the expected ones, None if there are none.

    Each is a list of messages, one message, or a mapping with `messages`. Without `inputs`, the input is the first
    message of the user. Raises ValueError that names the place of a message that cannot be read.
    """
    spoken = _messages(outputs, "outputs")
    expected = None if reference_outputs is None else _messages(reference_outputs, "reference_outputs")
    return AgentTrace(
        input=_first_request(spoken) if inputs is None else str(inputs),
        messages=spoken,
        tool_calls=calls_in(spoken),
        reference=None if expected is None else Reference(expected_trajectory=expected),
    )


def _messages(value: object, place: str) -> tuple[Message, ...]:
    if isinstance(value, Mapping) and "messages" in value:
        value, place = value["messages"], f"{place}.messages"
    listed = value if isinstance(value, (list, tuple)) else [value]
    return messages([_dictionary(item) for item in listed], place=place)


def _dictionary(message: object) -> object:
    """Return a message of LangChain's classes as a dictionary; any other value as it is."""
    role = getattr(message, "type", None)
    if isinstance(message, Mapping) or not isinstance(role, str):
        return message
    fields: JsonObject = {name: getattr(message, name, None) for name in _FIELDS}
    given: dict[str, Any] = {name: value for name, value in fields.items() if value is not None}
    return {"role": role, **given}


def _first_request(spoken: tuple[Message, ...]) -> str | None:
    return next((message.text for message in spoken if message.role == "user"), None)
