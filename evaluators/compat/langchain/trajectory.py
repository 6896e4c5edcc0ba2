"""Trajectories as agentevals takes them: messages as dictionaries or of LangChain's classes, or nodes of a graph."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ...formats.openai import calls_in, messages
from ...model import AgentTrace, GenericPart, JsonObject, Message, Reference, TextPart
from ...text.json_text import json_text

__all__ = ["nodes_of", "run_of", "run_of_graph"]

_NODES: Final = {"__start__": "(the graph starts)", "__interrupt__": "(the graph waits for an answer)"}
"""What the names stand for that LangGraph gives to no node."""

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


def run_of_graph(outputs: object, reference_outputs: object | None, *, inputs: object | None = None) -> AgentTrace:
    """Return the run with the turns of a graph as messages: the input, the nodes that ran, and the result of each.

    `outputs` has `steps`, a list of nodes for each turn, and `results`; `inputs` is a list or a mapping with `inputs`.
    The expected one has its own `inputs`. Raises ValueError if one of them is not there for each turn.
    """
    asked = inputs.get("inputs") if isinstance(inputs, Mapping) else inputs
    taken = _turns(outputs, asked, "outputs")
    expected = None
    if isinstance(reference_outputs, Mapping):
        expected = _turns(reference_outputs, reference_outputs.get("inputs"), "reference_outputs")
    return AgentTrace(
        input=_first_request(taken),
        messages=taken,
        final_response=taken[-1].text if taken else None,
        reference=None if expected is None else Reference(expected_trajectory=expected),
    )


def nodes_of(trajectory: object, place: str) -> list[list[str]]:
    """Return the nodes of each turn of a graph. Raises ValueError if `trajectory` has none, naming its `place`."""
    steps = trajectory.get("steps") if isinstance(trajectory, Mapping) else None
    if not isinstance(steps, (list, tuple)) or not all(isinstance(turn, (list, tuple)) for turn in steps):
        raise ValueError(f"{place} is no trajectory of a graph: `steps` has to be a list of lists of nodes")
    return [[str(node) for node in turn] for turn in steps]


def _turns(trajectory: object, inputs: object | None, place: str) -> tuple[Message, ...]:
    steps = nodes_of(trajectory, place)
    results = trajectory.get("results") if isinstance(trajectory, Mapping) else None
    asked = [None] * len(steps) if inputs is None else inputs
    if not isinstance(results, (list, tuple)) or not isinstance(asked, (list, tuple)):
        raise ValueError(f"{place} is no trajectory of a graph: `results` and the inputs have to be lists")  # noqa: TRY004
    if not len(steps) == len(results) == len(asked):
        raise ValueError(
            f"{place} is not complete: each turn has an input, steps and a result, "
            f"but the lists have {len(asked)}, {len(steps)} and {len(results)} entries"
        )
    turns = zip(asked, steps, results, strict=True)
    return tuple(message for turn in turns for message in _turn(*turn))


def _turn(asked: object, nodes: list[str], result: object) -> list[Message]:
    requests = [Message(role="user", parts=(TextPart(content=_text(asked)),))] if asked else []
    ran: JsonObject = {"in_order": [_NODES.get(node, node) for node in nodes]}
    parts = (GenericPart(kind="nodes", content=ran), TextPart(content=_text(result)))
    return [*requests, Message(role="assistant", parts=parts)]


def _text(value: object) -> str:
    return value if isinstance(value, str) else json_text(value)


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
