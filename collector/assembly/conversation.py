"""The conversation of a run with its model: each message once, although every call repeats the earlier ones."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from tracegrade.evaluators.model import Message, ReasoningPart, TextPart, ToolCallPart, ToolCallResponsePart

from ..spans.frozen import copy_with
from ..spans.span import Span, instant
from ..spans.step import Step
from ..spans.values import REDACTED, canonical
from .answers import answered_calls
from .message import last_from_user, message_key
from .run import Reading
from .turns import split_output

__all__ = [
    "Conversation",
    "build_conversation",
    "build_conversation_around",
    "has_content",
    "is_id_of_provider",
    "is_redacted",
    "last_text",
]

_OF_PROVIDER = re.compile(r"srvtoolu_|mcptoolu_|(?:ws|fs|ci|ig|mcp)_[0-9a-f]{16}")
"""How ids begin that Anthropic and OpenAI give to calls of the tools that they run themselves."""

Origin: TypeAlias = Literal["history", "input", "output"]


@dataclass(slots=True)
class Conversation:
    """Messages in order, each with its origin.

    `history` precedes the run, `input` was added between two calls, `output` is the model's own. Calls and answers
    in the history are not this run's.
    """

    messages: list[Message] = field(default_factory=list)
    origins: list[Origin] = field(default_factory=list)
    answers: dict[str, list[str | None]] = field(default_factory=dict)
    """The answers of tools, by call id, in order: ids may be repeated. None: answered, without a recorded answer."""
    failed: set[str] = field(default_factory=set)
    """The ids of calls whose answer says that the tool failed."""
    provided: set[str] = field(default_factory=set)
    """The ids of calls that the model's provider executed itself: its message has the answer, or the id shows it."""
    provided_parts: set[int] = field(default_factory=set)
    """As `provided`, by `id` of the part: for calls without an id."""
    answers_of_parts: dict[int, ToolCallResponsePart] = field(default_factory=dict)
    """The answers under another id than that of the call, by `id` of the call's part."""
    reasoning: list[str] = field(default_factory=list)
    """The reasoning of the model, in order."""
    _requested: dict[Origin, list[ToolCallPart]] = field(default_factory=dict)
    _ids: set[str] = field(default_factory=set)
    """The ids of the calls in outputs."""
    _chunks: dict[tuple[str, str | None, str], int] = field(default_factory=dict)
    _earlier_answers: dict[str, list[ToolCallResponsePart]] = field(default_factory=dict)
    _spans: list[Span] = field(default_factory=list)
    _positions: dict[str, list[int]] = field(default_factory=dict)

    def add_output(self, messages: Sequence[Message], span: Span) -> None:
        """Append the messages of one answer of the model."""
        for message in messages:
            self._append(message, message_key(message), span, "output", is_answer=True)
        answers = [part for part in _answers(messages) if part.id is None]
        calls = answered_calls(messages) if answers else {}
        for answer in answers:
            if (call := calls.get(id(answer))) is not None:
                self.answers_of_parts[id(call)] = answer
                self.provided_parts.add(id(call))

    def merge(self, messages: Sequence[Message], span: Span, *, origin: Origin, behind: int = -1) -> int:
        """Add those of `messages` that are not there yet, and return the position of the last of them.

        Both are in order, so each is searched after the one before it, the first after the position `behind`.

        In an input that is not the run's first, messages before the last one from the user are history as well,
        unless they follow a known message.
        """
        position, is_known = behind, False
        question_at = last_from_user(messages) if origin == "input" else -1
        new: list[Message] = []
        for index, message in enumerate(messages):
            key = message_key(message)
            positions = self._positions.get(key, ())
            next_known = bisect_right(positions, position)
            if next_known < len(positions):
                position = positions[next_known]
                is_known = is_known or message.role != "system"
            else:
                position = len(self.messages)
                is_earlier = index < question_at and not is_known
                self._append(message, key, span, "history" if is_earlier else origin)
                new += [] if is_earlier else [message]
        if origin == "input":
            self._match_answers(messages, [part for part in _answers(new) if part.id not in self._ids])
        return position

    def _match_answers(self, messages: Sequence[Message], answers: Sequence[ToolCallResponsePart]) -> None:
        """Find the calls of answers that have another id than the model's output had.

        `messages` is a complete request: the last call in it of one name with the same arguments is the last of these
        that the model made, and so on backwards.
        """
        calls = answered_calls(messages) if answers else {}
        if not calls:
            self._match_in_order(messages, answers)
            return
        calls_made = _by_content([*self._requested.get("history", ()), *self._requested.get("output", ())])
        repeated = _by_content([call for message in messages for call in message.tool_calls])
        parts = {
            id(call): part
            for content, same in repeated.items()
            for call, part in zip(reversed(same), reversed(calls_made.get(content, [])), strict=False)
        }
        for answer in answers:
            call = calls.get(id(answer))
            part = parts.get(id(call)) if call is not None else None
            if part is not None:
                self.answers_of_parts.setdefault(id(part), answer)

    def _match_in_order(self, messages: Sequence[Message], answers: Sequence[ToolCallResponsePart]) -> None:
        """Assign answers without an id to the unanswered calls, if the request leaves out all calls."""
        nameless = tuple(answer for answer in answers if answer.id is None)
        if not nameless or any(message.tool_calls for message in messages):
            return
        calls_made = self._requested.get("output", ())
        waiting = [part for part in calls_made if part.id not in self.answers and id(part) not in self.answers_of_parts]
        request = Message(role="assistant", parts=tuple(waiting))
        calls = answered_calls([request, Message(role="tool", parts=nameless)])
        for answer in nameless:
            if (call := calls.get(id(answer))) is not None:
                self.answers_of_parts[id(call)] = answer

    def _append(self, message: Message, key: str, span: Span, origin: Origin, *, is_answer: bool = False) -> None:
        """Append a message; results in an answer of the model (`is_answer`) are the provider's own."""
        self._positions.setdefault(key, []).append(len(self.messages))
        self.messages.append(message)
        self.origins.append(origin)
        self._spans.append(span)
        for part in message.parts:
            if isinstance(part, ToolCallPart):
                self._add_call(part, span, origin)
                if part.id is not None and is_id_of_provider(part.id):
                    self.provided.add(part.id)
            elif isinstance(part, ToolCallResponsePart) and part.id is not None:
                if origin == "history":
                    self._earlier_answers.setdefault(part.id, []).append(part)
                else:
                    is_own = is_answer or (origin == "output" and message.role == "assistant")
                    self._add_answer(part.id, part, is_own=is_own)
            elif isinstance(part, ReasoningPart) and origin == "output":
                self.reasoning.append(part.content)

    def _add_call(self, part: ToolCallPart, span: Span, origin: Origin) -> None:
        """Add a call; one that is repeated in the answer of one model call is a later chunk of its stream."""
        calls = self._requested.setdefault(origin, [])
        if origin != "output" or part.id is None:
            calls.append(part)
            return
        if part.id not in self._ids:  # an answer before the run is that of another call with this id
            self._ids.add(part.id)
            self.answers.pop(part.id, None)
        key = (span.span_id, part.id, part.name)
        position = self._chunks.setdefault(key, len(calls))
        if position == len(calls):
            calls.append(part)
        elif part.arguments is not None:
            calls[position] = part

    def _add_answer(self, call_id: str, answer: ToolCallResponsePart, *, is_own: bool) -> None:
        answers = self.answers.setdefault(call_id, [])
        if is_own and answers == [None]:  # its execution was recorded before its result
            answers.clear()
        answers.append(answer.response)
        if answer.is_error:
            self.failed.add(call_id)
        if is_own:
            self.provided.add(call_id)

    def is_provided(self, part: ToolCallPart) -> bool:
        """Return whether the model's provider executed the call itself."""
        return part.id in self.provided or id(part) in self.provided_parts

    @property
    def located_messages(self) -> tuple[Message, ...]:
        """The messages, each with the first span that records it and the time."""
        return tuple(map(_locate, self.messages, self.origins, self._spans))

    @property
    def requested(self) -> list[ToolCallPart]:
        """The tool calls that the model requested in this run, in order.

        They are read from its outputs; if these have none, from the input of the next call.
        """
        return self._requested.get("output") or self._requested.get("input") or []

    @property
    def requested_before(self) -> list[ToolCallPart]:
        """The tool calls of the history, in order."""
        return self._requested.get("history") or []

    @property
    def open_history_calls(self) -> list[ToolCallPart]:
        """The tool calls of the history after the last message from the user: a resumed run executes them."""
        history = [message for message, origin in zip(self.messages, self.origins, strict=True) if origin == "history"]
        return [part for message in history[last_from_user(history) + 1 :] for part in message.tool_calls]

    def take_answers_of(self, calls: Iterable[ToolCallPart]) -> None:
        """Add the answers in the history to `calls`, which belong to this run."""
        if not self._earlier_answers:
            return
        for call_id in {call.id for call in calls if call.id is not None} - self.answers.keys():
            for answer in self._earlier_answers.get(call_id, ()):
                self._add_answer(call_id, answer, is_own=False)


