"""The answers of tools, and the tool call that each belongs to, also where the answer has another id."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Mapping, Sequence

from tracegrade.evaluators.model import Message, ToolCallPart, ToolCallResponsePart

__all__ = ["Answers", "answered_calls"]


class Answers:
    """The results of tool calls `by_id`, in order where an id is repeated, and `by_part`, the `id` of a call's part.

    Results by part have another id than their call. `failed` are the ids of the results that are errors.
    """

    def __init__(
        self,
        by_id: Mapping[str, Sequence[str | None]],
        *,
        by_part: Mapping[int, ToolCallResponsePart] | None = None,
        failed: Collection[str] = (),
    ) -> None:
        self._remaining = {call_id: deque(results) for call_id, results in by_id.items()}
        self._by_part = by_part or {}
        self._failed = failed

    def has(self, part: ToolCallPart) -> bool:
        """Return whether the call of this part was answered."""
        return part.id in self._remaining or id(part) in self._by_part

    def has_failed(self, call_id: str | None, part: ToolCallPart | None) -> bool:
        """Return whether the answer to the call is an error."""
        if call_id in self._failed:
            return True
        return part is not None and id(part) in self._by_part and self._by_part[id(part)].is_error

    def take(self, call_id: str | None, part: ToolCallPart | None) -> str | None:
        """Return the result of a call: by its id, else that of its `part` or by the id that the model gave it."""
        remaining = self._remaining.get(call_id or "")
        if not remaining and part is not None:
            if id(part) in self._by_part:
                return self._by_part[id(part)].response
            remaining = self._remaining.get(part.id or "")
        if not remaining:
            return None
        return remaining.popleft() if len(remaining) > 1 else remaining[0]


def answered_calls(messages: Iterable[Message]) -> dict[int, ToolCallPart]:
    """Return the call that each answer belongs to, by the `id` of the answer's part.

    An answer belongs to the call before it with the same id. Where no call has its id, it belongs to the first call of
    its name that still waits for an answer; without a name, to the first call that does.
    """
    calls: dict[int, ToolCallPart] = {}
    ids: set[str] = set()
    waiting: list[ToolCallPart] = []
    for part in (part for message in messages for part in message.parts):
        if isinstance(part, ToolCallPart):
            waiting.append(part)
            ids |= {part.id} if part.id is not None else set()
        elif isinstance(part, ToolCallResponsePart):
            position = _position_of_call(part, waiting, ids)
            if position is not None:
                calls[id(part)] = waiting.pop(position)
    return calls


def _position_of_call(answer: ToolCallResponsePart, waiting: list[ToolCallPart], ids: set[str]) -> int | None:
    """Return the position among the waiting calls of the one that `answer` belongs to; None where none does."""
    if answer.id is not None and answer.id in ids:
        positions = (position for position, call in enumerate(waiting) if call.id == answer.id)
    else:
        positions = (
            position for position, call in enumerate(waiting) if answer.name is None or call.name == answer.name
        )
    return next(positions, None)
