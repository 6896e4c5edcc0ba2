"""Azure AI Foundry's own SDKs: agents and their responses, with GenAI keys around the work of the service.

A response of an agent (`azure-ai-projects`) has the operation `invoke_agent`. Where the program runs tools for it, each
response is one turn of the program's loop, so that it is a model call; otherwise the service ran the agent, and it is a
run. A run of the older threads (`azure-ai-agents`) tells what happened in events, in the order in which it did; the
messages that were put into the thread before are on spans of their own, which belong to no run.

Source: azure-ai-projects 2.10.0 (telemetry/_responses_instrumentor.py, telemetry/_utils.py), azure-ai-agents 1.1.0
(telemetry/_ai_agents_instrumentor.py, telemetry/_utils.py)
"""

from __future__ import annotations

from collections.abc import Iterable

from tracegrade.evaluators.model import Message, ToolCallResponsePart

from ..spans.frozen import replace
from ..spans.span import Span
from ..spans.step import Step
from .shared import semconv
from .shared.dialect import Dialect, Evidence
from .shared.keys import Keys
from .shared.semconv_events import with_events

__all__ = ["DIALECT"]

_SYSTEMS = frozenset({"az.ai.agents", "microsoft.foundry", "azure.ai.agents"})
_THREAD_RUNS = frozenset({"process_thread_run", "start_thread_run"})
_CREATE_MESSAGE = "create_message"
_KEYS = semconv.KEYS.before(Keys(session_id=("gen_ai.conversation.id", "gen_ai.thread.id")))


def speaks(span: Span) -> bool:
    return span.text("gen_ai.provider.name", "gen_ai.system") in _SYSTEMS


def read(span: Span) -> Step | None:
    operation = span.text(semconv.OPERATION)
    if operation in _THREAD_RUNS:
        return _thread_run(span)
    if operation == _CREATE_MESSAGE:
        return replace(with_events(span, semconv.read_conversation_step(span, "workflow", _KEYS)), kind="message")
    step = semconv.read(span, _KEYS)
    if step is None or step.kind != "agent" or not _is_turn(step):
        return step
    return replace(step, kind="model")


def _thread_run(span: Span) -> Step:
    """Return a run whose output begins with the first message of the agent."""
    step = with_events(span, semconv.read_conversation_step(span, "agent", _KEYS))
    turns = step.input or ()
    begins = next((position for position, message in enumerate(turns) if message.role == "assistant"), len(turns))
    return replace(step, input=turns[:begins] or None, output=turns[begins:] or None)


def _is_turn(step: Step) -> bool:
    """Return whether the program that made this call runs the tools."""
    asks = any(message.tool_calls for message in step.output or ())
    return asks or any(_answers(step.input or ()))


def _answers(messages: Iterable[Message]) -> Iterable[ToolCallResponsePart]:
    return (part for message in messages for part in message.parts if isinstance(part, ToolCallResponsePart))


DIALECT = Dialect(
    "azure_foundry",
    read,
    keys=("az.namespace", "gen_ai.thread.*", "gen_ai.provider.name", "gen_ai.system"),
    speaks=speaks,
    content="AZURE_TRACING_GEN_AI_CONTENT_RECORDING_ENABLED=true",
    evidence=(
        Evidence("azure-ai-projects", "2.10", "recording"),
        Evidence("azure-ai-agents", "1.1", "source"),
    ),
)
