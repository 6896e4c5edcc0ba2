"""Google's GenAI SDK, as OpenTelemetry instruments it: GenAI keys, with automatic calls in the span of one request.

Where the SDK calls the tools (automatic function calling) the ids that it gives to their answers are not those of the
calls, and a stream is one message, tool calls and closing answer together, its text in the pieces that came.

Earlier versions wrote messages as events, and the arguments and the result of a tool as those of its function. Logfire,
which enables this instrumentation, puts its events into an attribute.

Source: opentelemetry-instrumentation-google-genai 1.3b0 (generate_content.py, message.py,
tool_call_wrapper.py), google-genai 2.25 (chats.py, models.py), logfire 5.2 (integrations/google_genai.py)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tracegrade.evaluators.model import Message, MessagePart, TextPart, ToolCallPart, ToolCallResponsePart

from ..spans.envelopes import result_text
from ..spans.frozen import replace
from ..spans.span import Span
from ..spans.step import Step
from ..spans.values import as_object, as_text, decode_text
from .shared import semconv
from .shared.dialect import Dialect, Evidence
from .shared.semconv_events import has_events, split_message_events, with_events

__all__ = ["DIALECT"]

_EVENTS = "events"
_PARAMETERS, _VALUE, _RETURNED = "code.function.parameters.", ".value", "code.function.return.value"
_RESULTS = ("result", "output")
"""The keys of a function's answer that is not an object: https://ai.google.dev/api/caching#FunctionResponse"""


def read(span: Span) -> Step | None:
    step = semconv.read(span)
    if step is None or step.kind != "model":
        return _function(span, step) if step is not None and step.kind == "tool" else step
    if has_events(span):
        step = with_events(span, step)
    elif step.input is None and step.output is None and _EVENTS in span.attributes:
        turns, chosen = split_message_events(decode_text(span.first(_EVENTS)))
        step = replace(step, input=turns or None, output=chosen or None)
    return replace(
        step,
        input=tuple(_match_answers(step.input)) if step.input is not None else None,
        output=tuple(part for turn in step.output for part in _turns(turn)) if step.output is not None else None,
    )


def _function(span: Span, step: Step) -> Step:
    """Return a tool with arguments and result of its function: attributes of the span, or among its arguments."""
    recorded = step.args if isinstance(step.args, dict) else {} if step.args is None else None
    arguments = _read_parameters(recorded or span.attributes) if recorded is not None else {}
    return replace(
        step,
        args=arguments or step.args,
        result=result_text(span.first(_RETURNED)) if step.result is None else step.result,
    )


def _read_parameters(recorded: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of a function by name; each has its type beside its value, texts are as they are."""
    flat = {key.removeprefix(_PARAMETERS): value for key, value in recorded.items() if key.startswith(_PARAMETERS)}
    return {
        key.removesuffix(_VALUE): value if flat.get(f"{key.removesuffix(_VALUE)}.type") == "str" else decode_text(value)
        for key, value in flat.items()
        if key.endswith(_VALUE)
    }


def _match_answers(messages: Iterable[Message]) -> Iterator[Message]:
    """Yield the messages, each answer with the id of the call that it answers."""
    waiting: list[ToolCallPart] = []
    for message in messages:
        waiting.extend(message.tool_calls)
        parts = tuple(
            _answer(part, waiting) if isinstance(part, ToolCallResponsePart) else part for part in message.parts
        )
        yield message.model_copy(update={"parts": parts})


def _answer(part: ToolCallResponsePart, waiting: list[ToolCallPart]) -> ToolCallResponsePart:
    """Return an answer with an unknown id as that to the first unanswered call of its name."""
    call = next((call for call in waiting if call.id == part.id), None)
    if call is None:
        name = part.name or (part.id or "").rpartition("_")[0]
        call = next((call for call in waiting if call.name == name), None)
    if call is not None:
        waiting.remove(call)
    response = as_object(part.response) or {}
    is_error = response.keys() == {"error"}
    (only,) = response.values() if len(response) == 1 and response.keys() <= {*_RESULTS, "error"} else (part.response,)
    return part.model_copy(
        update={"id": call.id if call is not None else part.id, "response": as_text(only), "is_error": is_error}
    )


def _turns(message: Message) -> Iterator[Message]:
    """Split a message in which the model continues after tool calls into the original messages."""
    parts: list[MessagePart] = []
    for part in message.parts:
        last = parts[-1] if parts else None
        if isinstance(last, ToolCallPart) and isinstance(part, TextPart):
            yield message.model_copy(update={"parts": tuple(parts)})
            parts = []
        if isinstance(last, TextPart) and isinstance(part, TextPart):
            parts[-1] = TextPart(content=last.content + part.content)
        else:
            parts.append(part)
    yield message.model_copy(update={"parts": tuple(parts)})


DIALECT = Dialect(
    "google_genai",
    read,
    scopes=("opentelemetry.instrumentation.google_genai",),
    content="OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=span_only",
    evidence=(
        Evidence("opentelemetry-instrumentation-google-genai", "1.3b0", "recording"),
        Evidence("opentelemetry-instrumentation-google-genai", "before 1.3", "source"),
    ),
)
