"""LiteLLM's callback: GenAI keys, the requested calls beside the message, and the request as it was sent.

The calls are numbered as if they were completions, `gen_ai.completion.N.function_call.*`, and have no ids. The span
`raw_gen_ai_request` in it, which is there where messages are recorded, has what the provider was sent and answered,
with ids, under `llm.PROVIDER.*` as Python wrote it down.

Source: litellm 1.106 (litellm/integrations/opentelemetry.py)
"""

from __future__ import annotations

from typing import Any

from tracegrade.evaluators.model import Message

from ..spans.frozen import replace
from ..spans.span import Span
from ..spans.step import Step
from ..spans.values import as_object, as_text, decode_text
from .shared import semconv
from .shared.dialect import Dialect, Evidence
from .shared.keys import Keys, read_step
from .shared.messages import collect_indexed, message
from .shared.openai import read_completion
from .shared.prompts import with_prompts
from .shared.request import read_request
from .shared.tool_definitions import read_definitions

__all__ = ["DIALECT"]

_RAW = "raw_gen_ai_request"
_CALL = "function_call."
_METADATA = "metadata."
_KEYS = semconv.KEYS.before(
    Keys(
        session_id=(_METADATA + "session_id", _METADATA + "litellm_session_id"),
        user_id=("llm.user", _METADATA + "user_api_key_end_user_id"),
        cost_usd=("gen_ai.cost.total_cost", "llm.response.cost"),
    )
)


def read(span: Span) -> Step | None:
    if span.name == _RAW:
        return _raw(span)
    step = semconv.read(span, _KEYS)
    if step is None or step.kind != "model":
        return step
    output = _with_calls(span, step.output)
    return with_prompts(span, replace(step, output=output))


def _with_calls(span: Span, output: tuple[Message, ...] | None) -> tuple[Message, ...] | None:
    """Return the answer, completed by the calls that are recorded beside it."""
    numbered = collect_indexed(span.under("gen_ai.completion."))
    calls = [
        {key.removeprefix(_CALL): value for key, value in fields.items() if key.startswith(_CALL)}
        for fields in numbered
    ]
    call_parts = message({"role": "assistant", "tool_calls": calls}).parts
    parts = tuple(part for turn in output or () for part in turn.parts)
    is_told = any(turn.tool_calls for turn in output or ())
    if not call_parts or is_told:
        return output
    return (Message(role="assistant", parts=(*parts, *call_parts)),)


def _raw(span: Span) -> Step | None:
    """Return the call in the provider's format; None if no messages are recorded."""
    fields = _fields(span)
    history = read_request(fields)
    answer = read_completion(fields) or _blocks(fields)
    if history is None and answer is None:
        return None
    attributes = {key: value for key, value in fields.items() if isinstance(value, (str, dict))}
    keys = Keys(response_model=("model",), response_id=("id",), usage=("usage",))
    return replace(
        read_step(replace(span, attributes=attributes), "model", keys),
        input=history,
        output=answer,
        definitions=read_definitions(fields.get("tools")),
        finish_reasons=_reasons(fields),
    )


def _fields(span: Span) -> dict[str, Any]:
    """Return the recorded fields of request and answer, without the provider's name."""
    fields: dict[str, Any] = {}
    for key, value in span.under("llm.").items():
        _, _, name = key.partition(".")
        fields[name] = decode_text(value)
    return fields


def _blocks(fields: dict[str, Any]) -> tuple[Message, ...] | None:
    """Return Anthropic's answer, a list of blocks."""
    content = fields.get("content")
    return (message({"role": "assistant", "content": content}),) if isinstance(content, list) else None


def _reasons(fields: dict[str, Any]) -> tuple[str, ...] | None:
    choices = fields.get("choices")
    listed = choices if isinstance(choices, list) else []
    reasons = [as_text((as_object(choice) or {}).get("finish_reason")) for choice in listed]
    reasons.append(as_text(fields.get("stop_reason")))
    return tuple(reason for reason in reasons if reason) or None


DIALECT = Dialect(
    "litellm",
    read,
    scopes=("litellm",),
    keys=("litellm.*",),
    evidence=(Evidence("litellm", "1.106", "recording"),),
)
