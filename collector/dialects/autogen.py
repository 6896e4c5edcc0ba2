"""AutoGen's own spans: GenAI keys without content, which is in the records of the logger `autogen_core.events`.

A record is JSON: `{"type": "LLMCall", "messages", "response", "tools", "prompt_tokens", …}` or `{"type": "ToolCall"}`.
Where that logger is exported, a run tells its conversation, though no span tells of a model call.

An agent of one's own, on AutoGen's core alone, has no span but that in which the runtime gives it a message to process:
it is a run where the records say that a model was called, and else it is around the calls that others record.
Source: autogen-core 0.7.5 (_telemetry/_genai.py, _single_threaded_agent_runtime.py, logging.py), autogen-ext 0.7.5
(models/openai)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from tracegrade.evaluators.model import Message, ToolCallResponsePart

from ..spans.frozen import replace
from ..spans.span import Span
from ..spans.step import Step, Usage
from ..spans.values import TRUNCATED, as_count, as_object, as_text, looks_truncated
from .shared import semconv
from .shared.dialect import Dialect, Evidence
from .shared.messages import message, messages
from .shared.openai import read_completion
from .shared.tool_definitions import read_definitions

__all__ = ["DIALECT"]

Body: TypeAlias = Mapping[str, Any]

_RUNTIMES = "autogen "
"""The prefix of the scopes of runtimes: `autogen SingleThreadedAgentRuntime`."""
_RECIPIENT = "recipient_agent_type"
_CONTAINER, _MANAGER = "ChatAgentContainer", "GroupChatManager"
_NO_MESSAGE = frozenset({None, "{}", "No Message"})

_ASKED = frozenset({"LLMCall", "LLMStreamStart"})
_ANSWERED = frozenset({"LLMCall", "LLMStreamEnd"})


def read(span: Span) -> Step | None:
    step = _processing(span) if (span.scope_name or "").startswith(_RUNTIMES) else semconv.read(span)
    is_run = step is not None and (step.kind == "agent" or _RECIPIENT in span.attributes)
    return _recorded(span, step) if step is not None and is_run and span.events else step


def _processing(span: Span) -> Step | None:
    """Return the work of an agent on a message; AgentChat's own agents have spans of their own within it."""
    name, kind = span.text(_RECIPIENT), span.text("recipient_agent_class") or ""
    if name is None or kind == _CONTAINER or kind.endswith(_MANAGER):
        return None
    message = span.text("message")
    content = (as_object(message) or {}).get("content")
    question = content if isinstance(content, str) else None if message in _NO_MESSAGE else message
    return Step(kind="workflow", agent_name=name, input_text=question, error=span.error)


def _recorded(span: Span, step: Step) -> Step:
    """Return `step` with the conversation in its log records."""
    records = [event.body for event in span.events if event.is_log]
    bodies = [body for record in records if (body := as_object(record)) is not None]
    is_cut = len(bodies) < len(records) and any(map(looks_truncated, records))
    step = replace(step, gaps=(*step.gaps, TRUNCATED)) if is_cut else step
    requests = [body for body in bodies if body.get("type") in _ASKED]
    responses = [body for body in bodies if body.get("type") in _ANSWERED]
    if not responses:
        return step
    history = messages(requests[0].get("messages")) if requests else None
    conversation = _collect_turns(history or (), requests, responses)
    return replace(
        step,
        kind="agent",
        input=history,
        output=(*conversation, *_find_missing_results(conversation, bodies)) or None,
        definitions=read_definitions([tool for body in requests for tool in _listed(body.get("tools"))]),
        usage=Usage(input_tokens=_sum(responses, "prompt_tokens"), output_tokens=_sum(responses, "completion_tokens")),
    )


def _collect_turns(
    history: Sequence[Message], requests: Sequence[Body], responses: Sequence[Body]
) -> tuple[Message, ...]:
    """Return the messages after `history`: the last request has all of them, unless the agent's memory was cleared."""
    last = (messages(requests[-1].get("messages")) if requests else None) or ()
    is_complete = last[: len(history)] == tuple(history)
    unrepeated = responses[-1:] if is_complete else responses
    answers = (turn for body in unrepeated for turn in _answer(as_object(body.get("response")) or {}))
    return (*last[len(history) :], *answers) if is_complete else tuple(answers)


def _answer(response: Body) -> tuple[Message, ...]:
    """Yield the model's answer: OpenAI's own, or AutoGen's, which holds a text or a list of calls."""
    content = response.get("content")
    if isinstance(content, list):
        return (message({"role": "assistant", "content": response.get("thought"), "tool_calls": content}),)
    if isinstance(content, str):
        return (message({"role": "assistant", "content": content}),)
    return read_completion(response) or ()


def _find_missing_results(turns: Sequence[Message], bodies: Sequence[Body]) -> Iterator[Message]:
    """Yield the results of tools that no later request of the run has."""
    answered = {part.id for turn in turns for part in turn.parts if isinstance(part, ToolCallResponsePart)}
    open_calls = [part for turn in turns for part in turn.tool_calls if part.id not in answered]
    for body in bodies:
        ran = (body.get("tool_name"), body.get("arguments"))
        call = next((part for part in open_calls if (part.name, part.arguments) == ran), None)
        if call is not None:
            open_calls.remove(call)
            part = ToolCallResponsePart(id=call.id, name=call.name, response=as_text(body.get("result")))
            yield Message(role="tool", parts=(part,))


def _sum(bodies: Sequence[Body], key: str) -> int | None:
    counts = [count for body in bodies if (count := as_count(body.get(key)))]  # 0 where the provider did not tell
    return sum(counts) if counts else None


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


DIALECT = Dialect(
    "autogen",
    read,
    scopes=("autogen-core", f"{_RUNTIMES}*"),
    content="OpenAIInstrumentor().instrument() of opentelemetry-instrumentation-openai",
    evidence=(
        Evidence("autogen-core", "0.7", "recording"),
        Evidence("autogen-core without AgentChat", "0.7", "source"),
    ),
)
