"""Which model calls without an agent above them are one loop: the later ones go on with what the earlier ones said."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tracegrade.evaluators.model import Message, ToolCallPart, ToolCallResponsePart

from ..spans.step import Step
from .message import last_from_user, message_key

__all__ = ["Loops"]

_OF_MODEL = frozenset({"assistant", "tool"})


class Loops:
    """The loops of some model calls, given in order of time; each call belongs to a piece of a run.

    A call goes on with an earlier one when its input has a tool call that the earlier one asked for, or when it repeats
    the whole of that one's messages. Two records of one response belong together as well. A piece that has a span of
    its own around its calls may be a turn: there the tool call has to stand after the last message from the user.
    Ids such as `call_1` come again in every loop: one that several loops asked with counts only where no messages do.
    """

    def __init__(self) -> None:
        self._first: dict[str, str] = {}
        self._asked: dict[str, str] = {}
        self._ambiguous: set[str] = set()
        self._said: dict[int, str] = {}
        self._unsaid: dict[int, tuple[str, bool]] = {}
        self._responses: dict[str, str] = {}

    def first_of(self, piece: str) -> str:
        """The first piece of the loop that `piece` belongs to."""
        at = piece
        while (before := self._first.get(at, at)) != at:
            at = before
        return at

    def asker_of(self, call_id: str | None) -> str | None:
        """The piece in which the model last asked for the tool call of this id."""
        return None if call_id is None else self._asked.get(call_id)

    def add(self, piece: str, step: Step, *, is_bare: bool) -> None:
        """Takes in the next model call; its piece is bare when it is nothing but this call."""
        if step.response_id is not None:
            self.join(piece, self._responses.setdefault(step.response_id, piece))
        given = step.input or ()
        chain, goes_on = _Chain(), False
        for at, message in enumerate(given):
            chain.add(message)
            if is_bare and chain.has_content:
                before = self._said.get(chain.value) or self._unsaid_by(chain.value, given[at + 1 :])
                goes_on = goes_on or before is not None
                self.join(piece, before)
        recent = given if is_bare else given[last_from_user(given) + 1 :]
        for call_id in _call_ids(recent):
            if not goes_on or call_id not in self._ambiguous:
                self.join(piece, self._asked.get(call_id))
        self._remember(piece, step, chain, is_bare=is_bare)

    def _unsaid_by(self, value: int, later: Sequence[Message]) -> str | None:
        """The piece whose call had this input and no recorded output.

        Its answer follows in `later`, the messages after that input, or it failed and is made again.
        """
        piece, has_failed = self._unsaid.get(value, (None, False))
        goes_on = later[0].role in _OF_MODEL if later else has_failed
        return piece if goes_on else None

    def _remember(self, piece: str, step: Step, chain: _Chain, *, is_bare: bool) -> None:
        for message in step.output or ():
            for part in message.tool_calls:
                if part.id is not None:
                    self._ask(part.id, piece)
        if not is_bare or not chain.has_content:
            return
        if step.output:
            chain.add(step.output[0])
            self._said[chain.value] = piece
        elif not step.output_text:
            self._unsaid[chain.value] = (piece, step.error is not None)

    def _ask(self, call_id: str, piece: str) -> None:
        before = self._asked.get(call_id)
        if before is not None and self.first_of(before) != self.first_of(piece):
            self._ambiguous.add(call_id)
        self._asked[call_id] = piece

    def join(self, piece: str, earlier: str | None) -> None:
        """Makes two pieces, and what each is joined with already, one loop."""
        if earlier is not None and (first := self.first_of(earlier)) != (own := self.first_of(piece)):
            self._first[own] = first


class _Chain:
    """A number for messages in their order, without instructions: the same for the same messages."""

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
