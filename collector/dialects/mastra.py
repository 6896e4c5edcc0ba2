"""Mastra: GenAI keys around its own; before version 1 with plain `input` and `output`.

A step of the agent's loop is a span that has what was said, around one that has the model and its tokens. (Where
there is no such inner span, as before version 1, the loop as a whole has the model and the tokens of all its steps.)

Source: @mastra/otel-exporter 1.4 and 0.3 (dist/index.js), @mastra/core 1.71 and 0.24
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from tracegrade.evaluators.model import Message, ToolCallResponsePart, ToolDefinition

from ..spans.control_flow import question_of
from ..spans.frozen import replace
from ..spans.span import Span
from ..spans.step import Step, StepKind
from ..spans.values import as_object, as_text, decode_text
from .shared import semconv
from .shared.content import read_turns
from .shared.dialect import Dialect, Evidence
from .shared.keys import Keys, read_step
from .shared.messages import message
from .shared.openai import read_completion
from .shared.tool_definitions import read_definitions

__all__ = ["DIALECT"]

KIND = "mastra.span.type"
_KINDS: dict[str, StepKind] = {
    "agent_run": "agent",
    "workflow_run": "workflow",
    "model_generation": "model",
    "model_inference": "model",
    "model_step": "model",
    "tool_call": "tool",
    "mcp_tool_call": "tool",
    "provider_tool_call": "tool",
}
_METADATA = "mastra.metadata."
_KEYS = replace(semconv.KEYS, input=(), output=(), definitions=()).before(
    Keys(
        agent_name=("agent.id",),
        agent_id=("agent.id",),
        session_id=(_METADATA + "threadId", "threadId"),
        user_id=(_METADATA + "resourceId", "resourceId"),
        run_id=(_METADATA + "runId", "runId"),
        args=("gen_ai.tool.input", "input"),
        result=("gen_ai.tool.output", "output"),
    )
)
_TOLD_SHORT = re.compile(r".*\[(?:tool|tool-result): [^\[\]]*\]", re.DOTALL)
"""In the input of a step, calls and results of the steps before it are only named."""


def read(span: Span) -> Step | None:
    kind = _kind(span)
    if kind is None:
        return None
    step = read_step(span, kind, _KEYS)
    if kind == "tool":
        return _tool(span, step)
    if kind == "model" and step.request_model is None and step.response_model is None:
        step = replace(step, request_model=_model_told(span))
    if kind == "agent" and (suspension := _suspension(span)) is not None:
        return replace(_read_conversation(span, step), output=None, output_text=None, interrupt=suspension)
    # Of the answer a model's own span has the text alone; the step around it has the calls as well.
    return step if span.text(KIND) == "model_inference" else _read_conversation(span, step)


def _kind(span: Span) -> StepKind | None:
    kind = _KINDS.get(span.text(KIND) or "")
    is_loop = span.text(KIND) == "model_generation" and span.text(semconv.OPERATION) != "chat"
    return None if is_loop else kind


def _tool(span: Span, step: Step) -> Step:
    """Return a call. One with invalid arguments is answered, not executed; arguments that are not JSON become `{}`."""
    answer = as_object(step.result) or {}
    was_refused = answer.get("error") is True and "validationErrors" in answer
    return replace(
        step,
        args=None if was_refused and step.args == {} else step.args,
        tool_name=step.tool_name or span.name.removeprefix("tool.execute "),
        error=step.error or (as_text(answer.get("message")) if was_refused else None),
    )


def _suspension(span: Span) -> str | None:
    """Return what a suspended agent waits for: the tool to approve, or the question of the tool that suspended it."""
    state = as_object(span.first("mastra.agent_run.output", semconv.OUTPUT)) or {}
    if state.get("status") != "suspended":
        return None
    return as_text(state.get("toolName")) or question_of(state.get("suspendPayload")) or ""


def _model_told(span: Span) -> str | None:
    """Return the model of a step without an inner span: from its metadata, or from the request as it was sent."""
    metadata = as_object(span.first(_METADATA + "modelMetadata")) or {}
    request = as_object(span.first(f"mastra.{span.text(KIND)}.input", semconv.INPUT, "input")) or {}
    sent = as_object(request.get("body")) or {}
    model = metadata.get("modelId") or sent.get("model")
    return model if isinstance(model, str) else None


def _read_conversation(span: Span, step: Step) -> Step:
    prefix = f"mastra.{span.text(KIND)}"
    request = _request(span.first(prefix + ".input", semconv.INPUT, "input"))
    turns = read_turns(request.get("messages", request), "user")
    leading = step.input if step.kind != "model" else None
    return replace(
        step,
        input=(*(leading or ()), *_drop_shortened(turns)) if turns is not None else leading,
        output=_answer(span, span.first(prefix + ".output", semconv.OUTPUT, "output"), with_calls=step.kind == "model"),
        definitions=read_definitions(request.get("tools")) or _read_tool_names(span.first(semconv.DEFINITIONS)),
    )


def _request(value: Any) -> dict[str, Any]:
    """Return `{"messages", "tools"}`: the input, or the request to the provider as it was sent."""
    request = decode_text(value)
    if not isinstance(request, dict):
        return {"messages": request}
    sent = as_object(request.get("body"))
    return sent if sent is not None else request if "messages" in request else {"messages": value}


def _drop_shortened(turns: Iterable[Message] | None) -> Iterable[Message]:
    return (turn for turn in turns or () if turn.role == "user" or not _TOLD_SHORT.fullmatch(_text(turn)))


def _text(turn: Message) -> str:
    answers = (part.response for part in turn.parts if isinstance(part, ToolCallResponsePart))
    return turn.text or "".join(text for text in answers if text)


def _answer(span: Span, value: Any, *, with_calls: bool) -> tuple[Message, ...] | None:
    """Read `{"text", "toolCalls"}`. The answer of an agent repeats the calls of all its steps, which are left out.

    Arguments that are no JSON are replaced by an empty object; as they were written they stand in the answer as the
    provider sent it.
    """
    response = as_object(value)
    if response is None or "text" not in response:
        return read_turns(value, "assistant")
    requested = response.get("toolCalls") if with_calls else None
    calls = [call for call in requested if isinstance(call, dict)] if isinstance(requested, list) else []
    sent = read_completion(span.first(_METADATA + "body", "body")) if calls else None
    if sent is not None and sum(len(turn.tool_calls) for turn in sent) == len(calls):
        return sent
    parts = [{"type": "text", "content": as_text(response["text"])}] if response["text"] else []
    return (message({"role": "assistant", "parts": [*parts, *({"type": "tool_call", **call} for call in calls)]}),)


def _read_tool_names(value: Any) -> tuple[ToolDefinition, ...] | None:
    """Return an agent's tools, which are recorded by name alone."""
    names = decode_text(value)
    if not isinstance(names, list):
        return None
    return read_definitions([{"name": name} for name in names if isinstance(name, str)])


DIALECT = Dialect(
    "mastra",
    read,
    scopes=("@mastra/otel*",),
    keys=(KIND,),
    evidence=(Evidence("@mastra/otel-exporter", "0.3, 1.4", "recording"),),
)
