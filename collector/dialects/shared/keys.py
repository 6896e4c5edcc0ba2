"""Tables of keys: which attribute of a span holds which field of a step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import lru_cache
from itertools import chain
from math import isfinite
from typing import Any, NamedTuple, TypeAlias

from tracegrade.evaluators.model import Message, ToolDefinition

from ...spans.envelopes import mcp_error, returned
from ...spans.span import Shape, Span
from ...spans.step import Step, StepKind, Usage
from ...spans.values import (
    TRUNCATED,
    UNEXPECTED,
    as_count,
    as_object,
    as_text,
    decode_text,
    is_placeholder,
    looks_truncated,
    why_untold,
)
from .messages import messages, system_message
from .parts import arguments
from .spoken import spoken
from .tool_definitions import definitions, schema_of

__all__ = ["Keys", "finish_reasons", "step_of"]

Names: TypeAlias = tuple[str, ...]

_UNNAMED = frozenset({"unknown", "<not specified>", "None"})
"""What instrumentations write where they know no name or id."""

_EMPTY = ("", [], {}, "null", "{}", "[]", *_UNNAMED)
"""Values that hold nothing, of whatever type."""

_REMEMBERED = 4096
_REMEMBERED_KEYS = 300


@dataclass(frozen=True, kw_only=True, eq=False)
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
    cache_write_input_tokens: Names = ()
    audio_input_tokens: Names = ()
    reasoning_tokens: Names = ()
    audio_output_tokens: Names = ()
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
    unread: list[str] = []
    attributes = span.attributes
    plan = _plan(kind, keys, span.shape)
    for field, names, read in plan.fields:
        for name in names:
            value = read(attributes[name])
            if value is not None:
                found[field] = value
                break
            if gap := _gap_of(field, attributes[name]):
                gaps[gap] = None
                unread.append(name)
    if gaps:
        found["gaps"] = tuple(gaps)
        found["unread"] = tuple(unread)
    if span.status_code == "error":
        found["error"] = span.error
    if kind != "tool":
        return _said(kind, found)
    found["read_keys"] = plan.names
    return _tool(found)


def finish_reasons(value: Any) -> tuple[str, ...] | None:
    """Finish reasons from a list, the JSON of one, or a comma-joined text."""
    decoded = decode_text(value)
    if isinstance(decoded, str):
        decoded = decoded.split(",")
    if not isinstance(decoded, list):
        return None
    return tuple(str(reason) for reason in decoded if reason) or None


def _gap_of(field: str, value: Any) -> str | None:
    """The gap that an attribute leaves whose value gave nothing for `field`; None where it holds nothing."""
    if field in _CONTENT:
        return why_untold(value)
    is_empty = value is None or value in _EMPTY or is_placeholder(value)
    if is_empty or (field == "usage" and as_object(value) is not None):
        return None
    return TRUNCATED if looks_truncated(value) else UNEXPECTED


def _tool(found: dict[str, Any]) -> Step:
    description, schema = found.pop("tool_description", None), found.pop("tool_schema", None)
    if schema is not None and "tool_name" in found:
        definition = ToolDefinition(name=found["tool_name"], description=description, input_schema=schema)
        found["definitions"] = (definition,)
    if "error" not in found and (error := mcp_error(found.get("result"))) is not None:
        found["error"] = error
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
    counts = found.pop("usage", None) or {}
    for field in _COUNTS:
        if field in found:
            counts[field] = found.pop(field)
    if counts:
        found["usage"] = Usage(**counts)
    return Step.of(kind, found)


def _led_by(instructions: Message, said: tuple[Message, ...]) -> tuple[Message, ...]:
    """Some write the instructions beside the messages and again as the first of these."""
    return said if instructions in said[:1] else (instructions, *said)


Reader: TypeAlias = Callable[[Any], Any]


class Plan(NamedTuple):
    """How to read the spans of one kind: each field with the attributes that may hold it; and the names of all."""

    fields: tuple[tuple[str, Names, Reader], ...]
    names: Names


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
    found = tuple(
        (_FIELDS.get(field, field), names, _READERS.get(field, _text)) for field, names in named.items() if names
    )
    return Plan(found, names=tuple(chain.from_iterable(named.values())))


def _joined(first: Names, second: Names) -> Names:
    return (*first, *(name for name in second if name not in first))


def _text(value: Any) -> str | None:
    """A name or an id; ids that are numbers in somebody's database are recorded as numbers."""
    if isinstance(value, str):
        return value if value and value not in _UNNAMED else None
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else None


