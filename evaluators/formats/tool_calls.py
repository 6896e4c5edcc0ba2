"""Reads lists of tool calls, made or expected, in the different forms of other systems.

A call is `{name | tool | tool_name, args | arguments | input | input_parameters | parameters, result | output,
id | tool_call_id | call_id, duration_ms, error, metadata}`, or OpenAI's `{id, function: {name, arguments}}`.
Arguments may be JSON text. Sources: Dokimos ToolCall.fromMap and ToolCalls.coerce, the gllm-evals documentation,
AgentV's output messages, OpenAI's chat completions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar, get_args

from pydantic import ValidationError

from ..model import ArgumentMode, CallStatus, ExpectedCall, JsonObject, ToolCall, ToolCallPart
from ..text.json_kind import json_kind
from ..text.suggestions import nearest
from ..text.validation_errors import reason, steps
from .spelling import ARGS, IDS, NAMES, RESULTS, Unreadable, amount, arguments, entries, first, record, text_of

__all__ = ["expected_calls", "tool_call_part", "tool_calls"]

C = TypeVar("C", ToolCall, ExpectedCall)

_ASKED: Final = frozenset({*NAMES, *ARGS, *IDS, "function", "type"})
_MADE: Final = _ASKED | {*RESULTS, "duration_ms", "error", "metadata"}
_STATUSES: Final = get_args(CallStatus)
_MATCHERS: Final = ("args_match", "matcher")
_MODES: Final = get_args(ArgumentMode)
_BESIDE: Final = frozenset({"index", "timestamp", "description", "reasoning", "metadata"})
_EXPECTED: Final = _ASKED | {*RESULTS, *_MATCHERS, "max_duration_ms"} | _BESIDE


def tool_calls(value: object, *, place: str = "tool calls") -> tuple[ToolCall, ...]:
    """Return the calls in a list of objects or ToolCalls, which are returned unchanged.

    Arguments that are not an object become `args_text`, unknown keys `metadata`. Raises ValueError that names `place`
    and the index of an item that is not a call.
    """
    return _several(value, place, of=ToolCall, read=_made)


def expected_calls(value: object, *, place: str = "expected tool calls") -> tuple[ExpectedCall, ...]:
    """Return the expected calls in a list of objects, ToolCalls, or ExpectedCalls, which are returned unchanged.

    A ToolCall without arguments expects none, as in Dokimos; its result is not compared.

    Besides the fields of a call there may be `max_duration_ms`, and `args_match` in AgentV's sense or `matcher` in
    ours. Missing arguments, or `any`, accept all. An unknown key is an error, since a misspelt one would expect less
    than was meant. Raises ValueError like `tool_calls`.
    """
    return _several(value, place, of=ExpectedCall, read=_expected_call)


def tool_call_part(value: object, place: str) -> ToolCallPart:
    """Return the call in an object of any of the forms. Raises ValueError that names `place`."""
    item = record(value, place)
    inner = {} if item.get("function") is None else record(item["function"], f"{place}.function")
    name = first({**item, **inner}, NAMES)
    if name is None or (isinstance(name, str) and not name.strip()):
        raise Unreadable(f"{place} has no name; write the tool's under name, tool or tool_name")
    if not isinstance(name, str):
        raise Unreadable(f"{place}: its name is {json_kind(name)}; write text")
    call_id = first(item, IDS)
    given = first({**item, **inner}, ARGS)
    if isinstance(given, dict):
        given = record(given, f"{place} ({name}): the value of its arguments")
    return ToolCallPart(id=None if call_id is None else str(call_id), name=name, arguments=arguments(given))


def _several(value: object, place: str, *, of: type[C], read: Callable[[JsonObject, str], C]) -> tuple[C, ...]:
    return tuple(
        item if isinstance(item, of) else _one(item, f"{place}[{index}]", read=read)
        for index, item in enumerate(entries(value, place))
    )


def _one(item: object, place: str, *, read: Callable[[JsonObject, str], C]) -> C:
    if isinstance(item, ToolCall):  # an expected one: its result is not compared, and no arguments are expected of none
        item = {"name": item.name, "args": item.args or {}}
    try:
        return read(record(item, place), place)
    except ValidationError as error:
        fault = error.errors()[0]
        raise Unreadable(f"{place}.{'.'.join(map(str, steps(fault)))}: {reason(fault)}") from error


def _made(item: JsonObject, place: str) -> ToolCall:
    part = tool_call_part(item, place)
    is_object = isinstance(part.arguments, dict)
    error = text_of(item.get("error") or None)
    status = item.get("status") if item.get("status") in _STATUSES else None
    result = text_of(first(item, RESULTS))
    is_unknown = "status" in item and item["status"] is None and result is None and error is None
    return ToolCall(
        name=part.name,
        id=part.id,
        args=part.arguments if is_object else None,
        args_text=None if is_object else part.arguments,
        result=result,
        error=error,
        status=None if is_unknown else status or ("error" if error else "ok"),
        duration_ms=amount(item, "duration_ms", place),
        metadata=_metadata(item, place),
    )


def _metadata(item: JsonObject, place: str) -> JsonObject:
    given = item.get("metadata")
    unknown = {key: value for key, value in item.items() if key not in _MADE}
    if unknown.get("status") in _STATUSES:
        del unknown["status"]
    return unknown if given is None else {**unknown, **record(given, f"{place}.metadata")}


def _expected_call(item: JsonObject, place: str) -> ExpectedCall:
    part = tool_call_part(item, place)
    if unknown := [key for key in item if key not in _EXPECTED]:
        raise Unreadable(
            f"{place} ({part.name}) has an unknown key {unknown[0]!r}{nearest(unknown[0], sorted(_EXPECTED))}"
        )
    return ExpectedCall(
        name=part.name,
        args=_expected_args(part, place),
        result=text_of(first(item, RESULTS)),
        max_duration_ms=amount(item, "max_duration_ms", place),
        **_comparison(item, f"{place} ({part.name})"),
    )


def _comparison(item: JsonObject, place: str) -> dict[str, Any]:
    """Return the field that says how the arguments are compared, `args_match` or `matcher`; empty without one.

    Only `args_match`, which is AgentV's, may be a list of paths.
    """
    keys = [key for key in _MATCHERS if item.get(key) is not None]
    if not keys:
        return {}
    if len(keys) > 1:
        raise Unreadable(f"{place} has args_match and matcher, which mean the same with opposite modes; leave one out")
    (key,), value = keys, item[keys[0]]
    if key == "args_match" and isinstance(value, (list, tuple)):
        if all(isinstance(path, str) and path for path in value):
            return {key: tuple(value)}
    elif isinstance(value, str) and value in _MODES:
        return {key: value}
    shown = repr(value) if isinstance(value, str) else json_kind(value)
    paths = ", or a list of dotted paths" if key == "args_match" else ""
    offer = nearest(value, _MODES) if isinstance(value, str) else ""
    raise Unreadable(f"{place}: its {key} is {shown}; write {', '.join(_MODES)}{paths}{offer}")


def _expected_args(part: ToolCallPart, place: str) -> JsonObject | None:
    if part.arguments is None or part.arguments == "any":
        return None
    if isinstance(part.arguments, str):
        raise Unreadable(f"{place} ({part.name}): its arguments are not an object; write one, or any")
    return part.arguments
