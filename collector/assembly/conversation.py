"""The conversation of a run with its model: each message once, though every call repeats what came before."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from tracegrade.evaluators.model import Message, ReasoningPart, TextPart, ToolCallPart, ToolCallResponsePart

from ..spans.frozen import updated
from ..spans.span import Span, instant
from ..spans.step import Step
from ..spans.values import REDACTED, canonical
from .answers import answered_calls
from .message import last_from_user, message_key
from .run import Read
from .turns import split_output

__all__ = ["Conversation", "converse", "has_content", "is_id_of_provider", "is_redacted", "last_text", "retold"]

_OF_PROVIDER = re.compile(r"srvtoolu_|mcptoolu_|(?:ws|fs|ci|ig|mcp)_[0-9a-f]{16}")
"""How ids begin that Anthropic and OpenAI give to calls of the tools that they run themselves."""

Origin: TypeAlias = Literal["history", "input", "output"]


@dataclass(slots=True)
class Conversation:
    """Messages in order, each with where it came from.

    `history` was known before the run, `input` was put in between two calls, `output` is the model's own. What was
    called and answered in the history is not this run's.
    """

    messages: list[Message] = field(default_factory=list)
    origins: list[Origin] = field(default_factory=list)
    answers: dict[str, list[str | None]] = field(default_factory=dict)
    """What tools answered, by call id, in order: ids may come again. None: answered, but not recorded with what."""
    failed: set[str] = field(default_factory=set)
    """The ids of calls whose answer says that the tool failed."""
    provided: set[str] = field(default_factory=set)
    """The ids of calls that the model's provider carried out itself: its message has the answer, or the id says so."""
    provided_parts: set[int] = field(default_factory=set)
    """As `provided`, by `id` of the part: for calls without an id."""
    answers_of_parts: dict[int, ToolCallResponsePart] = field(default_factory=dict)
    """The answers under another id than that of the call, by `id` of the call's part."""
    reasoning: list[str] = field(default_factory=list)
    """What the model thought, in order."""
    _asked: dict[Origin, list[ToolCallPart]] = field(default_factory=dict)
    _ids: set[str] = field(default_factory=set)
    """The ids of the calls in outputs."""
    _chunks: dict[tuple[str, str | None, str], int] = field(default_factory=dict)
    _earlier_answers: dict[str, list[ToolCallResponsePart]] = field(default_factory=dict)
    _spans: list[Span] = field(default_factory=list)
    _positions: dict[str, list[int]] = field(default_factory=dict)

    def add_output(self, messages: Sequence[Message], span: Span) -> None:
        """Puts the messages of one answer of the model at the end."""
        for message in messages:
            self._append(message, message_key(message), span, "output", is_answer=True)
        answers = [part for part in _answers(messages) if part.id is None]
        calls = answered_calls(messages) if answers else {}
        for answer in answers:
            if (call := calls.get(id(answer))) is not None:
                self.answers_of_parts[id(call)] = answer
                self.provided_parts.add(id(call))

    def merge(self, messages: Sequence[Message], span: Span, *, origin: Origin, behind: int = -1) -> int:
        """Adds those of `messages` that are not there yet, and gives the position of the last of them.

        Both are in order, so each is looked for behind the one before it, the first behind the position `behind`.

        Of an input that is not the run's first, what stands before the last message from the user is history as well,
        unless it follows on a message that is known.
        """
        at, is_known = behind, False
        asked = last_from_user(messages) if origin == "input" else -1
        new: list[Message] = []
        for place, message in enumerate(messages):
            key = message_key(message)
            known = self._positions.get(key, ())
            later = bisect_right(known, at)
            if later < len(known):
                at = known[later]
                is_known = is_known or message.role != "system"
            else:
                at = len(self.messages)
                is_earlier = place < asked and not is_known
                self._append(message, key, span, "history" if is_earlier else origin)
                new += [] if is_earlier else [message]
        if origin == "input":
            self._match_answers(messages, [part for part in _answers(new) if part.id not in self._ids])
        return at

    def _match_answers(self, messages: Sequence[Message], answers: Sequence[ToolCallResponsePart]) -> None:
        """Finds the calls of answers that have another id than the model's output had.

        `messages` is a whole request: the last call in it of one name with the same arguments is the last of these
        that the model made, and so on backwards.
        """
        calls = answered_calls(messages) if answers else {}
        if not calls:
            self._match_in_order(messages, answers)
            return
        made = _by_content([*self._asked.get("history", ()), *self._asked.get("output", ())])
        repeated = _by_content([call for message in messages for call in message.tool_calls])
        parts = {
            id(call): part
            for content, same in repeated.items()
            for call, part in zip(reversed(same), reversed(made.get(content, [])), strict=False)
        }
        for answer in answers:
            call = calls.get(id(answer))
            part = parts.get(id(call)) if call is not None else None
            if part is not None:
                self.answers_of_parts.setdefault(id(part), answer)

    def _match_in_order(self, messages: Sequence[Message], answers: Sequence[ToolCallResponsePart]) -> None:
        """Gives answers without an id to the calls that wait, where the request leaves out all calls."""
        nameless = tuple(answer for answer in answers if answer.id is None)
        if not nameless or any(message.tool_calls for message in messages):
            return
        made = self._asked.get("output", ())
        waiting = [part for part in made if part.id not in self.answers and id(part) not in self.answers_of_parts]
        asked = Message(role="assistant", parts=tuple(waiting))
        calls = answered_calls([asked, Message(role="tool", parts=nameless)])
        for answer in nameless:
            if (call := calls.get(id(answer))) is not None:
                self.answers_of_parts[id(call)] = answer

    def _append(self, message: Message, key: str, span: Span, origin: Origin, *, is_answer: bool = False) -> None:
        """Puts a message at the end; whatever stands in an answer of the model (`is_answer`) is the provider's own."""
        self._positions.setdefault(key, []).append(len(self.messages))
        self.messages.append(message)
        self.origins.append(origin)
        self._spans.append(span)
        for part in message.parts:
            if isinstance(part, ToolCallPart):
                self._ask(part, span, origin)
                if part.id is not None and is_id_of_provider(part.id):
                    self.provided.add(part.id)
            elif isinstance(part, ToolCallResponsePart) and part.id is not None:
                if origin == "history":
                    self._earlier_answers.setdefault(part.id, []).append(part)
                else:
                    is_own = is_answer or (origin == "output" and message.role == "assistant")
                    self._hear(part.id, part, is_own=is_own)
            elif isinstance(part, ReasoningPart) and origin == "output":
                self.reasoning.append(part.content)

    def _ask(self, part: ToolCallPart, span: Span, origin: Origin) -> None:
        """Adds a call; one that comes again in the answer of one model call is a later chunk of its stream."""
        asked = self._asked.setdefault(origin, [])
        if origin != "output" or part.id is None:
            asked.append(part)
            return
        if part.id not in self._ids:  # an answer before the run is that of another call with this id
            self._ids.add(part.id)
            self.answers.pop(part.id, None)
        key = (span.span_id, part.id, part.name)
        at = self._chunks.setdefault(key, len(asked))
        if at == len(asked):
            asked.append(part)
        elif part.arguments is not None:
            asked[at] = part

    def _hear(self, call_id: str, answer: ToolCallResponsePart, *, is_own: bool) -> None:
        answers = self.answers.setdefault(call_id, [])
        if is_own and answers == [None]:  # that it ran was known before what it gave
            answers.clear()
        answers.append(answer.response)
        if answer.is_error:
            self.failed.add(call_id)
        if is_own:
            self.provided.add(call_id)

    def is_provided(self, part: ToolCallPart) -> bool:
        """Whether the model's provider carried out the call itself."""
        return part.id in self.provided or id(part) in self.provided_parts

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

    @property
    def asked_before(self) -> list[ToolCallPart]:
        """The tool calls of the history, in order."""
        return self._asked.get("history") or []

    @property
    def left_open(self) -> list[ToolCallPart]:
        """The tool calls of the history that nothing from the user follows: a run that is resumed carries them out."""
        history = [message for message, origin in zip(self.messages, self.origins, strict=True) if origin == "history"]
        return [part for message in history[last_from_user(history) + 1 :] for part in message.tool_calls]

    def take_up(self, calls: Iterable[ToolCallPart]) -> None:
        """Counts what the history has as the answers to `calls`, which belong to this run."""
        if not self._earlier_answers:
            return
        for call_id in {call.id for call in calls if call.id is not None} - self.answers.keys():
            for answer in self._earlier_answers.get(call_id, ()):
                self._hear(call_id, answer, is_own=False)


