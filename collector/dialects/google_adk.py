"""Google ADK: GenAI keys since schema 2, its own before; what was said in spans, or in log records beside them.

Up to 1.14 only the names of spans tell agents, and up to 1.0 tools too.
Source: google-adk 1.0, 1.14 and 2.13 (google/adk/telemetry)
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from tracegrade.evaluators.model import Message, MessagePart, ToolCallResponsePart

from ..conventions import semconv
from ..conventions.gemini import turns
from ..conventions.keys import Keys, step_of
from ..conventions.messages import definitions
from ..conventions.request import request
from ..dialect import Dialect, Evidence
from ..span import Event, Span
from ..step import Step, StepKind
from ..values import as_object, as_text

__all__ = ["DIALECT"]

REQUEST, RESPONSE = "gcp.vertex.agent.llm_request", "gcp.vertex.agent.llm_response"
_SAID = ("gen_ai.system.message", "gen_ai.user.message")
_CHOICE = "gen_ai.choice"
_KEYS = semconv.KEYS.before(
    Keys(
        session_id=("gcp.vertex.agent.session_id",),
        run_id=("gcp.vertex.agent.invocation_id",),
        args=("gcp.vertex.agent.tool_call_args",),
        result=("gcp.vertex.agent.tool_response",),
    )
)
_NAMED: dict[str, StepKind] = {"agent_run": "agent", "tool_call": "tool", "execute_tool": "tool"}
_MERGED = "(merged)"
_UNCONFIRMED = "This tool call requires confirmation, please approve or reject."
_LONG_RUNNING = "LongRunningFunctionTool"
"""The tool's answer may come after the run: where the model is not asked again, the run waits for it."""


def read(span: Span) -> Step | None:
    if span.text(semconv.OPERATION) is None:
        return _call_llm(span) if span.name == "call_llm" else _named(span)
    step = semconv.read(span, _KEYS)
    if step is None:
        return None
    if step.kind == "tool":
        return _tool(span, step)
    step = _logged(span, step)
    return replace(step, input=_answered(step.input))


def _named(span: Span) -> Step | None:
    """Of the oldest spans only the name says whose they are, `agent_run [planner]`; so it is where a tool raised."""
    work, _, name = span.name.partition(" ")
    kind = _NAMED.get(work)
    if kind is None or not name or name == _MERGED:
        return None
    step, who = step_of(span, kind, _KEYS), name.removeprefix("[").removesuffix("]")
    return replace(step, tool_name=who) if kind == "tool" else replace(step, agent_name=who)


def _tool(span: Span, step: Step) -> Step:
    """A call. One that has to be confirmed first is answered in the tool's place, with a failure that is none."""
    if (as_object(step.result) or {}).get("error") == _UNCONFIRMED:
        return replace(step, result=None, error=None, interrupt=step.tool_name)
    waits = span.text("gen_ai.tool.type") == _LONG_RUNNING and step.error is None
    return replace(step, result=_unwrapped(step.result), interrupt=step.tool_name if waits else None)


def _unwrapped(result: str | None) -> str | None:
    """ADK puts what is no object into one, as `{"result": …}`."""
    value = as_object(result)
    return as_text(value["result"]) if value is not None and value.keys() == {"result"} else result


def _answered(said: tuple[Message, ...] | None) -> tuple[Message, ...] | None:
    """The messages, with the answers of tools as the tools gave them."""
    if said is None:
        return None
    return tuple(one.model_copy(update={"parts": tuple(map(_part, one.parts))}) for one in said)


def _part(part: MessagePart) -> MessagePart:
    if not isinstance(part, ToolCallResponsePart):
        return part
    return part.model_copy(update={"response": _unwrapped(part.response)})


def _call_llm(span: Span) -> Step:
    """Schema 1: the request and response as Gemini's API has them, in 2.x around the model's own span."""
    sent, response = as_object(span.first(REQUEST)) or {}, as_object(span.first(RESPONSE)) or {}
    config = as_object(sent.get("config")) or {}
    step = semconv.spoken_step(span, "model", _KEYS)
    return replace(
        step,
        request_model=step.request_model or as_text(sent.get("model")),
        response_model=step.response_model or as_text(response.get("model_version")),
        input=_answered(request(sent)),
        output=turns([response.get("content")], "assistant") or None,
        definitions=definitions(_declared(config.get("tools"))),
    )


def _logged(span: Span, step: Step) -> Step:
    """The step with what its log records tell: Gemini's contents as they are, and whose conversation it was."""
    chosen = list(span.named(_CHOICE))
    said = tuple(one for event in span.named(*_SAID) for one in turns([_body(event)], _role_of(event)))
    return replace(
        step,
        user_id=step.user_id or _user(span.events),
        input=step.input if step.input is not None else said or None,
        output=step.output if step.output is not None else turns(map(_body, chosen), "assistant") or None,
    )


def _user(events: Iterable[Event]) -> str | None:
    users = (event.attributes.get("user.id") for event in events)
    return next((user for user in users if isinstance(user, str)), None)


def _body(event: Event) -> Any:
    return (as_object(event.body) or event.attributes).get("content")


def _role_of(event: Event) -> str:
    return "system" if event.name == _SAID[0] else "user"


def _declared(tools: Any) -> list[Any]:
    found: list[Any] = []
    for tool in tools if isinstance(tools, list) else []:
        declared = tool.get("function_declarations") if isinstance(tool, dict) else None
        found.extend(declared if isinstance(declared, list) else [])
    return found


DIALECT = Dialect(
    "google_adk",
    read,
    scopes=("gcp.vertex.agent",),
    keys=("gcp.vertex.agent.*",),
    content="OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY",
    evidence=(Evidence("google-adk", "1.0, 1.14, 2.13", "recording"),),
)
