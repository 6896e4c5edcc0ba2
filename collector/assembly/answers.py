"""What tools answered, and which tool call an answer belongs to, also where the answer has another id."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Mapping, Sequence

from tracegrade.evaluators.model import Message, ToolCallPart, ToolCallResponsePart

__all__ = ["Answers", "answered_calls"]


class Answers:
    """The results of tool calls `by_id`, in order where an id comes again, and `by_part`, the `id` of a call's part.

    Results by part have another id than their call. `failed` are the ids of the results that are errors.
    """

    def __init__(
        self,
        by_id: Mapping[str, Sequence[str | None]],
        *,
        by_part: Mapping[int, ToolCallResponsePart] | None = None,
        failed: Collection[str] = (),
    ) -> None:
        self._left = {call_id: deque(results) for call_id, results in by_id.items()}
        self._by_part = by_part or {}
        self._failed = failed

    def has(self, part: ToolCallPart) -> bool:
        """Whether the call of this part was answered."""
        return part.id in self._left or id(part) in self._by_part

    def has_failed(self, call_id: str | None, part: ToolCallPart | None) -> bool:
        """Whether the answer to the call is an error."""
        if call_id in self._failed:
            return True
        return part is not None and id(part) in self._by_part and self._by_part[id(part)].is_error

    def take(self, call_id: str | None, part: ToolCallPart | None) -> str | None:
        """The result of a call: under its id, else that of its `part` or under the id that the model gave it."""
        left = self._left.get(call_id or "")
        if not left and part is not None:
            if id(part) in self._by_part:
                return self._by_part[id(part)].response
            left = self._left.get(part.id or "")
        if not left:
            return None
        return left.popleft() if len(left) > 1 else left[0]


def answered_calls(messages: Iterable[Message]) -> dict[int, ToolCallPart]:
    """The call that each answer belongs to, by the `id` of the answer's part.

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
            at = _place(part, waiting, ids)
            if at is not None:
                calls[id(part)] = waiting.pop(at)
    return calls


def _place(answer: ToolCallResponsePart, waiting: list[ToolCallPart], ids: set[str]) -> int | None:
    """Where among the calls that wait stands the one that `answer` belongs to; None where none does."""
    if answer.id is not None and answer.id in ids:
        places = (at for at, call in enumerate(waiting) if call.id == answer.id)
    else:
        places = (at for at, call in enumerate(waiting) if answer.name is None or call.name == answer.name)
    return next(places, None)
