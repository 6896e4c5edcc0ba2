"""Gemini CLI: operations of its own around GenAI keys that hold what Gemini's API and the CLI itself exchange.

Attributes are cut off at 10,000 characters, or without content; the log records of a model call have its input whole. A
run is one `user_prompt`; only the interactive CLI has that span.

Source: @google/gemini-cli 0.61 (packages/core/src/telemetry/trace.ts, types.ts, semantic.ts and constants.ts,
scheduler/tool-executor.ts)
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from tracegrade.evaluators.model import Message, TextPart

from ..spans.envelopes import content_blocks
from ..spans.frozen import replace
from ..spans.span import Span
from ..spans.step import Step, StepKind
from ..spans.values import as_object, as_text, decode_text
from .shared import semconv
from .shared.dialect import Dialect, Evidence
from .shared.keys import Keys, read_step
from .shared.messages import message
from .shared.parts import read_arguments
from .shared.tool_definitions import read_definitions

__all__ = ["DIALECT"]

_KINDS: dict[str, StepKind] = {"user_prompt": "agent", "agent_call": "agent", "llm_call": "model", "tool_call": "tool"}
_WHO = {"agent_name": semconv.KEYS.agent_name, "session_id": semconv.KEYS.session_id}
_KEYS: dict[StepKind, Keys] = {
    "agent": Keys(**_WHO),
    "model": replace(semconv.KEYS, instructions=(), input=(), output=(), definitions=()),
    "tool": Keys(**_WHO, tool_name=semconv.KEYS.tool_name, call_id=("gen_ai.tool.call_id", *semconv.KEYS.call_id)),
}
PROMPT, REQUEST, COMMAND = "gemini_cli.user_prompt", "gemini_cli.api_request", "gemini_cli.slash_command"
_CONTEXT = re.compile(r"\s*<session_context>.*</session_context>\s*", re.DOTALL)
_UNTRUSTED = re.compile(r"<untrusted_context>\n(.*)\n</untrusted_context>", re.DOTALL)


def read(span: Span) -> Step | None:
    kind = _KINDS.get(span.text(semconv.OPERATION) or span.name)
    if kind is None or any(span.events_named(COMMAND)):
        return None
    step = read_step(span, kind, _KEYS[kind])
    if kind == "tool":
        return _tool(span, step)
    return _model(span, step) if kind == "model" else _run(span, step)


def _run(span: Span, step: Step) -> Step:
    """Return the user's prompt; or, for an agent that was called as a tool, its arguments and result."""
    prompt = next((event.attributes.get("prompt") for event in span.events_named(PROMPT)), None)
    if span.text(semconv.OPERATION) == "user_prompt":
        return replace(step, input_text=as_text(prompt))
    # The CLI's own name is written over that of the agent.
    arguments, result = as_object(span.first(semconv.INPUT)), as_object(span.first(semconv.OUTPUT)) or {}
    return replace(
        step,
        agent_name=None,
        input_text=as_text(next(iter(arguments.values())) if arguments and len(arguments) == 1 else arguments),
        output_text=content_blocks(result.get("llmContent")),
    )


def _tool(span: Span, step: Step) -> Step:
    """Return the call in the CLI's own format, with its outcome. A span is OK although its tool failed."""
    call, done = as_object(span.first(semconv.INPUT)) or {}, as_object(span.first(semconv.OUTPUT)) or {}
    response = as_object(done.get("response")) or {}
    text = _first_response(response.get("responseParts"))
    has_failed = done.get("status") in {"error", "cancelled"}
    return replace(
        step,
        call_id=_call_id(step.call_id or call.get("callId"), step.tool_name),
        args=read_arguments(call.get("args")),
        result=text,
        error=step.error or ((text or as_text(response.get("errorType")) or "error") if has_failed else None),
    )


def _first_response(parts: Any) -> str | None:
    responses = [_response(part["functionResponse"]) for part in _dicts(parts) if "functionResponse" in part]
    return responses[0] if responses else None


def _model(span: Span, step: Step) -> Step:
    provider = next(
        (event.attributes.get("gen_ai.provider.name") for event in span.events_named(semconv.DETAILS)), None
    )
    return replace(
        step,
        provider_name=step.provider_name or as_text(provider),
        input=_read_input(span),
        output=tuple(_join_chunks(_contents(span.first(semconv.OUTPUT)))) or None,
        definitions=read_definitions(_declared(span.first(semconv.DEFINITIONS))),
    )


def _read_input(span: Span) -> tuple[Message, ...] | None:
    turns = list(_contents(span.first(semconv.INPUT))) or _read_logged_input(span)
    instructions = _instructed(span.first(semconv.SYSTEM))
    leading = [message({"role": "system", "parts": instructions})] if instructions else []
    return (*leading, *turns) or None


