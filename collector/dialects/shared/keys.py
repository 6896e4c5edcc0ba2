"""Tables of keys: the attributes of a span that hold the fields of a step."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import lru_cache
from itertools import chain
from typing import Any, NamedTuple, TypeAlias

from tracegrade.evaluators.model import Message, ToolDefinition

from ...spans.envelopes import mcp_error
from ...spans.span import Shape, Span
from ...spans.step import Step, StepKind, Usage
from .field_readers import READERS, Reader, find_gap, read_name

__all__ = ["Keys", "read_step"]

Names: TypeAlias = tuple[str, ...]

_REMEMBERED = 4096
_REMEMBERED_KEYS = 300


@dataclass(frozen=True, kw_only=True, eq=False)
class Keys:
    """The attributes that hold each field of a step; of several that are recorded the first counts.

    `input` and `output` hold messages; `input_value` and `output_value` any value, in which messages are looked for.
    A field without a recorded attribute is None.
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
    prompt_name: Names = ()
    prompt_version: Names = ()
    reasoning_level: Names = ()
    is_compacted: Names = ()
    finish_reasons: Names = ()
    time_to_first_token_ms: Names = ()
    time_to_first_token_s: Names = ()

    usage: Names = ()
    input_tokens: Names = ()
    output_tokens: Names = ()
    cached_input_tokens: Names = ()
    cache_write_input_tokens: Names = ()
    cache_write_1h_input_tokens: Names = ()
    audio_input_tokens: Names = ()
    image_input_tokens: Names = ()
    video_input_tokens: Names = ()
    reasoning_tokens: Names = ()
    audio_output_tokens: Names = ()
    image_output_tokens: Names = ()
    cost_usd: Names = ()
    total_tokens: Names = ()

    instructions: Names = ()
    input: Names = ()
    output: Names = ()
    input_value: Names = ()
    output_value: Names = ()
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
        """Return both tables as one; if both have attributes for a field, those of this one come first."""
        return Keys(
            **{field.name: _join(getattr(self, field.name), getattr(other, field.name)) for field in fields(Keys)}
        )


def read_step(span: Span, kind: StepKind, keys: Keys) -> Step:
    """Return the step of `kind` that the attributes of `span` record under `keys`."""
    values: dict[str, Any] = {}
    gaps: dict[str, None] = {}
    unread: list[str] = []
    attributes = span.attributes
    plan = _find_plan(kind, keys, span.shape)
    for field, names, read in plan.fields:
        for name in names:
            value = read(attributes[name])
            if value is not None:
                values[field] = value
                break
            if gap := find_gap(field, attributes[name]):
                gaps[gap] = None
                unread.append(name)
    if gaps:
        values["gaps"] = tuple(gaps)
        values["unread"] = tuple(unread)
    if span.status_code == "error":
        values["error"] = span.error
    if kind != "tool":
        return _build_conversation_step(kind, values)
    values["read_keys"] = plan.names
    return _build_tool_step(values)


def _build_tool_step(values: dict[str, Any]) -> Step:
    description, schema = values.pop("tool_description", None), values.pop("tool_schema", None)
    args = values.get("args")
    if isinstance(args, dict) and args.keys() == _WRAPPED and args["name"] == values.get("tool_name"):
        values["args"] = READERS["args"](args["arguments"])  # AG2 records the whole call
    if schema is not None and "tool_name" in values:
        definition = ToolDefinition(name=values["tool_name"], description=description, input_schema=schema)
        values["definitions"] = (definition,)
    if "error" not in values and (error := mcp_error(values.get("result"))) is not None:
        values["error"] = error
    return Step.of("tool", values)


def _build_conversation_step(kind: StepKind, values: dict[str, Any]) -> Step:
    """Return the step with its messages, from whichever field they were read."""
    for value_field, side, text_field in _SIDES:
        if value_field in values:
            content = values.pop(value_field)
            values.setdefault(text_field if isinstance(content, str) else side, content)
    if "instructions" in values:
        values["input"] = _prepend_instructions(values.pop("instructions"), values.get("input", ()))
    counts = values.pop("usage", None) or {}
    for field in Usage._fields:
        if field in values:
            counts[field] = values.pop(field)
    if counts:
        values["usage"] = Usage(**counts)
    return Step.of(kind, values)


def _prepend_instructions(instructions: Message, turns: tuple[Message, ...]) -> tuple[Message, ...]:
    """Prepend the instructions, unless they are repeated as the first message."""
    return turns if instructions in turns[:1] else (instructions, *turns)


class Plan(NamedTuple):
    """How the spans of one kind are read: each field with the attributes that may hold it; and the names of all."""

    fields: tuple[tuple[str, Names, Reader], ...]
    names: Names


def _find_plan(kind: StepKind, keys: Keys, shape: Shape) -> Plan:
    """Return the plan for a span with these attributes: spans of one kind mostly have the same."""
    return _remembered(kind, keys, shape) if len(shape) <= _REMEMBERED_KEYS else _build_plan(kind, keys, shape)


@lru_cache(maxsize=_REMEMBERED)
def _remembered(kind: StepKind, keys: Keys, shape: Shape) -> Plan:
    return _build_plan(kind, keys, shape)


def _build_plan(kind: StepKind, keys: Keys, shape: Shape) -> Plan:
    recorded = frozenset(shape)
    recorded_names = {
        field: tuple(name for name in getattr(keys, field) if name in recorded)
        for field in (*_IDENTITY, *_OF_KIND.get(kind, ()))
    }
    readable = tuple(
        (_FIELDS.get(field, field), names, READERS.get(field, read_name))
        for field, names in recorded_names.items()
        if names
    )
    return Plan(readable, names=tuple(chain.from_iterable(recorded_names.values())))


def _join(first: Names, second: Names) -> Names:
    return (*first, *(name for name in second if name not in first))


_IDENTITY: Names = ("agent_name", "agent_id", "agent_version", "session_id", "user_id", "run_id", "error")
_TOOL: Names = ("tool_name", "tool_description", "tool_schema", "call_id", "args", "result")
_CONVERSATION: Names = (
    "provider_name",
    "request_model",
    "response_model",
    "response_id",
    "prompt_name",
    "prompt_version",
    "reasoning_level",
    "is_compacted",
    "finish_reasons",
    "time_to_first_token_ms",
    "time_to_first_token_s",
    "usage",
    *Usage._fields,
    "instructions",
    "input",
    "output",
    "input_value",
    "output_value",
    "output_text",
    "definitions",
)
_OF_KIND: dict[StepKind, Names] = {
    "agent": (*_CONVERSATION, "call_id"),
    "workflow": _CONVERSATION,
    "plan": _CONVERSATION,
    "fetch": _CONVERSATION,
    "model": _CONVERSATION,
    "tool": _TOOL,
    "handoff": ("target",),
}
_SIDES = (("input_value", "input", "input_text"), ("output_value", "output", "output_text"))
_WRAPPED = {"arguments", "name"}
_FIELDS = {"time_to_first_token_s": "time_to_first_token_ms"}