def converse(calls: Sequence[Read], own: Step | None = None) -> Conversation:
    """The conversation that these model calls, in order of time, were part of; `own` is the step of their run."""
    conversation = Conversation()
    if calls and own is not None:
        conversation.merge(_instructions(own, calls), calls[0].span, origin="history")
    for index, call in enumerate(calls):
        conversation.merge(call.step.input or (), call.span, origin="input" if index else "history")
        conversation.add_output(call.step.output or _text_alone(call.step), call.span)
    return conversation


def _instructions(own: Step, calls: Sequence[Read]) -> list[Message]:
    """The run's instructions, where its model calls record messages but no instructions."""
    messages = [message for call in calls for message in call.step.input or ()]
    is_needed = has_content(messages) and all(message.role != "system" for message in messages)
    return [message for message in own.input or () if message.role == "system"] if is_needed else []


def _text_alone(step: Step) -> tuple[Message, ...]:
    """The message of a model of which only the text was recorded."""
    return (Message(role="assistant", parts=(TextPart(content=step.output_text),)),) if step.output_text else ()


def retold(around: Iterable[Read]) -> Conversation:
    """The conversation as the spans around the model calls tell it: those of the run and of its workflows."""
    conversation = Conversation()
    for one in around:
        history, new = split_output(one.step)
        last = conversation.merge(history or one.step.input or (), one.span, origin="history")
        conversation.merge(new, one.span, origin="output", behind=last if history else -1)
    return conversation


