"""Files of trajectories in OpenAI's format: messages with roles, in lists, or in objects with `messages` and `tools`.

An object without an answer of the agent is an item, as are the samples of OpenAI's evals: `input`, a list of messages,
and `ideal`. Sources: https://platform.openai.com/docs/guides/fine-tuning, https://github.com/openai/evals
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from ..model import JsonObject, Message
from . import openai
from .expectation import Expectation
from .imported import Imported, RecordFault
from .kind import NO_CLAIM, Claim, Kind, write_lines
from .openai_writing import write_messages, write_tools
from .record import Record
from .spelling import Unreadable, entries, text_of
from .trajectory import find_input, messages_of_run, run_of_messages
from .trajectory_file import first_message, read_beside, read_tools, read_trajectories

__all__ = ["KIND", "read_messages"]

_ROLES: Final = ("system", "developer", "user", "assistant", "tool")
_ALSO: Final = frozenset({*_ROLES, "function", "human", "ai"})
_WITHOUT_ROLE: Final = frozenset({"type", "tool_calls", "tool_call_id"})
_KNOWN: Final = frozenset({"messages", "tools", "functions", "input", "ideal", "model"})


def claim(record: Record) -> Claim:
    """Claim messages with a role, lists of them, and objects with `messages`."""
    value = record.value
    if record.is_csv:
        return NO_CLAIM
    if isinstance(value, dict) and isinstance(value.get("input"), list) and "ideal" in value:
        return Claim(3, "input[], ideal") if _has_role(first_message(value["input"])) else NO_CLAIM
    if not _has_role(first_message(value)):
        return NO_CLAIM
    if isinstance(value, list):
        return Claim(3, "a list of messages with role")
    return Claim(3, "messages[].role") if isinstance(value.get("messages"), list) else Claim(2, "messages with role")


def _has_role(message: JsonObject | None) -> bool:
    return message is not None and isinstance(message.get("role"), str)


def read(records: Iterable[Record]) -> Iterator[Imported | RecordFault]:
    """Read trajectories as runs, and prompts as items."""
    return read_trajectories(records, _read_object)


def read_messages(value: object, place: str) -> tuple[Message, ...]:
    """Return messages; in contrast to `openai.messages`, an unknown role is an error. Raises ValueError."""
    for index, item in enumerate(entries(value, place)):
        role = item.get("role") if isinstance(item, dict) else None
        if isinstance(role, str) and role not in _ALSO:
            roles = f"{', '.join(_ROLES[:-1])} or {_ROLES[-1]}"
            raise Unreadable(f"{place}[{index}].role: {role!r} is not a role; write {roles}")
        if isinstance(item, dict) and role is None and not item.keys() & _WITHOUT_ROLE:
            raise Unreadable(f"{place}[{index}] has no role")
    return openai.messages(value, place=place)


def _read_object(record: Record) -> Iterator[Imported]:
    value: JsonObject = record.value
    key = "messages" if "messages" in value else "input"
    messages, beside = read_messages(value[key], key), read_beside(value, _KNOWN)
    if isinstance(value.get("ideal"), str):
        beside["expectation"] = _expect_ideal(beside["expectation"], value["ideal"])
    if not any(message.role in {"assistant", "tool"} for message in messages) and beside["expectation"] is not None:
        yield Imported(record.place, input=find_input(messages), **beside)
        return
    model = value.get("model")
    fields: dict[str, Any] = {"tool_definitions": read_tools(value), "model": model if isinstance(model, str) else None}
    run = run_of_messages(messages, **fields)
    yield Imported(record.place, run=run, input=run.input, **beside)


def _expect_ideal(expectation: Expectation | None, ideal: str) -> Expectation:
    fields = {} if expectation is None else expectation.defined
    return Expectation.model_validate({"expected_response": ideal, **fields})


def write(written: Iterable[Imported]) -> Iterator[str]:
    """Write objects with `messages` as JSON lines; expectations are beside them."""
    return write_lines(written, _write_object)


def _write_object(entry: Imported) -> JsonObject:
    expectation = {} if entry.expectation is None else entry.expectation.model_dump(mode="json", exclude_none=True)
    offered = None if entry.run is None else entry.run.tool_definitions
    expectation.pop("tools", None)
    fields = {
        "id": entry.id,
        "messages": write_messages(_messages_of(entry)),
        "tools": None if offered is None else write_tools(offered),
        "metadata": entry.metadata or None,
        **expectation,
    }
    return {key: value for key, value in fields.items() if value is not None}


def _messages_of(entry: Imported) -> tuple[Message, ...]:
    if entry.run is not None:
        return messages_of_run(entry.run)
    return openai.messages([{"role": "user", "content": text_of(entry.input) or ""}])


KIND: Final = Kind("openai", "trajectories of messages in OpenAI's format", claim, read, write)
