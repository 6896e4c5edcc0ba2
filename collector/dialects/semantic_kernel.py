"""Microsoft Semantic Kernel: GenAI keys, and the conversation in log records that hold OpenAI's messages as JSON.

Arguments, results and messages of agents are on spans; those of model calls are logged by the logger
`semantic_kernel.utils.telemetry.model_diagnostics.decorators`, which has to be exported as well.
Source: semantic-kernel 1.45 for Python (utils/telemetry); for .NET the operations and counts of
https://github.com/microsoft/semantic-kernel/blob/037139f/dotnet/src/InternalUtilities/src/Diagnostics/ModelDiagnostics.cs
"""

from __future__ import annotations

import re
from typing import Any

from tracegrade.evaluators.model import Message

from ..spans.frozen import replace
from ..spans.span import Event, Span
from ..spans.step import Step
from ..spans.values import as_object
from .shared import semconv
from .shared.dialect import Dialect, Evidence
from .shared.keys import Keys
from .shared.messages import message
from .shared.semconv_events import with_events

__all__ = ["DIALECT"]

_MODEL_CALLS = frozenset({"text_completions", "chat.completions", "text.completions"})
_KEYS = semconv.KEYS.before(
    Keys(
        input_tokens=("gen_ai.response.prompt_tokens",),
        output_tokens=("gen_ai.response.completion_tokens",),
    )
)
_ENUM = re.compile(r"\w+\.([A-Z_]+)")


def read(span: Span) -> Step | None:
    is_call = span.text(semconv.OPERATION) in _MODEL_CALLS
    step = semconv.read_conversation_step(span, "model", _KEYS) if is_call else semconv.read(span, _KEYS)
    if step is None or step.kind == "tool":
        return step
    step = with_events(span, _completed(span, step))
    return replace(step, finish_reasons=tuple(map(_reason, step.finish_reasons or ())) or None)


def _completed(span: Span, step: Step) -> Step:
    """Return a text completion, whose prompt is logged as it is and whose answer is not a message."""
    prompts = tuple(_text(event.body, "user") for event in span.events_named("gen_ai.prompt"))
    if not prompts:
        return step
    return replace(
        step,
        input=prompts,
        output=tuple(_text(_read_answer(event), "assistant") for event in span.events_named("gen_ai.choice")) or None,
    )


def _read_answer(event: Event) -> Any:
    answer = (as_object(event.body) or {}).get("message")
    return answer.get("text") if isinstance(answer, dict) else answer


def _text(text: Any, role: str) -> Message:
    return message({"role": role, "content": text})


def _reason(reason: str) -> str:
    """Return the finish reason of a member of an enum, such as `FinishReason.TOOL_CALLS`."""
    member = _ENUM.fullmatch(reason)
    return member[1].lower() if member else reason


DIALECT = Dialect(
    "semantic_kernel",
    read,
    scopes=("semantic_kernel.*", "Microsoft.SemanticKernel*"),
    content="SEMANTICKERNEL_EXPERIMENTAL_GENAI_ENABLE_OTEL_DIAGNOSTICS_SENSITIVE=true",
    evidence=(
        Evidence("semantic-kernel", "1.45", "recording"),
        Evidence("Microsoft.SemanticKernel", "of 2025", "source"),
    ),
)