def _number(value: Any) -> float | None:
    """A finite number, also one that was written as text."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        number = float(value)
    except ValueError:
        return None
    return number if isfinite(number) else None


def _milliseconds(seconds: Any) -> float | None:
    number = _number(seconds)
    return None if number is None else number * 1000


def _cost(value: Any) -> float | None:
    """Money in US dollars: a number, also one that was written as text, or an object with a total."""
    held = as_object(value)
    amount = held.get("total", held.get("total_cost")) if held is not None else value
    if isinstance(amount, str):
        try:
            amount = float(amount)
        except ValueError:
            return None
    number = _number(amount)
    return number if number is not None and isfinite(number) else None


_USAGE = {
    "input_tokens": ("input_tokens", "prompt_tokens", "input", "inputTokens", "promptTokens"),
    "output_tokens": ("output_tokens", "completion_tokens", "output", "outputTokens", "completionTokens"),
    "cached_input_tokens": (
        "cache_read_input_tokens",
        "input_cached_tokens",
        "cached_input_tokens",
        "cachedInputTokens",
        "prompt_tokens_details.cached_tokens",
        "input_tokens_details.cached_tokens",
        "input_token_details.cache_read",
    ),
    "cache_write_input_tokens": (
        "cache_creation_input_tokens",
        "input_tokens_details.cache_write_tokens",
        "input_token_details.cache_creation",
    ),
    "audio_input_tokens": (
        "prompt_tokens_details.audio_tokens",
        "input_tokens_details.audio_tokens",
        "input_token_details.audio",
    ),
    "reasoning_tokens": (
        "reasoning_tokens",
        "output_reasoning_tokens",
        "reasoningTokens",
        "completion_tokens_details.reasoning_tokens",
        "output_tokens_details.reasoning_tokens",
        "output_token_details.reasoning",
    ),
    "audio_output_tokens": (
        "completion_tokens_details.audio_tokens",
        "output_tokens_details.audio_tokens",
        "output_token_details.audio",
    ),
}
"""Spellings of OpenAI's two APIs, Anthropic, LangChain and the platforms; behind a dot a key of an object within."""

_PATHS = tuple((field, tuple(name.partition(".")[::2] for name in names)) for field, names in _USAGE.items())


def _usage(value: Any) -> dict[str, int] | None:
    """Counts out of one object.

    Anthropic's own has no total, and counts cached and written tokens apart from its `input_tokens`:
    https://platform.claude.com/docs/en/build-with-claude/prompt-caching.
    """
    held = as_object(value) or {}
    counts: dict[str, int] = {}
    for field, paths in _PATHS:
        for outer, inner in paths:
            if outer in held and (count := _count_at(held[outer], inner)) is not None:
                counts[field] = count
                break
    if "cache_creation_input_tokens" in held and "total_tokens" not in held and "input_tokens" in counts:
        counts["input_tokens"] += counts.get("cached_input_tokens", 0) + counts.get("cache_write_input_tokens", 0)
    return counts or None


def _count_at(value: Any, key: str) -> int | None:
    if key:
        value = value.get(key) if isinstance(value, dict) else None
    return as_count(value)


def _question(value: Any) -> tuple[Message, ...] | None:
    """The messages of an input; a text that is alone there is the user's."""
    read = messages(value)
    is_alone = read is not None and len(read) == 1 and read[0].role == "unknown"
    return messages(value, "user") if is_alone else read


def _answer(value: Any) -> tuple[Message, ...] | None:
    return messages(value, "assistant")


def _result(value: Any) -> str | None:
    return None if is_placeholder(value) else returned(value)


_WHO: Names = ("agent_name", "agent_id", "agent_version", "session_id", "user_id", "run_id", "error")
_TOOL: Names = ("tool_name", "tool_description", "tool_schema", "call_id", "args", "result")
_COUNTS: Names = (
    "input_tokens",
    "output_tokens",
    "cached_input_tokens",
    "cache_write_input_tokens",
    "audio_input_tokens",
    "reasoning_tokens",
    "audio_output_tokens",
    "cost_usd",
)
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
    "input": _question,
    "output": _answer,
    "given": spoken,
    "gave": spoken,
    "output_text": as_text,
    "definitions": definitions,
    "tool_schema": schema_of,
    "args": arguments,
    "result": _result,
}
