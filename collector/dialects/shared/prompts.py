"""Reads prompts and completions, as instrumentations wrote them before there were messages in attributes or events.

`gen_ai.prompt` and `gen_ai.completion` hold messages, a request and its answer, or a text; as attributes of the span,
or of the events `gen_ai.content.prompt` and `gen_ai.content.completion`. Flattened, each message has a number:
`gen_ai.prompt.0.role`, `gen_ai.completion.0.tool_calls.0.name`.

Source: https://github.com/open-telemetry/semantic-conventions/blob/v1.27.0/docs/gen-ai/gen-ai-spans.md,
opentelemetry-instrumentation-openai by Traceloop 0.40, openlit 1.30, agentops 0.4
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from tracegrade.evaluators.model import Message

from ...spans.frozen import replace
from ...spans.span import Span
from ...spans.step import Step
from ...spans.values import REDACTED, as_object, as_text, decode_text
from .content import read_turns
from .messages import collect_indexed, message
from .tool_definitions import read_definitions

__all__ = ["COMPLETION", "PROMPT", "has_prompts", "is_prompt", "is_prompt_event", "with_prompts"]

PROMPT, COMPLETION = "gen_ai.prompt", "gen_ai.completion"
_EVENTS = {"gen_ai.content.prompt": PROMPT, "gen_ai.content.completion": COMPLETION}
_FUNCTIONS = ("llm.request.functions.", "gen_ai.request.functions.")
_TURN = re.compile(r"^(system|developer|user|assistant|tool|function): ", re.MULTILINE)
_LEFT_OUT = "Function called with tools"
"""What OpenLIT writes instead of an answer that calls tools."""
_NOTHING = "None"
_MESSAGES = {PROMPT: "gen_ai.input.messages", COMPLETION: "gen_ai.output.messages"}
"""Where messages stand whole by the conventions; some flatten these, too."""
_FLAT = ("gen_ai.prompt.", "gen_ai.completion.", *(f"{key}." for key in _MESSAGES.values()))
_HELD = re.compile(
    r"gen_ai\.(?:(?:prompt|completion)\.(?:\d+\.|role$|content$)|(?:in|out)put\.messages\.\d+\.(?:role|content|parts))"
)


def has_prompts(span: Span) -> bool:
    """Return whether the span, or one of its events, has a prompt or a completion."""
    if any(is_prompt(key) for key in span.attributes):
        return True
    return bool(span.events) and any(is_prompt_event(event.name) for event in span.events if not event.is_log)


def is_prompt_event(name: str | None) -> bool:
    """Return whether an event of this name holds a prompt or a completion."""
    return _event_key(name) is not None


def is_prompt(key: str) -> bool:
    """Return whether an attribute holds (a part of) a prompt or a completion.

    `gen_ai.prompt.name` and its like say of what template a prompt was made.
    """
    return key in {PROMPT, COMPLETION} or (key.startswith(_FLAT) and _HELD.match(key) is not None)


def with_prompts(span: Span, step: Step) -> Step:
    """Return `step`, completed by messages of prompts and completions, and by the functions beside them."""
    question = step.input if step.input is not None else _messages(span, PROMPT, "user")
    answer = step.output if step.output is not None else _messages(span, COMPLETION, "assistant")
    is_left_out = step.output is None and answer is not None and _is_left_out(answer)
    functions = [fields for prefix in _FUNCTIONS for fields in collect_indexed(span.under(prefix))]
    return replace(
        step,
        input=question,
        output=None if is_left_out else answer,
        definitions=step.definitions or read_definitions([_with_schema(fields) for fields in functions]),
        finish_reasons=step.finish_reasons or _reasons(span),
        gaps=(*step.gaps, REDACTED) if is_left_out else step.gaps,
    )


def _with_schema(fields: dict[str, Any]) -> dict[str, Any]:
    return {**fields, "parameters": as_object(fields.get("parameters"))}


def _event_key(name: str | None) -> str | None:
    """Return the key of the content of an event; OpenLIT numbers several completions after the name."""
    return next((key for prefix, key in _EVENTS.items() if name is not None and name.startswith(prefix)), None)


def _messages(span: Span, key: str, role: str) -> tuple[Message, ...] | None:
    flat = span.under(key + ".")
    numbered = [
        _message(fields, role) for fields in collect_indexed(flat) or collect_indexed(span.under(_MESSAGES[key] + "."))
    ]
    if numbered:
        return tuple(numbered)
    if isinstance(flat.get("content"), str):
        return (_message(flat, role),)
    turns = read_turns(span.first(key), role)
    if turns is not None:
        return turns
    texts = (event.attributes.get(key) for event in span.events if _event_key(event.name) == key)
    return tuple(turn for text in texts for turn in _turns(text, role)) or None


def _turns(value: Any, role: str) -> Iterable[Message]:
    """Return the messages of an event; a text may hold several, each beginning with a line `role: …`."""
    if not isinstance(value, str) or not _TURN.match(value):
        return read_turns(value, role) or ()
    _, *pieces = _TURN.split(value)
    turns = zip(pieces[::2], pieces[1::2], strict=True)
    contents = ((speaker, text.removesuffix("\n")) for speaker, text in turns)
    return [message({"role": speaker, "content": text}) for speaker, text in contents if text != _NOTHING]


def _is_left_out(answered: Iterable[Message]) -> bool:
    return any(turn.text == _LEFT_OUT for turn in answered)


def _message(fields: dict[str, Any], role: str) -> Message:
    """Read one message; `role` is its default role. A prompt without roles is under `user`."""
    own = fields.get("role")
    if isinstance(own, str) and own != "unknown":
        role = own
    content = (
        _parts(fields.get("content", fields.get("user", fields.get("text"))), role)
        or collect_indexed(_below(fields, "content."))
        or collect_indexed(_below(fields, "parts."))
        or None
    )
    return message(
        {**fields, "role": role, "content": content, "tool_calls": collect_indexed(_below(fields, "tool_calls."))}
    )


def _below(fields: dict[str, Any], prefix: str) -> dict[str, Any]:
    return {key.removeprefix(prefix): value for key, value in fields.items() if key.startswith(prefix)}


def _parts(content: Any, role: str) -> Any:
    """Return a list of parts from its JSON; any other JSON is the text of an answer, or the result of a tool."""
    decoded = None if role == "tool" else decode_text(content)
    if isinstance(decoded, list) and decoded and all(isinstance(part, dict) and "type" in part for part in decoded):
        return decoded
    return content if isinstance(content, list) else as_text(content)


def _reasons(span: Span) -> tuple[str, ...] | None:
    reasons = [fields.get("finish_reason") for fields in collect_indexed(span.under(COMPLETION + "."))]
    return tuple(reason for reason in reasons if isinstance(reason, str)) or None