def build_conversation(calls: Sequence[Reading], own: Step | None = None) -> Conversation:
    """Return the conversation of these model calls, in order of time; `own` is the step of their run."""
    conversation = Conversation()
    if calls and own is not None:
        conversation.merge(_instructions(own, calls), calls[0].span, origin="history")
    for index, call in enumerate(calls):
        conversation.merge(call.step.input or (), call.span, origin="input" if index else "history")
        conversation.add_output(call.step.output or _text_alone(call.step), call.span)
    return conversation


def _instructions(own: Step, calls: Sequence[Reading]) -> list[Message]:
    """Return the run's instructions, if its model calls record messages but no instructions."""
    messages = [message for call in calls for message in call.step.input or ()]
    is_needed = has_content(messages) and all(message.role != "system" for message in messages)
    return [message for message in own.input or () if message.role == "system"] if is_needed else []


def _text_alone(step: Step) -> tuple[Message, ...]:
    """Return the message of a model call that records its answer as text only."""
    return (Message(role="assistant", parts=(TextPart(content=step.output_text),)),) if step.output_text else ()


def build_conversation_around(around: Iterable[Reading]) -> Conversation:
    """Return the conversation that the spans around the model calls record: those of the run and of its workflows."""
    conversation = Conversation()
    for reading in around:
        history, new = split_output(reading.step)
        is_first = not conversation.messages
        last = conversation.merge(history or reading.step.input or (), reading.span, origin="history")
        # What a later span repeats may stand before its input; the first span repeats nothing.
        conversation.merge(new, reading.span, origin="output", behind=last if history or is_first else -1)
    return conversation


