"""Reads files of trajectories: a run is a list of messages, an object with one, or messages that follow each other."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any, Final

from pydantic import ValidationError

from ..model import JsonObject
from ..text.json_kind import json_kind
from ..text.validation_errors import explain
from .expectation import FIELDS, Expectation
from .imported import Imported, RecordFault, read_each
from .record import Record
from .spelling import Unreadable
from .tool_definitions import tool_definitions

__all__ = [
    "EXPECTATIONS",
    "first_message",
    "read_beside",
    "read_expectation",
    "read_tools",
    "read_trajectories",
]

EXPECTATIONS: Final = tuple(name for name in FIELDS if name != "tools")
"""The fields of an expectation beside messages; `tools` are those that the run was offered."""
_LEFT_OUT: Final = "the run of these messages is left out, since one of them cannot be read"


def first_message(value: object) -> JsonObject | None:
    """Return the first message of a list of them, of an object with such a list, or the object itself."""
    if isinstance(value, dict) and isinstance(value.get("messages"), list):
        value = value["messages"]
    if isinstance(value, list):
        value = value[0] if value else None
    return value if isinstance(value, dict) else None


def read_trajectories(
    records: Iterable[Record], read: Callable[[Record], Iterable[Imported]]
) -> Iterator[Imported | RecordFault]:
    """Read the runs in the records with `read`, which is given a record whose value is an object with `messages`.

    Records that are messages themselves are the messages of one run, as far as they follow each other.
    """
    messages: list[Record] = []
    is_broken = False
    for record in records:
        if record.fault is not None:
            is_broken = True
            yield RecordFault(record.place, record.fault)
        elif _is_message(record.value):
            messages.append(record)
        else:
            yield from _read_run(messages, read, is_broken=is_broken)
            messages, is_broken = [], False
            yield from read_each([record], lambda record: read(_wrap(record)))
    yield from _read_run(messages, read, is_broken=is_broken)


def read_beside(value: Mapping[str, Any], known: Collection[str]) -> dict[str, Any]:
    """Return what an object says beside its messages, as fields of `Imported`: what is not `known` is metadata.

    Raises ValueError.
    """
    given_id, metadata = value.get("id"), value.get("metadata")
    rest = {key: below for key, below in value.items() if key not in {*known, *EXPECTATIONS, "id", "metadata"}}
    return {
        "id": str(given_id) if isinstance(given_id, (str, int)) else None,
        "expectation": read_expectation({name: value[name] for name in EXPECTATIONS if value.get(name) is not None}),
        "metadata": {**rest, **metadata} if isinstance(metadata, dict) else rest,
    }


def read_expectation(fields: Mapping[str, Any]) -> Expectation | None:
    """Return an expectation; None without fields. Raises ValueError that names the field."""
    if not fields:
        return None
    try:
        return Expectation.model_validate(fields)
    except ValidationError as error:
        raise ValueError(explain(error, Expectation)) from error


def read_tools(value: Mapping[str, Any]) -> Any:
    """Return the tools that were offered, under `tools` or `functions`; None if they are not recorded."""
    key = next((key for key in ("tools", "functions") if value.get(key) is not None), None)
    return None if key is None else tool_definitions(value[key], place=key)


def _is_message(value: object) -> bool:
    return isinstance(value, dict) and not isinstance(value.get("messages"), list) and not _is_prompt(value)


def _is_prompt(value: Mapping[str, Any]) -> bool:
    return isinstance(value.get("input"), list) and "role" not in value and "type" not in value


def _wrap(record: Record) -> Record:
    """Return a record whose value is an object with messages. Raises Unreadable."""
    if isinstance(record.value, dict):
        return record
    if isinstance(record.value, list):
        return Record(record.place, {"messages": record.value})
    raise Unreadable(f"this is {json_kind(record.value)}; write messages, or an object with messages")


def _read_run(
    messages: list[Record], read: Callable[[Record], Iterable[Imported]], *, is_broken: bool
) -> Iterator[Imported | RecordFault]:
    if not messages:
        return
    whole = Record(messages[0].place, {"messages": [message.value for message in messages]})
    results = [RecordFault(whole.place, _LEFT_OUT)] if is_broken else list(read_each([whole], read))
    if any(isinstance(result, RecordFault) for result in results):
        yield from (fault for message in messages if (fault := _check_alone(message, read)) is not None)
    yield from results


def _check_alone(message: Record, read: Callable[[Record], Iterable[Imported]]) -> RecordFault | None:
    """Return the fault of one message, at its own place."""
    results = tuple(read_each([Record(message.place, {"messages": [message.value]})], read))
    return next((result for result in results if isinstance(result, RecordFault)), None)
