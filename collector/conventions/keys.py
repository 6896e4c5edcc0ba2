"""Tables of keys: which attribute of a span holds which field of a step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any, TypeAlias

from tracegrade.evaluators.model import Message, ToolDefinition

from ..envelopes import returned
from ..span import Shape, Span
from ..step import Step, StepKind, Usage
from ..values import as_count, as_object, as_text, decode_text, is_placeholder, why_untold
from .messages import arguments, definitions, messages, system_message
from .spoken import spoken

__all__ = ["Keys", "finish_reasons", "step_of"]

Names: TypeAlias = tuple[str, ...]

_UNNAMED = frozenset({"unknown", "<not specified>", "None"})
"""What instrumentations write where they know no name or id."""

_REMEMBERED = 4096
_REMEMBERED_KEYS = 300


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Keys:
    """For each field of a step the attributes that hold it; of several that are recorded the first is taken.

    `input` and `output` hold messages; `given` and `gave` anything, from which messages are read where there are any.
    Where no attribute of the table is recorded, the field is not.
    """

    agent_name: Names = ()
    agent_id: Names = ()
    agent_version: Names = ()
    session_id: Names = ()
    user_id: Names = ()
    run_id: Names = ()
    error: Names = ("error.type",)

    provider_name: Names = ()
    request_model: Names = ()
    response_model: Names = ()
    response_id: Names = ()
    finish_reasons: Names = ()
    time_to_first_token_ms: Names = ()
    time_to_first_token_s: Names = ()

    usage: Names = ()
    input_tokens: Names = ()
    output_tokens: Names = ()
    cached_input_tokens: Names = ()
    reasoning_tokens: Names = ()
    cost_usd: Names = ()

    instructions: Names = ()
    input: Names = ()
    output: Names = ()
    given: Names = ()
    gave: Names = ()
    output_text: Names = ()
    definitions: Names = ()

    tool_name: Names = ()
    tool_description: Names = ()
    tool_schema: Names = ()
    call_id: Names = ()
    args: Names = ()
    result: Names = ()

    target: Names = ()

    def before(self, other: Keys) -> Keys:
        """Both tables as one; where both know a field, this one's attributes are asked first."""
        return Keys(**{one.name: _joined(getattr(self, one.name), getattr(other, one.name)) for one in fields(Keys)})


def step_of(span: Span, kind: StepKind, keys: Keys) -> Step:
    """The step of `kind` that the attributes of `span` record, as `keys` reads them."""
    found: dict[str, Any] = {}
    gaps: dict[str, None] = {}
    attributes = span.attributes
    for field, names, read in _plan(kind, keys, span.shape):
        for name in names:
            value = read(attributes[name])
            if value is not None:
                found[field] = value
                break
            if field in _CONTENT and (why := why_untold(attributes[name])):
                gaps[why] = None
    if gaps:
        found["gaps"] = tuple(gaps)
    if span.status_code == "error":
        found["error"] = span.error
    return _tool(found) if kind == "tool" else _said(kind, found)


def finish_reasons(value: Any) -> tuple[str, ...] | None:
    """Finish reasons from a list, the JSON of one, or a comma-joined text."""
    decoded = decode_text(value)
    if isinstance(decoded, str):
        decoded = decoded.split(",")
    if not isinstance(decoded, list):
        return None
    return tuple(str(reason) for reason in decoded if reason) or None


def _tool(found: dict[str, Any]) -> Step:
    description, schema = found.pop("tool_description", None), found.pop("tool_schema", None)
    if schema is not None and "tool_name" in found:
        definition = ToolDefinition(name=found["tool_name"], description=description, input_schema=schema)
        found["definitions"] = (definition,)
    return Step.of("tool", found)


def _said(kind: StepKind, found: dict[str, Any]) -> Step:
    """The step with its messages in one place, wherever they were."""
    for value, said, text in (("given", "input", "input_text"), ("gave", "output", "output_text")):
        if value in found:
            held = found.pop(value)
            field = text if isinstance(held, str) else said
            found.setdefault(field, held)
    if "instructions" in found:
        found["input"] = _led_by(found.pop("instructions"), found.get("input", ()))
    counts = {field: found.pop(field) for field in _COUNTS if field in found}
    whole = found.pop("usage", None)
    if counts or whole:
        found["usage"] = Usage(**{**(whole or {}), **counts})
    return Step.of(kind, found)