def _read_logged_input(span: Span) -> list[Message]:
    """Return the input in the log records of the call."""
    requests = (event.attributes.get("request_text") for event in span.events_named(REQUEST))
    return next((turns for request in requests if (turns := list(_contents(request)))), [])


def _instructed(value: Any) -> list[Any]:
    decoded = decode_text(value)
    if isinstance(decoded, dict):
        decoded = decoded.get("parts")
    return decoded if isinstance(decoded, list) else [decoded] if decoded else []


def _contents(value: Any) -> Iterator[Message]:
    """Yield the messages of Gemini's `{"role", "parts"}`, one or a list of them; a text is the user's."""
    decoded = decode_text(value)
    if isinstance(decoded, dict):
        decoded = [decoded]
    for turn in _dicts(decoded):
        yield from _turn(turn)


def _turn(turn: dict[str, Any]) -> Iterator[Message]:
    """Yield one turn; answers of tools and contexts of the CLI are messages of their own."""
    parts = list(_dicts(turn.get("parts")))
    answers = [_answer(part) for part in parts if _is_answer(part)]
    if answers:
        yield message({"role": "tool", "parts": answers})
    other_parts = [part for part in parts if not _is_answer(part)]
    contexts = [part for part in other_parts if _CONTEXT.fullmatch(str(part.get("text", "")))]
    role = "assistant" if turn.get("role") == "model" else turn.get("role", "user")
    for parts_of_message in (contexts, [part for part in other_parts if part not in contexts]):
        if parts_of_message:
            yield message({"role": role, "parts": [_part(part) for part in parts_of_message]})


def _is_answer(part: dict[str, Any]) -> bool:
    return isinstance(part.get("functionResponse"), dict)


def _answer(part: dict[str, Any]) -> dict[str, Any]:
    response = part["functionResponse"]
    return {
        "type": "tool_call_response",
        "id": _call_id(response.get("id"), response.get("name")),
        "name": response.get("name"),
        "response": _response(response),
        "is_error": "error" in (as_object(response.get("response")) or {}),
    }


def _response(value: Any) -> str | None:
    """Return `{"output"}` or `{"error"}` without the marks around content of a tool server."""
    response = value.get("response") if isinstance(value, dict) else None
    fields = as_object(response)
    if fields is not None and fields.keys() in ({"output"}, {"error"}):
        (response,) = fields.values()
    text = as_text(response)
    marked = _UNTRUSTED.fullmatch(text.strip()) if text else None
    return marked[1] if marked else text


def _part(part: dict[str, Any]) -> dict[str, Any]:
    if part.get("thought") is True and isinstance(part.get("text"), str):
        return {"type": "reasoning", "content": part["text"]}
    call = part.get("functionCall")
    if isinstance(call, dict):
        return {**call, "type": "tool_call", "id": _call_id(call.get("id"), call.get("name"))}
    return part


def _call_id(call_id: Any, tool: Any) -> str | None:
    """Return the model's id of a call; while it runs the CLI prefixes it with the tool's name."""
    return call_id.removeprefix(f"{tool}__") if isinstance(call_id, str) else None


def _join_chunks(chunks: Iterable[Message]) -> Iterator[Message]:
    """Join a streamed answer, in which every chunk is a message."""
    parts = [part for chunk in chunks for part in chunk.parts]
    pieces: list[Any] = []
    for part in parts:
        if isinstance(part, TextPart) and pieces and isinstance(pieces[-1], TextPart):
            pieces[-1] = TextPart(content=pieces[-1].content + part.content)
        else:
            pieces.append(part)
    if pieces:
        yield Message(role="assistant", parts=tuple(pieces))


def _declared(tools: Any) -> list[dict[str, Any]]:
    """Return `[{"functionDeclarations": […]}]`, with the schema in JSON Schema or in Gemini's own form."""
    declared = [item for tool in _dicts(decode_text(tools)) for item in _dicts(tool.get("functionDeclarations"))]
    return [{**item, "parameters": item.get("parametersJsonSchema", item.get("parameters"))} for item in declared]


def _dicts(value: Any) -> Iterator[dict[str, Any]]:
    return (item for item in value if isinstance(item, dict)) if isinstance(value, list) else iter(())


DIALECT = Dialect(
    "gemini_cli",
    read,
    scopes=("gemini-cli",),
    content="GEMINI_TELEMETRY_TRACES_ENABLED=true",
    evidence=(Evidence("@google/gemini-cli", "0.61", "recording"),),
)
