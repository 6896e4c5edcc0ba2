"""Groups model calls without an agent span into loops: a later call continues the conversation of an earlier one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tracegrade.evaluators.model import Message, ToolCallPart, ToolCallResponsePart

from ..spans.step import Step
from .message import last_from_user, message_key

__all__ = ["Loops"]

_OF_MODEL = frozenset({"assistant", "tool"})


class Loops:
    """The loops of model calls that are added in order of time; each call belongs to a piece of a run.

    A call continues an earlier one if its input has a tool call that the earlier one requested, or if it repeats
    all messages of that one. Two records of one response belong together as well. A piece that has a span of
    its own around its calls may be a turn: then the tool call has to follow the last message from the user.
    Ids such as `call_1` occur in every loop: one that several loops use only counts if no messages are repeated.
    """

    def __init__(self) -> None:
        self._first: dict[str, str] = {}
        self._piece_of_call: dict[str, str] = {}
        self._ambiguous: set[str] = set()
        self._answered: dict[int, str] = {}
        self._unanswered: dict[int, tuple[str, bool]] = {}
        self._responses: dict[str, str] = {}

    def find_first(self, piece: str) -> str:
        """Return the first piece of the loop that `piece` belongs to."""
        at = piece
        while (before := self._first.get(at, at)) != at:
            at = before
        return at

    def find_requester(self, call_id: str | None) -> str | None:
        """Return the piece in which the model last requested the tool call of this id."""
        return None if call_id is None else self._piece_of_call.get(call_id)

    def add(self, piece: str, step: Step, *, is_bare: bool) -> None:
        """Add the next model call; its piece is bare if it consists of this call alone."""
        if step.response_id is not None:
            self.join(piece, self._responses.setdefault(step.response_id, piece))
        messages = step.input or ()
        chain, goes_on = _Chain(), False
        for position, message in enumerate(messages):
            chain.add(message)
            if is_bare and chain.has_content:
                before = self._answered.get(chain.value) or self._find_unanswered(chain.value, messages[position + 1 :])
                goes_on = goes_on or before is not None
                self.join(piece, before)
        recent = messages if is_bare else messages[last_from_user(messages) + 1 :]
        for call_id in _call_ids(recent):
            if not goes_on or call_id not in self._ambiguous:
                self.join(piece, self._piece_of_call.get(call_id))
        self._remember(piece, step, chain, is_bare=is_bare)

    def _find_unanswered(self, value: int, later: Sequence[Message]) -> str | None:
        """Return the piece whose call had this input and no recorded output.

        Its answer follows in `later`, the messages after that input, or it failed and is repeated.
        """
        piece, has_failed = self._unanswered.get(value, (None, False))
        goes_on = later[0].role in _OF_MODEL if later else has_failed
        return piece if goes_on else None

    def _remember(self, piece: str, step: Step, chain: _Chain, *, is_bare: bool) -> None:
        for message in step.output or ():
            for part in message.tool_calls:
                if part.id is not None:
                    self._add_call(part.id, piece)
        if not is_bare or not chain.has_content:
            return
        if step.output:
            chain.add(step.output[0])
            self._answered[chain.value] = piece
        elif not step.output_text:
            self._unanswered[chain.value] = (piece, step.error is not None)

    def _add_call(self, call_id: str, piece: str) -> None:
        before = self._piece_of_call.get(call_id)
        if before is not None and self.find_first(before) != self.find_first(piece):
            self._ambiguous.add(call_id)
        self._piece_of_call[call_id] = piece

    def join(self, piece: str, earlier: str | None) -> None:
        """Merge two pieces, with all pieces that each is joined with, into one loop."""
        if earlier is not None and (first := self.find_first(earlier)) != (own := self.find_first(piece)):
            self._first[own] = first


class _Chain:
    """A hash of messages in their order, without instructions."""

    def __init__(self) -> None:
        self.value = 0
        self.has_content = False

    def add(self, message: Message) -> None:
        if message.role != "system":
            self.value = hash((self.value, message_key(message)))
            self.has_content = True


def _call_ids(messages: Iterable[Message]) -> Iterator[str]:
    for message in messages:
        for part in message.parts:
            if isinstance(part, ToolCallPart | ToolCallResponsePart) and part.id is not None:
                yield part.id