def _led_by(instructions: Message, said: tuple[Message, ...]) -> tuple[Message, ...]:
    """Some write the instructions beside the messages and again as the first of these."""
    return said if instructions in said[:1] else (instructions, *said)


Reader: TypeAlias = Callable[[Any], Any]
Plan: TypeAlias = tuple[tuple[str, Names, Reader], ...]


def _plan(kind: StepKind, keys: Keys, shape: Shape) -> Plan:
    """What there is to read on a span that has these attributes: spans of one kind mostly have the same."""
    return _remembered(kind, keys, shape) if len(shape) <= _REMEMBERED_KEYS else _planned(kind, keys, shape)


@lru_cache(maxsize=_REMEMBERED)
def _remembered(kind: StepKind, keys: Keys, shape: Shape) -> Plan:
    return _planned(kind, keys, shape)


def _planned(kind: StepKind, keys: Keys, shape: Shape) -> Plan:
    recorded = frozenset(shape)
    named = {
        field: tuple(name for name in getattr(keys, field) if name in recorded)
        for field in (*_WHO, *_OF_KIND.get(kind, ()))
    }
    return tuple(
        (_FIELDS.get(field, field), names, _READERS.get(field, _text)) for field, names in named.items() if names
    )


def _joined(first: Names, second: Names) -> Names:
    return (*first, *(name for name in second if name not in first))


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value and value not in _UNNAMED else None


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _milliseconds(seconds: Any) -> float | None:
    number = _number(seconds)
    return None if number is None else number * 1000


def _cost(value: Any) -> float | None:
    """Money in US dollars: a number, or an object with a total."""
    held = as_object(value)
    return _number(held.get("total", held.get("total_cost")) if held is not None else value)


_USAGE = {
    "input_tokens": ("input_tokens", "prompt_tokens", "input", "inputTokens", "promptTokens"),
    "output_tokens": ("output_tokens", "completion_tokens", "output", "outputTokens", "completionTokens"),
    "cached_input_tokens": (
        "cache_read_input_tokens",
        "input_cached_tokens",
        "cached_input_tokens",
        "cachedInputTokens",
    ),
    "reasoning_tokens": ("reasoning_tokens", "output_reasoning_tokens", "reasoningTokens"),
}


def _usage(value: Any) -> dict[str, int] | None:
    """Counts out of one object, in the spellings of OpenAI, Anthropic and the platforms."""
    held = as_object(value) or {}
    found = {
        field: count
        for field, names in _USAGE.items()
        if (count := next((count for name in names if (count := as_count(held.get(name))) is not None), None))
        is not None
    }
    return found or None


def _result(value: Any) -> str | None:
    return None if is_placeholder(value) else returned(value)


_WHO: Names = ("agent_name", "agent_id", "agent_version", "session_id", "user_id", "run_id", "error")
_TOOL: Names = ("tool_name", "tool_description", "tool_schema", "call_id", "args", "result")
_COUNTS: Names = ("input_tokens", "output_tokens", "cached_input_tokens", "reasoning_tokens", "cost_usd")
_SPOKEN: Names = (
    "provider_name",
    "request_model",
    "response_model",
    "response_id",
    "finish_reasons",
    "time_to_first_token_ms",
    "time_to_first_token_s",
    "usage",
    *_COUNTS,
    "instructions",
    "input",
    "output",
    "given",
    "gave",
    "output_text",
    "definitions",
)
_CONTENT = frozenset({"instructions", "input", "output", "given", "gave", "definitions", "args", "result"})
_OF_KIND: dict[StepKind, Names] = {
    "agent": (*_SPOKEN, "call_id"),
    "workflow": _SPOKEN,
    "model": _SPOKEN,
    "tool": _TOOL,
    "handoff": ("target",),
}
_FIELDS = {"time_to_first_token_s": "time_to_first_token_ms"}
_READERS: dict[str, Reader] = {
    "finish_reasons": finish_reasons,
    "time_to_first_token_ms": _number,
    "time_to_first_token_s": _milliseconds,
    "usage": _usage,
    "cost_usd": _cost,
    **{field: as_count for field in _COUNTS if field != "cost_usd"},
    "instructions": system_message,
    "input": messages,
    "output": messages,
    "given": spoken,
    "gave": spoken,
    "output_text": as_text,
    "definitions": definitions,
    "tool_schema": as_object,
    "args": arguments,
    "result": _result,
}
