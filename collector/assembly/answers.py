"""Which tool call of a list of messages an answer in it belongs to, also where the answer has another id."""

from __future__ import annotations

from collections.abc import Iterable

from tracegrade.evaluators.model import Message, ToolCallPart, ToolCallResponsePart

__all__ = ["answered_calls"]


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
