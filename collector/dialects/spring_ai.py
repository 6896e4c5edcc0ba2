"""Spring AI: observations of the framework under `spring.ai.*`, of models under GenAI keys, numbers as text.

A call of a `ChatClient` is a run; the advisors around it give structure. What was said is recorded on the spans of
models (as messages since 2.0, as texts without roles in the milestones before 1.0), on tools only when asked for. A
model's answer that asks for tools is not recorded.

Since 1.0 `log-prompt` and `log-completion` write texts into log records of the span: a heading, and on the next line
the texts side by side as `["…", "…"]`, or those of each role as `["user":"…"]`. Nothing is escaped, so a list of texts
cannot be split safely, and it does not tell roles.

Sources: https://docs.spring.io/spring-ai/reference/2.1-SNAPSHOT/observability/index.html and
https://github.com/spring-projects/spring-ai (DefaultChatClientObservationConvention,
DefaultChatModelObservationConvention, DefaultToolCallingObservationConvention, ChatModelObservationContentProcessor,
ChatModelPromptSpanContentObservationHandler, ChatModelCompletionSpanContentObservationHandler; of 1.0, 1.1 and 2.0
ChatModelPromptContentObservationHandler, ChatModelCompletionObservationHandler, ObservabilityHelper,
ChatClientPromptContentObservationHandler, ChatClientCompletionObservationHandler)
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from tracegrade.evaluators.model import Message, ToolCallResponsePart

from ..spans.frozen import replace
from ..spans.span import Span
from ..spans.step import Step, StepKind
from ..spans.values import as_text, decode_text
from .shared import semconv
from .shared.dialect import Dialect, Evidence
from .shared.keys import Keys, read_step
from .shared.messages import message

__all__ = ["DIALECT"]

KIND = "spring.ai.kind"
_ABSENT = "none"
"""The text that Micrometer writes for a key without a value."""

_KEYS = semconv.KEYS.before(
    Keys(
        session_id=("spring.ai.chat.client.conversation.id",),
        instructions=("spring.ai.chat.client.system.text",),
        definitions=("spring.ai.model.request.tool.names", "spring.ai.chat.client.tool.names"),
        tool_name=("spring.ai.tool.definition.name",),
        tool_description=("spring.ai.tool.definition.description",),
        tool_schema=("spring.ai.tool.definition.schema",),
        call_id=("spring.ai.tool.call.id",),
        args=("spring.ai.tool.call.arguments",),
        result=("spring.ai.tool.call.result",),
    )
)
_KINDS: dict[str, StepKind] = {"chat_client": "agent", "tool_call": "tool"}
_ASKED = ("spring.ai.chat.client.user.text", "gen_ai.prompt")
_PROMPTS = {"agent": "Chat Client Prompt Content:", "model": "Chat Model Prompt Content:"}
_COMPLETIONS = {"agent": "Chat Client Completion:", "model": "Chat Model Completion:"}
_ENTRY = re.compile(r'(?:^\[|", )"(system|user|assistant|tool)":"')
_BETWEEN = '", "'
_EVENTS = {"gen_ai.content.prompt": "gen_ai.prompt", "gen_ai.content.completion": "gen_ai.completion"}


def speaks(span: Span) -> bool:
    return span.text(KIND, "gen_ai.system", "gen_ai.provider.name") is not None


def read(span: Span) -> Step | None:
    kind = span.text(KIND)
    if kind == "vector_store":
        return read_step(span, "retrieval", _KEYS) if span.text("db.operation.name") == "query" else None
    read_as = _KINDS.get(kind) if kind is not None else semconv.kind_of(span)
    if read_as == "tool":
        step = read_step(span, "tool", _KEYS)
        return step if step.tool_name is not None else None
    return _read_conversation(_recorded(span), read_as) if read_as is not None else None


def _read_conversation(span: Span, kind: StepKind) -> Step:
    step = semconv.read_conversation_step(span, kind, _KEYS)
    question = _last(span.first(*_ASKED))
    turns = tuple(message for message in step.input if _has_content(message)) if step.input is not None else None
    return replace(
        step,
        input=turns if turns is not None else _logged_prompt(span, kind),
        input_text=question if kind == "agent" else None,
        output_text=_last(span.first("gen_ai.completion")) or _logged_completion(span, kind),
    )


def _logged_prompt(span: Span, kind: StepKind) -> tuple[Message, ...] | None:
    """Return the prompt: of a client the last text of each role, of a model texts without roles."""
    text = next(_logged(span, _PROMPTS.get(kind)), None)
    if not text:
        return None
    entries = _entries(text)
    if entries:
        return tuple(message({"role": role, "content": content}) for role, content in entries)
    role = "unknown" if _BETWEEN in text else "user"
    return (message({"role": role, "content": text if _BETWEEN in text else _unquoted(text)}),)


def _logged_completion(span: Span, kind: StepKind) -> str | None:
    """Return the answer; the list is empty if the model requested tools."""
    return next((_unquoted(text) for text in _logged(span, _COMPLETIONS.get(kind)) if text not in ("", "[]")), None)


def _logged(span: Span, heading: str | None) -> Iterator[str]:
    for event in span.events:
        if heading is not None and event.is_log and isinstance(event.body, str) and event.body.startswith(heading):
            yield event.body.removeprefix(heading).removeprefix("\n")


def _entries(text: str) -> list[tuple[str, str]]:
    """Return the texts by role in `["user":"…", "system":"…"]`."""
    matches = list(_ENTRY.finditer(text))
    ends = [*(match.start() for match in matches[1:]), len(text.removesuffix('"]'))]
    return [(match[1], text[match.end() : end]) for match, end in zip(matches, ends, strict=False)]


def _unquoted(text: str) -> str:
    return text[2:-2] if text.startswith('["') and text.endswith('"]') else text


def _has_content(message: Message) -> bool:
    """Return whether a message has content: those that request tools or answer them are recorded without."""
    return any(not isinstance(part, ToolCallResponsePart) or part.response for part in message.parts)


def _recorded(span: Span) -> Span:
    """Return the span without values for absence, and with the texts of its events."""
    contents = {key: event.attributes.get(key) for name, key in _EVENTS.items() for event in span.events_named(name)}
    return replace(span, attributes={**contents, **{k: v for k, v in span.attributes.items() if v != _ABSENT}})


def _last(texts: Any) -> str | None:
    """Return the last text of a conversation, whose roles are not recorded."""
    values = decode_text(texts)
    if isinstance(values, list):
        return as_text(values[-1]) if values else None
    return as_text(values)


DIALECT = Dialect(
    "spring_ai",
    read,
    scopes=("org.springframework.boot",),
    keys=("spring.ai.*",),
    speaks=speaks,
    content="spring.ai.chat.observations.log-prompt=true spring.ai.chat.observations.log-completion=true "
    "spring.ai.tools.observations.include-content=true",
    evidence=(
        Evidence("spring-ai", "1.0 to 2.0", "source"),
        Evidence("spring-ai", "2.1", "documentation"),
    ),
)
