"""The ids by which a run can be linked to others: those it asks with, and those it answers.

A run without an agent span asks with the ids of its responses and of its tool calls. It answers an earlier run if a
request names the response of that run as the previous one, or if its history has the answer to a tool call of that run.
Any run whose conversation is named after a response answers the run of that response, as in Microsoft's Agent
Framework, which has the id of the last response as that of the conversation.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC
from functools import cached_property
from typing import Any, TypeAlias

import orjson

from tracegrade.evaluators.model import AgentTrace, Message, ToolCall, ToolCallPart, ToolCallResponsePart

from ..spans.values import NO_AGENT_SPAN, canonical, is_response_id, own_session

__all__ = ["LINK_KEYS", "is_linkable", "is_unique", "link_keys"]

LINK_KEYS = "link_keys"
"""The table of these ids."""

_MOST_ANSWERS = 32
"""The number of answers that link a run, from the end of its history, which may grow with every request."""

_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", re.IGNORECASE)
_WORD = re.compile(r"[a-z0-9]{8,}", re.IGNORECASE)
_CHANGE = re.compile(r"(?<=[a-z])[0-9]|(?<=[0-9])[a-z]", re.IGNORECASE)
"""Changes between letters and digits: frequent in random ids, while a name with a number has one."""

Row: TypeAlias = dict[str, Any]


def link_keys(run: AgentTrace) -> list[Row]:
    """Return the rows of `link_keys` of one run; few for a run with an agent span."""
    if run.parent_agent_trace_id is not None or run.started_at is None:
        return []
    keys = _Keys(run)
    common = {
        "agent_trace_id": run.agent_trace_id,
        "started_at": run.started_at and run.started_at.astimezone(UTC).replace(tzinfo=None),
        "session_id": run.session_id,
        "is_open": False,
        "is_error": False,
    }
    asked, answered = [*keys.last_response()], [*keys.conversation()]
    if is_linkable(run):
        asked += (*keys.responses(), *keys.calls())
        answered += (*keys.previous_responses(), *keys.answers())
    asks = ({**common, "side": "ask", **row} for row in asked)
    answers = ({**common, "side": "answer", **row} for row in answered)
    return [*asks, *answers]


def is_linkable(run: AgentTrace) -> bool:
    """Return whether the run may be a part of a loop that is spread over several traces."""
    return NO_AGENT_SPAN in run.gaps and run.parent_agent_trace_id is None and run.started_at is not None


def is_unique(id_: str, *, name: str = "") -> bool:
    """Return whether an id is unlike all others: `call_1` and `search_0` occur in every conversation.

    `name` is that of the tool, which is not random wherever it occurs in the id.
    """
    text = id_.replace(name, " ") if name else id_
    return _UUID.search(text) is not None or any(map(_is_random, _WORD.findall(text)))


@dataclass(frozen=True)
class _Keys:
    """The link keys of one run."""

    run: AgentTrace

    def responses(self) -> Iterator[Row]:
        response_ids = dict.fromkeys(call.response_id for call in self.run.llm_calls)
        for response_id in response_ids:
            if response_id is not None and is_unique(response_id):
                yield {"key": self._response_key(response_id)}

    def last_response(self) -> Iterator[Row]:
        """Yield the row by which the next turn may name this one, if no other session does."""
        response_id = next((call.response_id for call in reversed(self.run.llm_calls) if call.response_id), None)
        if response_id is not None and is_response_id(response_id) and own_session(self.run.session_id) is None:
            yield {"key": self._conversation_key(response_id)}

    def conversation(self) -> Iterator[Row]:
        if is_response_id(self.run.session_id) and self.run.session_id is not None:
            yield {"key": self._conversation_key(self.run.session_id)}

    def previous_responses(self) -> Iterator[Row]:
        own = {call.response_id for call in self.run.llm_calls}
        for response_id in dict.fromkeys(call.previous_response_id for call in self.run.llm_calls):
            if response_id is not None and response_id not in own and is_unique(response_id):
                yield {"key": self._response_key(response_id)}

    def calls(self) -> Iterator[Row]:
        for position, call in enumerate(self.run.tool_calls):
            if call.id is None or call.child_agent_trace_id is not None or call.is_foreign:
                continue
            args = call.args if call.args is not None else call.args_text
            asked_at = self._asked_at[call.id][-1] if call.id in self._asked_at else None
            row = {
                "tool_name": call.name,
                "args_hash": _args_hash(args),
                "call_position": position,
                "is_open": _is_open(call),
            }
            for key in self._call_keys(call.id, name=call.name, args=args, asked_at=asked_at):
                yield {**row, "key": key}

    def answers(self) -> Iterator[Row]:
        """Yield rows for the last answers to tool calls of earlier runs, in descending order of time."""
        count = 0
        for at, index, answer in self._answers_backwards():
            asked_at = self._asked_before(answer.id or "", at)
            if self._is_own(answer.id, asked_at):
                continue
            count += 1
            if count > _MOST_ANSWERS:
                return
            part = None if asked_at is None else _part_of(self.run.messages[asked_at], answer.id)
            name = part.name if part else answer.name
            args = part.arguments if part else None
            row = {
                "tool_name": name,
                "args_hash": _args_hash(args),
                "message_position": None if answer.response is None else at,
                "part_position": None if answer.response is None else index,
                "is_error": answer.is_error,
            }
            for key in self._call_keys(answer.id or "", name=name, args=args, asked_at=asked_at):
                yield {**row, "key": key}

    def _answers_backwards(self) -> Iterator[tuple[int, int, ToolCallResponsePart]]:
        for at in range(len(self.run.messages) - 1, -1, -1):
            for index, part in enumerate(self.run.messages[at].parts):
                if isinstance(part, ToolCallResponsePart) and part.id:
                    yield at, index, part

    def _call_keys(self, call_id: str, *, name: str | None, args: object, asked_at: int | None) -> Iterator[int]:
        """Yield the keys of a tool call.

        A unique id is a key by itself; any other only with its call and the messages before it, or with its session.
        """
        if is_unique(call_id, name=name or ""):
            yield _hash("call", *self._place, call_id)
            return
        if name is None or asked_at is None:
            return
        call = (*self._place, call_id, name, canonical(args))
        yield _hash("call after", *call, self._digest_before(asked_at))
        if self.run.session_id is not None:
            yield _hash("call in", *call, self.run.session_id)

    def _conversation_key(self, response_id: str) -> int:
        return _hash("conversation", *self._place, response_id)

    def _response_key(self, response_id: str) -> int:
        return _hash("response", *self._place, response_id)

    @property
    def _place(self) -> tuple[str | None, ...]:
        """The service and, in an experiment, its id: recorded answers may be played to both it and production."""
        service, experiment_id = self.run.service_name, self.run.experiment_id
        return (service,) if experiment_id is None else (service, experiment_id)

    @cached_property
    def _asked_at(self) -> Mapping[str, Sequence[int]]:
        """The positions of the messages in which a model requests each call id, in order."""
        asked: dict[str, list[int]] = {}
        for at, message in enumerate(self.run.messages):
            for part in message.tool_calls:
                if part.id is not None:
                    asked.setdefault(part.id, []).append(at)
        return asked

    @cached_property
    def _own_ids(self) -> frozenset[str | None]:
        return frozenset(call.id for call in self.run.tool_calls)

    def _asked_before(self, call_id: str, at: int) -> int | None:
        return max((asked_at for asked_at in self._asked_at.get(call_id, ()) if asked_at < at), default=None)

    def _is_own(self, call_id: str | None, asked_at: int | None) -> bool:
        """Return whether the run itself requested the call; of a repeated id, the last request is the run's."""
        if call_id not in self._own_ids:
            return False
        return asked_at is None or asked_at == self._asked_at[call_id or ""][-1]

    def _digest_before(self, at: int) -> str:
        """Return a hash of the messages up to the last one before `at` that a model did not write.

        Some frameworks record the calls that a model requests together in one message, others in several.
        """
        while at > 0 and self.run.messages[at - 1].role == "assistant":
            at -= 1
        return self._digests[at]

    @cached_property
    def _digests(self) -> Sequence[str]:
        """A hash of all messages before each position."""
        digests = [""]
        for message in self.run.messages:
            text = canonical([digests[-1], *_content(message)])
            digests.append(hashlib.sha256(text.encode()).hexdigest())
        return digests


def _is_random(word: str) -> bool:
    changes = len(_CHANGE.findall(word))
    return changes >= 4 or (changes >= 2 and len(word) >= 20) or (word.isdigit() and len(word) >= 16)


def _is_open(call: ToolCall) -> bool:
    return call.status is None and call.result is None


def _part_of(message: Message, call_id: str | None) -> ToolCallPart | None:
    return next((part for part in message.tool_calls if part.id == call_id), None)


def _args_hash(args: object) -> int | None:
    return None if args is None else _hash(canonical(args))


def _content(message: Message) -> Iterable[object]:
    """Return the content of a message, without the fields that a framework may rewrite."""
    calls = [(part.name, canonical(part.arguments)) for part in message.tool_calls]
    responses = [part.response for part in message.parts if isinstance(part, ToolCallResponsePart)]
    return message.role, (message.text or "").strip(), calls, responses


def _hash(*parts: object) -> int:
    digest = hashlib.sha256(orjson.dumps(parts)).digest()
    return int.from_bytes(digest[:8], "big")
