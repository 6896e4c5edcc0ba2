"""The conversation of a run with its model: each message once, though every call repeats what came before."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from tracegrade.evaluators.model import (
    GenericPart,
    Message,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolCallResponsePart,
)

from ..span import Span, instant
from ..step import Step
from ..values import REDACTED, canonical
from .run import Read

__all__ = ["Conversation", "converse", "has_content", "is_redacted", "last_text", "retold"]

_OF_PROVIDER = re.compile(r"srvtoolu_|(?:ws|fs|ci|ig|mcp)_[0-9a-f]{16}")
"""How ids begin that Anthropic and OpenAI give to calls of the tools that they run themselves."""

Origin: TypeAlias = Literal["history", "input", "output"]


@dataclass(slots=True)
class Conversation:
    """Messages in order, each with where it came from.

    `history` was known before the run, `input` was put in between two calls, `output` is the model's own.
    """

    messages: list[Message] = field(default_factory=list)
    origins: list[Origin] = field(default_factory=list)
    answers: dict[str, list[str | None]] = field(default_factory=dict)
    """What tools answered, by call id, in order: ids may come again. None: answered, but not recorded with what."""
    failed: set[str] = field(default_factory=set)
    """The ids of calls whose answer says that the tool failed."""
    provided: set[str] = field(default_factory=set)
    """The ids of calls that the model's provider carried out itself: its message has the answer, or the id says so."""
    reasoning: list[str] = field(default_factory=list)
    """What the model thought, in order."""
    _asked: dict[Origin, list[ToolCallPart]] = field(default_factory=dict)
    _chunks: dict[tuple[str, str | None, str], int] = field(default_factory=dict)
    _spans: list[Span] = field(default_factory=list)
    _positions: dict[str, list[int]] = field(default_factory=dict)

    def add(self, message: Message, span: Span, *, origin: Origin) -> None:
        """Puts a message at the end."""
        self._append(message, _key(message), span, origin)

    def merge(self, messages: Iterable[Message], span: Span, *, origin: Origin) -> None:
        """Adds those of `messages` that are not there yet; both are in order, so each is looked for behind the last."""
        at = -1
        for message in messages:
            key = _key(message)
            known = self._positions.get(key, ())
            later = bisect_right(known, at)
            if later < len(known):
                at = known[later]
            else:
                at = len(self.messages)
                self._append(message, key, span, origin)

    def _append(self, message: Message, key: str, span: Span, origin: Origin) -> None:
        self._positions.setdefault(key, []).append(len(self.messages))
        self.messages.append(message)
        self.origins.append(origin)
        self._spans.append(span)
        for part in message.parts:
            if isinstance(part, ToolCallPart):
                self._ask(part, span, origin)
                if part.id is not None and _OF_PROVIDER.match(part.id):
                    self.provided.add(part.id)
            elif isinstance(part, ToolCallResponsePart) and part.id is not None:
                self._hear(part.id, part, is_own=origin == "output" and message.role == "assistant")
            elif isinstance(part, ReasoningPart) and origin == "output":
                self.reasoning.append(part.content)

    def _ask(self, part: ToolCallPart, span: Span, origin: Origin) -> None:
        """Adds a call; one that comes again in the answer of one model call is a later chunk of its stream."""
        asked = self._asked.setdefault(origin, [])
        key = (span.span_id, part.id, part.name)
        at = self._chunks.get(key) if origin == "output" and part.id is not None else None
        if at is None:
            if origin == "output":
                self._chunks[key] = len(asked)
            asked.append(part)
        elif part.arguments is not None:
            asked[at] = part

    def _hear(self, call_id: str, answer: ToolCallResponsePart, *, is_own: bool) -> None:
        self.answers.setdefault(call_id, []).append(answer.response)
        if answer.is_error:
            self.failed.add(call_id)
        if is_own:
            self.provided.add(call_id)

    @property
    def placed(self) -> tuple[Message, ...]:
        """The messages, each with the span that first showed it and the time."""
        return tuple(map(_placed, self.messages, self.origins, self._spans))

    @property
    def asked(self) -> list[ToolCallPart]:
        """The tool calls the model asked for in this run, in order.

        They are read from its outputs; where these show none, from what the next call's input shows of them.
        """
        return self._asked.get("output") or self._asked.get("input") or []


def converse(calls: Sequence[Read]) -> Conversation:
    """The conversation that these model calls, in order of time, were part of."""
    conversation = Conversation()
    for index, call in enumerate(calls):
        conversation.merge(call.step.input or (), call.span, origin="input" if index else "history")
        for message in call.step.output or _text_alone(call.step):
            conversation.add(message, call.span, origin="output")
    return conversation


def _text_alone(step: Step) -> tuple[Message, ...]:
    """The message of a model of which only the text was recorded."""
    return (Message(role="assistant", parts=(TextPart(content=step.output_text),)),) if step.output_text else ()


def retold(around: Iterable[Read]) -> Conversation:
    """The conversation as the spans around the model calls tell it: those of the run and of its workflows."""
    conversation = Conversation()
    for one in around:
        conversation.merge(one.step.input or (), one.span, origin="history")
        conversation.merge(one.step.output or (), one.span, origin="output")
    return conversation


def has_content(messages: Iterable[Message] | None) -> bool:
    """Whether any of the messages says anything."""
    return any(message.parts and not is_redacted(message) for message in messages or ())


def is_redacted(message: Message) -> bool:
    """Whether something of the message was left out, and a placeholder says so."""
    return any(isinstance(part, GenericPart) and part.kind == REDACTED for part in message.parts)


def last_text(messages: Iterable[Message], role: str) -> str | None:
    """The text of the last message of `role` that has any."""
    texts = [text for message in messages if message.role == role and (text := message.text)]
    return texts[-1] if texts else None


def _placed(message: Message, origin: Origin, span: Span) -> Message:
    time_ns = span.end_ns if origin == "output" else span.start_ns
    return message.model_copy(update={"span_id": span.span_id, "time": instant(time_ns)})


def _key(message: Message) -> str:
    """The same for two spellings of one message. Ids are left out: some frameworks rewrite them."""
    if len(message.parts) == 1 and isinstance(part := message.parts[0], TextPart):
        return f"{message.role}\n{part.content.strip()}"
    calls = [(call.name, canonical(call.arguments)) for call in message.tool_calls]
    answers = [part.response for part in message.parts if isinstance(part, ToolCallResponsePart)]
    role = "tool" if answers else message.role
    return canonical([role, (message.text or "").strip(), calls, answers])