def has_content(messages: Iterable[Message] | None) -> bool:
    """Return whether any of the messages has content."""
    return any(message.parts and not is_redacted(message) for message in messages or ())


def is_id_of_provider(call_id: str) -> bool:
    """Return whether the model's provider gives such ids to calls that it executes itself."""
    return _OF_PROVIDER.match(call_id) is not None


def is_redacted(message: Message) -> bool:
    """Return whether a part of the message was replaced by a placeholder."""
    return any(part.type == "generic" and part.kind == REDACTED for part in message.parts)


def last_text(messages: Iterable[Message], role: str) -> str | None:
    """Return the text of the last message of `role` that has any."""
    texts = [text for message in messages if message.role == role and (text := message.text)]
    return texts[-1] if texts else None


def _locate(message: Message, origin: Origin, span: Span) -> Message:
    time_ns = span.end_ns if origin == "output" else span.start_ns
    return copy_with(message, span_id=span.span_id, time=instant(time_ns))


def _answers(messages: Iterable[Message]) -> Iterator[ToolCallResponsePart]:
    return (part for message in messages for part in message.parts if isinstance(part, ToolCallResponsePart))


def _by_content(calls: Iterable[ToolCallPart]) -> dict[tuple[str, str], list[ToolCallPart]]:
    """Group the calls of one name with the same arguments, in order."""
    same: dict[tuple[str, str], list[ToolCallPart]] = {}
    for call in calls:
        same.setdefault((call.name, canonical(call.arguments)), []).append(call)
    return same