def has_content(messages: Iterable[Message] | None) -> bool:
    """Whether any of the messages says anything."""
    return any(message.parts and not is_redacted(message) for message in messages or ())


def is_id_of_provider(call_id: str) -> bool:
    """Whether the model's provider gives such ids to calls that it carries out itself."""
    return _OF_PROVIDER.match(call_id) is not None


def is_redacted(message: Message) -> bool:
    """Whether something of the message was left out, and a placeholder says so."""
    return any(part.type == "generic" and part.kind == REDACTED for part in message.parts)


def last_text(messages: Iterable[Message], role: str) -> str | None:
    """The text of the last message of `role` that has any."""
    texts = [text for message in messages if message.role == role and (text := message.text)]
    return texts[-1] if texts else None


def _placed(message: Message, origin: Origin, span: Span) -> Message:
    time_ns = span.end_ns if origin == "output" else span.start_ns
    return updated(message, span_id=span.span_id, time=instant(time_ns))


def _answers(messages: Iterable[Message]) -> Iterator[ToolCallResponsePart]:
    return (part for message in messages for part in message.parts if isinstance(part, ToolCallResponsePart))


def _by_content(calls: Iterable[ToolCallPart]) -> dict[tuple[str, str], list[ToolCallPart]]:
    """The calls of one name with the same arguments, in order."""
    same: dict[tuple[str, str], list[ToolCallPart]] = {}
    for call in calls:
        same.setdefault((call.name, canonical(call.arguments)), []).append(call)
    return same
